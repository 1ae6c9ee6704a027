package benchmarks

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"remap/counters"
	"remap/evalsim"
	"remap/feedback"
	"remap/internal/testkit"
	"remap/internal/testkit/tier"
	"remap/mapping"
)

const (
	measuredBudget  = 20   // simulated mappings of a search, the static ones included
	measuredRepeats = 4    // of the simulation of the default mapping that stands for the measured run
	measuredSeed    = 7000 // added to the seed of that simulation: no search sees the same random numbers
)

// measuredScenarios have other jobs. The first four come with the program, the rest is of
// unseen.
func measuredScenarios() []string {
	return []string{"pf3d-small", "io-gateway-small", "spare-small", "fragmented-small",
		"tree-spare", "hyperx-shared", "torus-scattered", "dragonfly-ugal", "xgft-static-shared"}
}

// measuredRow is what searches of a scenario have come to, over all seeds.
type measuredRow struct {
	scenario      string
	start, static timedRow // all on the same fresh seeds beside the true background
	told          timedRow // by a loop that simulates that background
	measured      timedRow // by a loop that has counters of one run
	seconds       float64  // of the searches with counters
	how           string   // what stood for others there, of the last seed
}

// counted is what the ports of the network count while the default mapping runs beside the
// background, read as `remap optimize --measured LINKS` reads it.
func (b *loopBench) counted(t testing.TB) *counters.Links {
	t.Helper()
	text := strings.NewReader(b.linksFile(t, b.Background...))
	links, err := counters.ReadTable(b.Problem.Machine, "links.csv", text, counters.Options{Tick: -1})
	if err != nil {
		t.Fatal(err)
	}
	return links
}

// linksFile is that of a run of the default mapping beside others.
func (b *loopBench) linksFile(t testing.TB, others ...evalsim.Job) string {
	t.Helper()
	o := b.Options
	o.Seed += measuredSeed
	jobs := append(b.Jobs(mapping.Identity(b.Problem.Ranks()))[:1:1], others...)
	return testkit.LinksFile(t, b.Problem.Machine, jobs, o, measuredRepeats)
}

// byMeasurement makes a search know of others by counters alone: as optimize --measured.
func (b *loopBench) byMeasurement(t testing.TB, s *feedback.Settings, links *counters.Links) string {
	t.Helper()
	ran := mapping.Identity(b.Problem.Ranks())
	alone, err := evalsim.Repeat(context.Background(), b.Problem.Machine, b.Jobs(ran)[:1], b.Options, 1, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	m := feedback.NewMeasuredNetwork(b.Problem.Machine, b.Problem.Allocation, b.Traffic, ran, links, alone[0])
	run := feedback.MeasuredRun{Machine: b.Problem.Machine, Allocation: b.Problem.Allocation, Program: b.Program,
		Previous: ran, Options: b.Options, Routing: mapping.RoutingNamed(b.Options.Routing.String()),
		Workers: runtime.GOMAXPROCS(0)}
	others, err := m.FindOthers(context.Background(), &run)
	if err != nil {
		t.Fatal(err)
	}
	network, how := b.Problem.Machine, "slowed links"
	if others != nil {
		how = fmt.Sprintf("%s: bytes off %.0f %%, waits %.0f %%", others.Name, 100*others.Bytes, 100*others.Stall)
		if others.Windows > 0 {
			how += fmt.Sprintf(", %d intervals, %d silent", others.Windows, others.Silent)
		}
	} else if network, err = m.Throttled(network); err != nil {
		t.Fatal(err)
	}
	judge := func(o evalsim.Options) feedback.Evaluate {
		if others != nil {
			return others.Simulator(&run, o)
		}
		return feedback.Simulator(network, b.Problem.Allocation, b.Program, o, runtime.GOMAXPROCS(0))
	}
	s.Alone = false
	s.SimulateBy(b.Options, judge)
	s.Validate = judge(b.Options)
	others.Alternate(s)
	if others == nil {
		m.SetView(s, ran)
	}
	return how
}

// search searches one seed in both ways and adds what comes out.
func (row *measuredRow) search(t testing.TB, b *loopBench) {
	t.Helper()
	b.settings.Simulations = measuredBudget
	told := b.optimize(t, b.settings)
	s := b.settings
	row.how = b.byMeasurement(t, &s, b.counted(t))
	begin := time.Now()
	measured := b.optimize(t, s)
	row.seconds += time.Since(begin).Seconds()
	add := func(row *timedRow, m mapping.Mapping) {
		row.times = append(row.times, b.judge(t, "", m, freshRepeat).times...)
	}
	add(&row.start, told.Start.Mapping)
	add(&row.static, told.Static.Mapping)
	add(&row.told, told.Best.Mapping)
	add(&row.measured, measured.Best.Mapping)
	t.Logf("told: %s; measured: %s", proposalName(&told.Best), proposalName(&measured.Best))
}

// shareOf is the part of the gain of the loop that is told all over a reference, in per
// cent; known is false where that gains less than 1 %.
func (row *measuredRow) shareOf(reference timedRow) (share float64, known bool) {
	told, found := row.told.gainOver(reference).Percent, row.measured.gainOver(reference).Percent
	return 100 * found / told, told >= 1
}

func (row *measuredRow) shareText(reference timedRow) string {
	if share, known := row.shareOf(reference); known {
		return fmt.Sprintf("%.0f", share)
	}
	return "-"
}

// What is promised: of a gain of so much over the best static mapping so much is found.
const (
	gainThatCounts = 15 // %
	promisedShare  = 70 // %
)

func (row *measuredRow) holds(t testing.TB) {
	t.Helper()
	share, known := row.shareOf(row.static)
	if known && row.told.gainOver(row.static).Percent >= gainThatCounts && share < promisedShare {
		t.Errorf("%s: %.0f %% of the gain over the best static mapping are found, promised are %d",
			row.scenario, share, promisedShare)
	}
}

const measuredHeader = "| scenario | others are simulated as | default us | best static us " +
	"| told the background us | measured us | gain over default %: told | measured | share % " +
	"| gain over static %: told | measured | share % | s |\n" +
	"|---|---|---|---|---|---|---|---|---|---|---|---|---|\n"

func (row *measuredRow) cells(seeds int) string {
	cells := []string{row.scenario, row.how}
	for _, r := range []*timedRow{&row.start, &row.static, &row.told, &row.measured} {
		cells = append(cells, r.text())
	}
	for _, reference := range []timedRow{row.start, row.static} {
		cells = append(cells, gainText(row.told.gainOver(reference)), gainText(row.measured.gainOver(reference)),
			row.shareText(reference))
	}
	return fmt.Sprintf("| %s | %.0f |\n", strings.Join(cells, " | "), row.seconds/float64(seeds))
}

// TestLoopMeasured tells which part of the gain a loop finds that knows of others by
// counters of one run of the default mapping alone, beside a loop that is told the
// background:
// REMAP_TABLE=1 go test -run LoopMeasured -timeout 60m -v ./benchmarks
// LoopMeasured/spare-small does one scenario, REMAP_SEEDS=3 searches with three seeds;
// REMAP_FIRST_SEED=101 has other seeds: constants of feedback/params.go were chosen there.
func TestLoopMeasured(t *testing.T) {
	tier.Table(t, "searches of minutes")
	seeds, first := setting1000(t, "REMAP_SEEDS", 1), setting1000(t, "REMAP_FIRST_SEED", 1)
	var table strings.Builder
	for _, name := range measuredScenarios() {
		t.Run(name, func(t *testing.T) {
			row := &measuredRow{scenario: name}
			for seed := first; seed < first+seeds; seed++ {
				row.search(t, openLoop(t, name, without(loopStrategies, name), uint64(seed)))
			}
			t.Logf("\n%s%s", measuredHeader, row.cells(seeds))
			table.WriteString(row.cells(seeds))
			row.holds(t)
		})
	}
	t.Logf("seeds of the search: %d from %d on\n%s%s", seeds, first, measuredHeader, table.String())
}
