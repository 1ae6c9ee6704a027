package benchmarks

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"remap/internal/testkit/tier"
	"remap/partition"
)

// TestPeersParts writes what each part of the preset default is worth: the
// comparison graphs mapped without it, one part at a time.
// REMAP_TABLE=1 go test -run PeersParts -timeout 30m -v ./benchmarks
func TestPeersParts(t *testing.T) {
	tier.Table(t, "maps graphs for some minutes")
	variants := []struct {
		name   string
		change func(p *partition.Preset)
	}{
		{"all", func(*partition.Preset) {}},
		{"no large neighbourhood search", func(p *partition.Preset) { p.Neighbourhoods.Rounds = 0 }},
		{"no ejection chains, no negative cycles", func(p *partition.Preset) {
			p.ChainLength, p.CycleRounds = 0,
				0
		}},
		{"no negative cycles", func(p *partition.Preset) { p.CycleRounds = 0 }},
		{"no V-cycles", func(p *partition.Preset) { p.Cut.Cycles = 0 }},
		{"one run down the levels", func(p *partition.Preset) { p.Cut.Attempts, p.Cut.Cycles = 1, 0 }},
		{"matching only", func(p *partition.Preset) {
			p.Cut.Merging, p.Neighbourhoods.Solver.Cut.Merging = partition.Pairs, partition.Pairs
		}},
		{"clusters only", func(p *partition.Preset) {
			p.Cut.Merging, p.Neighbourhoods.Solver.Cut.Merging = partition.Clusters, partition.Clusters
		}},
	}
	const seeds = 3
	folder := peerFolder(t)
	rows := make([]strings.Builder, len(variants))
	logs, user := make([]float64, len(variants)), make([]float64, len(variants))
	var all []figure
	var head strings.Builder
	for _, c := range peerCases[:7] { // the others take as long as these together
		j := c.job(t, folder)
		if j == nil {
			continue
		}
		fmt.Fprintf(&head, " %s |", c.name)
		for i, v := range variants {
			preset := partition.DefaultPreset
			v.change(&preset)
			f := j.measure(t, preset.Strategy(), seeds)
			if f.refusal != nil {
				t.Fatal(f.refusal)
			}
			if i == 0 {
				all = append(all, f)
			}
			whole := all[len(all)-1]
			fmt.Fprintf(&rows[i], " %+.2f |", 100*(f.length/whole.length-1))
			logs[i] += math.Log(f.length / whole.length)
			user[i] += f.user
		}
	}
	var out strings.Builder
	fmt.Fprintf(&out, "| preset default |%s mean | user s, all graphs "+
		"|\n|%s\n", head.String(), strings.Repeat("---|", len(all)+3))
	for i, v := range variants {
		fmt.Fprintf(&out, "| %s |%s %+.2f | %.1f |\n", v.name, rows[i].String(),
			100*(math.Exp(logs[i]/float64(len(all)))-1), user[i])
	}
	t.Logf("path length over that of all parts, %%; geometric means over seeds 1 to "+
		"%d:\n%s", seeds, out.String())
	if logs[1] < 0 || logs[2] < 0 {
		t.Errorf("the mean is better without a part:\n%s", out.String())
	}
}
