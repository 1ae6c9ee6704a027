package partition

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"remap/mapping"
	"remap/placement"
)

// TestNeighbourhoodSearchOnlyImproves: a round keeps all sizes and never makes the path
// length worse, and from a random start it makes it much better.
func TestNeighbourhoodSearchOnlyImproves(t *testing.T) {
	machine := machineOf(t, machines[0])
	p := &mapping.Problem{Graph: geometric(t, 48), Machine: machine, Allocation: everyHost(machine)}
	layout := placement.NewLayout(p, mapping.Identity(48))
	for seed := range uint64(20) {
		members := make([]int32, 48)
		for i, v := range chance(seed).Perm(48) {
			members[i] = int32(v)
		}
		assign := placement.NewAssignment(layout.First, members)
		levels := levelBounds(layout)
		search := newNeighbourhoodSearch(p.Graph, layout.Metric, assign, levels,
			DefaultPreset.Neighbourhoods.Solver)
		start := assign.Cost(p.Graph, layout.Metric)
		cost := start
		for round := range uint64(3) {
			if err := search.round(context.Background(), len(levels)-1, 8, func(int) int { return 2 },
				mix(seed, round)); err != nil {
				t.Fatal(err)
			}
			if err := assign.Check(); err != nil {
				t.Fatal(err)
			}
			after := assign.Cost(p.Graph, layout.Metric)
			if after > cost {
				t.Fatalf("seed %d: the cost rose from %d to %d", seed, cost, after)
			}
			cost = after
		}
		if 100*cost > 97*start {
			t.Errorf("seed %d: the cost fell from %d to %d only", seed, start, cost)
		}
	}
}

// In a tree the whole gains what the neighbourhoods gain: a round never makes it
// worse at any level and of any size, also where blocks hold idle vertices; and it
// leaves the blocks as they are that no neighbourhood has.
func TestRoundsOfEveryLevel(t *testing.T) {
	spec := "fattree:nodes-per-leaf=3,leaves-per-pod=4,pods=3,aggs-per-pod=2,cores=4"
	machine := machineOf(t, spec)
	gained := 0
	for seed := range uint64(10) {
		p := &mapping.Problem{Graph: geometric(t, 60), Machine: machine, Allocation: everyHost(machine)}
		p.Allocation.Slots = slices.Repeat([]int32{2}, machine.Hosts())
		layout := placement.NewLayout(p, nil)
		levels := levelBounds(layout)
		if len(levels) != 3 {
			t.Fatalf("%d levels of %s with two slots a host", len(levels), spec)
		}
		start := mapping.Mapping(name32(chance(seed).Perm(72)))[:60]
		for level := range levels {
			for size := 1; size < 4; size++ {
				assign := layout.Assign(start)
				before := slices.Clone(assign.Block)
				search := newNeighbourhoodSearch(p.Graph, layout.Metric, assign, levels, FastPreset.Solver)
				touched := make([]bool, layout.Blocks())
				for _, places := range search.neighbourhoods(level, size, rand.New(rand.NewPCG(mix(seed, 5), 0x736574))) {
					if len(places) > size {
						t.Fatalf("%d places of at most %d", len(places), size)
					}
					for b, place := range placement.PlacesAt(levels[level], layout.First) {
						if slices.Contains(places, place) {
							if touched[b] {
								t.Fatalf("block %d is in two neighbourhoods", b)
							}
							touched[b] = true
						}
					}
				}
				cost := assign.Cost(p.Graph, layout.Metric)
				if err := search.round(context.Background(), level, size, func(int) int { return 1 },
					mix(seed, 5)); err != nil {
					t.Fatal(err)
				}
				if err := assign.Check(); err != nil {
					t.Fatal(err)
				}
				for v, b := range assign.Block {
					if b != before[v] && !(touched[b] && touched[before[v]]) {
						t.Fatalf("vertex %d went from block %d to %d", v, before[v], b)
					}
				}
				after := assign.Cost(p.Graph, layout.Metric)
				if after > cost {
					t.Fatalf("level %d, size %d: from %d to %d", level, size, cost, after)
				}
				if after < cost {
					gained++
				}
			}
		}
	}
	if gained < 60 {
		t.Errorf("%d of 90 rounds gained", gained)
	}
}
