package benchmarks

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"remap/evalsim"
	"remap/feedback"
	"remap/fixtures"
	"remap/internal/testkit/tier"
	"remap/sampling"
)

// viewNames are the ways to read links: the simulator's counters, then what packets
// carry, from the longest header to the shortest.
var viewNames = []string{"counters", "full", "one-reservoir", "one-bit"}

const (
	viewBudget  = 20 // simulated mappings of a search, the static ones included
	viewRepeats = 2
	viewSeeds   = 3
	linkBits    = 24 // of a switch and its port (Taffet 2018, section 5.1)
)

// viewScenarios are the small ones of fixtures, jobs on a torus and a dragonfly of which a
// part is crowded by streams of others, and of the unseen jobs those beside others.
func viewScenarios() []fixtures.Scenario {
	var list []fixtures.Scenario
	for _, s := range fixtures.Table() {
		if strings.HasSuffix(s.Name, fixtures.Small) {
			list = append(list, s)
		}
	}
	for _, s := range unseen() {
		if len(s.Background) > 0 {
			list = append(list, s)
		}
	}
	return append(list,
		besideStreams("torus-shared", "torus:6x6x6", "stencil3d27:4x4x8", 6*36, 6, 4, 72),
		besideStreams("dragonfly-shared", "dragonfly:groups=9,routers=4,hosts=4,"+
			"global=2", "stencil3d27:4x4x4", 9*16, 4, 2, 64))
}

// besideStreams is a job that is offered the first `share` of every `row` hosts. What it
// leaves of the first `crowded` hosts sends streams to one another, in an order drawn at
// random.
func besideStreams(name, network, pattern string, hosts, row, share, crowded int) fixtures.Scenario {
	var own, others []string
	for h := range hosts {
		switch {
		case h%row < share:
			own = append(own, strconv.Itoa(h))
		case h < crowded:
			others = append(others, strconv.Itoa(h))
		}
	}
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(others),
		func(i, j int) { others[i], others[j] = others[j], others[i] })
	return fixtures.Scenario{Name: name, Topology: network, Pattern: pattern, Hosts: "n[" +
		strings.Join(own, ",") + "]",
		Background: []string{fmt.Sprintf("ring:%d,endless=true@n[%s]", len(others), strings.Join(others, ","))},
		Options:    []fixtures.Option{{Name: "start-jitter-ns", Value: "1000"}}}
}

// viewRow is what searches of a scenario have come to that read links in one way, over
// all seeds.
type viewRow struct {
	view          string
	static, found timedRow // on fresh seeds, those of all searches
	own           float64  // the job's packets that the search simulated, in millions
	mappings      int
	seconds       float64
}

// openSetup is openLoop for a scenario that has no name in the table.
func openSetup(t testing.TB, scenario fixtures.Scenario, list string, seed uint64) *loopBench {
	t.Helper()
	u, err := scenario.Open(seed)
	if err != nil {
		t.Fatal(err)
	}
	return newLoopBench(t, u, list)
}

// readBy makes a search read links from counters, or from what packets of a variant carry,
// as optimize does.
func (b *loopBench) readBy(t testing.TB, s *feedback.Settings, o evalsim.Options, view string) {
	t.Helper()
	if view == "counters" {
		b.judgeBy(s, o)
		s.View = feedback.ExactView
		return
	}
	var err error
	if o.Sampling, err = sampling.ParseVariant(view); err != nil {
		t.Fatal(err)
	}
	b.judgeBy(s, o)
	s.ReadSamples(o, b.beside(b.Background...), b.beside(), false)
}

// searchBy searches one seed and adds what comes out.
func (row *viewRow) searchBy(t testing.TB, b *loopBench) {
	t.Helper()
	s, o := b.settings, b.Options
	b.readBy(t, &s, o, row.view)
	s.Simulations, s.Repeats = viewBudget, viewRepeats
	begin := time.Now()
	r := b.optimize(t, s)
	row.seconds += time.Since(begin).Seconds()
	row.mappings += r.Simulations
	for _, c := range r.Candidates {
		row.own += float64(c.Summary.Packets) / 1e6
	}
	static := b.judge(t, staticName(&r.Static), r.Static.Mapping, freshRepeat)
	row.static.times = append(row.static.times, static.times...)
	row.found.times = append(row.found.times, b.judge(t, "", r.Best.Mapping, freshRepeat).times...)
}

// against is how much slower its mappings are than those of other searches with the same
// seeds, in per cent: the median over searches, of the medians of their paired repeats, and
// its interval over searches, which differ by chance more than repeats do.
func (row *viewRow) against(other *viewRow, searches int) string {
	slower, repeats := make([]float64, searches), len(row.found.times)/searches
	for s := range slower {
		more := make([]float64, repeats)
		for i := range more {
			at := s*repeats + i
			more[i] = 100 * (row.found.times[at]/other.found.times[at] - 1)
		}
		slower[s], _, _, _ = evalsim.MedianInterval(more)
	}
	m, low, high, _ := evalsim.MedianInterval(slower)
	return fmt.Sprintf("%.1f [%.1f, %.1f]", m, low, high)
}

func (row *viewRow) cells(scenario string, counters *viewRow, seeds int) string {
	bits := "-"
	if v, err := sampling.ParseVariant(row.view); err == nil {
		bits = strconv.Itoa(v.HeaderBits(linkBits))
	}
	n := float64(seeds)
	return fmt.Sprintf("| %s | %s | %s | %.3g | %s | %s | %s | %.1f | "+
		"%.1f |\n", scenario, row.view, bits, row.own/n,
		row.found.text(), gainText(row.found.gainOver(row.static)), row.against(counters, seeds),
		float64(row.mappings)/n, row.seconds/n)
}

const viewsHeader = "| scenario | view | bits a packet | million packets a search | us | gain over the " +
	"best static % | slower than by counters % | mappings | s |\n" +
	"|---|---|---|---|---|---|---|---|---|\n"

// TestLoopViews tells what searches gain that read links from the simulator's counters,
// and from what packets carry, on the same scenarios and seeds, with the budget and the
// steps of optimize:
// REMAP_TABLE=1 go test -run LoopViews -timeout 60m -v ./benchmarks
// REMAP_SEEDS=1 searches with one seed, REMAP_FIRST_SEED=11 begins with seed 11;
// -run LoopViews/pf3d does one scenario;
// REMAP_VIEWS='counters;one-reservoir,counter=3' compares other views.
func TestLoopViews(t *testing.T) {
	tier.Table(t, "searches of minutes")
	views := viewNames
	if list := os.Getenv("REMAP_VIEWS"); list != "" {
		views = strings.Split(list, ";")
	}
	seeds, first := setting1000(t, "REMAP_SEEDS", viewSeeds), setting1000(t, "REMAP_FIRST_SEED", 1)
	var table strings.Builder
	for _, scenario := range viewScenarios() {
		t.Run(scenario.Name, func(t *testing.T) {
			needFile(t, scenario)
			rows := make([]viewRow, len(views))
			for seed := first; seed < first+seeds; seed++ {
				b := openSetup(t, scenario, ablationStrategies, uint64(seed))
				for i := range rows {
					rows[i].view = views[i]
					rows[i].searchBy(t, b)
				}
			}
			var own strings.Builder
			for i := range rows {
				own.WriteString(rows[i].cells(scenario.Name, &rows[0], seeds))
			}
			t.Logf("best static %s us\n%s%s", rows[0].static.text(), viewsHeader, own.String())
			table.WriteString(own.String())
		})
	}
	t.Logf("seeds of the search: %d from %d\n%s%s", seeds, first, viewsHeader, table.String())
}
