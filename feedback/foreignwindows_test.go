package feedback

import (
	"context"
	"math"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"remap/counters"
	"remap/evalsim"
	"remap/internal/testkit/tier"
	"remap/mapping"
	"remap/workload"
)

// windowed is a job on the even hosts of foreignTree, beside rings of others.
type windowed struct {
	*MeasuredRun
	t   *testing.T
	odd []int32
}

func newWindowed(t *testing.T) *windowed {
	t.Helper()
	machine := parsed(t, foreignTree)
	odd, even := everySecond(machine)
	program, err := workload.ParsePattern("uniform:12,rounds=8")
	if err != nil {
		t.Fatal(err)
	}
	r := &MeasuredRun{Machine: machine, Allocation: &mapping.Allocation{Hosts: even}, Program: program,
		Workers:  2,
		Previous: mapping.Identity(12), Options: evalsim.DefaultOptions(), Routing: mapping.MinimalRouting}
	r.Options.Steps, r.Options.Sampling = 0, evalsim.Options{}.Sampling
	return &windowed{r, t, odd}
}

// links is what ports count in an interval in which some hosts send streams in a ring.
func (w *windowed) links(hosts []int32) *counters.Links {
	w.t.Helper()
	jobs := []evalsim.Job{{Program: w.Program, Hosts: w.Allocation.Hosts}}
	if len(hosts) > 0 {
		n := len(hosts)
		p := &workload.Program{Offsets: []int32{0}, VolumeScale: 1}
		for i := range hosts { // past the next leaf switch
			send := workload.Op{Kind: workload.Send, Peer: int32((i + 3) % n), Bytes: 1 << 16}
			p.Ops = append(p.Ops, send)
			p.Offsets = append(p.Offsets, int32(len(p.Ops)))
		}
		jobs = append(jobs, evalsim.Job{Program: p, Hosts: hosts, Endless: true})
	}
	results, err := evalsim.Repeat(context.Background(), w.Machine, jobs, w.Options, 1, 1, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	return countersOf(w.Machine, results[0])
}

// measured is a measurement of intervals, over the whole time their mean.
func (w *windowed) measured(windows ...*counters.Links) *MeasuredNetwork {
	w.t.Helper()
	n := len(w.Machine.Links)
	whole := &counters.Links{Rate: make([]float64, n), Congested: make([]float64, n), Known: make([]bool, n)}
	for l := range n {
		for _, one := range windows {
			whole.Rate[l] += one.Rate[l] / float64(len(windows))
			whole.Congested[l] += one.Congested[l] / float64(len(windows))
		}
		whole.Known[l] = true
	}
	if len(windows) > 1 {
		whole.Windows = windows
	}
	traffic, err := w.Program.Traffic()
	if err != nil {
		w.t.Fatal(err)
	}
	return NewMeasuredNetwork(w.Machine, w.Allocation, traffic, w.Previous, whole, nil)
}

func (w *windowed) find(m *MeasuredNetwork) *Others {
	w.t.Helper()
	o, err := m.FindOthers(context.Background(), w.MeasuredRun)
	if err != nil || o == nil {
		w.t.Fatal(o, err)
	}
	return o
}

// Variants are of the intervals in turn: of their hosts, at their rates, and without others where
// these are silent. Each interval has as many variants.
func TestFindOthersByWindows(t *testing.T) {
	tier.Long(t, "simulations of four intervals: a second")
	w := newWindowed(t)
	first, second := w.odd[:6], w.odd[6:]
	for _, c := range []struct {
		name     string
		sending  [][]int32
		variants int
		silent   int
		hosts    int
	}{
		{"two sets", [][]int32{first, second}, 4, 0, 12},
		{"on, off", [][]int32{first, nil}, 4, 1, 6},
		{"three", [][]int32{first, second, w.odd}, 6, 0, 12},
		{"four", [][]int32{first, second, nil, first}, 4, 1, 12},
	} {
		var windows []*counters.Links
		for _, hosts := range c.sending {
			windows = append(windows, w.links(hosts))
		}
		m := w.measured(windows...)
		o := w.find(m)
		if len(o.Jobs) != c.variants || o.Windows != len(windows) || o.Silent != c.silent ||
			o.Hosts != c.hosts ||
			o.Bytes > 0.1 {
			t.Errorf("%s: %d variants of %d intervals, %d silent, %d hosts, bytes off %g", c.name,
				len(o.Jobs),
				o.Windows, o.Silent, o.Hosts, o.Bytes)
		}
		for k, jobs := range o.Jobs {
			var hosts []int32
			for _, job := range jobs {
				hosts = append(hosts, job.Hosts...)
			}
			slices.Sort(hosts)
			if want := c.sending[k%len(windows)]; !slices.Equal(hosts, want) {
				t.Errorf("%s: variant %d is of hosts %v, want %v", c.name, k, hosts, want)
			}
			one := &Others{Jobs: [][]evalsim.Job{jobs}}
			if runs, err := one.compareRun(context.Background(), w.MeasuredRun,
				m.Windows[k%len(windows)]); !runs ||
				err != nil || one.Bytes > 0.15 {
				t.Errorf("%s: variant %d: %v, %v, bytes differ by %g", c.name, k, runs, err, one.Bytes)
			}
		}
	}
}

// Repeat i is beside the same interval whatever other repeats are simulated with it, and the
// repeats of a silent interval are those of the job alone.
func TestWindowsTakeTurns(t *testing.T) {
	w := newWindowed(t)
	o := w.find(w.measured(w.links(w.odd), w.links(nil)))
	all, err := o.Simulator(w.MeasuredRun, w.Options)(context.Background(), w.Previous, 1, 6)
	if err != nil {
		t.Fatal(err)
	}
	alone := Simulator(w.Machine, w.Allocation, w.Program, w.Options, 1)
	for i, time := range all.Times() {
		repeat := 1 + i
		e, err := alone(context.Background(), w.Previous, repeat/len(o.Jobs), 1)
		if err != nil {
			t.Fatal(err)
		}
		if by := e.Times()[0]; repeat%2 == 1 && time != by || repeat%2 == 0 && time < 1.1*by {
			t.Errorf("repeat %d takes %g ns, alone %g", repeat, time, by)
		}
	}
}

// Without intervals all four variants are drawn of the whole time.
func TestFindOthersWithoutWindows(t *testing.T) {
	w := newWindowed(t)
	m := w.measured(w.links(w.odd))
	o := w.find(m)
	if m.Windows != nil || o.Windows != 0 || len(o.Jobs) != variants || o.Name != "streams" {
		t.Fatalf("%d variants of %d intervals, %s", len(o.Jobs), o.Windows, o.Name)
	}
	x := w.foreign(m)
	for k, jobs := range o.Jobs {
		if want := x.jobs(m, descriptions[0], uint64(k)); !reflect.DeepEqual(jobs, want) {
			t.Errorf("variant %d is not the draw of the whole time with seed %d", k, k)
		}
	}
}

// A mapping that is slower beside the first interval is evaluated beside the next too.
func TestAlternate(t *testing.T) {
	s := Settings{Repeats: 2}
	(&Others{}).Alternate(&s)
	(*Others)(nil).Alternate(&s)
	if s.Turns != 0 || s.Repeats != 2 || s.raceRepeats() != 1 {
		t.Errorf("others that do not change: %d of %d repeats", s.raceRepeats(), s.Repeats)
	}
	(&Others{Windows: 3}).Alternate(&s)
	if s.Repeats != 3 || s.raceRepeats() != 3 {
		t.Errorf("three intervals: %d of %d repeats", s.raceRepeats(), s.Repeats)
	}
	settings := loop(t)
	settings.Turns, settings.Repeats = 2, 4
	settings.Evaluate = turned(settings.Evaluate)
	found, err := Optimize(context.Background(), settings)
	if err != nil {
		t.Fatal(err)
	}
	if len(found.Candidates) < 3 {
		t.Errorf("%d mappings were evaluated", len(found.Candidates))
	}
	for _, c := range found.Candidates {
		if c.Dropped {
			t.Errorf("%s was dropped, though it is slower in every second repeat alone", c.Strategy)
		}
	}
}

// turned has the identity take 1 ms, and other mappings 2 ms in repeats of even number and
// half a millisecond in others.
func turned(evaluate Evaluate) Evaluate {
	return func(ctx context.Context, m mapping.Mapping, first, count int) (*Evaluation, error) {
		e, err := evaluate(ctx, m, first, count)
		if err != nil {
			return nil, err
		}
		for i, r := range e.Results {
			r.Makespan = 1e6
			switch {
			case slices.Equal(m, mapping.Identity(len(m))):
			case (first+i)%2 == 0:
				r.Makespan = 2e6
			default:
				r.Makespan = 5e5
			}
		}
		return e, nil
	}
}

// A gain beside one of two intervals, with no difference beside the other, is a gain where turns
// are compared. It is none where each repeat counts by itself. A loss of the same size is no gain.
func TestTurnsAreCompared(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		turn := rapid.IntRange(2, variants).Draw(t, "intervals")
		slow, fast := &Evaluation{}, &Evaluation{}
		add := func(e *Evaluation, ns float64) {
			ns *= 1 + rapid.Float64Range(-0.01, 0.01).Draw(t, "noise")
			e.Results = append(e.Results, &evalsim.Result{Makespan: ns})
		}
		for i := range firstLook * turn {
			add(slow, 1e6)
			if i%turn == 0 {
				add(fast, 5e5)
			} else {
				add(fast, 1e6)
			}
		}
		slow.turns, fast.turns = turn, turn
		g, want := gainOver(slow, fast), 50/float64(turn)
		if !g.Proven() || math.Abs(g.Percent-want) > 2.1 || !better(fast, slow) ||
			gainOver(fast, slow).Proven() {
			t.Fatalf("gain %+v, want %g", g, want)
		}
		if slow.turns, fast.turns = 0, 0; turn > 2 && gainOver(slow, fast).Percent > 2.1 {
			t.Fatalf("the median repeat gains %+v", gainOver(slow, fast))
		}
	})
}

// Without turns every time counts by itself. Times that make no whole turn are left out, unless
// there are no others.
func TestTurnMeans(t *testing.T) {
	times := []float64{1, 3, 5, 7, 100}
	for turn, want := range map[int][]float64{0: times, 1: times, 2: {2, 6}, 3: {3}, 5: {23.2}, 6: times} {
		if got := turnMeans(times, turn); !slices.Equal(got, want) {
			t.Errorf("turns of %d: %v, want %v", turn, got, want)
		}
	}
}
