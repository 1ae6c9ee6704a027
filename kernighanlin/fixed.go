package kernighanlin

import "remap/mapping"

// SettleFixed is the start of a problem with every fixed rank on its slot, from
// as few moves to other hosts as that takes. A rank driven off its slot goes to
// another slot of its host if one is left. If none is, it changes places with
// the rank that drove it off, or if that slot is fixed too, it goes where the
// rank comes from that takes this one, and so on:
//
//	a fixed to slot 1, b to slot 0:    a x b   =>   b a x
//
// Errors: *mapping.TooManyMoves when no mapping keeps both the fixed slots and
// MaxMoves. O(ranks + slots).
func SettleFixed(p *mapping.Problem) (mapping.Mapping, error) {
	start := p.StartMapping()
	if p.Fixed == nil {
		return start, nil
	}
	s := newSettling(p, start)
	driven := s.driven
	s.driven = nil
	for _, r := range driven {
		if !s.stayOnHost(r) {
			s.driven = append(s.driven, r)
		}
	}
	for _, r := range s.driven {
		end := s.chainEnd(r)
		for s.holder[end] >= 0 {
			end = s.spare
			s.spare++
		}
		s.put(r, end)
	}
	m := make(mapping.Mapping, len(start))
	for slot, r := range s.holder {
		if r >= 0 {
			m[r] = int32(slot)
		}
	}
	return m, p.CheckMoves(m)
}

// settling is a mapping under way to its fixed slots.
type settling struct {
	start    mapping.Mapping
	fixedFor []int32 // length slots: rank that must sit there, -1 = any may
	holder   []int32 // length slots: rank that sits there, -1 = none yet
	driven   []int32 // ranks that must leave the slot they have, ascending
	ofSlot   []int32 // length slots: host
	first    []int32 // length hosts of the machine: first slot that may still be empty
	spare    int32   // the same of all slots
}

func newSettling(p *mapping.Problem, start mapping.Mapping) *settling {
	s := &settling{start: start, ofSlot: p.Allocation.HostOfSlot()}
	slots := len(s.ofSlot)
	s.fixedFor, s.holder = make([]int32, slots), make([]int32, slots)
	s.first = make([]int32, p.Machine.Hosts())
	for slot := slots - 1; slot >= 0; slot-- {
		s.fixedFor[slot], s.holder[slot] = -1, -1
		s.first[s.ofSlot[slot]] = int32(slot)
	}
	for r, slot := range p.Fixed {
		if slot >= 0 {
			s.fixedFor[slot] = int32(r)
			s.put(int32(r), slot)
		}
	}
	for r, slot := range p.Fixed {
		switch {
		case slot >= 0:
		case s.fixedFor[start[r]] >= 0:
			s.driven = append(s.driven, int32(r))
		default:
			s.put(int32(r), start[r])
		}
	}
	return s
}

func (s *settling) put(r, slot int32) { s.holder[slot] = r }

// chainEnd is the slot that the fixed ranks leave empty which drive off r.
func (s *settling) chainEnd(r int32) int32 {
	slot := s.start[r]
	for s.fixedFor[slot] >= 0 {
		slot = s.start[s.fixedFor[slot]]
	}
	return slot
}

// stayOnHost puts r on an empty slot of the host it had, if there is one.
func (s *settling) stayOnHost(r int32) bool {
	host := s.ofSlot[s.start[r]]
	if end := s.chainEnd(r); s.ofSlot[end] == host && s.holder[end] < 0 {
		s.put(r, end)
		return true
	}
	for slot := s.first[host]; int(slot) < len(s.ofSlot) && s.ofSlot[slot] == host; slot++ {
		s.first[host] = slot
		if s.holder[slot] < 0 {
			s.put(r, slot)
			return true
		}
	}
	return false
}
