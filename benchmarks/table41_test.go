package benchmarks

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"remap/commgraph"
	"remap/evalsim"
	"remap/fixtures"
	"remap/internal/testkit/tier"
	"remap/mapping"
	"remap/strategy"
	"remap/workload"
)

// thesisRow is one row of table 4.1 (Taffet 2018) and the times ours may take:
// the floor of its kind of mapping and the most that is still the same finding.
type thesisRow struct {
	strategy  string
	thesis    float64 // ns of one round; 0 = not given
	low, high float64 // us
}

var table41 = []thesisRow{
	{"identity", 61186, 62.2, 76},
	{"random", 86054, 83.8, 120},
	{"rcm", 89020, 83.8, 120},
	{"bisection", 44018, 41.9, 47},
	{"kl", 48925, 41.9, 0.82 * 76},
	{"tiling:levels=1", 44035, 41.9, 47},
	{"tiling", 0, 41.9, 47},
}

// TestTable41 reproduces the comparison of mappings of section 4.2, and, with
// -v, prints it as a table with the default setting, with REMAP_TABLE=1 with the
// published one too: REMAP_TABLE=1 go test -run Table41 -v ./benchmarks
func TestTable41(t *testing.T) {
	tier.Long(t, "seven mappings of 4608 ranks")
	scenario, err := fixtures.Find("tapered-stencil")
	if err != nil {
		t.Fatal(err)
	}
	program, traffic, problem, err := scenario.Load(1)
	if err != nil {
		t.Fatal(err)
	}
	for _, set := range askedSettings(false) {
		t.Log(set.name + "\n" + tableOf41(t, set, program, traffic, problem))
	}
}

// tableOf41 is the table with one setting.
func tableOf41(t *testing.T, set setting, program *workload.Program, traffic *commgraph.Traffic,
	problem *mapping.Problem) string {
	var out strings.Builder
	out.WriteString("| mapping | path length | cut | us [95 % of the median] | ratio | thesis us | thesis " +
		"ratio | ours / thesis |\n|---|---|---|---|---|---|---|---|\n")
	var first float64
	for _, row := range table41 {
		s, err := strategy.Parse(row.strategy)
		if err != nil {
			t.Fatal(err)
		}
		m, err := s.Map(context.Background(), problem)
		if err != nil {
			t.Fatal(err)
		}
		costs, err := mapping.Evaluate(problem.Machine, problem.Allocation, traffic, m, nil)
		if err != nil {
			t.Fatal(err)
		}
		jobs := []evalsim.Job{{Program: program, Hosts: m.Hosts(problem.Allocation)}}
		results, err := evalsim.Repeat(context.Background(), problem.Machine, jobs, set.options, 6, 2, nil)
		if err != nil {
			t.Fatal(err)
		}
		summary := evalsim.Summarize(results)
		us := float64(summary.ElapsedNS) / 1000
		if first == 0 {
			first = us
		}
		if us < row.low || us > row.high {
			t.Errorf("%s takes %.1f us: outside %.1f to %.1f", row.strategy, us, row.low, row.high)
		}
		if row.strategy == "kl" && us > 0.82*first {
			t.Errorf("incremental Kernighan-Lin takes %.3f of row major, more than 0.82", us/first)
		}
		fmt.Fprintf(&out, "| %s | %.4f | %.4f | %.1f [%.1f, %.1f] | "+
			"%.3f |", row.strategy, costs.AvgPathLength, costs.CutFraction,
			us, float64(*summary.ElapsedNSLow)/1000, float64(*summary.ElapsedNSHigh)/1000, us/first)
		if row.thesis > 0 {
			fmt.Fprintf(&out, " %.1f | %.3f | %.3f |\n", row.thesis/1000, row.thesis/table41[0].thesis,
				us*1000/row.thesis)
		} else {
			out.WriteString(" - | - | - |\n")
		}
	}
	return out.String()
}
