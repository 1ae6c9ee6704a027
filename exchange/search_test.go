package exchange

import (
	"context"
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"remap/mapping"
	"remap/topology"
)

// Under all constraints together: every slot holds one rank at most, fixed
// ranks are on their slots, few enough ranks have moved, the cost is no worse
// than the settled start's, the input is as it was, and a second run brings the same.
func TestRefineKeepsConstraints(t *testing.T) {
	onEach(t, func(t *rapid.T, machine *topology.Topology) {
		p := drawProblem(t, machine)
		constrain(t, p)
		start := p.StartMapping()
		if rapid.Bool().Draw(t, "other start") {
			start = drawMapping(t, p.Ranks(), p.Allocation.SlotCount())
		}
		before := slices.Clone(start)
		settled, refused := Settle(p, start)
		m, err := Refine(context.Background(), p, start, DefaultOptions)
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
			if err := errors.Join(m.Check(p.Allocation.SlotCount()), p.CheckMoves(m)); err != nil || len(m) != p.Ranks() {
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
		again, err := Refine(context.Background(), p, start, DefaultOptions)
		if err != nil || !slices.Equal(m, again) {
			t.Fatalf("a second run gives %v, the first %v", again, m)
		}
	})
}
