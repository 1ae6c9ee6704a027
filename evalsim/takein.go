package evalsim

import "remap/sampling"

// seen are the counters that a receiver reads, of reservoirs as in packet.
func (c *carrier) seen(hop, congested uint32) (hops, congestedHops uint32) {
	if c.carries == carriesNothing {
		return hop & countMask, congested & countMask
	}
	hops = min(hop&countMask, c.limit)
	if c.carries == carriesOne {
		return hops, hops * (congested / sampledCongested & 1)
	}
	return hops, min(congested&countMask, c.limit)
}

// header is what the packet of two reservoirs as in packet shows its receiver.
func (c *carrier) header(hop, congested uint32) sampling.Header {
	hops, found := c.seen(hop, congested)
	h := sampling.Header{HopCount: uint8(hops), HopLink: int32(hop >> 8)}
	if c.carries == carriesOne {
		h.CongestedBit = uint8(congested / sampledCongested & 1)
		return h
	}
	h.CongestedLink, h.CongestedCount = int32(congested>>8), uint8(found)
	return h
}

// hash replaces links by bits.
func (c *carrier) hash(h *sampling.Header, id uint32) {
	hasher := c.receiver.Hasher()
	if h.HopCount > 0 {
		h.HopBit = uint8(hasher.Bit(id, h.HopLink))
	}
	if h.CongestedCount > 0 {
		h.CongestedBit = uint8(hasher.Bit(id, h.CongestedLink))
	}
	h.HopLink, h.CongestedLink = 0, 0
}

// receiveLogged takes the logged deliveries into their tables.
func (s *simulator) receiveLogged() {
	switch {
	case s.carries == carriesTwo && !s.hashed:
		for i := range s.log {
			d := &s.log[i]
			s.tables[d.table].Sampled(int32(d.hop>>8), int32(d.congested>>8), int64(d.hop&countMask),
				int64(d.congested&countMask))
		}
	case s.carries == carriesOne && !s.hashed && !s.ticketed:
		for i := range s.log {
			d := &s.log[i]
			s.tables[d.table].SampledOnce(int32(d.hop>>8), int64(d.hop&countMask), d.congested/sampledCongested&1)
		}
	case s.carries != carriesNothing && s.carries != carriesWide && !s.hashed:
		s.receiveOthers()
	}
}

// receiveOthers is receiveLogged by a receiver of the variant.
func (s *simulator) receiveOthers() {
	p := &s.arriving
	for i := range s.log {
		d := &s.log[i]
		p.Header = s.header(d.hop, d.congested)
		if s.ticketed {
			p.Source, p.Destination = s.tickets[i].in, s.tickets[i].out
		}
		s.receiver.Receive(s.tables[d.table], p)
	}
	s.tickets = s.tickets[:0]
}

// takeIn takes a delivered packet in, or keeps what will be needed for that
// beside the log.
func (s *simulator) takeIn(p, id int32, pk *packet, m *message, table int32) {
	switch {
	case s.hashed:
		s.receiveHashed(p, id, pk, m, table)
	case s.ticketed:
		s.tickets = append(s.tickets, ticket{m.link, m.toLink})
	default:
		s.receiveWide(p, m, table)
	}
}

// receiveHashed takes a delivered packet of a hashed variant, by the blocks of
// its message.
func (s *simulator) receiveHashed(p, id int32, pk *packet, m *message, table int32) {
	hasher := s.receiver.Hasher()
	marked := sampling.HashedDelivery{Table: s.tables[table], ID: s.ids[p], Source: m.link,
		Destination: m.toLink,
		HopCount:    uint8(min(pk.hop&countMask, s.limit)), HopBit: uint8(hasher.Bit(s.ids[p], int32(pk.hop>>8)))}
	if s.carries == carriesOne {
		marked.CongestedBit = uint8(pk.congested / sampledCongested & 1)
	} else if pk.congested != 0 {
		marked.CongestedCount, marked.CongestedBit = uint8(min(pk.congested&countMask, s.limit)),
			uint8(hasher.Bit(s.ids[p], int32(pk.congested>>8)))
	}
	first := 2 * id & (maxBlocks - 1)
	for len(s.blocks) <= int(first)+1 {
		s.blocks = append(s.blocks, sampling.Block{})
	}
	blocks := (*[2]sampling.Block)(s.blocks[first : first+2])
	s.receiver.Collect(blocks, &marked)
	if m.pending == 1 {
		s.receiver.Decode(&blocks[0])
		s.receiver.Decode(&blocks[1])
	}
}

// receiveWide takes a delivered packet of a wide variant into a table.
func (s *simulator) receiveWide(p int32, m *message, table int32) {
	a := sampling.Packet{Source: m.link, Destination: m.toLink, Header: s.headers[p]}
	if s.ids != nil {
		a.ID = s.ids[p]
	}
	s.receiver.Receive(s.tables[table], &a)
}
