package benchmarks

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"remap/feedback"
	"remap/internal/testkit/tier"
	"remap/strategy"
)

const (
	// loopStrategies are what the loop itself begins with: few, so that where
	// nothing is to be gained it has simulated few mappings when it says so. `best`
	// would cost more time than all simulations, once for every model.
	loopStrategies = "multisection,tiling,kl,swap"
	// otherStatics join them, and the mappings of other tools, in the multistart.
	otherStatics = "cyclic,random,rcm,rcm:weighted=true,bisection,fast,default,strong,kl:order=expense,rcb," +
		"hilbert,curves,tiling:levels=1,best"
	// staticFinalists are the most static mappings that a choice is made among.
	staticFinalists = 4
	// loopBudget is how many mappings the loop may simulate, the static ones included,
	// so that a scenario takes minutes: most of the gain comes in the first rounds.
	loopBudget = 20
	// fewSimulations is what the loop must stay below where it gains nothing.
	fewSimulations = 10
)

// tooSlow are strategies that are left out of a scenario: they take minutes.
var tooSlow = map[string][]string{
	"minighost": {"best", "strong"},
	"degraded":  {"best"}, // distances around failed cables are no formula
}

// promisedGain is what the loop must gain at least over the best static mapping,
// in per cent.
var promisedGain = map[string]float64{"pf3d": 10, "io-gateway": 10, "spare": 10, "fragmented": 5}

// loopRow is what the table says of a scenario.
type loopRow struct {
	scenario                       string
	bench                          *loopBench
	start, static, restarts, found timedRow // on the same fresh seeds
	loop, multistart               *feedback.Result
	// of the loop and its final validation; of random restarts and the multistart
	seconds, more float64
	statics       string // what the multistart simulated
}

// without is a list of strategies less those that take too long.
func without(list, scenario string) string {
	return strings.Join(slices.DeleteFunc(strings.Split(list, ","), func(name string) bool {
		return slices.Contains(tooSlow[scenario], name)
	}), ",")
}

// measureLoop runs the loop, its control, and the multistart of all static
// mappings, and judges what they find on the same fresh seeds.
func measureLoop(t testing.TB, scenario string, budget int) *loopRow {
	t.Helper()
	b := openLoop(t, scenario, without(loopStrategies, scenario), 1)
	b.settings.Simulations = budget
	row := &loopRow{scenario: scenario, bench: b}
	journal := filepath.Join(t.TempDir(), "journal")
	begin := time.Now()
	row.loop = b.journaled(t, journal, false)
	row.seconds = time.Since(begin).Seconds()
	begin = time.Now()
	all := b.journaled(t, journal, true)
	restarts := all.Restarts
	if restarts == nil { // the loop has simulated nothing but static mappings
		restarts = &row.loop.Static
	}
	row.start = b.judge(t, "default", row.loop.Start.Mapping, freshRepeat)
	row.restarts = b.judge(t, staticName(restarts), restarts.Mapping, freshRepeat)
	row.found = b.judge(t, proposalName(&all.Best), all.Best.Mapping, freshRepeat)
	row.static = b.bestStatic(t, row)
	row.more = time.Since(begin).Seconds()
	if told := all.Best.Evaluation.Times(); !slices.Equal(row.found.times[:len(told)], told) {
		t.Fatalf("%s: the final validation has other seeds than this table", scenario)
	}
	return row
}

// journaled runs the search with a journal. A second run with random restarts
// takes the search itself from there, so that what each costs is told apart.
func (b *loopBench) journaled(t testing.TB, path string, control bool) *feedback.Result {
	t.Helper()
	journal, err := feedback.OpenJournal(path, b.Name)
	if err != nil {
		t.Fatal(err)
	}
	s := b.settings
	s.Journal, s.RandomRestarts = journal, control
	r := b.optimize(t, s)
	if err := journal.Close(); err != nil {
		t.Fatal(err)
	}
	return r
}

// bestStatic is the best of the multistart: all static mappings, ours and other
// tools', raced on the seeds of a search without rounds. Of the best few of them,
// that of the loop, and the default, other seeds choose one, and the fresh ones judge it.
func (b *loopBench) bestStatic(t testing.TB, row *loopRow) timedRow {
	t.Helper()
	s := b.settings
	s.Strategies, s.Refine, s.EvaluateFiner, s.Rounds, s.Simulations, s.ValidationRepeats = nil, nil, nil, 0,
		0, 0
	for _, c := range row.loop.Candidates {
		if c.Round == 0 && c.Strategy != "start" {
			s.Strategies = append(s.Strategies, fixed(c.Strategy, c.Mapping))
		}
	}
	others, err := strategy.ParseList(without(otherStatics, b.Name))
	if err != nil {
		t.Fatal(err)
	}
	s.Strategies = append(append(s.Strategies, others...), externalStrategies(t, b.Setup)...)
	row.multistart = b.optimize(t, s)
	standing := slices.DeleteFunc(slices.Clone(row.multistart.Candidates),
		func(c feedback.Candidate) bool { return c.Dropped })
	slices.SortStableFunc(
		standing,
		func(a, b feedback.Candidate) int { return cmp.Compare(a.Summary.ElapsedNS, b.Summary.ElapsedNS) },
	)
	row.statics = staticsLine(row.multistart)
	best, least := &row.loop.Start, math.Inf(1)
	for _, c := range append(standing[:min(len(standing), staticFinalists)], row.loop.Static, row.loop.Start) {
		if second := b.judge(t, c.Strategy, c.Mapping, secondRepeat); second.us() < least {
			best, least = &c, second.us()
		}
	}
	return b.judge(t, staticName(best), best.Mapping, freshRepeat)
}

func staticName(c *feedback.Candidate) string {
	if c.Strategy == "start" {
		return "default"
	}
	return c.Strategy
}

// proposalName is what made a mapping, and by which feedback model.
func proposalName(c *feedback.Candidate) string {
	if c.Model == "" {
		return staticName(c)
	}
	return fmt.Sprintf("%s, %s, round %d", c.Model, c.Strategy, c.Round)
}

// staticsLine tells of every static mapping that was simulated.
func staticsLine(multistart *feedback.Result) string {
	var cells []string
	for _, c := range multistart.Candidates {
		text := fmt.Sprintf("%s %.1f", staticName(&c), float64(c.Summary.ElapsedNS)/1000)
		if c.Dropped {
			text += "*"
		}
		cells = append(cells, text)
	}
	text := strings.Join(cells, ", ")
	if len(multistart.Skipped) > 0 {
		text += "; not possible: " + strings.Join(multistart.Skipped, "; ")
	}
	return text
}

const (
	timesHeader = "| scenario | default us | best static us | by | random restarts us | by | loop us | by | " +
		"gain over the best static % | over restarts % |\n|---|---|---|---|---|---|---|---|---|---|\n"
	costsHeader = "| scenario | bound of the loop's mapping | us | above it % | mappings simulated: static, " +
		"fed back | runs of search and validation | s | multistart: mappings, runs | it and restarts: s | " +
		"why the loop ended |\n|---|---|---|---|---|---|---|---|---|---|\n"
)

func (row *loopRow) timesCells() string {
	return fmt.Sprintf("| %s | %s | %s | %s | %s | %s | %s | %s | %s | "+
		"%s |\n", row.scenario, row.start.text(), row.static.text(), row.static.name,
		row.restarts.text(), row.restarts.name, row.found.text(), row.found.name,
		gainText(row.found.gainOver(row.static)), gainText(row.found.gainOver(row.restarts)))
}

// staticsOf is how many static mappings a search simulated, its start among them.
func staticsOf(r *feedback.Result) int {
	n := 0
	for _, c := range r.Candidates {
		if c.Round == 0 {
			n++
		}
	}
	return n
}

func (row *loopRow) costsCells() string {
	r := row.loop
	name := r.Bound.Name
	if r.Bound.Any {
		name += ", of any mapping"
	}
	statics := staticsOf(r)
	above := 0.0
	if r.Bound.NS > 0 {
		above = 100 * (row.found.us()*1000/r.Bound.NS - 1)
	}
	return fmt.Sprintf("| %s | %s | %.1f | %.1f | %d: %d, %d | %d | %.0f | %d, %d | %.0f | "+
		"%s |\n", row.scenario, name, r.Bound.NS/1000, above,
		r.Simulations, statics, r.Simulations-statics, r.Runs, row.seconds, row.multistart.Simulations,
		row.multistart.Runs, row.more, r.Stopped)
}

// noWorse tells where the loop is slower than anything else beyond the interval.
func (row *loopRow) noWorse(t testing.TB) {
	t.Helper()
	for _, other := range []timedRow{row.start, row.static, row.restarts} {
		if gain := row.found.gainOver(other); gain.Known && gain.High < 0 {
			t.Errorf("%s: the loop's mapping is slower than %s: %s %%", row.scenario, other.name, gainText(gain))
		}
	}
}

// holds tells what the loop owes and does not keep.
func (row *loopRow) holds(t testing.TB) {
	t.Helper()
	row.noWorse(t)
	gain := row.found.gainOver(row.static)
	if promised := promisedGain[row.scenario]; promised > 0 && gain.Percent < promised {
		t.Errorf("%s: the loop gains %s %%, promised are %g", row.scenario, gainText(gain), promised)
	}
	if gain.Proven() {
		return
	}
	if row.loop.Bound.Name == "" || row.loop.Simulations >= fewSimulations {
		t.Errorf("%s: nothing is gained, after %d simulated mappings; "+
			"bound %q", row.scenario, row.loop.Simulations, row.loop.Bound.Name)
	}
}

// TestLoopTable is the loop beside the best static mapping and random restarts:
// REMAP_TABLE=1 go test -run LoopTable -timeout 60m -v ./benchmarks
// -run LoopTable/pf3d$ does one scenario, LoopTable/-small$ the small ones.
func TestLoopTable(t *testing.T) {
	tier.Table(t, "searches of minutes")
	var times, costs, statics strings.Builder
	for _, name := range loopScenarios() {
		for _, size := range []string{"", "-small"} {
			t.Run(name+size, func(t *testing.T) {
				if size != "" && !strings.Contains(runFlag(), size) {
					t.Skip("skipped: small; -run names it")
				}
				row := measureLoop(t, name+size, loopBudget)
				times.WriteString(row.timesCells())
				costs.WriteString(row.costsCells())
				fmt.Fprintf(&statics, "%s: %s\n", row.scenario, row.statics)
				t.Logf("\n%s%s%s", timesHeader, row.timesCells(), row.costsCells())
				row.holds(t)
			})
		}
	}
	t.Logf("medians on 10 fresh seeds with 95 %% intervals:\n%s%s\n%s%s\nstatic mappings, us on the seeds "+
		"of the search (* dropped after 2 repeats):\n%s",
		timesHeader, times.String(), costsHeader, costs.String(), statics.String())
}
