package sampling

// Header is what a packet carries. Which fields mean something depends on the
// variant; a reservoir's link or bit means nothing while its count is 0.
type Header struct {
	// HopCount: switch output ports crossed, up to the counter's limit.
	HopCount uint8
	// CongestedCount: those of them that were congested; not under OneReservoir.
	CongestedCount uint8
	// HopBit: hashed variants: of the sampled link.
	HopBit uint8
	// CongestedBit: OneBit: of the sampled congested link; OneReservoir: 1 if the sampled link was
	// congested
	CongestedBit uint8
	// HopLink: whole links, of one slot: the sampled link.
	HopLink int32
	// CongestedLink: whole links, of one slot, Full only: the sampled congested link.
	CongestedLink int32

	// HopDraws: Drawn, in place of HopCount: see Send.
	HopDraws uint64
	// CongestedDraws: Drawn, in place of CongestedCount: see Send.
	CongestedDraws uint64

	// Hops, Congested: several slots: the sampled links, at most Slots.
	Hops, Congested []int32
	// Filter: Bloom: the crossed links.
	Filter []uint64
	// CongestedFilter: Bloom: the congested ones.
	CongestedFilter []uint64
}

// Chooser is a source of chance in a switch.
type Chooser interface {
	// Below is uniform in 0..n-1, n at most 256.
	Below(n uint32) uint32
}

// Switch is what every switch does to the packets that pass.
type Switch struct {
	variant Variant
	random  Chooser
	hasher  *Hasher // nil unless the variant is hashed
	bloom   *BloomFilter
}

// NewSwitch is a switch of a network with links 0..links-1. Random may be nil
// when the sender draws.
func NewSwitch(v Variant, links int, random Chooser) *Switch {
	s := &Switch{variant: v, random: random}
	if v.Hashed() {
		s.hasher = NewHasher(v.Hash, links)
	}
	if v.Kind == Bloom {
		s.bloom = NewBloomFilter(v.Bits)
	}
	return s
}

// Reset is what the sender does (Taffet 2018, algorithms 2 and 5), unless it
// must draw: see Send.
func (h *Header) Reset(v Variant) {
	hops, congested, filter, congestedFilter := h.Hops[:0], h.Congested[:0], h.Filter, h.CongestedFilter
	*h = Header{Hops: hops, Congested: congested}
	if v.Kind == Bloom {
		words := (v.Bits + 63) / 64
		if len(filter) != words {
			filter, congestedFilter = make([]uint64, words), make([]uint64, words)
		}
		clear(filter)
		clear(congestedFilter)
		h.Filter, h.CongestedFilter = filter, congestedFilter
	}
}

// Cross records one switch output port on the way of a packet with an identity
// (Taffet 2018, algorithms 3, 6 and 8; section 5.8 for Bloom filters).
func (s *Switch) Cross(h *Header, id uint32, link int32, congested bool) {
	limit := s.variant.Limit()
	switch {
	case s.variant.Drawn > 0:
		s.crossDrawn(h, id, link, congested)
		return
	case s.variant.Kind == Bloom:
		s.bloom.Add(h.Filter, id, link)
		if congested {
			s.bloom.Add(h.CongestedFilter, id, link)
		}
	case s.variant.Slots > 1:
		h.Hops = s.keep(h.Hops, h.HopCount, link)
		if congested {
			h.Congested = s.keep(h.Congested, h.CongestedCount, link)
		}
	case s.variant.Kind == OneReservoir:
		if s.random.Below(uint32(h.HopCount)+1) == 0 {
			h.HopLink, h.HopBit = s.store(id, link)
			h.CongestedBit = oneIf(congested)
		}
		h.HopCount = counted(h.HopCount, limit)
		return
	default:
		if s.random.Below(uint32(h.HopCount)+1) == 0 {
			h.HopLink, h.HopBit = s.store(id, link)
		}
		if congested && s.random.Below(uint32(h.CongestedCount)+1) == 0 {
			h.CongestedLink, h.CongestedBit = s.store(id, link)
		}
	}
	h.HopCount = counted(h.HopCount, limit)
	if congested {
		h.CongestedCount = counted(h.CongestedCount, limit)
	}
}

func oneIf(yes bool) uint8 {
	if yes {
		return 1
	}
	return 0
}

// counted is a count that stays at its limit.
func counted(count, limit uint8) uint8 {
	if count < limit {
		count++
	}
	return count
}

// store is a link as the header has it.
func (s *Switch) store(id uint32, link int32) (whole int32, bit uint8) {
	if s.hasher != nil {
		return 0, uint8(s.hasher.Bit(id, link))
	}
	return link, 0
}

// keep puts a link, the one after `count` others, into a reservoir of several
// (Taffet 2018, algorithm 1; Knuth 1981).
func (s *Switch) keep(reservoir []int32, count uint8, link int32) []int32 {
	if int(count) < s.variant.Slots {
		return append(reservoir, link)
	}
	if at := s.random.Below(uint32(count) + 1); int(at) < len(reservoir) {
		reservoir[at] = link
	}
	return reservoir
}

// Keeps decides whether sample number count (from 0) replaces the reservoir:
// with probability 1/(count+1), so the first always does.
func Keeps(count uint8, random *Random) bool {
	return uint64(random.Uint32())*(uint64(count)+1)>>32 == 0
}
