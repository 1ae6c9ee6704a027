package exchange

import (
	"fmt"

	"remap/mapping"
)

// Settle makes a mapping keep the problem's constraints with few exchanges:
// fixed ranks go to their slots, those who sat there onto the slots these
// leave. Where more ranks are then away from the hosts of Problem.Start than
// MaxMoves, ranks come home in order of their numbers until no more are, each
// onto an empty slot of its host or the slot of a free rank that is not at home
// there. When none can come home, every host that somebody misses is full of
// ranks that are fixed or at home there, so no mapping that keeps the fixed
// ranks moves fewer.
//
// m must pass Check, and is not changed. Errors: *mapping.TooManyMoves.
// O(slots).
func Settle(p *mapping.Problem, m mapping.Mapping) (mapping.Mapping, error) {
	if len(m) != p.Ranks() {
		return nil, fmt.Errorf("the mapping has %d ranks, the problem %d", len(m), p.Ranks())
	}
	s := newSettler(p, m)
	if p.Fixed != nil {
		for r, slot := range p.Fixed {
			if slot >= 0 && s.slotOf[r] != slot {
				s.exchange(s.slotOf[r], slot)
			}
		}
	}
	if p.MaxMoves <= 0 {
		return s.slotOf, nil
	}
	s.bringHome()
	if err := p.CheckMoves(s.slotOf); err != nil {
		return nil, err
	}
	return s.slotOf, nil
}

// settler is a mapping and who is at home where.
type settler struct {
	p      *mapping.Problem
	host   []int32 // length slots
	slotOf mapping.Mapping
	rankAt []int32 // length slots, -1 = empty
	home   []int32 // length ranks: host
}

func newSettler(p *mapping.Problem, m mapping.Mapping) *settler {
	s := &settler{p: p, host: p.Allocation.HostOfSlot(), slotOf: append(mapping.Mapping{}, m...)}
	s.rankAt = m.Holders(len(s.host))
	s.home = p.StartMapping().Hosts(p.Allocation)
	return s
}

func (s *settler) exchange(a, b int32) {
	u, v := s.rankAt[a], s.rankAt[b]
	s.rankAt[a], s.rankAt[b] = v, u
	if u >= 0 {
		s.slotOf[u] = b
	}
	if v >= 0 {
		s.slotOf[v] = a
	}
}

func (s *settler) free(rank int32) bool { return s.p.Fixed == nil || s.p.Fixed[rank] < 0 }

// bringHome exchanges until few enough are away, or nobody can come home. A
// rank that was in another's way may find a place later, so it goes round
// until nothing changes; every exchange brings at least one more rank home.
func (s *settler) bringHome() {
	away := 0
	for r, slot := range s.slotOf {
		if s.host[slot] != s.home[r] {
			away++
		}
	}
	first, slots := grouped(s.host, s.p.Machine.Hosts())
	for changed := true; changed && away > s.p.MaxMoves; {
		changed = false
		for r := range int32(len(s.slotOf)) {
			if away <= s.p.MaxMoves {
				return
			}
			h, from := s.home[r], s.slotOf[r]
			if s.host[from] == h || !s.free(r) {
				continue
			}
			for _, slot := range slots[first[h]:first[h+1]] {
				q := s.rankAt[slot]
				if q >= 0 && (s.home[q] == h || !s.free(q)) {
					continue
				}
				s.exchange(from, slot)
				away--
				if q >= 0 && s.home[q] == s.host[from] {
					away--
				}
				changed = true
				break
			}
		}
	}
}
