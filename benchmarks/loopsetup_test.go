package benchmarks

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"
	"testing"

	"remap/evalsim"
	"remap/exchange"
	"remap/feedback"
	"remap/fixtures"
	"remap/mapping"
	"remap/strategy"
	"remap/workload"
)

// Where the repeats begin by which feedback chooses among finalists, and those of
// its final validation: seeds that no search has used.
const (
	secondRepeat = 1 << 19
	freshRepeat  = 1 << 20
)

// loopBench is a scenario made ready for several searches that are judged by the
// same fresh seeds.
type loopBench struct {
	*fixtures.Setup
	settings feedback.Settings
	unseen   map[string]*feedback.Evaluation // of repeats that are not the search's, by what was asked
}

// openLoop makes what `remap optimize --scenario NAME --strategies LIST --seed N`
// gives to feedback, without a control; REMAP_VIEW=full reads links from samples.
func openLoop(t testing.TB, scenario, list string, seed uint64) *loopBench {
	t.Helper()
	u, err := findScenario(t, scenario).Open(seed)
	if err != nil {
		t.Fatal(err)
	}
	return newLoopBench(t, u, list)
}

// newLoopBench is openLoop for a scenario made ready.
func newLoopBench(t testing.TB, u *fixtures.Setup, list string) *loopBench {
	t.Helper()
	b := &loopBench{Setup: u, unseen: map[string]*feedback.Evaluation{}}
	s := feedback.DefaultSettings()
	var err error
	s.Problem, s.Traffic = u.Problem, u.Traffic
	if s.Strategies, err = strategy.ParseList(list); err != nil {
		t.Fatal(err)
	}
	if s.Baselines, err = strategy.ParseList("cyclic,fast,hilbert,rcb,curves"); err != nil {
		t.Fatal(err)
	}
	refine := exchange.Strategy()
	s.Refine = &refine
	s.LowerBound, s.Alone = hostFloor(u), len(u.Background) == 0
	b.readBy(t, &s, u.Options, cmp.Or(os.Getenv("REMAP_VIEW"), "counters"))
	b.settings = s
	return b
}

// judgeBy has simulations with these options judge. The final validation is without
// sampling, and kept: the same mapping is simulated there once.
func (b *loopBench) judgeBy(s *feedback.Settings, o evalsim.Options) {
	simulate := b.beside(b.Background...)
	s.SimulateBy(o, simulate)
	last := simulate(b.Options)
	s.Validate = func(ctx context.Context, m mapping.Mapping, first, count int) (*feedback.Evaluation, error) {
		key := fmt.Sprint(first, count, m)
		if b.unseen[key] == nil {
			e, err := last(ctx, m, first, count)
			if err != nil {
				return nil, err
			}
			for i, r := range e.Results { // what is large is not asked again
				light := *r
				light.Links, light.Own, light.Flows, light.Samples = nil, nil, nil, nil
				e.Results[i] = &light
			}
			b.unseen[key] = e
		}
		return &feedback.Evaluation{Results: slices.Clone(b.unseen[key].Results)}, nil
	}
}

// beside makes simulations of the job beside some others.
func (b *loopBench) beside(others ...evalsim.Job) func(evalsim.Options) feedback.Evaluate {
	return func(o evalsim.Options) feedback.Evaluate {
		return feedback.Simulator(b.Problem.Machine, b.Problem.Allocation, b.Program, o, runtime.GOMAXPROCS(0),
			others...)
	}
}

// hostFloor is what no mapping can beat where every message leaves its host;
// zero elsewhere.
func hostFloor(u *fixtures.Setup) feedback.Bound {
	for _, slots := range u.Problem.Allocation.Slots {
		if slots != 1 {
			return feedback.Bound{}
		}
	}
	first, _ := u.Problem.Machine.Out(u.Problem.Allocation.Hosts[0])
	rate := u.Problem.Machine.Links[first].BytesPerSecond
	sends, receives := workload.InjectionBound(u.Program, rate, rate), workload.EjectionBound(u.Program, rate)
	if receives > sends {
		return feedback.Bound{Name: "ejection", NS: float64(receives.Nanoseconds()), Any: true}
	}
	return feedback.Bound{Name: "injection", NS: float64(sends.Nanoseconds()), Any: true}
}

// optimize runs the loop and tells the test's end of an error.
func (b *loopBench) optimize(t testing.TB, s feedback.Settings) *feedback.Result {
	t.Helper()
	r, err := feedback.Optimize(context.Background(), s)
	if err != nil {
		t.Fatalf("%s: %v", b.Name, err)
	}
	return r
}

// timedRow is a mapping and its times in repeats that pair.
type timedRow struct {
	name    string
	times   []float64 // ns, by repeat
	mapping mapping.Mapping
}

// judge plays a mapping on seeds that no search has used, from repeat first on.
func (b *loopBench) judge(t testing.TB, name string, m mapping.Mapping, first int) timedRow {
	t.Helper()
	e, err := b.settings.Validate(context.Background(), m, first, b.settings.ValidationRepeats)
	if err != nil {
		t.Fatalf("%s: %s: %v", b.Name, name, err)
	}
	return timedRow{name, e.Times(), m}
}

// us is the median in microseconds.
func (r *timedRow) us() float64 {
	m, _, _, _ := evalsim.MedianInterval(r.times)
	return m / 1000
}

// text is the median with its interval.
func (r *timedRow) text() string {
	m, low, high, known := evalsim.MedianInterval(r.times)
	if !known {
		return fmt.Sprintf("%.1f", m/1000)
	}
	return fmt.Sprintf("%.1f [%.1f, %.1f]", m/1000, low/1000, high/1000)
}

// gainOver is how much faster than another it is in paired repeats, in per cent
// of the other's time: the median and its 95 % interval.
func (r *timedRow) gainOver(slow timedRow) feedback.Gain {
	saved := make([]float64, len(r.times))
	for i := range saved {
		saved[i] = 100 * (1 - r.times[i]/slow.times[i])
	}
	var g feedback.Gain
	g.Percent, g.Low, g.High, g.Known = evalsim.MedianInterval(saved)
	return g
}

func gainText(g feedback.Gain) string {
	if !g.Known {
		return fmt.Sprintf("%.1f", g.Percent)
	}
	return fmt.Sprintf("%.1f [%.1f, %.1f]", g.Percent, g.Low, g.High)
}

// loopScenarios are the nine that come small and real.
func loopScenarios() []string {
	var names []string
	for _, s := range fixtures.Table() {
		if _, err := fixtures.Find(s.Name + fixtures.Small); err == nil {
			names = append(names, s.Name)
		}
	}
	return names
}

// runFlag is the value of -run.
func runFlag() string {
	if f := flag.Lookup("test.run"); f != nil {
		return f.Value.String()
	}
	return ""
}
