package feedback_test

import (
	"context"
	"reflect"
	"strings"
	"testing"
	"time"

	"remap/evalsim"
	"remap/feedback"
	"remap/mapping"
	"remap/topology"
	"remap/workload"
)

// swaps is a strategy that gives a new mapping at every call: the start with
// two neighbours exchanged.
func swaps(calls *int) mapping.Strategy {
	return mapping.Strategy{Name: "swaps", Refine: true, Map: func(_ context.Context,
		p *mapping.Problem) (mapping.Mapping, error) {
		m := p.StartMapping()
		i := *calls % (len(m) - 1)
		m[i], m[i+1] = m[i+1], m[i]
		*calls++
		return m, nil
	}}
}

// timed evaluates by a function of the mapping and the number of repeats.
func timed(entries int, makespan func(m mapping.Mapping, repeat int) float64, congested int64,
	asked *int) feedback.Evaluate {
	return feedback.OneAtATime(func(_ context.Context, m mapping.Mapping,
		first, count int) (*feedback.Evaluation, error) {
		*asked += count
		e := &feedback.Evaluation{}
		for i := range count {
			flows := make([]evalsim.FlowStats, entries)
			for f := range flows {
				flows[f] = evalsim.FlowStats{Packets: 1, Hops: 10, CongestedHops: congested}
			}
			e.Results = append(e.Results, &evalsim.Result{Makespan: makespan(m, first+i), PortHops: 10,
				Congested: congested,
				Flows:     [][]evalsim.FlowStats{flows}, VolumeScale: 1})
		}
		return e, nil
	})
}

// distance counts the ranks away from the reversed mapping: a goal to climb to.
func distance(m mapping.Mapping) float64 {
	sum := 0.0
	for r, s := range m {
		if int(s) != len(m)-1-r {
			sum++
		}
	}
	return sum
}

// Near a known lower bound the search ends at once; without one it does not.
func TestStopsNearLowerBound(t *testing.T) {
	for bound, stops := range map[float64]bool{0: false, 900: false, 995: true} {
		s := settings(t)
		calls, asked := 0, 0
		s.Strategies, s.LowerBound = []mapping.Strategy{swaps(&calls)},
			feedback.Bound{Name: "injection", NS: bound, Any: true}
		s.Evaluate = timed(16, func(mapping.Mapping, int) float64 { return 1000 }, 1, &asked)
		r, err := feedback.Optimize(context.Background(), s)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(r.Stopped, "injection bound"); got != stops || stops && calls != 1 {
			t.Errorf("bound %g: %d mappings made, stopped: %s", bound, calls, r.Stopped)
		}
	}
}

// The closer look is taken when the coarse definition sees no congestion or brought no gain, and
// not otherwise.
func TestFinerWhenNeeded(t *testing.T) {
	for _, c := range []struct {
		congested int64
		gains     bool
		looks     bool
	}{{0, true, true}, {5, true, false}, {5, false, true}} {
		s := settings(t)
		calls, asked, looks := 0, 0, 0
		s.Strategies, s.Rounds, s.Patience = []mapping.Strategy{swaps(&calls)}, 3, 3
		next := 1e6
		s.Evaluate = timed(16, func(m mapping.Mapping, repeat int) float64 {
			if !c.gains {
				return 1000
			}
			next-- // every later evaluation is faster than all before
			return next
		}, c.congested, &asked)
		s.EvaluateFiner = timed(16, func(mapping.Mapping, int) float64 { return 1 }, 3, &looks)
		if _, err := feedback.Optimize(context.Background(), s); err != nil {
			t.Fatal(err)
		}
		if (looks > 0) != c.looks {
			t.Errorf("congested %d, gains %v: %d closer looks", c.congested, c.gains, looks)
		}
	}
}

// A candidate that is clearly slower in the first repeats gets no more of them;
// one within the margin gets all.
func TestRaceDropsHopeless(t *testing.T) {
	for factor, repeats := range map[float64]int{2: 2, 1.02: 6} {
		s := settings(t)
		calls, asked := 0, 0
		s.Strategies, s.Rounds = []mapping.Strategy{swaps(&calls)}, 0
		identity := mapping.Identity(16)
		s.Evaluate = timed(16, func(m mapping.Mapping, _ int) float64 {
			if reflect.DeepEqual(m, identity) {
				return 1000
			}
			return 1000 * factor
		}, 1, &asked)
		r, err := feedback.Optimize(context.Background(), s)
		if err != nil {
			t.Fatal(err)
		}
		c := r.Candidates[1]
		if c.Summary.Repeats != repeats || c.Dropped != (repeats == 2) {
			t.Errorf("%g times slower: %d repeats, dropped %v", factor, c.Summary.Repeats, c.Dropped)
		}
		if !reflect.DeepEqual(r.Best.Mapping, identity) {
			t.Error("a slower mapping is returned")
		}
	}
}

// A gain below the noise of the paired repeats does not move any rank; a clear
// one does, even when single repeats disagree.
func TestNoiseIsNoGain(t *testing.T) {
	noise := []float64{90, -110, 60, -70, 120, -85}
	for gain, taken := range map[float64]bool{5: false, 200: true} {
		s := settings(t)
		calls, asked := 0, 0
		s.Strategies, s.Rounds = []mapping.Strategy{swaps(&calls)}, 0
		identity := mapping.Identity(16)
		s.Evaluate = timed(16, func(m mapping.Mapping, repeat int) float64 {
			if reflect.DeepEqual(m, identity) {
				return 10000
			}
			return 10000 - gain + noise[repeat%6]
		}, 1, &asked)
		r, err := feedback.Optimize(context.Background(), s)
		if err != nil {
			t.Fatal(err)
		}
		if got := !reflect.DeepEqual(r.Best.Mapping, identity); got != taken {
			t.Errorf("gain %g: taken %v", gain, got)
		}
	}
}

// Refine joins the strategies after round 0, climbing from the best so far.
func TestRefineClimbs(t *testing.T) {
	s := settings(t)
	asked := 0
	fixed := mapping.Strategy{Name: "fixed", Map: func(_ context.Context,
		p *mapping.Problem) (mapping.Mapping, error) {
		return mapping.Identity(p.Ranks()), nil
	}}
	climb := mapping.Strategy{Name: "climb", Refine: true, Map: func(_ context.Context,
		p *mapping.Problem) (mapping.Mapping, error) {
		m := p.StartMapping()
		for r := range m {
			if want := int32(len(m) - 1 - r); m[r] != want {
				for other := range m {
					if m[other] == want {
						m[r], m[other] = m[other], m[r]
						return m, nil
					}
				}
			}
		}
		return m, nil
	}}
	s.Strategies, s.Refine, s.Rounds = []mapping.Strategy{fixed}, &climb, 5
	s.Evaluate = timed(16, func(m mapping.Mapping, _ int) float64 { return 100 + distance(m) }, 1, &asked)
	r, err := feedback.Optimize(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	if got := distance(r.Best.Mapping); got != 16-2*5 {
		t.Errorf("after 5 rounds %g ranks are out of place, want 6", got)
	}
	if r.Static.Strategy != "start" {
		t.Errorf("static is %s", r.Static.Strategy)
	}
}

// A deadline ends the search in time for the final validation.
func TestDeadlineLeavesTimeForFinalValidation(t *testing.T) {
	s := settings(t)
	s.Strategies, s.Rounds, s.Patience = []mapping.Strategy{shuffler("a")}, 1000, 1000
	evaluate := randomTimes(16, nil)
	s.Evaluate = feedback.OneAtATime(func(ctx context.Context, m mapping.Mapping,
		first, count int) (*feedback.Evaluation, error) {
		time.Sleep(time.Millisecond)
		return evaluate(ctx, m, first, count)
	})
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	r, err := feedback.Optimize(ctx, s)
	if err != nil || !r.Interrupted || !r.Fresh {
		t.Fatalf("fresh %v, interrupted %v after %d mappings: %v", r.Fresh, r.Interrupted, r.Simulations, err)
	}
}

// Background jobs slow the job of interest, are never moved, and their own
// times and packets do not count.
func TestSimulatorBackground(t *testing.T) {
	machine, err := topology.Parse("fattree:nodes-per-leaf=4,leaves-per-pod=2,pods=1,aggs-per-pod=1,cores=0")
	if err != nil {
		t.Fatal(err)
	}
	programs := make([]*workload.Program, 2)
	for i, spec := range []string{"ring:4", "ring:4,rounds=8"} {
		if programs[i], err = workload.ParsePattern(spec); err != nil {
			t.Fatal(err)
		}
	}
	own := &mapping.Allocation{Hosts: []int32{0, 2, 4, 6}}
	// every message crosses the one link up
	others := evalsim.Job{Program: programs[1], Hosts: []int32{1, 5, 3, 7}}
	evaluate := func(background ...evalsim.Job) *feedback.Evaluation {
		evaluate := feedback.Simulator(machine, own, programs[0], evalsim.DefaultOptions(), 1, background...)
		if _, err := evaluate(context.Background(), mapping.Mapping{3, 1, 2, 0}, 0, 1); err != nil {
			t.Fatal(err)
		}
		e, err := evaluate(context.Background(), mapping.Identity(4), 0, 2)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	alone, together := evaluate(), evaluate(others)
	for i, r := range together.Results {
		if r.Elapsed[1] <= r.Elapsed[0] || together.Times()[i] != r.Elapsed[0] ||
			r.Elapsed[0] <= alone.Times()[i] {
			t.Errorf("alone %v, together %v: counted %v", alone.Times(), r.Elapsed, together.Times())
		}
		if r.Packets != alone.Results[i].Packets || len(together.Flows()) != len(alone.Flows()) {
			t.Errorf("%d packets of the job, alone %d", r.Packets, alone.Results[i].Packets)
		}
	}
}

// Where bytes are so many that prices of links cannot be summed, only that feedback model is left
// out, and the result says so once.
func TestModelsThatCannotBeUsed(t *testing.T) {
	s := settings(t)
	for i := range s.Traffic.Bytes {
		s.Traffic.Bytes[i] = 1 << 47
	}
	s.Problem.Graph = s.Traffic.Graph()
	s.Models, s.Rounds, s.Patience = feedback.Models(), 3, 3
	r, err := feedback.Optimize(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Skipped) != 2 || !strings.Contains(r.Skipped[0], "prices") ||
		!strings.Contains(r.Skipped[1], "phases") {
		t.Errorf("skipped %q, want prices and phases once", r.Skipped)
	}
	seen := map[string]bool{}
	for _, c := range r.Candidates {
		seen[c.Model] = true
	}
	if !seen["capacities"] || !seen["pairs"] || seen["prices"] {
		t.Errorf("candidates of the forms %v", seen)
	}
}
