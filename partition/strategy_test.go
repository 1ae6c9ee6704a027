package partition

import (
	"context"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"remap/internal/testkit/tier"
	"remap/kernighanlin"
	"remap/mapping"
	"remap/placement"
	"remap/rcm"
)

// allocations of a machine of 48 hosts: slots of each, and how many ranks fit.
func allocations(hosts int) map[string]*mapping.Allocation {
	chance := rand.New(rand.NewPCG(5, 5))
	some := &mapping.Allocation{}
	uneven := &mapping.Allocation{}
	for i, h := range chance.Perm(hosts) {
		if i < 41 {
			some.Hosts = append(some.Hosts, int32(h))
		}
		if i < 20 {
			uneven.Hosts = append(uneven.Hosts, int32(h))
			uneven.Slots = append(uneven.Slots, 1+chance.Int32N(4))
		}
	}
	return map[string]*mapping.Allocation{"all": {Hosts: mapping.Identity(hosts)}, "subset": some,
		"uneven": uneven}
}

var machines = []string{
	"fattree:nodes-per-leaf=4,leaves-per-pod=4,pods=3,aggs-per-pod=2,cores=4",
	"fattree:nodes-per-leaf=6,leaves-per-pod=8,pods=1,aggs-per-pod=2,cores=0",
	"torus:4x4x3",
}

// TestContract sweeps strategies over graphs, machines and allocations, with
// as many ranks as slots and with fewer.
func TestContract(t *testing.T) {
	for _, spec := range machines {
		machine := machineOf(t, spec)
		for name, a := range allocations(machine.Hosts()) {
			for i, ranks := range []int{a.SlotCount(), a.SlotCount() * 2 / 3} {
				for j, g := range sharedGraphs(t, ranks) {
					if (i+j)%tier.Cases(4, 1, 1) != 0 {
						continue // in the quick tier a quarter of the sweep
					}
					p := &mapping.Problem{Graph: g.graph, Machine: machine, Allocation: a, Seed: 7}
					t.Run(spec+"/"+name+"/"+g.name, func(t *testing.T) { checkContract(t, p) })
				}
			}
		}
	}
}

func checkContract(t *testing.T, p *mapping.Problem) {
	chosen := mapping.NewPlaces(p.Machine, p.Allocation, nil).Compact(p.Ranks())
	offsets, neighbors, weights := slices.Clone(p.Graph.Offsets), slices.Clone(p.Graph.Neighbors),
		slices.Clone(p.Graph.Weights)
	for _, s := range []mapping.Strategy{Bisection(), Multisection(), kernighanlin.Strategy(), rcm.Strategy()} {
		m, err := s.Map(context.Background(), p)
		if err != nil {
			t.Fatalf("%s: %v", s.Name, err)
		}
		if err := m.Check(p.Allocation.SlotCount()); err != nil || len(m) != p.Ranks() || m == nil {
			t.Fatalf("%s: %d ranks for %d: %v", s.Name, len(m), p.Ranks(), err)
		}
		// on others ranks may move to spare slots beside their partners
		tree := placement.NewLayout(p, nil).Nested()
		if tree && (s.Name == "bisection" || s.Name == "multisection") {
			if !slices.Equal(slices.Sorted(slices.Values(m)), chosen) {
				t.Fatalf("%s fills other slots than those chosen", s.Name)
			}
		}
		again, err := s.Map(context.Background(), p)
		if err != nil || !slices.Equal(m, again) {
			t.Fatalf("%s: a second run differs: %v", s.Name, err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if _, err := s.Map(ctx, p); err != context.Canceled {
			t.Fatalf("%s: an ended context gives %v", s.Name, err)
		}
	}
	if !slices.Equal(offsets, p.Graph.Offsets) || !slices.Equal(neighbors, p.Graph.Neighbors) ||
		!slices.Equal(weights, p.Graph.Weights) {
		t.Fatal("the graph was changed")
	}
}

func TestProblemIsUntouched(t *testing.T) {
	machine := machineOf(t, machines[0])
	p := &mapping.Problem{Graph: grid(t, 12, 4), Machine: machine, Allocation: everyHost(machine), Seed: 3,
		Start: mapping.Identity(48)}
	before := *p
	hosts, start := slices.Clone(p.Allocation.Hosts), slices.Clone(p.Start)
	for _, s := range []mapping.Strategy{Bisection(), Multisection(), kernighanlin.Strategy(), rcm.Strategy()} {
		if _, err := s.Map(context.Background(), p); err != nil {
			t.Fatal(err)
		}
	}
	if !reflect.DeepEqual(before, *p) || !slices.Equal(hosts, p.Allocation.Hosts) ||
		!slices.Equal(start, p.Start) {
		t.Error("a strategy wrote to its problem")
	}
}

func TestUnsupportedRequestsAreRefused(t *testing.T) {
	machine := machineOf(t, machines[0])
	for _, s := range []mapping.Strategy{Bisection(), Multisection()} {
		p := &mapping.Problem{Graph: grid(t, 2, 1), Machine: machine, Allocation: everyHost(machine), MaxMoves: 1}
		if _, err := s.Map(context.Background(), p); err == nil {
			t.Errorf("%s ignored the limit of moves", s.Name)
		}
	}
}

// TestThesisStencil: METIS's bisection had a cut of 0.19 and 1.474 switches;
// two-level tiling, which is optimal, has 0.1753 and 1.3947.
func TestThesisStencil(t *testing.T) {
	machine := machineOf(t, "tapered")
	p := &mapping.Problem{Graph: grid(t, 64, 72), Machine: machine, Allocation: everyHost(machine)}
	for _, test := range []struct {
		strategy       mapping.Strategy
		longest, share float64
	}{{Bisection(), 1.474, 0.19}, {Multisection(), 1.43, 0.19}} {
		for p.Seed = 1; p.Seed <= 3; p.Seed++ {
			m, err := test.strategy.Map(context.Background(), p)
			if err != nil {
				t.Fatal(err)
			}
			length, share := averages(p, m)
			if length > test.longest || share > test.share {
				t.Errorf("%s, seed %d: path length %.4f and cut %.4f, want at most %g "+
					"and %g", test.strategy.Name, p.Seed, length, share, test.longest, test.share)
			}
			if length < 1.3947 || share < 0.1753 {
				t.Errorf("%s, seed %d: path length %.4f and cut %.4f are below the "+
					"optimum", test.strategy.Name, p.Seed, length, share)
			}
		}
	}
}

// TestLevelsMatter: multisection keeps more traffic inside the pods than
// bisection, which it was built for.
func TestLevelsMatter(t *testing.T) {
	tier.Long(t, "mappings of thousands of ranks: a second")
	machine := machineOf(t, "fattree:nodes-per-leaf=16,leaves-per-pod=12,pods=8,aggs-per-pod=1,cores=12")
	p := &mapping.Problem{Graph: geometric(t, 1536), Machine: machine, Allocation: everyHost(machine)}
	var sum [2]float64
	for p.Seed = 1; p.Seed <= 3; p.Seed++ {
		for i, s := range []mapping.Strategy{Bisection(), Multisection()} {
			m, err := s.Map(context.Background(), p)
			if err != nil {
				t.Fatal(err)
			}
			length, _ := averages(p, m)
			sum[i] += length
		}
	}
	if sum[1] >= sum[0] {
		t.Errorf("path lengths of three seeds: bisection %.4f, multisection %.4f", sum[0], sum[1])
	}
}
