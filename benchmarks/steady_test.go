package benchmarks

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"remap/evalsim"
	"remap/fixtures"
	"remap/internal/testkit/tier"
)

// TestSteadyTable is the time of a step of the default mapping by the rule for steady state,
// with other least numbers of steps, up to 40:
// REMAP_TABLE=1 go test -run SteadyTable -v ./benchmarks
func TestSteadyTable(t *testing.T) {
	tier.Table(t, "a table")
	least := []int{3, 6, 8, 12, 40}
	var table strings.Builder
	table.WriteString("| job | one step, cold |")
	for _, n := range least {
		fmt.Fprintf(&table, " least %d |", n)
	}
	fmt.Fprintf(&table, " the rule |\n%s|\n", strings.Repeat("|---", len(least)+3))
	for _, s := range append(unseen(), smallScenarios()...) {
		t.Run(s.Name, func(t *testing.T) {
			needFile(t, s)
			b := openSetup(t, s, "swap", 1)
			cells := []string{s.Name, b.defaultAt(t, 1, 0)}
			for _, n := range least {
				cells = append(cells, b.defaultAt(t, 0, n))
			}
			cells = append(cells, b.defaultAt(t, 0, 0))
			fmt.Fprintf(&table, "| %s |\n", strings.Join(cells, " | "))
		})
	}
	t.Logf("us a step of the default mapping, median of 6 repeats:\n%s", table.String())
}

// smallScenarios are those of fixtures with other jobs.
func smallScenarios() []fixtures.Scenario {
	var list []fixtures.Scenario
	for _, s := range fixtures.Table() {
		if strings.HasSuffix(s.Name, fixtures.Small) && len(s.Background) > 0 {
			list = append(list, s)
		}
	}
	return list
}

// defaultAt is the time of a step of the default mapping.
func (b *loopBench) defaultAt(t testing.TB, steps, least int) string {
	t.Helper()
	o := b.Options
	o.Steps, o.SteadySteps = steps, least
	e, err := b.beside(b.Background...)(o)(context.Background(), b.Problem.StartMapping(), freshRepeat, 6)
	if err != nil {
		t.Fatalf("%s: %v", b.Name, err)
	}
	m, _, _, _ := evalsim.MedianInterval(e.Times())
	return fmt.Sprintf("%.1f", m/1000)
}

// TestSearchSteps is what searches come to whose simulations have other numbers of steps
// and repeats than optimize takes (3 and 2):
// REMAP_TABLE=1 go test -run SearchSteps -timeout 60m -v ./benchmarks
func TestSearchSteps(t *testing.T) {
	tier.Table(t, "searches of minutes")
	const seeds = 3
	var table strings.Builder
	table.WriteString("| job | least steps | repeats | us, by seed | runs |\n|---|---|---|---|---|\n")
	for _, name := range []string{"minighost-small", "tree-spare", "xgft-static", "dragonfly-spare",
		"hyperx-shared"} {
		for _, c := range []struct{ steps, repeats int }{{3, 2}, {4, 1}, {4, 2}} {
			var times []string
			runs := 0
			for seed := uint64(11); seed < 11+seeds; seed++ {
				b := openLoop(t, name, loopStrategies, seed)
				s, o := b.settings, b.Options
				o.SteadySteps = c.steps
				s.Evaluate = b.beside(b.Background...)(o)
				s.Repeats, s.Simulations, s.RandomRestarts = c.repeats, 2*loopBudget, true
				r := b.optimize(t, s)
				found := b.judge(t, "", r.Best.Mapping, freshRepeat)
				times, runs = append(times, fmt.Sprintf("%.1f", found.us())), runs+r.Runs
			}
			fmt.Fprintf(&table, "| %s | %d | %d | %s | %d |\n", name, c.steps, c.repeats, strings.Join(times, " "),
				runs/seeds)
		}
	}
	t.Logf("\n%s", table.String())
}
