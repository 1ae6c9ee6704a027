package mapping

import (
	"fmt"
	"slices"
)

// Settle makes a mapping keep the problem's constraints, and changes little of it.
//
// First every fixed rank goes to its slot. A rank that sat there goes to an empty
// slot of the host it had. If there is none, it goes to the slot that the fixed rank
// has left; if a rank is fixed to that slot too, to the slot that this one has left,
// and so on:
//
//	a fixed to slot 1, b to slot 0:    a x b   =>   b a x
//
// No mapping that keeps the fixed ranks has more ranks on the host that m gives them.
//
// Then, while more than MaxMoves ranks are away from their host in Problem.Start,
// ranks return in order of their numbers: each to an empty slot of that host, or to
// the slot of a free rank that is away from its own. When none can return, every
// host that some rank misses is full of ranks that are fixed or belong there, so no
// mapping that keeps the fixed ranks moves fewer.
//
// m must pass Check, and is not changed. Errors: *TooManyMoves when no mapping keeps
// both the fixed ranks and MaxMoves. O(slots).
func (p *Problem) Settle(m Mapping) (Mapping, error) {
	if len(m) != p.Ranks() {
		return nil, fmt.Errorf("the mapping has %d ranks, the problem %d", len(m), p.Ranks())
	}
	s := newSettler(p, m)
	if p.Fixed != nil {
		s.placeFixed(m)
	}
	if p.MaxMoves > 0 {
		s.returnHome()
	}
	if err := p.CheckMoves(s.slotOf); err != nil {
		return nil, err
	}
	return s.slotOf, nil
}

// WithSettledStart is the problem with a settled start and the moves that are left
// after settling. A Fixed that fixes no rank becomes nil.
//
// mayMove is false when settling has used up MaxMoves: then the start is the only
// mapping (MaxMoves, where 0 means no limit, cannot say so).
// Errors are those of Settle.
func (p *Problem) WithSettledStart() (settled *Problem, mayMove bool, err error) {
	q := *p
	if !slices.ContainsFunc(p.Fixed, func(s int32) bool { return s >= 0 }) {
		q.Fixed = nil
		return &q, true, nil
	}
	start, err := p.Settle(p.StartMapping())
	if err != nil {
		return nil, false, err
	}
	if p.Start != nil || !slices.Equal(start, Identity(p.Ranks())) {
		q.Start = start
	}
	if p.MaxMoves <= 0 {
		return &q, true, nil
	}
	q.MaxMoves -= p.Moves(start)
	return &q, q.MaxMoves > 0, nil
}

// settler is a mapping that Settle changes.
type settler struct {
	p      *Problem
	host   []int32 // length slots
	slotOf Mapping
	rankAt []int32 // length slots, -1 = empty
	first  []int32 // length hosts of the machine: first slot of the host; its slots are consecutive
}

func newSettler(p *Problem, m Mapping) *settler {
	s := &settler{p: p, host: p.Allocation.HostOfSlot(), slotOf: append(Mapping{}, m...)}
	s.rankAt = m.Holders(len(s.host))
	s.first = make([]int32, p.Machine.Hosts())
	for slot := len(s.host) - 1; slot >= 0; slot-- {
		s.first[s.host[slot]] = int32(slot)
	}
	return s
}

func (s *settler) put(rank, slot int32) { s.slotOf[rank], s.rankAt[slot] = slot, rank }

// fixed tells whether a rank must stay on a slot.
func (s *settler) fixed(rank int32) bool { return s.p.Fixed != nil && s.p.Fixed[rank] >= 0 }

// placeFixed puts every fixed rank on its slot, and finds slots for the ranks that
// it drives off.
func (s *settler) placeFixed(before Mapping) {
	fixedFor := filled(len(s.host), -1) // rank that must sit on the slot
	for r, slot := range s.p.Fixed {
		if slot >= 0 {
			fixedFor[slot] = int32(r)
			s.rankAt[before[r]] = -1
		}
	}
	var driven []int32
	for r, slot := range before {
		if !s.fixed(int32(r)) && fixedFor[slot] >= 0 {
			driven = append(driven, int32(r))
		}
	}
	for slot, r := range fixedFor {
		if r >= 0 {
			s.put(r, int32(slot))
		}
	}
	// left is the slot that the fixed ranks leave empty which drive off r.
	left := func(r int32) int32 {
		slot := before[r]
		for fixedFor[slot] >= 0 {
			slot = before[fixedFor[slot]]
		}
		return slot
	}
	next := slices.Clone(s.first) // of every host: no slot before this one is empty
	driven = slices.DeleteFunc(driven, func(r int32) bool {
		slot := s.emptyOn(s.host[before[r]], left(r), next)
		if slot >= 0 {
			s.put(r, slot)
		}
		return slot >= 0
	})
	spare := int32(0) // no slot before this one is empty
	for _, r := range driven {
		slot := left(r)
		for ; s.rankAt[slot] >= 0; spare++ {
			slot = spare
		}
		s.put(r, slot)
	}
}

// emptyOn gives an empty slot of a host, -1 if there is none: the preferred one if
// it is that. next is where to look first, and moves on over what is taken.
func (s *settler) emptyOn(host, preferred int32, next []int32) int32 {
	if s.host[preferred] == host && s.rankAt[preferred] < 0 {
		return preferred
	}
	for slot := next[host]; int(slot) < len(s.host) && s.host[slot] == host; slot++ {
		next[host] = slot
		if s.rankAt[slot] < 0 {
			return slot
		}
	}
	return -1
}

// returnHome exchanges ranks until at most MaxMoves are away from their host in
// Problem.Start, or no rank can return. A rank that finds no place may find one
// after others have moved, so the ranks take turns until nothing changes.
func (s *settler) returnHome() {
	home := s.p.StartMapping().Hosts(s.p.Allocation)
	away := 0
	for r, slot := range s.slotOf {
		if s.host[slot] != home[r] {
			away++
		}
	}
	for changed := true; changed && away > s.p.MaxMoves; {
		changed = false
		for r := range int32(len(s.slotOf)) {
			if away <= s.p.MaxMoves {
				return
			}
			h, from := home[r], s.slotOf[r]
			if s.host[from] == h || s.fixed(r) {
				continue
			}
			for slot := s.first[h]; int(slot) < len(s.host) && s.host[slot] == h; slot++ {
				other := s.rankAt[slot]
				if other >= 0 && (home[other] == h || s.fixed(other)) {
					continue
				}
				s.rankAt[from] = -1
				if away--; other >= 0 {
					s.put(other, from)
					if home[other] == s.host[from] {
						away--
					}
				}
				s.put(r, slot)
				changed = true
				break
			}
		}
	}
}
