package sampling

import "math/bits"

// Send is what the sender of a packet does: it empties the header and, under
// Drawn, draws in advance whether each hop will replace the reservoir (Taffet
// 2018, section 5.9). A reservoir's field has a bit for each of L hops and a
// mark,
//
//	bit    L ... 1   0
//	hop    1 ... L   mark, always 1
//
// the bit of hop j set with probability 1/j. A switch replaces the reservoir if
// the leading bit is set, and shifts the field to the left: no hop needs chance
// or a counter, for the zeros behind the mark are the hops so far. The field of
// the congested reservoir is shifted at congested hops only.
//
// The mark itself is never shifted out: hops after the L-th are neither sampled
// nor counted. What receivers conclude about the first L stays unbiased, of later
// ones they learn nothing, so L must be the longest path.
func (h *Header) Send(v Variant, random Chooser) {
	h.Reset(v)
	if v.Drawn == 0 {
		return
	}
	h.HopDraws = draw(v.Drawn, random)
	if v.Kind != OneReservoir {
		h.CongestedDraws = draw(v.Drawn, random)
	}
}

func draw(hops int, random Chooser) uint64 {
	field := uint64(0)
	for j := range hops {
		field <<= 1
		if random.Below(uint32(j)+1) == 0 {
			field |= 1
		}
	}
	return field<<1 | 1
}

// crossDrawn is Cross for draws in advance.
func (s *Switch) crossDrawn(h *Header, id uint32, link int32, congested bool) {
	if taken(&h.HopDraws, s.variant.Drawn) {
		h.HopLink, h.HopBit = s.store(id, link)
		if s.variant.Kind == OneReservoir {
			h.CongestedBit = oneIf(congested)
		}
	}
	if congested && s.variant.Kind != OneReservoir && taken(&h.CongestedDraws, s.variant.Drawn) {
		h.CongestedLink, h.CongestedBit = s.store(id, link)
	}
}

// taken takes the leading bit off a field.
func taken(field *uint64, hops int) bool {
	mark := uint64(1) << hops
	if *field == mark {
		return false
	}
	leading := *field & mark
	*field = (*field ^ leading) << 1
	return leading != 0
}

// drawnCount is how many bits have been taken off a field; of an empty field,
// which no sender makes, none.
func drawnCount(field uint64) uint8 {
	if field == 0 {
		return 0
	}
	return uint8(bits.TrailingZeros64(field))
}

// Counts are the hops and the congested hops that a header of reservoirs tells;
// under OneReservoir the latter is 0.
func (h *Header) Counts(v Variant) (hops, congested uint8) {
	switch {
	case v.Drawn == 0:
		return h.HopCount, h.CongestedCount
	case v.Kind == OneReservoir:
		return drawnCount(h.HopDraws), 0
	}
	return drawnCount(h.HopDraws), drawnCount(h.CongestedDraws)
}
