package mapping_test

import (
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"remap/internal/testkit"
	"remap/mapping"
	"remap/topology"
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

// TestSettledStartMovesFewest: against all mappings of small jobs; and
// it refuses exactly when none is within the limit.
func TestSettledStartMovesFewest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		machine, err := topology.Parse("fattree:nodes-per-leaf=2,leaves-per-pod=2,pods=1,aggs-per-pod=1,cores=1")
		if err != nil {
			t.Fatal(err)
		}
		p := &mapping.Problem{Machine: machine, Allocation: &mapping.Allocation{Hosts: []int32{2, 0, 1},
			Slots: []int32{2, 1, 3}}}
		p.Graph = testkit.Graph(t, rapid.IntRange(1, 6).Draw(t, "ranks"))
		p.Start = rapid.Permutation(mapping.Identity(6)).Draw(t, "start")[:p.Ranks()]
		testkit.Fix(t, p)
		p.MaxMoves = rapid.IntRange(1, 6).Draw(t, "limit")
		least := leastMoves(p)
		m, err := p.Settle(p.StartMapping())
		var tooMany *mapping.TooManyMoves
		if errors.As(err, &tooMany) != (least > p.MaxMoves) || tooMany != nil && tooMany.Moves != least {
			t.Fatalf("%v, and %d moves are enough of %d", err, least, p.MaxMoves)
		}
		if err == nil {
			checkSettled(t, p, m)
		}
		p.MaxMoves = least
		if m, err := p.Settle(p.StartMapping()); err != nil && least > 0 {
			t.Fatalf("%v: %v, but %d moves are enough", m, err, least)
		}
	})
}

func checkSettled(t *rapid.T, p *mapping.Problem, m mapping.Mapping) {
	t.Helper()
	if err := errors.Join(m.Check(p.Allocation.SlotCount()), p.CheckMoves(m)); err != nil ||
		len(m) != p.Ranks() {
		t.Fatalf("%v: %v", m, err)
	}
	for r, slot := range p.Fixed {
		if slot >= 0 && m[r] != slot {
			t.Fatalf("rank %d is fixed to slot %d and sits on %d", r, slot, m[r])
		}
	}
}

// TestSettleFromAnyMapping: without a limit, fixed ranks drive as few others from
// the hosts that the mapping gives them as can be; under a limit it is refused only
// where no mapping keeps the fixed ranks within the limit.
func TestSettleFromAnyMapping(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := testkit.Problem(t, "fattree:nodes-per-leaf=2,leaves-per-pod=2,pods=1,aggs-per-pod=1,cores=1")
		slots := p.Allocation.SlotCount()
		if slots > 6 {
			return // leastMoves tries all mappings
		}
		testkit.Fix(t, p)
		m := mapping.Mapping(rapid.Permutation(mapping.Identity(slots)).Draw(t, "mapping"))[:p.Ranks()]
		before := slices.Clone(m)
		least := leastMoves(p)
		got, err := p.Settle(m)
		if refused := p.MaxMoves > 0 && least > p.MaxMoves; (err != nil) != refused {
			t.Fatalf("%v, and %d moves are enough of %d", err, least, p.MaxMoves)
		}
		if !slices.Equal(m, before) {
			t.Fatalf("%v was changed to %v", before, m)
		}
		if err != nil {
			return
		}
		checkSettled(t, p, got)
		if again, err := p.Settle(got); err != nil || !slices.Equal(again, got) {
			t.Fatalf("%v settles to %v: %v", got, again, err)
		}
		free := *p
		free.MaxMoves, free.Start = 0, m
		if got, err := free.Settle(m); err != nil || free.Moves(got) != leastMoves(&free) {
			t.Fatalf("%d ranks leave their hosts, %d are enough: %v", free.Moves(got), leastMoves(&free), err)
		}
	})
}
