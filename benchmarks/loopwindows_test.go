package benchmarks

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"remap/counters"
	"remap/evalsim"
	"remap/feedback"
	"remap/fixtures"
	"remap/internal/testkit/tier"
	"remap/mapping"
)

// turnsRepeat is where the repeats begin that judge all: no final validation has used them.
const turnsRepeat = freshRepeat + 1<<10

// turns is a job that is offered the first `share` of every `row` hosts, beside others of
// which now one set sends streams, now the next: set k is what the job leaves of the hosts
// up to sets[k], from the end of the set before.
func turns(name, network, pattern string, hosts, row, share int, sets ...int) fixtures.Scenario {
	s := fixtures.Scenario{Name: name, Topology: network, Pattern: pattern,
		Options: []fixtures.Option{{Name: "start-jitter-ns", Value: "1000"}}}
	var own []string
	others := make([][]string, len(sets)+1)
	set := 0
	for h := range hosts {
		for set < len(sets) && h >= sets[set] {
			set++
		}
		if h%row < share {
			own = append(own, strconv.Itoa(h))
		} else {
			others[set] = append(others[set], strconv.Itoa(h))
		}
	}
	s.Hosts = "n[" + strings.Join(own, ",") + "]"
	random := rand.New(rand.NewPCG(1, 2))
	for _, list := range others[:len(sets)] {
		random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		ring := fmt.Sprintf("ring:%d,endless=true@n[%s]", len(list), strings.Join(list, ","))
		s.Background = append(s.Background, ring)
	}
	return s
}

// turnsCase is a scenario, and in each state of it the background that sends.
type turnsCase struct {
	fixtures.Scenario
	states [][]int // indices of Background
}

func turnsCases() []turnsCase {
	tree := "fattree:nodes-per-leaf=8,leaves-per-pod=16,pods=1,aggs-per-pod=4,cores=0"
	dragonfly := "dragonfly:groups=9,routers=4,hosts=4,global=2"
	return []turnsCase{
		{turns("tree-turns", tree, "stencil3d27:4x4x3", 128, 8, 4, 56, 112), [][]int{{0}, {1}}},
		{turns("dragonfly-turns", dragonfly, "stencil3d27:4x4x4", 144, 4, 2, 64, 128), [][]int{{0}, {1}}},
		{turns("tree-on-off", tree, "stencil3d27:4x4x3", 128, 8, 4, 64), [][]int{{0}, {}}},
		{turns("tree-part-on-off", tree, "stencil3d27:4x4x3", 128, 8, 4, 56, 112), [][]int{{0, 1}, {1}}},
	}
}

// state is what sends in a state.
func (c *turnsCase) state(b *loopBench, k int) (jobs []evalsim.Job) {
	for _, i := range c.states[k] {
		jobs = append(jobs, b.Background[i])
	}
	return jobs
}

// truth simulates repeats of even number beside the first state, others beside the second.
func (c *turnsCase) truth(b *loopBench) func(evalsim.Options) feedback.Evaluate {
	return func(o evalsim.Options) feedback.Evaluate {
		simulators := make([]feedback.Evaluate, len(c.states))
		for k := range simulators {
			simulators[k] = b.beside(c.state(b, k)...)(o)
		}
		return func(ctx context.Context, m mapping.Mapping, first, count int) (*feedback.Evaluation, error) {
			all := &feedback.Evaluation{}
			for i := first; i < first+count; i++ {
				e, err := simulators[i%len(simulators)](ctx, m, i, 1)
				if err != nil {
					return nil, err
				}
				all.Results = append(all.Results, e.Results...)
			}
			return all, nil
		}
	}
}

// counted is a measurement of a run in each state: two tables.
func (c *turnsCase) counted(t testing.TB, b *loopBench) *counters.Links {
	t.Helper()
	var paths []string
	for k := range c.states {
		paths = append(paths, filepath.Join(t.TempDir(), fmt.Sprintf("links%d.csv", k)))
		writeText(t, paths[k], b.linksFile(t, c.state(b, k)...))
	}
	links, err := counters.Open(b.Problem.Machine, paths, counters.Options{Tick: -1})
	if err != nil {
		t.Fatal(err)
	}
	return links
}

// turnsRow is what searches have come to that know of others in one way, over all seeds.
type turnsRow struct {
	name, how string
	timedRow
}

// meanGain is by how much the mean over all repeats is lower than another's, in per cent, and
// behind it that of every seed. A median over states that differ has one state alone.
func (r *turnsRow) meanGain(slow *turnsRow, seeds int) string {
	gain := func(first, end int) float64 {
		fast, reference := 0.0, 0.0
		for i := first; i < end; i++ {
			fast, reference = fast+r.times[i], reference+slow.times[i]
		}
		return 100 * (1 - fast/reference)
	}
	each, n := make([]string, seeds), len(r.times)/seeds
	for k := range each {
		each[k] = fmt.Sprintf("%.1f", gain(k*n, (k+1)*n))
	}
	return fmt.Sprintf("%.1f (%s)", gain(0, len(r.times)), strings.Join(each, ", "))
}

// search searches one seed in all ways.
func (c *turnsCase) search(t testing.TB, rows []turnsRow, seed uint64) {
	t.Helper()
	b := openSetup(t, c.Scenario, ablationStrategies, seed)
	s := &b.settings
	s.SimulateBy(b.Options, c.truth(b))
	s.Simulations = measuredBudget
	links := c.counted(t, b)
	whole := *links
	whole.Windows = nil
	mean, windows := b.settings, b.settings
	(&feedback.Others{Windows: len(c.states)}).Alternate(s)
	rows[3].how, rows[4].how = b.byMeasurement(t, &mean, &whole), b.byMeasurement(t, &windows, links)
	told := b.optimize(t, b.settings)
	found := []mapping.Mapping{told.Start.Mapping, told.Static.Mapping, told.Best.Mapping,
		b.optimize(t, mean).Best.Mapping, b.optimize(t, windows).Best.Mapping}
	for i, m := range found {
		rows[i].times = append(rows[i].times, b.judge(t, rows[i].name, m, turnsRepeat).times...)
	}
}

const windowsHeader = "| scenario | others known by | simulated as | us | gain over static % " +
	"| of the mean time % (by seed) |\n" +
	"|---|---|---|---|---|---|\n"

// TestLoopWindows tells what the intervals of a measurement are worth where others take
// turns: of two states every second repeat is in one. A loop that is told so stands beside
// one that has the counters of a run in each state, and one that has their mean alone. All
// are judged beside the truth on fresh repeats:
// REMAP_TABLE=1 go test -run LoopWindows -timeout 60m -v ./benchmarks
// LoopWindows/tree-turns does one scenario, REMAP_SEEDS=1 searches with one seed.
func TestLoopWindows(t *testing.T) {
	tier.Table(t, "searches of minutes")
	seeds, first := setting1000(t, "REMAP_SEEDS", 3), setting1000(t, "REMAP_FIRST_SEED", 1)
	var table strings.Builder
	for _, c := range turnsCases() {
		t.Run(c.Name, func(t *testing.T) {
			rows := []turnsRow{{name: "(default)"}, {name: "(best static)"}, {name: "the truth"},
				{name: "mean of two tables"}, {name: "two tables as intervals"}}
			for seed := first; seed < first+seeds; seed++ {
				c.search(t, rows, uint64(seed))
			}
			var own strings.Builder
			for i := range rows {
				r := &rows[i]
				fmt.Fprintf(&own, "| %s | %s | %s | %s | %s | %s |\n", c.Name, r.name, r.how, r.text(),
					gainText(r.gainOver(rows[1].timedRow)), r.meanGain(&rows[1], seeds))
			}
			t.Logf("\n%s%s", windowsHeader, own.String())
			table.WriteString(own.String())
		})
	}
	t.Logf("seeds of the search: %d from %d on\n%s%s", seeds, first, windowsHeader, table.String())
}
