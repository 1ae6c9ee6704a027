package feedback_test

import (
	"context"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"remap/commgraph"
	"remap/evalsim"
	"remap/feedback"
	"remap/mapping"
	"remap/sampling"
	"remap/topology"
)

// ring is a problem of n ranks that each talk to their neighbours, on n hosts.
func ring(t testing.TB, n int) (*mapping.Problem, *commgraph.Traffic) {
	t.Helper()
	machine, err := topology.Parse("fattree:nodes-per-leaf=4,leaves-per-pod=8,pods=1,aggs-per-pod=2,cores=0")
	if err != nil {
		t.Fatal(err)
	}
	var flows []commgraph.Flow
	a := &mapping.Allocation{}
	for r := range int32(n) {
		flows = append(flows, commgraph.Flow{From: r, To: (r + 1) % int32(n), Bytes: 1000})
		a.Hosts = append(a.Hosts, r)
	}
	traffic, err := commgraph.NewTraffic(n, flows, false)
	if err != nil {
		t.Fatal(err)
	}
	return &mapping.Problem{Graph: traffic.Graph(), Machine: machine, Allocation: a, Seed: 1}, traffic
}

// shuffler is a strategy whose mapping depends on the weights and the seed.
func shuffler(name string) mapping.Strategy {
	return mapping.Strategy{Name: name, Refine: true, Map: func(_ context.Context,
		p *mapping.Problem) (mapping.Mapping, error) {
		hash := p.Seed
		for _, w := range p.Graph.Weights {
			hash = hash*31 + uint64(w)
		}
		random := sampling.NewRandom(hash)
		m := p.StartMapping()
		for i := len(m) - 1; i > 0; i-- {
			j := random.Below(uint32(i + 1))
			m[i], m[j] = m[j], m[i]
		}
		return m, nil
	}}
}

// score is a made-up evaluation: the time of a mapping is a hash of it, plus noise
// by repeat; every flow of every second rank is congested.
func score(m mapping.Mapping, repeat int) float64 {
	h := uint64(1469598103934665603)
	for _, s := range m {
		h = (h ^ uint64(s)) * 1099511628211
	}
	r := sampling.NewRandom(h + uint64(repeat)*77)
	return 1000 + float64(h>>54) + float64(r.Below(100))
}

func randomTimes(entries int, calls *[]int) feedback.Evaluate {
	return feedback.OneAtATime(func(ctx context.Context, m mapping.Mapping,
		first, count int) (*feedback.Evaluation, error) {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		e := &feedback.Evaluation{}
		for i := range count {
			flows := make([]evalsim.FlowStats, entries)
			for f := range flows {
				flows[f] = evalsim.FlowStats{Packets: 10, Hops: 20, CongestedHops: int64(f%2) * 5}
			}
			e.Results = append(e.Results, &evalsim.Result{Makespan: score(m, first+i), PortHops: 20,
				Congested: 5,
				Flows:     [][]evalsim.FlowStats{flows}, VolumeScale: 1})
		}
		if calls != nil {
			*calls = append(*calls, first)
		}
		return e, nil
	})
}

func settings(t testing.TB) feedback.Settings {
	p, traffic := ring(t, 16)
	s := feedback.DefaultSettings()
	s.Problem, s.Traffic, s.Evaluate = p, traffic, randomTimes(len(traffic.Bytes), nil)
	s.Strategies = []mapping.Strategy{shuffler("a"), shuffler("b")}
	return s
}

// The result is never slower than the start on the seeds of the final
// validation, is a mapping it has evaluated, and comes out the same every time.
func TestNeverWorseAndDeterministic(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := settings(t)
		s.Problem.Seed = rapid.Uint64().Draw(rt, "seed")
		s.Rounds = rapid.IntRange(0, 6).Draw(rt, "rounds")
		s.Repeats = rapid.IntRange(1, 8).Draw(rt, "repeats")
		s.Gain = rapid.SampledFrom([]float64{0, 0.5, 4}).Draw(rt, "gain")
		r, err := feedback.Optimize(context.Background(), s)
		if err != nil {
			rt.Fatal(err)
		}
		if r.Best.Summary.ElapsedNS > r.Start.Summary.ElapsedNS || !r.Fresh {
			rt.Fatalf("best %d, start %d, fresh %v", r.Best.Summary.ElapsedNS, r.Start.Summary.ElapsedNS,
				r.Fresh)
		}
		known := false
		for _, c := range r.Candidates {
			known = known || reflect.DeepEqual(c.Mapping, r.Best.Mapping)
		}
		if !known {
			rt.Fatal("the best mapping was never evaluated")
		}
		again, err := feedback.Optimize(context.Background(), s)
		if err != nil || !reflect.DeepEqual(r.Best.Mapping, again.Best.Mapping) ||
			r.Simulations != again.Simulations {
			rt.Fatalf("a second run differs: %v", err)
		}
	})
}

// No mapping is evaluated twice, and the final validation uses repeats that the
// search has not seen.
func TestEvaluatesOnceThenFresh(t *testing.T) {
	s := settings(t)
	var calls []int
	s.Evaluate = randomTimes(16, &calls)
	r, err := feedback.Optimize(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	for i, a := range r.Candidates {
		for _, b := range r.Candidates[:i] {
			if reflect.DeepEqual(a.Mapping, b.Mapping) {
				t.Errorf("candidate %d was evaluated before", i)
			}
		}
	}
	fresh := 0
	for _, first := range calls {
		if first >= 1<<20 {
			fresh++
		}
	}
	if fresh == 0 || fresh > 3 {
		t.Errorf("%d evaluations on fresh seeds", fresh)
	}
}

// Without gain the graph the strategies see stays proportional to the original.
func TestGainZeroIsOff(t *testing.T) {
	s := settings(t)
	s.Gain, s.Patience = 0, 10
	s.Strategies = []mapping.Strategy{{Name: "watch", Map: func(_ context.Context,
		p *mapping.Problem) (mapping.Mapping, error) {
		for _, w := range p.Graph.Weights {
			if w != p.Graph.Weights[0] {
				t.Errorf("weights differ: %v", p.Graph.Weights)
			}
		}
		m := p.StartMapping()
		i := p.Seed % 15
		m[i], m[i+1] = m[i+1], m[i]
		return m, nil
	}}}
	if _, err := feedback.Optimize(context.Background(), s); err != nil {
		t.Fatal(err)
	}
}

// When the context ends, the best so far comes back without an error.
func TestInterrupted(t *testing.T) {
	s := settings(t)
	ctx, cancel := context.WithCancel(context.Background())
	s.Rounds, s.Patience = 100, 100
	s.Progress = func(e feedback.Event) {
		if e.Simulations == 5 {
			cancel()
		}
	}
	r, err := feedback.Optimize(ctx, s)
	if err != nil || !r.Interrupted || len(r.Best.Mapping) != 16 || r.Simulations != 5 {
		t.Fatalf("%+v, %v", r, err)
	}
	for _, c := range r.Candidates {
		if !c.Dropped && c.Summary.ElapsedNS < r.Best.Summary.ElapsedNS {
			t.Errorf("candidate %s was faster than the best", c.Strategy)
		}
	}
}

// A strategy that cannot solve the problem is named and skipped; if none can,
// that is an error.
func TestSkippedStrategies(t *testing.T) {
	s := settings(t)
	broken := mapping.Strategy{Name: "broken", Map: func(context.Context,
		*mapping.Problem) (mapping.Mapping, error) {
		return nil, errors.New("no grid")
	}}
	s.Strategies = append(s.Strategies, broken)
	r, err := feedback.Optimize(context.Background(), s)
	if err != nil || len(r.Skipped) != 1 || !strings.Contains(r.Skipped[0], "broken: no grid") {
		t.Fatalf("%v, %v", r, err)
	}
	s.Strategies = []mapping.Strategy{broken}
	if _, err := feedback.Optimize(context.Background(), s); err == nil {
		t.Error("no strategy works, yet no error")
	}
}

func TestSettingsValidated(t *testing.T) {
	for name, change := range map[string]func(*feedback.Settings){
		"rounds":   func(s *feedback.Settings) { s.Rounds = -1 },
		"repeats":  func(s *feedback.Settings) { s.Repeats = 0 },
		"gain":     func(s *feedback.Settings) { s.Gain = math.NaN() },
		"patience": func(s *feedback.Settings) { s.Patience = 0 },
		"strategy": func(s *feedback.Settings) { s.Strategies = nil },
	} {
		s := settings(t)
		change(&s)
		if _, err := feedback.Optimize(context.Background(), s); err == nil ||
			!strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Only pairs that met congestion grow, both halves of an edge alike, up to the cap.
func TestWeightsGrow(t *testing.T) {
	p, traffic := ring(t, 12)
	w := feedback.NewWeights(p.Graph, traffic)
	flows := make([]evalsim.FlowStats, len(traffic.Bytes))
	for i := range flows {
		flows[i] = evalsim.FlowStats{Packets: 1, Hops: 10}
	}
	hot := traffic.Find(3, 4)
	flows[hot].CongestedHops = 5
	w.Grow(p.Graph, flows, 2)
	ratio := func(g *commgraph.Graph, u, v int32) float64 {
		first, end := g.Row(u)
		for i := first; i < end; i++ {
			if g.Neighbors[i] == v {
				return float64(g.Weights[i]) / float64(g.Weights[0])
			}
		}
		return math.NaN()
	}
	g := w.Apply(p.Graph, 1<<50)
	if err := g.Check(); err != nil {
		t.Fatal(err)
	}
	if a, b, cold := ratio(g, 3, 4), ratio(g, 4, 3), ratio(g, 7, 8); a != 2 || b != 2 || cold != 1 {
		t.Errorf("hot pair %g and %g, cold pair %g; want 2, 2, 1", a, b, cold)
	}
	for range 100 {
		w.Grow(p.Graph, flows, 2)
	}
	if top := ratio(w.Apply(p.Graph, 1<<50), 3, 4); top != feedback.MaxFactor {
		t.Errorf("a pair grew to %g", top)
	}
	if p.Graph.Weights[0] != 1000 {
		t.Error("the original graph was written to")
	}
}

// The scale of the fixed point gets smaller before the total can overflow, and weights stay
// positive.
func TestApplyBounds(t *testing.T) {
	traffic, err := commgraph.NewTraffic(3, []commgraph.Flow{{From: 0, To: 1, Bytes: commgraph.MaxTotal - 1},
		{From: 1, To: 2, Bytes: 1}}, false)
	if err != nil {
		t.Fatal(err)
	}
	g := traffic.Graph()
	w := feedback.NewWeights(g, traffic)
	flows := []evalsim.FlowStats{{Packets: 1, Hops: 1, CongestedHops: 1}, {}}
	for range 10 {
		w.Grow(g, flows, 4)
	}
	heavier := w.Apply(g, commgraph.MaxTotal/2)
	if err := heavier.Check(); err != nil {
		t.Error(err)
	}
	if heavier.TotalWeight() > commgraph.MaxTotal {
		t.Errorf("total %d above the limit", heavier.TotalWeight())
	}
}
