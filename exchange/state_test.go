package exchange

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"remap/commgraph"
	"remap/mapping"
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
			if bound := 1e-9 * max(before, after); math.Abs(s.Cost()-after) > bound ||
				math.Abs(before-after-gain.Cost) > bound {
				t.Fatalf("%s: from %g by %g to %g, recomputed %g", p.Objective, before, gain.Cost, s.Cost(),
					after)
			}
		}
	})
}

// After any exchanges the state's loads are LinkLoads of its mapping.
func TestLoadsAreLinkLoads(t *testing.T) {
	onEach(t, func(t *rapid.T, machine *topology.Topology) {
		p := drawProblem(t, machine)
		if p.Objective == mapping.PathLength {
			p.Objective = mapping.LinkLoad
		}
		traffics, share := []*commgraph.Traffic{p.Traffic}, 1.0
		if p.Traffic == nil {
			traffics[0], share = &commgraph.Traffic{Offsets: p.Graph.Offsets, Destinations: p.Graph.Neighbors,
				Bytes: p.Graph.Weights}, 0.5
		}
		if len(p.Phases) > 1 {
			traffics = p.Phases
		}
		slots := p.Allocation.SlotCount()
		s := NewState(p, drawMapping(t, p.Ranks(), slots))
		slot := rapid.Int32Range(0, int32(slots-1))
		for range rapid.IntRange(0, 12).Draw(t, "exchanges") {
			s.Exchange(slot.Draw(t, "slot"), slot.Draw(t, "other slot"))
		}
		for i, traffic := range traffics {
			// Bytes: rounding errors are those of the largest load so far, also where
			// nothing is left of it.
			total := 0.0
			for _, b := range traffic.Bytes {
				total += float64(b)
			}
			for l, want := range p.Routing.LinkLoads(machine, p.Allocation, traffic, s.slotOf) {
				want *= share
				got := s.load.bytesOf(s.load.phases[i].bytes,
					int32(l)) * share / machine.Links[l].BytesPerSecond
				if math.Abs(got-want) > 1e-12*total/machine.Links[l].BytesPerSecond {
					t.Fatalf("phase %d: link %d takes %g s, by LinkLoads %g", i, l, got, want)
				}
			}
		}
	})
}

// bytesOf is the bytes of one link, given those of all classes.
func (l *load) bytesOf(bytes []float64, link int32) float64 {
	machine := l.problem.Machine
	from, to := machine.Links[link].From, machine.Links[link].To
	if machine.IsHost(from) {
		class, first := l.links.rails[from], int32(0)
		if first, _ = machine.Out(from); class < 0 {
			return 0
		}
		return bytes[class+link-first]
	}
	if machine.IsHost(to) {
		if l.links.rails[to] < 0 {
			return 0
		}
		rails := int32(len(machine.Ejection(to)))
		return bytes[l.links.rails[to]+rails+int32(slices.Index(machine.Ejection(to), link))]
	}
	if l.links.tree == nil {
		return bytes[l.links.class[link]]
	}
	for n, upward := range l.links.tree.Up {
		if slices.Contains(upward, link) {
			return bytes[l.links.bottom+2*int32(n)] / float64(len(upward))
		}
		if slices.Contains(upward, machine.Reverse(link)) {
			return bytes[l.links.bottom+2*int32(n)+1] / float64(len(upward))
		}
	}
	return math.NaN()
}

// Relabelling the ranks of a mapping leaves its cost as it is.
func TestCostOfRelabelledRanks(t *testing.T) {
	onEach(t, func(t *rapid.T, machine *topology.Topology) {
		p := drawProblem(t, machine)
		m := drawMapping(t, p.Ranks(), p.Allocation.SlotCount())
		name := rapid.Permutation(mapping.Identity(p.Ranks())).Draw(t, "new numbers")
		traffic := p.Traffic
		if traffic == nil {
			traffic = p.Graph.Traffic()
		}
		q := *p
		named := relabelled(t, traffic, name)
		if q.Graph = named.Graph(); p.Traffic != nil {
			q.Traffic = named
		}
		q.Phases = nil
		for _, phase := range p.Phases {
			q.Phases = append(q.Phases, relabelled(t, phase, name))
		}
		other := make(mapping.Mapping, len(m))
		for r, slot := range m {
			other[name[r]] = slot
		}
		got, want := NewState(&q, other).Cost(), NewState(p, m).Cost()
		if math.Abs(got-want) > 1e-9*want {
			t.Fatalf("%s: %g, with other numbers %g", p.Objective, want, got)
		}
	})
}

// relabelled is a traffic with other numbers for ranks.
func relabelled(t fataler, traffic *commgraph.Traffic, name []int32) *commgraph.Traffic {
	var flows []commgraph.Flow
	for r := range int32(traffic.Ranks()) {
		first, end := traffic.Row(r)
		for i := first; i < end; i++ {
			flows = append(flows, commgraph.Flow{From: name[r], To: name[traffic.Destinations[i]],
				Bytes: traffic.Bytes[i]})
		}
	}
	other, err := commgraph.NewTraffic(traffic.Ranks(), flows, false)
	if err != nil {
		t.Fatal(err)
	}
	return other
}
