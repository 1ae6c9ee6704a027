package evalsim

import "remap/sampling"

// link is the link of a channel.
func (s *simulator) link(id int32) int32 {
	if s.virtual > 1 {
		return id / s.virtual
	}
	return id
}

// size is how many bytes a packet has.
func (s *simulator) size(pk *packet) int32 {
	if pk.to >= 0 {
		return s.full
	}
	return s.messages[pk.message].last
}

// units is what a packet adds to a link's load.
func (s *simulator) units(size int32) uint16 { return uint16((size-1)>>s.unit + 1) }

// arrive is the event: the packet on a link is ready at the link's far end.
func (s *simulator) arrive(link int32) {
	base := link * s.virtual
	shared := &s.channels[base]
	p := shared.flight
	shared.flight = -1
	pk := &s.packets[p]
	size := s.size(pk)
	if pk.in >= 0 {
		s.returnCredit(pk.in, size, shared.freeAt)
		pk = &s.packets[p] // a host may have made a packet
	}
	s.load[link] -= s.units(size)
	id := base + int32(shared.turn)
	if shared.to >= 0 {
		pk.in = id
		s.forward(p, pk, size, shared)
	} else {
		now := pk.ready
		s.deliver(p, pk, now)
		c := &s.channels[id]
		c.credits += size
		c.newest = size
		c.creditAt = max(c.creditAt, now+s.classes[c.class].latency)
	}
	s.start(link)
}

// forward chooses the output port of a packet at a switch and queues it there.
func (s *simulator) forward(p int32, pk *packet, size int32, from *channel) {
	link, id := s.route(from.to, p, pk)
	c := &s.channels[id]
	c.queued += size
	c.peak = max(c.peak, c.queued)
	s.load[link] += s.units(size)
	limit := c.credits
	if s.above > 0 {
		limit = s.above
	}
	s.cross(pk, link, id, c.queued > limit)
	if from.class != c.class && s.cut {
		// A fast link must not run out of a packet that a slow one still delivers.
		slow, fast := &s.classes[from.class], &s.classes[c.class]
		pk.ready += max(0, slow.sendTime(size)-fast.sendTime(size))
	}
	pk.next = -1
	if c.head < 0 {
		c.head = p
	} else {
		s.packets[c.tail].next = p
	}
	c.tail = p
	s.start(link)
}

// cross is what a switch does to the packet's header: sampling.Header.Cross
// (Taffet 2018, algorithm 3), each reservoir packed in one word.
func (s *simulator) cross(pk *packet, link, id int32, congested bool) {
	pk.hop = s.keep(pk.hop, link)
	if congested {
		s.found[id]++
		pk.congested = s.keep(pk.congested, link)
	}
}

// keep counts a link into a reservoir, and puts it there with probability
// 1/count.
func (s *simulator) keep(reservoir uint32, link int32) uint32 {
	count := reservoir & countMask
	if s.sampling && uint64(s.sampler.Uint32())*uint64(count+1)>>32 == 0 {
		reservoir = uint32(link)<<8 | count
	}
	if count < countMask {
		reservoir++
	}
	return reservoir
}

// header unpacks the reservoirs.
func header(hop, congested uint32) sampling.Header {
	return sampling.Header{HopLink: int32(hop >> 8), HopCount: uint8(hop),
		CongestedLink: int32(congested >> 8), CongestedCount: uint8(congested)}
}

// start sends the next packet of a link at rest, if one is queued.
func (s *simulator) start(link int32) {
	if s.virtual > 1 {
		s.startTurn(link)
		return
	}
	if c := &s.channels[link]; c.flight < 0 && c.head >= 0 {
		s.launch(link, c, c)
	}
}

// startTurn lets the virtual channels of a link take turns, those without
// credit left out.
func (s *simulator) startTurn(link int32) {
	base := link * s.virtual
	shared := &s.channels[base]
	if shared.flight >= 0 {
		return
	}
	turn := int32(shared.turn)
	for range s.virtual {
		if turn++; turn == s.virtual {
			turn = 0
		}
		if c := &s.channels[base+turn]; c.head >= 0 {
			was := shared.turn
			if shared.turn = uint8(turn); s.launch(link, shared, c) {
				return
			}
			shared.turn = was
		}
	}
}

// launch puts the head packet of a channel on its link, which is at rest, if
// the next buffer has room: it takes credit, occupies the link, and makes the
// event.
func (s *simulator) launch(link int32, shared, c *channel) bool {
	p := c.head
	pk := &s.packets[p]
	size := s.size(pk)
	if c.credits < size {
		shared.waiting = true
		return false
	}
	shared.waiting = false
	begin := max(shared.freeAt, pk.ready)
	if c.credits-c.newest < size && c.creditAt > begin {
		// It takes the newest credit, which may be on its way still.
		s.stalled[link] += c.creditAt - begin
		begin = c.creditAt
	}
	c.credits -= size
	c.packets++
	c.head = pk.next
	c.queued -= size
	c.area += int64(size) * ((begin - pk.ready) >> 10)
	kind := &s.classes[c.class]
	ready := begin + kind.arrive
	shared.freeAt = begin + kind.full
	if size != s.full {
		ready = s.shortened(link, shared, kind, size, begin)
	}
	pk.ready = ready
	shared.flight = p
	s.wheel.add(link, ready)
	if link < s.hostLinks {
		s.launched(link, shared, pk)
	}
	return true
}

// shortened corrects the times of a packet that is not a full one.
func (s *simulator) shortened(link int32, shared *channel, kind *class, size int32, begin int64) (ready int64) {
	time := kind.sendTime(size)
	s.short[link] += int64(s.full - size)
	shared.freeAt = begin + time
	if kind.wholly {
		return begin + time + kind.delay
	}
	return begin + kind.delay
}

// returnCredit gives a channel back the room of a packet whose last byte leaves
// its downstream buffer at a time, and wakes the link if it waited for that.
func (s *simulator) returnCredit(id, bytes int32, left int64) {
	c := &s.channels[id]
	c.credits += bytes
	c.newest = bytes
	c.creditAt = max(c.creditAt, left+s.classes[c.class].latency)
	if s.virtual == 1 {
		if c.waiting {
			s.launch(id, c, c)
		}
		return
	}
	link := id / s.virtual
	if s.channels[link*s.virtual].waiting {
		s.startTurn(link)
	}
}

// delivery is what a receiver learns from one packet.
type delivery struct {
	hop, congested uint32 // as in packet
	flow           int32
	table          int32
}

// logged deliveries are taken into tables and counts together, so that their
// cache misses overlap and stay out of the events' way.
const logged = 512

// deliver ends a packet's journey at its host.
func (s *simulator) deliver(p int32, pk *packet, now int64) {
	s.received++
	m := &s.messages[pk.message]
	table := m.table
	if s.length > 0 {
		table += s.sliceTables(now)
	}
	if s.take != nil {
		s.tell(pk, m, now)
	}
	s.log = append(s.log, delivery{pk.hop, pk.congested, m.flow, table})
	if len(s.log) == cap(s.log) {
		s.flush()
	}
	pk.next = s.free
	s.free = p
	if m.pending--; m.pending == 0 {
		s.arrived(pk.message, m, now)
	}
}

// flush takes the logged deliveries into the tables and the counts of flows.
func (s *simulator) flush() {
	if s.sampling {
		for i := range s.log {
			d := &s.log[i]
			h := header(d.hop, d.congested)
			s.tables[d.table].Receive(&h)
		}
	}
	if s.options.FlowCounts {
		for i := range s.log {
			d := &s.log[i]
			f := &s.flows[d.flow]
			f.Packets++
			f.Hops += int64(d.hop & countMask)
			f.CongestedHops += int64(d.congested & countMask)
		}
	}
	if s.tally != nil {
		s.tallyJobs()
	}
	s.log = s.log[:0]
}
