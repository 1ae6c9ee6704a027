package kernighanlin

import (
	"context"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"remap/internal/testkit"
	"remap/mapping"
)

func checkFixed(t *rapid.T, p *mapping.Problem, m mapping.Mapping) {
	if err := m.Check(p.Allocation.SlotCount()); err != nil || len(m) != p.Ranks() {
		t.Fatalf("%v: %v", m, err)
	}
	for r, slot := range p.Fixed {
		if slot >= 0 && m[r] != slot {
			t.Fatalf("rank %d is fixed to slot %d and sits on %d", r, slot, m[r])
		}
	}
	if err := p.CheckMoves(m); err != nil {
		t.Fatal(err)
	}
}

// TestStrategyKeepsFixedRanks: on their slots exactly, within the moves
// allowed, and never worse than the start that fixing them leaves.
func TestStrategyKeepsFixedRanks(t *testing.T) {
	for _, spec := range []string{"fattree:nodes-per-leaf=3,leaves-per-pod=2,pods=2,aggs-per-pod=1," +
		"cores=2", "torus:3x2x2"} {
		rapid.Check(t, func(t *rapid.T) {
			p := testkit.Problem(t, spec)
			testkit.Fix(t, p)
			start, refused := p.Settle(p.StartMapping())
			m, err := Strategy().Map(context.Background(), p)
			if (err == nil) != (refused == nil) {
				t.Fatalf("the start says %v, the strategy %v", refused, err)
			}
			if err != nil {
				return
			}
			checkFixed(t, p, m)
			cost := func(m mapping.Mapping) int64 { return mapping.PathBytes(p.Machine, p.Allocation, p.Graph, m) }
			if cost(m) > cost(start) {
				t.Fatalf("cost %d, of the start %d", cost(m), cost(start))
			}
		})
	}
}

// TestRefinerKeepsFixedVertices: in their block and at their position; what is
// gained equals what a recount says; all fixed means nothing happens.
func TestRefinerKeepsFixedVertices(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawRefiner(t)
		n := len(r.assign.Block)
		r.Fixed = rapid.SliceOfN(rapid.Bool(), n, n).Draw(t, "fixed")
		members, before := slices.Clone(r.assign.Members), r.assign.Cost(r.graph, r.metric)
		gain, err := r.Incremental(context.Background(), DefaultOptions)
		if err != nil {
			t.Fatal(err)
		}
		if after := r.assign.Cost(r.graph, r.metric); before-after != gain || gain < 0 {
			t.Fatalf("gain %d, the cost went from %d to %d", gain, before, after)
		}
		if err := r.assign.Check(); err != nil {
			t.Fatal(err)
		}
		for i, v := range members {
			if r.Fixed[v] && r.assign.Members[i] != v {
				t.Fatalf("fixed vertex %d stood at position %d, where %d is", v, i, r.assign.Members[i])
			}
		}
	})
}

// TestFixedRanksDraw: a rank fixed to another pod draws its only partner there.
func TestFixedRanksDraw(t *testing.T) {
	machine := parse(t, "tapered")
	p := &mapping.Problem{Graph: stencil(t, 2, 1), Machine: machine, Allocation: everyHost(machine),
		Fixed: []int32{-1, 4000}}
	m, err := Strategy().Map(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	if length, _ := averages(p, m); m[1] != 4000 || length != 1 {
		t.Errorf("mapping %v with path length %g, want rank 0 on the leaf of slot 4000", m, length)
	}
}
