package benchmarks

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"remap/feedback"
	"remap/internal/testkit/tier"
)

// ablationStrategies make the mappings that all models begin with, and those of their
// restarts.
const ablationStrategies = "multisection,swap"

// ablated is one way to let what was measured go back.
type ablated struct {
	name, forms string
	gain        float64
	view        string // a variant of sampling; empty = exact counters
}

func ablations(views bool) []ablated {
	gain := feedback.DefaultSettings().Gain
	list := []ablated{
		{"capacities and prices", "capacities,prices", gain, ""},
		{"capacities", "capacities", gain, ""},
		{"prices", "prices", gain, ""},
		{"pairs", "pairs", gain, ""},
		{"free: no congestion term", "free", gain, ""},
		{"gain 0: nothing goes back", "prices", 0, ""},
	}
	for _, view := range []string{"full", "one-reservoir"} {
		for _, a := range list[:4] {
			if views {
				list = append(list, ablated{a.name, a.forms, a.gain, view})
			}
		}
	}
	return list
}

// effort is what an ablation of a scenario may cost: mappings that a search
// simulates, repeats of each, and how many seeds there are.
type effort struct {
	simulations, repeats, seeds int
	views                       bool
}

var efforts = map[string]effort{
	"pf3d":       {16, 4, 1, true},
	"io-gateway": {20, 6, 2, true},
	"spare":      {20, 6, 1, true},
	"fragmented": {16, 4, 1, false},
}

// effortOf is that of a scenario; small ones take the effort of their real
// form. REMAP_SEEDS and REMAP_SIMULATIONS set others.
func effortOf(t testing.TB, scenario string) effort {
	e := efforts[strings.TrimSuffix(scenario, "-small")]
	e.seeds, e.simulations = setting1000(t, "REMAP_SEEDS", e.seeds),
		setting1000(t, "REMAP_SIMULATIONS", e.simulations)
	return e
}

// setting1000 is a whole number from 1 to 1000 of the environment, or what is usual.
func setting1000(t testing.TB, name string, usual int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return usual
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > 1000 {
		t.Fatalf("%s=%s is not a whole number from 1 to 1000", name, text)
	}
	return n
}

// ablationRow is what one way has come to, over all seeds.
type ablationRow struct {
	ablated
	static, found timedRow // on fresh seeds, those of all searches
	mappings      int
	statics       int // of one search, the default counted
	seconds       float64
	curves        [][]float64 // by search: the best time so far in us, by simulated mappings
}

// ablate searches one seed in one way and adds what comes out.
func (row *ablationRow) ablate(t testing.TB, b *loopBench, e effort) {
	t.Helper()
	s := b.settings
	var err error
	if s.Models, err = feedback.ParseModels(row.forms); err != nil {
		t.Fatal(err)
	}
	s.Gain, s.Simulations = row.gain, e.simulations
	s.Rounds, s.Patience = e.simulations, e.simulations // the budget alone ends it
	b.readBy(t, &s, b.Options, cmp.Or(row.view, "counters"))
	s.Repeats = e.repeats
	curve, best := []float64{}, math.Inf(1)
	s.Progress = func(e feedback.Event) {
		best = min(best, e.Best/1000)
		for len(curve) < e.Simulations {
			curve = append(curve, best)
		}
	}
	begin := time.Now()
	r := b.optimize(t, s)
	row.seconds += time.Since(begin).Seconds()
	row.mappings += r.Simulations
	row.statics = staticsOf(r)
	row.curves = append(row.curves, curve)
	static := b.judge(t, staticName(&r.Static), r.Static.Mapping, freshRepeat)
	row.static.times = append(row.static.times, static.times...)
	row.found.times = append(row.found.times, b.judge(t, "", r.Best.Mapping, freshRepeat).times...)
}

func (row *ablationRow) cells(seeds int) string {
	view := "exact counters"
	if row.view != "" {
		view = "`" + row.view + "`"
	}
	n := float64(seeds)
	return fmt.Sprintf("| %s | %s | %s | %s | %.1f | %.1f |\n", row.name, view, row.found.text(),
		gainText(row.found.gainOver(row.static)), float64(row.mappings)/n, row.seconds/n)
}

// measureAblation searches a scenario in every way, from the same start and with the
// same budget of simulated mappings.
func measureAblation(t testing.TB, scenario string) []*ablationRow {
	t.Helper()
	e := effortOf(t, scenario)
	var rows []*ablationRow
	for _, a := range ablations(e.views) {
		rows = append(rows, &ablationRow{ablated: a})
	}
	for seed := 1; seed <= e.seeds; seed++ {
		b := openLoop(t, scenario, ablationStrategies, uint64(seed))
		for _, row := range rows {
			row.ablate(t, b, e)
		}
	}
	return rows
}

// TestLoopAblation tells what the feedback models are worth, on exact counters and
// on what packets carry:
// REMAP_TABLE=1 go test -run LoopAblation -timeout 60m -v ./benchmarks
// -run LoopAblation/pf3d$ does one scenario, LoopAblation/-small$ the small ones.
// REMAP_FIGURES=1 also draws the best time against the simulated mappings to
// docs/figures. REMAP_SEEDS=3 searches with three seeds.
func TestLoopAblation(t *testing.T) {
	tier.Table(t, "searches of minutes")
	for _, name := range []string{"pf3d", "io-gateway", "spare", "fragmented"} {
		for _, size := range []string{"", "-small"} {
			t.Run(name+size, func(t *testing.T) {
				if size != "" && !strings.Contains(runFlag(), size) {
					t.Skip("skipped: small; -run names it")
				}
				rows := measureAblation(t, name+size)
				seeds := len(rows[0].curves)
				var table strings.Builder
				for _, row := range rows {
					table.WriteString(row.cells(seeds))
				}
				t.Logf("%s, seeds of the search: %d, from the default and two static mappings; the best static: %s us\n"+
					"| feedback | read from | us | gain over the best static %% | mappings simulated | s "+
					"|\n|---|---|---|---|---|---|\n%s",
					name+size, seeds, rows[0].static.text(), table.String())
				if os.Getenv("REMAP_FIGURES") != "" {
					drawConvergence(t, name+size, rows)
				}
			})
		}
	}
}
