package exchange

import (
	"fmt"
	"math"

	"remap/mapping"
)

// State is a mapping with its cost under the problem's objective, and what it
// takes to price and make exchanges. Costs follow exchanges step by step: path
// lengths in integers, without error; link loads in floating point, where they
// are recomputed after every recomputeAfter exchanges, and where on fat trees
// every step is exact too as long as loads stay below 2^53 bytes.
type State struct {
	problem *mapping.Problem
	sites   *sites
	slotOf  mapping.Mapping
	rankAt  []int32 // length slots: rank there, -1 = empty
	home    []int32 // length ranks: host of Problem.Start; nil without a limit of moves
	away    int     // ranks on another host than home
	path    *path   // for link loads too: it says which exchanges are worth pricing
	load    *load   // nil when the objective does not ask
	steps   int64   // elementary steps so far
}

// Gain is what an exchange brings: how much the cost falls, and for objectives
// with link loads how much the sum of squared seconds over all links falls,
// which decides between mappings of equal cost. Differences within rounding are 0.
type Gain struct{ Cost, Spread float64 }

// Improves tells whether the exchange makes the mapping better.
func (g Gain) Improves() bool { return g.Cost > 0 || g.Cost == 0 && g.Spread > 0 }

// Above tells whether g is the better exchange of two.
func (g Gain) Above(other Gain) bool {
	return g.Cost > other.Cost || g.Cost == other.Cost && g.Spread > other.Spread
}

// NewState takes a mapping that passes Check and a problem that does. The
// mapping is copied. Memory: O(slots + edges + sites^2) up to 2048 sites (leaf
// switches), O(slots + edges) above; with link loads O(links) more, and the
// lists of links of pairs of sites, up to 256 MB.
func NewState(p *mapping.Problem, m mapping.Mapping) *State {
	s := &State{problem: p, sites: newSites(p), slotOf: append(mapping.Mapping{}, m...)}
	s.rankAt = m.Holders(len(s.sites.of))
	if p.MaxMoves > 0 {
		s.home = p.StartMapping().Hosts(p.Allocation)
		for r, slot := range m {
			s.away += s.isAway(int32(r), slot)
		}
	}
	s.path = newPath(s)
	if p.Objective != mapping.PathLength {
		s.load = newLoad(s)
	}
	return s
}

// Mapping is a copy of the mapping reached.
func (s *State) Mapping() mapping.Mapping { return append(mapping.Mapping{}, s.slotOf...) }

// Cost is Problem.Cost of the mapping reached.
func (s *State) Cost() float64 {
	switch {
	case s.load == nil:
		return s.path.cost(s.path.total)
	case s.problem.Objective == mapping.LinkLoad:
		return s.load.worst()
	case s.load.steep:
		return s.path.cost(s.path.total)/s.path.distance.scale() + s.load.spread
	}
	return math.Sqrt(s.path.cost(s.path.total) * s.load.worst())
}

// rounding is the share of a cost below which a difference in floating point
// is taken for none.
const rounding = 1e-12

// Gain prices the exchange of the contents of two slots.
func (s *State) Gain(a, b int32) Gain {
	if s.sites.host[a] == s.sites.host[b] {
		return Gain{}
	}
	if s.load == nil {
		return Gain{Cost: s.path.cost(s.path.total) - s.path.cost(s.path.total-s.path.gain(a, b))}
	}
	worst, spread := s.load.after(a, b)
	before, after := s.load.worst(), worst
	switch total := s.path.total; s.problem.Objective {
	case mapping.Mixed:
		before = math.Sqrt(s.path.cost(total) * before)
		after = math.Sqrt(s.path.cost(total-s.path.gain(a, b)) * worst)
	case mapping.Capacity:
		shorter := s.path.cost(total) - s.path.cost(total-s.path.gain(a, b))
		return Gain{Cost: beyond(shorter/s.path.distance.scale()-spread, s.Cost())}
	}
	return Gain{Cost: beyond(before-after, before), Spread: beyond(-spread, s.load.spread)}
}

// beyond is the difference unless it is within rounding of what it is measured against.
func beyond(difference, scale float64) float64 {
	if math.Abs(difference) <= rounding*scale {
		return 0
	}
	return difference
}

// Exchange swaps the contents of two slots, whatever that costs.
func (s *State) Exchange(a, b int32) {
	if s.load != nil {
		s.load.exchange(a, b)
	}
	s.path.exchange(a, b)
	u, v := s.rankAt[a], s.rankAt[b]
	s.away += s.moves(a, b)
	s.rankAt[a], s.rankAt[b] = v, u
	if u >= 0 {
		s.slotOf[u] = b
	}
	if v >= 0 {
		s.slotOf[v] = a
	}
	if s.load != nil {
		s.load.clearRounding()
	}
}

// Allowed tells whether the exchange keeps fixed ranks on their slots and the
// limit of moves; where the limit is passed already, whether it brings more
// ranks home than it takes away.
func (s *State) Allowed(a, b int32) bool {
	if s.pinned(s.rankAt[a]) || s.pinned(s.rankAt[b]) {
		return false
	}
	if s.home == nil {
		return true
	}
	more := s.moves(a, b)
	return more <= 0 || s.away+more <= s.problem.MaxMoves
}

// pinned tells whether a rank must stay on its slot.
func (s *State) pinned(rank int32) bool {
	return rank >= 0 && s.problem.Fixed != nil && s.problem.Fixed[rank] >= 0
}

// moves is how many more ranks are away from home after an exchange.
func (s *State) moves(a, b int32) int {
	if s.home == nil {
		return 0
	}
	more := 0
	if u := s.rankAt[a]; u >= 0 {
		more += s.isAway(u, b) - s.isAway(u, a)
	}
	if v := s.rankAt[b]; v >= 0 {
		more += s.isAway(v, a) - s.isAway(v, b)
	}
	return more
}

// isAway is 1 when the slot is not on the rank's home host.
func (s *State) isAway(rank, slot int32) int {
	if s.sites.host[slot] != s.home[rank] {
		return 1
	}
	return 0
}

// check tests the bookkeeping against nothing but the mapping.
func (s *State) check() error {
	if err := s.slotOf.Check(len(s.rankAt)); err != nil {
		return err
	}
	for r, slot := range s.slotOf {
		if s.rankAt[slot] != int32(r) {
			return fmt.Errorf("slot %d of rank %d holds rank %d", slot, r, s.rankAt[slot])
		}
	}
	return nil
}
