package strategy

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"remap/commgraph"
	"remap/mapping"

	"remap/internal/testkit/tier"
)

// drawTarget draws a mapping that keeps the problem's fixed ranks.
func drawTarget(t *rapid.T, p *mapping.Problem) mapping.Mapping {
	slots := p.Allocation.SlotCount()
	m := mapping.Mapping(rapid.Permutation(mapping.Identity(slots)).Draw(t, "target"))[:p.Ranks()]
	free := *p
	free.MaxMoves = 0
	m, err := free.Settle(m)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// New labels cost nothing, keep fixed ranks, and do not lead further away.
func TestRelabelCostsNoMore(t *testing.T) {
	list := machines(t)
	rapid.Check(t, func(t *rapid.T) {
		p := drawProblem(t, list)
		p.MaxMoves = 0
		settled, _, err := p.WithSettledStart()
		if err != nil {
			t.Fatal(err)
		}
		m := drawTarget(t, settled)
		got := relabel(settled, m, settled.StartMapping())
		if err := got.Check(p.Allocation.SlotCount()); err != nil || len(got) != len(m) || p.Cost(got) > p.Cost(m) {
			t.Fatalf("%v; from %g to %g", err, p.Cost(m), p.Cost(got))
		}
		for r, s := range settled.Fixed {
			if s >= 0 && got[r] != s {
				t.Fatalf("fixed rank %d was put on slot %d instead of %d", r, got[r], s)
			}
		}
	})
}

// A mapping whose pods, leaf switches, hosts and slots were exchanged at random
// gets its labels back: nobody needs to move.
func TestRelabelFindsTheLabels(t *testing.T) {
	machine := mustNetwork(t, "fattree:nodes-per-leaf=3,leaves-per-pod=4,pods=3,aggs-per-pod=2,cores=4")
	rapid.Check(t, func(t *rapid.T) {
		const perHost = 2
		slots := make([]int32, machine.Hosts())
		for h := range slots {
			slots[h] = perHost
		}
		p := &mapping.Problem{Graph: silent(t, len(slots)*perHost), Machine: machine,
			Allocation: &mapping.Allocation{Hosts: mapping.Identity(machine.Hosts()), Slots: slots}}
		chance := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		start := mapping.Identity(p.Ranks())
		chance.Shuffle(len(start), func(i, j int) { start[i], start[j] = start[j], start[i] })
		name := []int32{0}
		for _, parts := range []int32{3, 4, 3, perHost} { // pods, leaf switches, hosts, slots
			var finer []int32
			for _, place := range name {
				for _, part := range chance.Perm(int(parts)) {
					finer = append(finer, place*parts+int32(part))
				}
			}
			name = finer
		}
		m := make(mapping.Mapping, len(start))
		for r, s := range start {
			m[r] = name[s]
		}
		p.Start = start
		if got := relabel(p, m, start); p.Moves(got) != 0 {
			t.Fatalf("%d ranks move", p.Moves(got))
		}
	})
}

// All cycles of moves together lead to the target, but for where in a site a rank
// arrives; each by itself is a mapping, its gain the change of the cost
// where that is counted on;
// every rank that moves is in one cycle; and undone cycles leave no trace.
func TestCyclesOfATransition(t *testing.T) {
	list := machines(t)
	rapid.Check(t, func(t *rapid.T) {
		p := drawProblem(t, list)
		p.Fixed, p.MaxMoves, p.Objective, p.LinkCost = nil, 0, mapping.PathLength, nil
		target := drawTarget(t, p)
		w := newTransition(p, target)
		start, slots := slices.Clone(w.at), p.Allocation.SlotCount()
		for range 2 { // the second time after all were undone
			moved, undo := 0, [][]int32{}
			for i := range w.cycles {
				before := p.Cost(w.at)
				undo = append(undo, w.slotsOf(&w.cycles[i]))
				gain := w.make(&w.cycles[i])
				moved += len(w.cycles[i].ranks)
				if err := w.at.Check(slots); err != nil || w.counted() && before-float64(gain) != p.Cost(w.at) ||
					p.Moves(w.at) != moved {
					t.Fatalf("cycle %v: %v; cost %g less %d is not %g; %d moved, "+
						"not %d", w.cycles[i], err, before, gain, p.Cost(w.at), p.Moves(w.at), moved)
				}
			}
			for r, s := range w.at {
				if w.site[s] != w.site[target[r]] {
					t.Fatalf("rank %d arrives at slot %d, wanted near %d", r, s, target[r])
				}
			}
			for i := len(undo) - 1; i >= 0; i-- {
				w.undo(&w.cycles[i], undo[i])
			}
			if !slices.Equal(start, w.at) {
				t.Fatalf("undone: %v, was %v", w.at, start)
			}
		}
		for i := range w.cycles {
			undo := w.slotsOf(&w.cycles[i])
			w.make(&w.cycles[i])
			if err := w.at.Check(slots); err != nil {
				t.Fatalf("cycle %v alone: %v", w.cycles[i], err)
			}
			w.undo(&w.cycles[i], undo)
		}
	})
}

// A part of a transition keeps its limit and costs no more than the start.
func TestPartOfTheWay(t *testing.T) {
	list := machines(t)
	gained := 0
	rapid.Check(t, func(t *rapid.T) {
		p := drawProblem(t, list)
		p.Fixed, p.MaxMoves = nil, 0
		target := drawTarget(t, p)
		limit := rapid.IntRange(0, p.Ranks()).Draw(t, "limit")
		m, err := newTransition(p, target).partial(context.Background(), limit)
		if err != nil || m.Check(p.Allocation.SlotCount()) != nil {
			t.Fatal(err, m)
		}
		if p.Cost(m) > p.Cost(p.StartMapping()) || p.Moves(m) > limit {
			t.Fatalf("%d moved of %d; from %g to %g", p.Moves(m), limit, p.Cost(p.StartMapping()), p.Cost(m))
		}
		if p.Cost(m) < p.Cost(p.StartMapping()) {
			gained++
		}
	})
	if tier.IsLong() && gained == 0 {
		t.Error("no part of any transition gains")
	}
}

// silent is a graph without edges.
func silent(t *rapid.T, ranks int) *commgraph.Graph {
	traffic, err := commgraph.NewTraffic(ranks, nil, false)
	if err != nil {
		t.Fatal(err)
	}
	return traffic.Graph()
}
