package kernighanlin

import (
	"context"
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"remap/internal/testkit"
	"remap/mapping"
)

// leastMoves tries all mappings that keep the fixed ranks.
func leastMoves(p *mapping.Problem) int {
	ofSlot, start := p.Allocation.HostOfSlot(), p.StartMapping()
	taken := make([]bool, len(ofSlot))
	for _, s := range p.Fixed {
		if s >= 0 {
			taken[s] = true
		}
	}
	var try func(r int) int
	try = func(r int) int {
		if r == p.Ranks() {
			return 0
		}
		least := p.Ranks() + 1
		for s, host := range ofSlot {
			if p.Fixed[r] >= 0 && p.Fixed[r] != int32(s) || p.Fixed[r] < 0 && taken[s] {
				continue
			}
			before := taken[s]
			taken[s] = true
			moves := try(r + 1)
			taken[s] = before
			if host != ofSlot[start[r]] {
				moves++
			}
			least = min(least, moves)
		}
		return least
	}
	return try(0)
}

// TestSettleFixedMovesAsFewAsPossible: against all mappings of small jobs; and
// it refuses exactly when none is within the limit.
func TestSettleFixedMovesAsFewAsPossible(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		machine := parse(nilTB{}, "fattree:nodes-per-leaf=2,leaves-per-pod=2,pods=1,aggs-per-pod=1,cores=1")
		p := &mapping.Problem{Machine: machine, Allocation: &mapping.Allocation{Hosts: []int32{2, 0, 1}, Slots: []int32{2, 1, 3}}}
		p.Graph = testkit.Graph(t, rapid.IntRange(1, 6).Draw(t, "ranks"))
		p.Start = rapid.Permutation(mapping.Identity(6)).Draw(t, "start")[:p.Ranks()]
		testkit.Fix(t, p)
		p.MaxMoves = rapid.IntRange(1, 6).Draw(t, "limit")
		least := leastMoves(p)
		m, err := SettleFixed(p)
		var tooMany *mapping.TooManyMoves
		if errors.As(err, &tooMany) != (least > p.MaxMoves) || tooMany != nil && tooMany.Moves != least {
			t.Fatalf("%v, and %d moves are enough of %d", err, least, p.MaxMoves)
		}
		if err == nil {
			checkFixed(t, p, m)
		}
		p.MaxMoves = least
		if m, err := SettleFixed(p); err != nil && least > 0 {
			t.Fatalf("%v: %v, but %d moves are enough", m, err, least)
		}
	})
}

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
	for _, spec := range []string{"fattree:nodes-per-leaf=3,leaves-per-pod=2,pods=2,aggs-per-pod=1,cores=2", "torus:3x2x2"} {
		rapid.Check(t, func(t *rapid.T) {
			p := testkit.Problem(t, spec)
			testkit.Fix(t, p)
			start, refused := SettleFixed(p)
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
	p := &mapping.Problem{Graph: stencil(t, 2, 1), Machine: machine, Allocation: everyHost(machine), Fixed: []int32{-1, 4000}}
	m, err := Strategy().Map(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	if length, _ := averages(p, m); m[1] != 4000 || length != 1 {
		t.Errorf("mapping %v with path length %g, want rank 0 on the leaf of slot 4000", m, length)
	}
}
