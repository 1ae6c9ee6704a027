package benchmarks

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"remap/internal/testkit/tier"
)

// childCase is the environment variable that makes the test binary a child: it
// plays the case of this name once and reports.
const childCase = "REMAP_BENCHMARK_CASE"

// childReport is what a child has measured of itself.
type childReport struct {
	PeakMB      float64 // most resident memory; 0 = this system does not tell
	UserSeconds float64 // with the layout
	Seconds     float64 // elapsed, with the layout
	PacketHops  int64
}

// memoryCases are those whose memory is bounded.
func memoryCases() []speedCase {
	return append(bothMappings(mainCase), append(largeCases, sizeCases[3])...)
}

// inChild plays a case in a process of its own, so that nothing else is counted.
// Of the peak that waiting for a child gives, its parent's memory is part.
func inChild(t *testing.T, c speedCase) (report childReport) {
	t.Helper()
	child := exec.Command(os.Args[0], "-test.run=^TestChild$", "-test.v")
	child.Env = append(os.Environ(), childCase+"="+c.name())
	out, err := child.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", c.name(), err, out)
	}
	_, rest, found := strings.Cut(string(out), "report: ")
	line, _, _ := strings.Cut(rest, "\n")
	if err := json.Unmarshal([]byte(line), &report); !found || err != nil {
		t.Fatalf("%s: no report (%v) in\n%s", c.name(), err, out)
	}
	return report
}

// TestChild is the child's side of inChild.
func TestChild(t *testing.T) {
	name := os.Getenv(childCase)
	if name == "" {
		t.Skip("skipped: only for the process that another test begins")
	}
	for _, c := range bothMappings(append(sizeCases, largeCases...)...) {
		if c.name() != name {
			continue
		}
		begin := time.Now()
		hops := play(t, c.simulation(t, 1)).PacketHops
		report, err := json.Marshal(childReport{peakMB(t), userSeconds(t), time.Since(begin).Seconds(), hops})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Printf("report: %s\n", report)
		return
	}
	t.Fatalf("no case %s", name)
}

// peakMB is the most memory this process has had, as Linux counts it, in 10^6 bytes.
func peakMB(t *testing.T) float64 {
	file, err := os.Open("/proc/self/status")
	if err != nil {
		return 0
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var kib float64
		if n, _ := fmt.Sscanf(lines.Text(), "VmHWM: %g kB", &kib); n == 1 {
			return kib * 1024 / 1e6
		}
	}
	t.Fatal("no peak of memory in /proc/self/status")
	return 0
}

// Memory follows the machine: under 60 MB for 4608 hosts, under 1 GB for the
// largest networks, the program and the layout included.
func TestMemory(t *testing.T) {
	tier.Long(t, "networks of up to 27,648 hosts")
	var table strings.Builder
	table.WriteString("memory of the whole process:\n" +
		"| network and mapping | MB | s | user s | million packet-hops |\n|---|---|---|---|---|\n")
	for _, c := range memoryCases() {
		limit := 1000.0
		if c.size == mainCase.size {
			limit = 60
		}
		report := inChild(t, c)
		if report.PeakMB == 0 {
			t.Skip("skipped: needs /proc/self/status")
		}
		fmt.Fprintf(&table, "| %s | %.1f | %.2f | %.2f | %.1f |\n", c.name(), report.PeakMB, report.Seconds,
			report.UserSeconds, float64(report.PacketHops)/1e6)
		if report.PeakMB > limit {
			t.Errorf("%s takes %.0f MB, more than %.0f", c.name(), report.PeakMB, limit)
		}
	}
	t.Log(table.String())
}
