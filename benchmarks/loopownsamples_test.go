package benchmarks

import (
	"context"
	"fmt"
	"os"
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
	"remap/sampling"
)

// ownScenarios have other jobs, and none takes longer than a few minutes a seed.
func ownScenarios() []string {
	return []string{"pf3d-small", "io-gateway-small", "spare-small", "tree-spare", "hyperx-shared"}
}

// ownWays are what searches are told of others, the first all.
func ownWays(packetBytes int) []ownWay {
	return []ownWay{{name: "background"}, {name: "counters"},
		{name: "own samples, default congested", samples: true},
		{name: "own samples, packets behind more than one other", samples: true,
			congestion: feedback.SampledCongestion(packetBytes)}}
}

type ownWay struct {
	name       string
	samples    bool
	congestion evalsim.Congestion // of the run and of the search
}

// ownRow is what searches of a scenario have come to that are told the same of others, over
// all seeds.
type ownRow struct {
	ownWay
	static, found timedRow // on the same fresh seeds beside the true background
	seconds       float64
	how           string // what stood for others, of the last seed
}

// sampled is what the job's packets tell of a run of the default mapping beside the background,
// read as `remap optimize --measured LINKS --measured-view job` reads it.
func (b *loopBench) sampled(t testing.TB, c evalsim.Congestion) *counters.Samples {
	t.Helper()
	o := b.Options
	o.Seed += measuredSeed
	o.Sampling, o.Congestion = sampling.Reservoirs, c
	machine := b.Problem.Machine
	jobs := b.Jobs(mapping.Identity(b.Problem.Ranks()))
	file := testkit.LinksFile(t, machine, jobs, o, measuredRepeats)
	s, err := counters.ReadSamples(machine, "links.csv", strings.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// byOwnSamples makes a search know of others by the job's own packets of one run alone: as
// optimize --measured-view job.
func (b *loopBench) byOwnSamples(t testing.TB, s *feedback.Settings, c evalsim.Congestion) string {
	t.Helper()
	o := b.Options
	o.Congestion, o.Sampling = c, sampling.Variant{}
	ran := mapping.Identity(b.Problem.Ranks())
	run := feedback.MeasuredRun{Machine: b.Problem.Machine, Allocation: b.Problem.Allocation, Program: b.Program,
		Previous: ran, Options: o, Routing: mapping.RoutingNamed(o.Routing.String()),
		Workers: runtime.GOMAXPROCS(0)}
	m, err := feedback.FromSamples(context.Background(), &run, b.sampled(t, c))
	if err != nil {
		t.Fatal(err)
	}
	network, err := m.Throttled(b.Problem.Machine)
	if err != nil {
		t.Fatal(err)
	}
	judge := func(o evalsim.Options) feedback.Evaluate {
		return feedback.Simulator(network, b.Problem.Allocation, b.Program, o, runtime.GOMAXPROCS(0))
	}
	s.Alone = false
	s.SimulateBy(o, judge)
	m.SetView(s, ran)
	ports, told, crowded := 0, 0, 0
	for l := range b.Problem.Machine.Links {
		if b.Problem.Machine.IsHost(b.Problem.Machine.Links[l].From) {
			continue
		}
		ports++
		if m.Known[l] {
			told++
		}
		if m.Foreign[l] >= 0.1 {
			crowded++
		}
	}
	return fmt.Sprintf("slowed links: %d of %d ports told, %d with others", told, ports, crowded)
}

// search searches one seed and adds what comes out.
func (row *ownRow) search(t testing.TB, b *loopBench) {
	t.Helper()
	s := b.settings
	s.Simulations = measuredBudget
	switch {
	case row.samples:
		row.how = b.byOwnSamples(t, &s, row.congestion)
	case row.name == "counters":
		row.how = b.byMeasurement(t, &s, b.counted(t))
	default:
		row.how = "the background"
	}
	begin := time.Now()
	r := b.optimize(t, s)
	row.seconds += time.Since(begin).Seconds()
	row.found.times = append(row.found.times, b.judge(t, "", r.Best.Mapping, freshRepeat).times...)
	if row.name == "background" {
		row.static.times = append(row.static.times, b.judge(t, "", r.Static.Mapping, freshRepeat).times...)
	}
	t.Logf("seed %d, %s: %s (%s)", b.Problem.Seed, row.name, proposalName(&r.Best), row.how)
}

const ownHeader = "| scenario | told of others by | others are simulated as | us | gain over static % " +
	"| share % | s |\n" +
	"|---|---|---|---|---|---|---|\n"

// cells have the share of the gain of the loop that is told all; "-" where that gains less
// than 1 %.
func (row *ownRow) cells(scenario string, all *ownRow, seeds int) string {
	gain, most := row.found.gainOver(all.static), all.found.gainOver(all.static)
	share := "-"
	if most.Percent >= 1 {
		share = fmt.Sprintf("%.0f", 100*gain.Percent/most.Percent)
	}
	return fmt.Sprintf("| %s | %s | %s | %s | %s | %s | %.0f |\n", scenario, row.name, row.how, row.found.text(),
		gainText(gain), share, row.seconds/float64(seeds))
}

// TestLoopOwnSamples tells which part of the gain a loop finds that knows of others by what the
// job's own packets met in one run of the default mapping, beside loops that are told the
// background or have counters of that run:
// REMAP_TABLE=1 go test -run LoopOwnSamples -timeout 90m -v ./benchmarks
// LoopOwnSamples/spare-small does one scenario, REMAP_SEEDS=1 searches with one seed,
// REMAP_FIRST_SEED=11 begins with seed 11, REMAP_WAYS=samples leaves out ways whose names lack that.
func TestLoopOwnSamples(t *testing.T) {
	tier.Table(t, "searches of minutes")
	seeds, first := setting1000(t, "REMAP_SEEDS", 3), setting1000(t, "REMAP_FIRST_SEED", 1)
	only := os.Getenv("REMAP_WAYS")
	var table strings.Builder
	for _, name := range ownScenarios() {
		t.Run(name, func(t *testing.T) {
			var rows []ownRow
			for seed := first; seed < first+seeds; seed++ {
				b := openLoop(t, name, without(loopStrategies, name), uint64(seed))
				if rows == nil {
					for _, way := range ownWays(b.Options.PacketBytes) {
						if len(rows) == 0 || strings.Contains(way.name, only) {
							rows = append(rows, ownRow{ownWay: way})
						}
					}
				}
				for i := range rows {
					rows[i].search(t, b)
				}
			}
			var cells strings.Builder
			for i := range rows {
				cells.WriteString(rows[i].cells(name, &rows[0], seeds))
			}
			t.Logf("best static %s us\n%s%s", rows[0].static.text(), ownHeader, cells.String())
			table.WriteString(cells.String())
		})
	}
	t.Logf("seeds of the search: %d from %d on\n%s%s", seeds, first, ownHeader, table.String())
}
