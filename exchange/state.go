package exchange

import (
	"fmt"
	"math"

	"remap/mapping"
)

// State is a mapping with its cost under the problem's objective, and what is needed to price and
// make exchanges. Costs are updated with every exchange. Path lengths are integers, without error.
// Link loads are in floating point and are summed again after every recomputeAfter exchanges; on
// fat trees every update is exact as long as loads stay below 2^53 bytes.
type State struct {
	problem *mapping.Problem
	sites   *sites
	slotOf  mapping.Mapping
	// length slots: rank there, -1 = empty
	rankAt []int32
	// length ranks: host of Problem.Start; nil without a limit of moves
	home []int32
	// ranks on another host than home
	away int
	// path is kept for link loads too: it tells which exchanges to price in full.
	path *path
	// load is nil when the objective has no link loads.
	load *load
	// elementary steps so far
	steps int64
}

// GainTerms is what an exchange brings. Cost is by how much the cost falls. Spread is for objectives
// with link loads: by how much the sum of squared seconds over all links falls; it decides between
// mappings of equal cost. Differences within rounding are 0.
type GainTerms struct{ Cost, Spread float64 }

// Improves tells whether the exchange makes the mapping better.
func (g GainTerms) Improves() bool { return g.Cost > 0 || g.Cost == 0 && g.Spread > 0 }

// Above tells whether g is better than the gain of another exchange.
func (g GainTerms) Above(other GainTerms) bool {
	return g.Cost > other.Cost || g.Cost == other.Cost && g.Spread > other.Spread
}

// NewState takes a problem and a mapping that both pass Check. It copies the mapping.
//
// Memory: O(slots + edges + sites^2) up to 2048 sites (leaf switches), O(slots + edges) above. Link
// loads need O(links) more, and up to 256 MB for the lists of links of pairs of sites.
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
	case s.load.capacity:
		return s.path.cost(s.path.total)/s.path.distance.scale() + s.load.spread
	}
	return math.Sqrt(s.path.cost(s.path.total) * s.load.worst())
}

// Gain prices the exchange of the contents of two slots.
func (s *State) Gain(a, b int32) GainTerms {
	if s.sites.host[a] == s.sites.host[b] {
		return GainTerms{}
	}
	if s.load == nil {
		return GainTerms{Cost: s.path.cost(s.path.total) - s.path.cost(s.path.total-s.path.gain(a, b))}
	}
	worst, spread := s.load.after(a, b)
	before, after := s.load.worst(), worst
	switch total := s.path.total; s.problem.Objective {
	case mapping.Mixed:
		before = math.Sqrt(s.path.cost(total) * before)
		after = math.Sqrt(s.path.cost(total-s.path.gain(a, b)) * worst)
	case mapping.Capacity:
		shorter := s.path.cost(total) - s.path.cost(total-s.path.gain(a, b))
		return GainTerms{Cost: aboveRounding(shorter/s.path.distance.scale()-spread, s.Cost())}
	}
	return GainTerms{Cost: aboveRounding(before-after, before), Spread: aboveRounding(-spread, s.load.spread)}
}

// aboveRounding is the difference; 0 if it is within rounding of the scale.
func aboveRounding(difference, scale float64) float64 {
	if math.Abs(difference) <= rounding*scale {
		return 0
	}
	return difference
}

// Exchange swaps the contents of two slots, also where that makes the cost higher.
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

// Allowed tells whether an exchange keeps fixed ranks on their slots and keeps the limit of moves.
// Where the limit is already exceeded, an exchange is allowed that brings at least as many ranks
// home as it takes away.
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

// check tests that slotOf and rankAt fit each other.
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
