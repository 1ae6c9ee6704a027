package exchange

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"remap/commgraph"
	"remap/mapping"
	"remap/topology"
)

// quick is the default with less annealing.
var quick = Options{Partners: 12, Near: 32, Slots: 64, Trials: 16, Random: 16, Proposals: 100, Heat: 0.2,
	Work: 10_000_000}

// Under all constraints together every slot holds at most one rank, fixed ranks are on their slots,
// few enough ranks have moved, and the cost is no worse than that of the settled start. The input
// does not change, and a second run gives the same.
func TestRefineKeepsConstraints(t *testing.T) {
	onEach(t, func(t *rapid.T, machine *topology.Topology) {
		p := drawProblem(t, machine)
		constrain(t, p)
		start := p.StartMapping()
		if rapid.Bool().Draw(t, "other start") {
			start = drawMapping(t, p.Ranks(), p.Allocation.SlotCount())
		}
		before := slices.Clone(start)
		settled, refused := p.Settle(start)
		m, err := Refine(context.Background(), p, start, quick)
		if refused != nil {
			if !errors.As(err, new(*mapping.TooManyMoves)) {
				t.Fatalf("the start cannot be settled (%v), and refined it gives %v", refused, err)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range []mapping.Mapping{settled, m} {
			if err := errors.Join(m.Check(p.Allocation.SlotCount()), p.CheckMoves(m)); err != nil ||
				len(m) != p.Ranks() {
				t.Fatal(len(m), err)
			}
			for r, slot := range p.Fixed {
				if slot >= 0 && m[r] != slot {
					t.Fatalf("rank %d is fixed to slot %d and sits on %d", r, slot, m[r])
				}
			}
		}
		if p.Cost(m) > p.Cost(settled) {
			t.Fatalf("cost %g, the start's is %g", p.Cost(m), p.Cost(settled))
		}
		if !slices.Equal(start, before) {
			t.Fatal("the start has changed")
		}
		again, err := Refine(context.Background(), p, start, quick)
		if err != nil || !slices.Equal(m, again) {
			t.Fatalf("a second run gives %v, the first %v", again, m)
		}
	})
}

// Ending early gives the mapping reached so far, valid and no worse, beside the
// context's error.
func TestRefineEndsWithContext(t *testing.T) {
	p := patternProblem(t, "fattree:nodes-per-leaf=8,leaves-per-pod=8,pods=4,aggs-per-pod=4,cores=8",
		"stencil2d:16x16")
	start := shuffled(p, 1)
	for _, objective := range []mapping.Objective{mapping.PathLength, mapping.LinkLoad, mapping.Mixed,
		mapping.Capacity} {
		p.Objective = objective
		ended, cancel := context.WithCancel(context.Background())
		cancel()
		m, err := Refine(ended, p, start, DefaultOptions)
		if !errors.Is(err, context.Canceled) || !slices.Equal(m, start) {
			t.Errorf("%s: a context that has ended gives %v and another mapping than the start", objective,
				err)
		}
		late := &expiring{Context: context.Background(), calls: 300}
		m, err = Refine(late, p, start, DefaultOptions)
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("%s: %v after %d questions", objective, err, 300-late.calls)
		}
		if err := m.Check(p.Allocation.SlotCount()); err != nil || p.Cost(m) >= p.Cost(start) {
			t.Errorf("%s: %v, cost %g, at first %g", objective, err, p.Cost(m), p.Cost(start))
		}
		if m, err := Strategy().Map(ended, p); m != nil || !errors.Is(err, context.Canceled) {
			t.Errorf("%s: the strategy gives %v and %v", objective, m, err)
		}
	}
}

// expiring is a context that ends after a number of calls of Err.
type expiring struct {
	context.Context
	calls int
}

func (e *expiring) Err() error {
	if e.calls--; e.calls < 0 {
		return context.DeadlineExceeded
	}
	return nil
}

// Doubling all weights changes nothing in the result.
func TestRefineWithDoubledWeights(t *testing.T) {
	onEach(t, func(t *rapid.T, machine *topology.Topology) {
		p := drawProblem(t, machine)
		constrain(t, p)
		double := *p
		graph := *p.Graph
		graph.Weights = doubled(graph.Weights)
		double.Graph = &graph
		if p.Traffic != nil {
			traffic := *p.Traffic
			traffic.Bytes = doubled(traffic.Bytes)
			double.Traffic = &traffic
		}
		double.Phases = nil
		for _, phase := range p.Phases {
			twice := *phase
			twice.Bytes = doubled(phase.Bytes)
			double.Phases = append(double.Phases, &twice)
		}
		m, err := Refine(context.Background(), p, p.StartMapping(), quick)
		other, wrong := Refine(context.Background(), &double, p.StartMapping(), quick)
		if !slices.Equal(m, other) || (err == nil) != (wrong == nil) {
			t.Fatalf("%s: %v (%v), with twice the weights %v (%v)", p.Objective, m, err, other, wrong)
		}
	})
}

func doubled(weights []int64) []int64 {
	twice := make([]int64, len(weights))
	for i, w := range weights {
		twice[i] = 2 * w
	}
	return twice
}

// On tiny problems, every second one in phases, nothing is better than the best of
// all mappings, and most results are as good.
func TestRefineAgainstAllMappings(t *testing.T) {
	reached, all := map[mapping.Objective]int{}, 0
	for i, spec := range []string{
		"fattree:nodes-per-leaf=2,leaves-per-pod=2,pods=2,aggs-per-pod=1,cores=2,up=2", "torus:6", "mesh:3x2",
		"hyperx:3x2",
	} {
		machine := mustNetwork(t, spec)
		for seed := range uint64(10) {
			all++
			p := randomProblem(t, machine, 6, seed+100*uint64(i))
			if seed%2 == 1 {
				p.Phases = divided(p.Traffic, 3, seed)
			}
			for objective := range mapping.Objective(4) {
				p.Objective = objective
				m, err := Refine(context.Background(), p, p.StartMapping(), quick)
				if err != nil {
					t.Fatal(err)
				}
				least := leastOfAll(p)
				got := p.Cost(m)
				if got < least*(1-1e-9) {
					t.Fatalf("%s on %s: %g, and no mapping has less than %g", objective, spec, got, least)
				}
				if got <= least*(1+1e-9) {
					reached[objective]++
				}
			}
		}
	}
	t.Logf("least of all mappings reached, of %d: %v", all, reached)
	for objective := range mapping.Objective(4) {
		if reached[objective] < all*3/4 {
			t.Errorf("%s: the least of all mappings is reached in %d of %d", objective, reached[objective],
				all)
		}
	}
}

// randomProblem is a random graph of 6 ranks on the first hosts of a network.
func randomProblem(t *testing.T, machine *topology.Topology, hosts int, seed uint64) *mapping.Problem {
	t.Helper()
	chance := rand.New(rand.NewPCG(seed, 7))
	var flows []commgraph.Flow
	for range 9 {
		flows = append(flows, commgraph.Flow{From: chance.Int32N(6), To: chance.Int32N(6),
			Bytes: 1 + chance.Int64N(100)})
	}
	traffic, err := commgraph.NewTraffic(6, flows, false)
	if err != nil {
		t.Fatal(err)
	}
	return &mapping.Problem{
		Graph: traffic.Graph(), Traffic: traffic, Machine: machine, Seed: 1,
		Allocation: &mapping.Allocation{Hosts: mapping.Identity(hosts)},
	}
}

// leastOfAll is the least cost of all mappings of 6 ranks to 6 slots.
func leastOfAll(p *mapping.Problem) float64 {
	least := math.Inf(1)
	m := mapping.Identity(p.Ranks())
	var permute func(k int)
	permute = func(k int) {
		if k == len(m) {
			least = min(least, p.Cost(m))
			return
		}
		for i := k; i < len(m); i++ {
			m[k], m[i] = m[i], m[k]
			permute(k + 1)
			m[k], m[i] = m[i], m[k]
		}
	}
	permute(0)
	return least
}
