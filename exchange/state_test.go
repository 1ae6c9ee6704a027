package exchange

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"remap/topology"
)

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(math.Abs(a), math.Abs(b)) }

// What an exchange is said to bring is what it brings, recomputed from nothing.
func TestGainIsDifferenceOfCosts(t *testing.T) {
	onEach(t, func(t *rapid.T, machine *topology.Topology) {
		p := drawProblem(t, machine)
		slots := p.Allocation.SlotCount()
		s := NewState(p, drawMapping(t, p.Ranks(), slots))
		if !near(s.Cost(), p.Cost(s.slotOf)) {
			t.Fatalf("cost %g at first, recomputed %g", s.Cost(), p.Cost(s.slotOf))
		}
		slot := rapid.Int32Range(0, int32(slots-1))
		for range rapid.IntRange(1, 12).Draw(t, "exchanges") {
			a, b := slot.Draw(t, "slot"), slot.Draw(t, "other slot")
			before, gain := s.Cost(), s.Gain(a, b)
			s.Exchange(a, b)
			if err := s.check(); err != nil {
				t.Fatal(err)
			}
			after := p.Cost(s.slotOf)
			if bound := 1e-9 * max(before, after); math.Abs(s.Cost()-after) > bound || math.Abs(before-after-gain.Cost) > bound {
				t.Fatalf("%s: from %g by %g to %g, recomputed %g", p.Objective, before, gain.Cost, s.Cost(), after)
			}
		}
	})
}
