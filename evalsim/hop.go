package evalsim

// stages is what a batch hands from one of its stages to the next. Packets are sorted by
// what happens to them, so that each loop has one thing to do and few
// surprising branches.
type stages struct {
	flights [batch]int32
	heads   [batch]int32 // of the links' queues; 0 when there is none
	// inputs: channels whose buffers the packets leave; -1 when they come from a host, or leftBefore
	inputs  [batch]int32
	landed  [3][batch]landing // by kind of landing
	moves   [batch]move
	choices [batch]choice
	ready   []int32 // links that may be able to send
	touched int32   // keeps reads alive whose only purpose is to have been made
}

// Stages of a batch, after each of which an observer can look at the simulator.
const (
	haveLanded  = iota // packets are off their links and their credits on the way back
	areQueued          // packets are in their next queues; the observer gets the moves
	haveStarted        // all links that can send do
)

// Kinds of landings.
const (
	goesOn = iota // at a switch, bound for another one
	ejects        // at the switch of its host
	ended         // at its host
)

// landing is a packet that is ready at the far end of its link.
type landing struct{ packet, link int32 }

// move is a packet on its way into a queue.
type move struct {
	packet  int32
	link    int32 // by which it goes on
	channel int32 // by which it goes on
	from    int32 // link by which it came
}

// choice is a move that has several candidate links.
type choice struct{ move, group, at int32 }

// step takes a batch of links, whose packets are ready at their far ends,
// through their events.
func (s *simulator) step(links []int32) {
	count := s.land(links)
	if s.observe != nil {
		s.observe(haveLanded, nil)
	}
	if s.each {
		s.passOn(&count)
		s.eject(s.landed[ejects][:count[ejects]])
		s.routeEach(s.landed[goesOn][:count[goesOn]], count[ejects])
	} else {
		s.eject(s.landed[ejects][:count[ejects]])
		s.route(s.landed[goesOn][:count[goesOn]], count[ejects])
	}
	for _, l := range s.landed[ended][:count[ended]] {
		s.deliver(l.packet, l.link)
	}
	moves := s.moves[:count[ejects]+count[goesOn]]
	s.queue(moves)
	if s.observe != nil {
		s.observe(areQueued, moves)
	}
	s.start()
	if invariants && s.events&0xff == 0 {
		s.checkRoom()
	}
}

// land takes the packets off their links and returns the credits of the buffers
// they leave behind. First short loops touch all that is needed, so that the
// processor overlaps the cache misses of all links, then of all packets, then of
// all buffers; the last loop, which branches, finds everything at hand.
func (s *simulator) land(links []int32) (count [3]int) {
	channels, packets, virtual := s.channelAt, s.packetAt, s.virtual
	flights, heads, inputs := s.flights[:len(links)], s.heads[:len(links)], s.inputs[:len(links)]
	for i, link := range links {
		shared := channels.at(link * virtual)
		flights[i], heads[i] = shared.flight, max(shared.head, 0)
	}
	sum := int32(0)
	for i, p := range flights {
		inputs[i] = packets.at(p).in
		sum += packets.at(heads[i]).to
	}
	s.touched += sum
	s.leave(links, flights, inputs)
	for i, link := range links {
		shared := channels.at(link * virtual)
		p := flights[i]
		pk := packets.at(p)
		if inputs[i] == leftBefore {
			s.followed(link, shared, p)
		} else {
			shared.flight = -1
			pk.in = link*virtual + int32(shared.turn)
			if shared.flags&isChoice != 0 || virtual > 1 && link >= s.hostLinks {
				s.load.landed(link, shared, pk, s)
			}
		}
		kind := goesOn
		if pk.to&^partial == shared.leads {
			kind = ejects
		}
		if shared.leads < 0 {
			kind = ended
		}
		s.landed[kind][count[kind]&(batch-1)] = landing{p, link}
		count[kind]++
		if shared.head >= 0 || virtual > 1 {
			s.ready = append(s.ready, link)
		}
	}
	return count
}

// leftBefore stands for the input of a packet whose last byte has left before it lands.
const leftBefore = -2

// leave returns the credits of the buffers that packets leave as they land; it marks
// the inputs of those that have left before.
func (s *simulator) leave(links, flights, inputs []int32) {
	channels, packets, virtual, roomy := s.channelAt, s.packetAt, s.virtual, s.roomy
	links, flights = links[:len(inputs)], flights[:len(inputs)]
	for i, in := range inputs {
		link, p := links[i], flights[i]
		shared := channels.at(link * virtual)
		if shared.flags&(isApart|hasLeft) != 0 && !s.landsFirst(link, shared, p) {
			inputs[i] = leftBefore
			continue
		}
		if in < 0 {
			continue
		}
		if pk := packets.at(p); roomy {
			s.returnSoon(in, s.size(pk), shared.freeAt)
		} else {
			s.returnCredit(in, s.size(pk), shared.freeAt, pk.ready)
		}
	}
}

// size is how many bytes a packet has. Only partial ones ask their message: it
// costs a mispredicted branch, and often a cache miss, at each of their hops.
func (s *simulator) size(pk *packet) int32 {
	if pk.to >= 0 {
		return s.full
	}
	return s.messageAt.at(pk.message).last
}

// eject sends packets to the hosts of their switch.
func (s *simulator) eject(landings []landing) {
	for i, l := range landings {
		link := s.messageAt.at(s.packetAt.at(l.packet).message).toLink
		s.moves[i&(batch-1)] = move{l.packet, link, link * s.virtual, l.link}
	}
}

// route chooses the next links of packets at switches; the moves follow the
// first done.
func (s *simulator) route(landings []landing, done int) {
	virtual, choices := s.virtual, 0
	for i, l := range landings {
		at, to := s.channelAt.at(l.link*virtual).leads, s.packetAt.at(l.packet).to&^partial
		var id int32
		if s.intervals != nil {
			iv := &s.intervals[at]
			d := uint32(to) - iv.low
			id = iv.up
			if inside := iv.base + int32(uint64(d)*iv.scale>>32); d < iv.span {
				id = inside
			}
		} else {
			id = s.routes.Group(at, to)
		}
		g := s.groupAt.at(id)
		k := (done + i) & (batch - 1)
		s.moves[k] = move{l.packet, g.first, g.first*virtual + int32(g.virtual), l.link}
		s.choices[choices&(batch-1)] = choice{int32(k), id, at}
		more := 0
		if g.count != 1 {
			more = 1
		}
		choices += more
	}
	adaptive := s.options.Routing == Adaptive
	for _, c := range s.choices[:choices] {
		m, g := &s.moves[c.move&(batch-1)], s.groupAt.at(c.group)
		if g.count > 0 && adaptive { // as choose would
			m.link = s.leastLoaded(g.first, uint32(g.count))
			m.channel = m.link*virtual + int32(g.virtual)
		} else {
			link, channel := s.choose(c.at, *g, s.packetAt.at(m.packet))
			m.link, m.channel = link, link*virtual+channel
		}
		s.load.bound(m.link, s.full)
	}
}

// queue puts packets into the queues of their output ports, which it touches all
// first, as land does.
func (s *simulator) queue(moves []move) {
	channels, packets, virtual := s.channelAt, s.packetAt, s.virtual
	sum := int32(0)
	for i := range moves {
		sum += channels.at(moves[i].channel).queued
	}
	s.touched += sum
	for i := range moves {
		m := &moves[i]
		p := m.packet
		pk := packets.at(p)
		c := channels.at(m.channel)
		size := s.size(pk)
		c.queued += size
		if virtual > 1 {
			s.load.queued(m.link, size)
			shared := channels.at(m.link * virtual)
			shared.peak = max(shared.peak, s.load.ports[m.link].join(size, pk.ready))
		} else {
			if c.flags&isChoice != 0 {
				s.load.set(m.link, c.queued+s.load.sending(c))
			}
			if c.peak = max(c.peak, c.queued); c.freeAt > pk.ready && c.queued+s.full > c.peak {
				c.peak = max(c.peak, c.queued+s.pledged(m.link, c, pk.ready))
			}
		}
		if s.congestion.usual {
			congested := c.queued > c.credits-c.owed || c.flags&isOwedMore != 0
			if congested {
				congested = c.queued > s.creditsAt(m.channel, c, pk.ready)
			}
			s.cross(p, pk, m.link, m.channel, congested)
		} else if s.congestion.At != AtDeparture {
			congested := s.congestion.congested(s.creditsAt(m.channel, c, pk.ready), c.queued, size)
			s.cross(p, pk, m.link, m.channel, congested)
		}
		if s.mixed && s.cut {
			// A fast link must not run out of a packet that a slow one still delivers.
			slow, fast := s.classAt.at(int32(channels.at(m.from*s.virtual).class)), s.classAt.at(int32(c.class))
			pk.ready += max(0, slow.sendTime(size)-fast.sendTime(size))
		}
		pk.next = -1
		if c.head < 0 {
			c.head = p
			if !c.isBusy() {
				s.ready = append(s.ready, m.link)
			}
		} else {
			packets.at(c.tail).next = p
		}
		c.tail = p
		if invariants {
			s.checkChannel(m.channel)
		}
	}
}

// cross is what a switch does to the packet's header: sampling.Switch.Cross, each
// reservoir packed in one word (Taffet 2018, algorithm 3).
func (s *simulator) cross(p int32, pk *packet, link, id int32, congested bool) {
	if s.own != nil {
		s.countOwn(pk, link, congested)
	}
	if s.carries == carriesNothing {
		pk.hop = counted(pk.hop)
		if congested {
			s.found[id]++
			pk.congested = counted(pk.congested)
		}
		return
	}
	if s.carries == carriesTwo {
		pk.hop = keep(pk.hop, link, s.sampler.Uint32())
		if congested {
			s.found[id]++
			pk.congested = keep(pk.congested, link, s.sampler.Uint32())
		}
		return
	}
	if congested {
		s.found[id]++
	}
	if s.carries == carriesOne {
		pk.hop, pk.congested = keepOnce(pk.hop, pk.congested, link, congested, s.limit, s.sampler.Uint32())
		return
	}
	s.crossOther(p, pk, link, congested)
}

// countOwn counts a packet of the first job.
func (s *simulator) countOwn(pk *packet, link int32, congested bool) {
	if s.messages[pk.message].job > 0 {
		return
	}
	n := &s.own[link]
	n.Packets++
	n.Bytes += int64(s.size(pk))
	if congested {
		n.Congested++
	}
}

// counted counts a link into a reservoir.
func counted(reservoir uint32) uint32 { return reservoir + 1 - (reservoir&countMask+1)>>8 }

// keep counts a link into a reservoir, and puts it there with probability
// 1/count.
func keep(reservoir uint32, link int32, random uint32) uint32 {
	count := reservoir & countMask
	if uint64(random)*uint64(count+1)>>32 == 0 {
		reservoir = uint32(link)<<8 | count
	}
	return reservoir + 1 - (count+1)>>8
}

// start sends the head packets of ready links that are at rest, if the next
// buffer has room: each takes credit, occupies its link, and makes the event.
func (s *simulator) start() {
	channels, classes, virtual := s.channelAt, s.classAt, s.virtual
	for i := 0; i < len(s.ready); i++ {
		link := s.ready[i]
		shared := channels.at(link * virtual)
		if shared.isBusy() {
			continue
		}
		c, id := shared, link*virtual
		if s.byTheClock {
			if id = s.sendsFrom(link, shared); id < 0 {
				continue
			}
			c = channels.at(id)
		}
		p := c.head
		if p < 0 {
			continue
		}
		pk := s.packetAt.at(p)
		size := s.size(pk)
		begin := later(shared.freeAt, pk.ready)
		if c.credits-c.owed < size && (c.credits < size || c.due > begin) || c.flags&isOwedMore != 0 {
			if begin = s.credited(link, shared, id, size, begin); begin == unknown {
				continue
			}
		}
		shared.flags &^= isWaiting
		if s.attentive {
			s.attend(link, p, id, size, begin)
		}
		c.credits, c.queued = c.credits-size, c.queued-size
		c.packets, c.head = c.packets+1, pk.next
		c.area += float64(size) * float64(begin-pk.ready)
		kind := classes.at(int32(c.class))
		ready := begin + kind.arrive
		shared.freeAt = begin + kind.full
		apart := kind.apart
		if size != s.full {
			ready, apart = s.shortened(link, shared, kind, size, begin)
		}
		pk.ready = ready
		if invariants {
			s.checkStart(link, id, ready)
		}
		if apart || shared.flight >= 0 {
			s.startApart(link, shared, p)
		} else {
			shared.flight = p
			s.wheel.add(link, ready)
		}
		if link < s.hostLinks {
			s.launched(link, shared, pk.message)
		}
	}
	s.ready = s.ready[:0]
	if s.observe != nil {
		s.observe(haveStarted, nil)
	}
}

// attend does what only some networks and runs ask for of a packet that is about to be
// sent.
func (s *simulator) attend(link, p, id, size int32, begin int64) {
	pk, c := s.packetAt.at(p), s.channelAt.at(id)
	if s.virtual > 1 {
		s.channelAt.at(link * s.virtual).turn = uint8(id - link*s.virtual)
		port := &s.load.ports[link]
		port.queued, port.begun, port.last = port.queued-size, begin, size
	}
	if s.congestion.At == AtDeparture && link >= s.hostLinks {
		s.cross(p, pk, link, id, s.leaves(pk, c, id, size, begin))
	}
	if s.lastWait != nil {
		s.waited(pk, link, size, begin)
	}
}

// later is max without a branch, which would often be mispredicted.
func later(a, b int64) int64 {
	d := b - a
	return a + d&^(d>>63)
}

// shortened corrects the times of a packet that is not a full one.
func (s *simulator) shortened(link int32, shared *channel, kind *class, size int32, begin int64) (
	ready int64, apart bool,
) {
	time := kind.sendTime(size)
	s.short[link] += int64(s.full - size)
	shared.freeAt = begin + time
	ready = begin + kind.delay
	if kind.wholly {
		ready += time
	}
	return ready, kind.leavesApart(time)
}

// delivery is what a receiver learns from one packet.
type delivery struct {
	hop, congested uint32 // as in packet
	flow           int32
	table          int32
}

// deliver ends a packet's journey at its host.
func (s *simulator) deliver(p, link int32) {
	pk := s.packetAt.at(p)
	now, id := pk.ready, pk.message
	// The link may be asked for what it sends from when it fell free.
	s.returnCredit(pk.in, s.size(pk), now, s.channelAt.at(link*s.virtual).freeAt)
	m := s.messageAt.at(id)
	table := m.table
	if s.watched {
		table += s.watch(p, pk, m, now)
	}
	if s.atOnce {
		s.takeIn(p, id, pk, m, table)
	}
	s.log = append(s.log, delivery{pk.hop, pk.congested, m.flow, table})
	if len(s.log) == logged {
		s.flush()
	}
	s.received++
	pk.next = s.free
	s.free = p
	if m.pending--; m.pending == 0 {
		s.arrived(id, m, now)
	}
}

// flush takes the logged deliveries into the tables and the counts of flows.
func (s *simulator) flush() {
	s.receiveLogged()
	if s.options.FlowCounts {
		for i := range s.log {
			d := &s.log[i]
			f := &s.flows[d.flow]
			hops, congested := s.seen(d.hop, d.congested)
			f.Packets++
			f.Hops += int64(hops)
			f.CongestedHops += int64(congested)
		}
	}
	if s.tally != nil {
		s.tallyJobs()
	}
	s.log = s.log[:0]
}
