package evalsim

import (
	"context"
	"fmt"
	"math"

	"remap/sampling"
)

// packet is one packet in the network.
type packet struct {
	ready    int64 // ps: when it may leave the node it is at (or, in flight, will reach)
	next     int32 // following packet of the same queue or of the free list
	in       int32 // channel whose downstream buffer it occupies, -1 = none
	flow     int32 // index into simulator.flows
	toSwitch int32 // switch number its destination hangs on
	toLink   int32 // ejection link
	size     int32 // bytes
	header   sampling.Header
	job      uint16
}

// simulator is one run: all its state is flat and reused between runs.
type simulator struct {
	*network
	options  *Options
	jobs     []job
	random   sampling.Random // ties and routing
	sampler  sampling.Random // reservoirs; apart, so that sampling changes no route
	channels []channel
	load     []int32 // length channels: bytes queued or being sent, what adaptive routing compares
	counters []counters
	packets  []packet
	free     int32 // first packet not in use, -1 = none
	wheel    *wheel
	timers   timers
	timed    int64   // timers made so far
	nics     []int32 // length injection links: rank whose turn was last in the ring of sending ranks, -1 = nobody sends
	ranks    []rank
	flows    []FlowStats
	elapsed  []int64 // length jobs, ps
	tables   []*sampling.Table
	created  int64
	received int64
	events   int64
}

func newSimulator(n *network, jobs []job, o *Options) *simulator {
	s := &simulator{network: n, options: o, jobs: jobs,
		channels: make([]channel, len(n.template)),
		load:     make([]int32, len(n.template)),
		counters: make([]counters, len(n.template)/int(n.virtual)),
		wheel:    newWheel(len(n.template)/int(n.virtual), n.horizon),
		nics:     make([]int32, n.hostLinks),
		elapsed:  make([]int64, len(jobs)),
	}
	ranks, flows := 0, 0
	for i := range jobs {
		ranks += jobs[i].Program.Ranks()
		flows += jobs[i].flows
		if o.Sampling {
			s.tables = append(s.tables, sampling.NewTable(len(n.topology.Links)))
		}
	}
	s.ranks, s.flows = make([]rank, ranks), make([]FlowStats, flows)
	return s
}

// reset brings every part back to time 0.
func (s *simulator) reset(seed uint64) {
	s.random, s.sampler = sampling.NewRandom(seed), sampling.NewRandom(seed^0x5bf03635)
	copy(s.channels, s.template)
	clear(s.load)
	clear(s.counters)
	clear(s.flows)
	clear(s.elapsed)
	s.packets, s.free = s.packets[:0], -1
	s.wheel.reset()
	s.timers, s.timed = s.timers[:0], 0
	s.created, s.received, s.events = 0, 0, 0
	for i := range s.nics {
		s.nics[i] = -1
	}
	for _, t := range s.tables {
		t.Reset()
	}
}

// run plays all jobs from time 0 until nothing moves.
func (s *simulator) run(ctx context.Context) error {
	s.startRanks()
	for {
		limit := int64(math.MaxInt64)
		if len(s.timers) > 0 {
			limit = s.timers[0].at
		}
		link := s.wheel.pop(limit)
		if link >= 0 {
			s.arrive(link)
			if s.events++; s.events&(1<<16-1) == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			continue
		}
		if len(s.timers) == 0 {
			break
		}
		t := s.timers.pop()
		s.wheel.advance(t.at)
		s.nextOp(t.rank, t.at)
	}
	return s.checkEnd()
}

// checkEnd finds what must never be: packets that did not arrive, credits that
// did not return, queues that are not empty. O(channels), so always on.
func (s *simulator) checkEnd() error {
	if s.created != s.received {
		return fmt.Errorf("%d of %d packets are stuck in topology %s: its routes can deadlock", s.created-s.received, s.created, s.topology.Name)
	}
	for i := range s.channels {
		c := &s.channels[i]
		if int(c.credits) != s.options.BufferBytes || c.queued != 0 || c.flight >= 0 || c.head >= 0 || s.load[i] != 0 {
			return fmt.Errorf("channel %d ended with %d of %d credits, %d bytes queued, %d of load", i, c.credits, s.options.BufferBytes, c.queued, s.load[i])
		}
	}
	return nil
}

// arrive is the event: the packet on a link is ready at the link's far end.
func (s *simulator) arrive(link int32) {
	base := link * s.virtual
	shared := &s.channels[base]
	p := shared.flight
	shared.flight = -1
	channelID := base + int32(shared.turn)
	now, size, in := s.packets[p].ready, s.packets[p].size, s.packets[p].in
	if in >= 0 {
		s.returnCredit(in, size, shared.freeAt+s.latency[in/s.virtual])
	}
	pk := &s.packets[p] // not before: the credit may have made a packet and moved them all
	s.load[channelID] -= size
	if shared.to < 0 {
		s.deliver(pk, p, now)
		s.returnCredit(channelID, size, now+s.latency[link])
	} else {
		pk.in = channelID
		s.forward(p, pk, shared)
	}
	if link < s.hostLinks {
		s.inject(link)
	} else {
		s.start(base)
	}
}

// forward chooses the output port of a packet at a switch and queues it there.
func (s *simulator) forward(p int32, pk *packet, from *channel) {
	out := s.choose(from.to, pk)
	c := &s.channels[out]
	base := out
	if s.virtual > 1 {
		base -= out % s.virtual
	}
	port := &s.counters[out/s.virtual]
	c.queued += pk.size
	s.load[out] += pk.size
	port.queueMax = max(port.queueMax, int64(c.queued))
	congested := c.queued > c.credits
	if congested {
		port.congested++
	}
	if s.options.Sampling {
		pk.header.Cross(out/s.virtual, congested, &s.sampler)
	} else {
		pk.header.Count(congested)
	}
	if s.options.Switching == CutThrough && from.perByte > c.perByte {
		// A fast link must not run out of a packet that a slow one still delivers.
		pk.ready += from.sendTime(pk.size) - c.sendTime(pk.size)
	}
	pk.next = -1
	if c.head < 0 {
		c.head = p
	} else {
		s.packets[c.tail].next = p
	}
	c.tail = p
	s.start(base)
}

// start sends the next packet of a link at rest, if one is queued whose
// buffer has room: virtual channels take turns.
func (s *simulator) start(base int32) {
	shared := &s.channels[base]
	if shared.flight >= 0 {
		return
	}
	if s.virtual == 1 {
		if shared.head >= 0 && shared.credits >= s.packets[shared.head].size {
			s.send(base, base, shared, shared)
		}
		return
	}
	for i := int32(1); i <= s.virtual; i++ {
		v := (int32(shared.turn) + i) % s.virtual
		c := &s.channels[base+v]
		if c.head >= 0 && c.credits >= s.packets[c.head].size {
			s.send(base, base+v, shared, c)
			return
		}
	}
}

// send takes the head packet of channel id off its queue and onto the link.
func (s *simulator) send(base, id int32, shared, c *channel) {
	p := c.head
	pk := &s.packets[p]
	c.head = pk.next
	c.queued -= pk.size
	ready := pk.ready
	begin := s.transmit(base, id, shared, c, p, pk)
	s.counters[base/s.virtual].area += int64(pk.size) * ((begin - ready) >> 10)
}

// transmit puts a packet on the link: it takes credit, occupies the link, and
// makes the event. It returns when the first byte leaves.
func (s *simulator) transmit(base, id int32, shared, c *channel, p int32, pk *packet) int64 {
	idle := max(shared.freeAt, pk.ready)
	begin := idle
	if c.credits < 2*int32(s.options.PacketBytes) {
		// The newest credit may be on its way still; older ones have arrived.
		begin = max(begin, c.creditAt)
	}
	c.credits -= pk.size
	shared.freeAt = begin + shared.sendTime(pk.size)
	shared.flight, shared.turn = p, uint8(id-base)
	link := base / s.virtual
	count := &s.counters[link]
	count.packets++
	count.bytes += int64(pk.size)
	count.stalled += begin - idle
	at := shared.freeAt + shared.delay
	if shared.to >= 0 && s.options.Switching == CutThrough {
		at = begin + shared.delay
	}
	pk.ready = at
	s.wheel.add(link, pk.ready)
	return begin
}

// returnCredit gives a channel back the room of a packet that leaves its
// downstream buffer, and wakes the link if that is what it waited for.
func (s *simulator) returnCredit(id, bytes int32, at int64) {
	c := &s.channels[id]
	c.credits += bytes
	c.creditAt = max(c.creditAt, at)
	base := id
	if s.virtual > 1 {
		base -= id % s.virtual
	}
	if link := base / s.virtual; link < s.hostLinks {
		s.inject(link)
	} else if c.head >= 0 {
		s.start(base)
	}
}

// deliver ends a packet's journey at its host.
func (s *simulator) deliver(pk *packet, p int32, now int64) {
	s.received++
	s.elapsed[pk.job] = max(s.elapsed[pk.job], now)
	f := &s.flows[pk.flow]
	f.Packets++
	f.Hops += int64(pk.header.HopCount)
	f.CongestedHops += int64(pk.header.CongestedCount)
	if s.options.Sampling {
		s.tables[pk.job].Receive(&pk.header)
	}
	pk.next = s.free
	s.free = p
}

// choose picks the output channel of a packet at a switch.
func (s *simulator) choose(at int32, pk *packet) int32 {
	if at == pk.toSwitch {
		return pk.toLink * s.virtual
	}
	candidates := s.routes.Candidates(at, pk.toSwitch)
	n := uint32(len(candidates))
	if n == 1 {
		return candidates[0]
	}
	switch s.options.Routing {
	case Adaptive:
		return s.leastLoaded(candidates)
	case TwoChoices:
		a, b := candidates[s.random.Below(n)], candidates[s.random.Below(n)]
		if s.load[b] < s.load[a] {
			return b
		}
		return a
	case RandomPacket:
		return candidates[s.random.Below(n)]
	case FlowHash:
		hash := sampling.NewRandom(uint64(pk.flow)<<32 | uint64(at))
		return candidates[hash.Below(n)]
	}
	host := uint32(s.topology.Links[pk.toLink].To)
	if s.routes.StaticDivisor != nil {
		host /= uint32(s.routes.StaticDivisor[at])
	}
	return candidates[host%n]
}

// leastLoaded is uniform among the least loaded candidates. Most ports are at
// rest most of the time: a random probe that finds one is already uniform
// among those at rest, and spares the scan.
func (s *simulator) leastLoaded(candidates []int32) int32 {
	n := uint32(len(candidates))
	probe := candidates[s.random.Below(n)]
	if s.load[probe] == 0 {
		return probe
	}
	best, ties := s.load[candidates[0]], uint32(1)
	for _, c := range candidates[1:] {
		switch l := s.load[c]; {
		case l < best:
			best, ties = l, 1
		case l == best:
			ties++
		}
	}
	skip := s.random.Below(ties)
	for _, c := range candidates {
		if s.load[c] == best {
			if skip == 0 {
				return c
			}
			skip--
		}
	}
	return probe
}
