package partition

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"remap/commgraph"
	"remap/internal/testkit/tier"
	"remap/kernighanlin"
	"remap/mapping"
	"remap/rcm"
)

// TestDoubledWeightsChangeNothing: every decision compares weights with
// weights, so a factor of two leaves the mapping exactly as it was.
func TestDoubledWeightsChangeNothing(t *testing.T) {
	machine := machineOf(t, machines[0])
	for _, g := range sharedGraphs(t, 48) {
		p := &mapping.Problem{Graph: g.graph, Machine: machine, Allocation: everyHost(machine), Seed: 11}
		doubled := *p
		doubled.Graph = &commgraph.Graph{Offsets: g.graph.Offsets, Neighbors: g.graph.Neighbors}
		for _, w := range g.graph.Weights {
			doubled.Graph.Weights = append(doubled.Graph.Weights, 2*w)
		}
		for _, s := range []mapping.Strategy{Bisection(), Multisection(), kernighanlin.Strategy(), rcm.Strategy()} {
			one, err := s.Map(context.Background(), p)
			if err != nil {
				t.Fatal(err)
			}
			two, err := s.Map(context.Background(), &doubled)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(one, two) {
				t.Errorf("%s on %s: doubled weights give another mapping", s.Name, g.name)
			}
		}
	}
}

// TestRelabellingKeepsTheQuality: shuffled names of the vertices change the
// path length by no more than chance does.
func TestRelabellingKeepsTheQuality(t *testing.T) {
	tier.Long(t, "relabelled graphs: 2 s")
	machine := machineOf(t, "fattree:nodes-per-leaf=16,leaves-per-pod=8,pods=4,aggs-per-pod=2,cores=8")
	for _, g := range []namedGraph{{"grid", grid(t, 32, 16)}, {"geometric", geometric(t, 512)},
		{"powerlaw", powerLaw(t, 512)}} {
		for _, s := range []mapping.Strategy{Bisection(), Fast()} {
			t.Run(g.name+"/"+s.Name, func(t *testing.T) {
				var named, shuffled float64
				const seeds = 2
				for seed := range uint64(seeds) {
					p := &mapping.Problem{Graph: g.graph, Machine: machine, Allocation: everyHost(machine), Seed: seed}
					m, err := s.Map(context.Background(), p)
					if err != nil {
						t.Fatal(err)
					}
					length, _ := averages(p, m)
					named += length / seeds
					p.Graph = relabelled(t, g.graph, rand.New(rand.NewPCG(seed, 9)).Perm(g.graph.Vertices()))
					if m, err = s.Map(context.Background(), p); err != nil {
						t.Fatal(err)
					}
					length, _ = averages(p, m)
					shuffled += length / seeds
				}
				if math.Abs(shuffled-named) > 0.03*named {
					t.Errorf("mean path length %.4f, with shuffled names %.4f", named, shuffled)
				}
			})
		}
	}
}
