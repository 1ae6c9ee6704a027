package benchmarks

import (
	"fmt"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"remap/internal/testkit/tier"
)

// tableTurns is how many runs of a case are measured; the fastest counts.
const tableTurns = 5

// TestTableSpeed measures what simulations cost and writes it as a table:
// REMAP_TABLE=1 go test -run TableSpeed -v ./benchmarks
func TestTableSpeed(t *testing.T) {
	tier.Table(t, "measures for two minutes")
	var out strings.Builder
	out.WriteString("| network | hosts | mapping | million packet-hops | million packet-hops/user s | " +
		"ns/packet-hop | instructions/packet-hop | allocations in a run | MB " +
		"|\n|---|---|---|---|---|---|---|---|---|\n")
	for _, c := range append(bothMappings(sizeCases...), largeCases...) {
		hops, rate, allocations := cost(t, c)
		memory := inChild(t, c).PeakMB
		fmt.Fprintf(&out, "| %s | %d | %s | %.2f | %.1f | %.0f | %s | %.0f | "+
			"%.0f |\n", c.shape, c.size, c.mapping(),
			float64(hops)/1e6, rate/1e6, 1e9/rate, instructions(t, c), allocations, memory)
	}
	t.Logf("one core, user time, best of %d runs:\n%s", tableTurns, out.String())
}

// cost is the packet-hops of one run, the most a user second has seen, and the
// allocations of a run.
func cost(t *testing.T, c speedCase) (hops int64, rate, allocations float64) {
	s := c.simulation(t, 1)
	play(t, s)
	for range tableTurns {
		begin := userSeconds(t)
		runs := 0
		for ; runs == 0 || userSeconds(t)-begin < 0.2; runs++ {
			hops = play(t, s).PacketHops
		}
		rate = max(rate, float64(hops)*float64(runs)/(userSeconds(t)-begin))
	}
	return hops, rate, testing.AllocsPerRun(1, func() { play(t, s) })
}

// instructions is what instructions.sh counts in all; "-" without valgrind, and
// for cases that would take it minutes.
func instructions(t *testing.T, c speedCase) string {
	if c.size > mainCase.size {
		return "-"
	}
	out, err := exec.Command("./instructions.sh", c.name()).CombinedOutput()
	if err != nil {
		t.Fatalf("instructions.sh: %v\n%s", err, out)
	}
	if found := regexp.MustCompile(`(\S+) +in all`).FindSubmatch(out); found != nil {
		return string(found[1])
	}
	return "-"
}
