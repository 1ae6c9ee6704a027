package evalsim

import (
	"context"
	"fmt"
	"math"

	"remap/sampling"
	"remap/topology"
)

// packet is one packet in the network, half a cache line.
type packet struct {
	ready     int64 // ps: when it may leave the node it is at (or, in flight, will reach)
	next      int32 // following packet of the same queue or of the free list
	in        int32 // channel whose downstream buffer it occupies, -1 = none
	flow      int32 // index into simulator.flows
	toLink    int32 // ejection link
	size      int32 // bytes
	hops      uint8 // switch output ports crossed, saturating
	congested uint8 // those that were congested, saturating
	job       uint16
}

// reservoirs are a packet's two samples (links); see sampling.Header.
type reservoirs struct{ hop, congested int32 }

// simulator is one run: all its state is flat and reused between runs.
type simulator struct {
	*network
	options  *Options
	full     int32 // options.PacketBytes
	above    int32 // options.CongestedAbove
	cut      bool  // options.Switching is CutThrough
	sampling bool  // options.Sampling
	jobs     []job
	random   sampling.Random // ties and routing
	sampler  sampling.Random // reservoirs; apart, so that sampling changes no route
	channels []channel
	load     []int32 // length channels: bytes queued or being sent, what adaptive routing compares
	packets  []packet
	samples  []reservoirs // length packets, when sampling
	stalled  []int64      // length links: ps with a packet ready and the link free but no credit
	peaks    []int32      // length channels: most bytes ever queued
	seed     uint64
	short    []int64 // length links: bytes by which packets sent fell short of full ones
	free     int32   // first packet not in use, -1 = none
	wheel    *wheel
	timers   timers
	timed    int64   // timers made so far
	nics     []int32 // length injection links: rank whose turn was last in the ring of sending ranks, -1 = nobody sends
	ranks    []rank
	rails    []topology.Rails // scratch
	flows    []FlowStats
	elapsed  []int64 // length jobs, ps
	tables   []*sampling.Table
	created  int64
	received int64
	events   int64
	touched  int32 // keeps touch's reads alive
}

func newSimulator(n *network, jobs []job, o *Options) *simulator {
	s := &simulator{network: n, options: o, jobs: jobs,
		full: int32(o.PacketBytes), above: int32(o.CongestedAbove), cut: o.Switching == CutThrough, sampling: o.Sampling,
		channels: make([]channel, len(n.template)),
		load:     make([]int32, len(n.template)),
		stalled:  make([]int64, n.links),
		short:    make([]int64, n.links),
		peaks:    make([]int32, len(n.template)),
		wheel:    newWheel(n.links, n.horizon),
		nics:     make([]int32, n.hostLinks),
		elapsed:  make([]int64, len(jobs)),
	}
	ranks, flows := 0, 0
	for i := range jobs {
		ranks += jobs[i].Program.Ranks()
		flows += jobs[i].flows
		if o.Sampling {
			s.tables = append(s.tables, sampling.NewTable(n.links))
		}
	}
	s.ranks = make([]rank, ranks)
	if o.FlowCounts {
		s.flows = make([]FlowStats, flows)
	}
	return s
}

// reset brings every part back to time 0.
func (s *simulator) reset(seed uint64) {
	s.random, s.sampler = sampling.NewRandom(seed), sampling.NewRandom(seed^0x5bf03635)
	s.seed = seed
	copy(s.channels, s.template)
	clear(s.load)
	clear(s.stalled)
	clear(s.short)
	clear(s.peaks)
	clear(s.flows)
	clear(s.elapsed)
	s.packets, s.samples, s.free = s.packets[:0], s.samples[:0], -1
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
	var batch [batchSize]int32
	for rounds := 0; ; rounds++ {
		if rounds&(1<<14-1) == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		limit := int64(math.MaxInt64)
		if len(s.timers) > 0 {
			limit = s.timers[0].at
		}
		links := s.wheel.pop(limit, &batch)
		if links == nil {
			if len(s.timers) == 0 {
				return s.checkEnd()
			}
			t := s.timers.pop()
			s.wheel.advance(t.at)
			s.nextOp(t.rank, t.at)
			continue
		}
		s.touch(links)
		for _, link := range links {
			s.arrive(link)
		}
		s.events += int64(len(links))
	}
}

// touch reads what the events of a batch will need. The events depend on each
// other's writes and so run one after the other; these reads do not, and the
// processor overlaps their cache misses.
func (s *simulator) touch(links []int32) {
	sum := int32(0)
	for _, link := range links {
		c := &s.channels[link*s.virtual]
		pk := &s.packets[c.flight]
		sum += pk.in
		if c.head >= 0 {
			sum += s.packets[c.head].size
		}
	}
	for _, link := range links {
		if in := s.packets[s.channels[link*s.virtual].flight].in; in >= 0 {
			sum += s.channels[in].credits
		}
	}
	s.touched += sum
}

// checkEnd finds what must never be: packets that did not arrive, credits that
// did not return, queues that are not empty. O(channels), so always on.
func (s *simulator) checkEnd() error {
	if s.created != s.received {
		return fmt.Errorf("%d of %d packets are stuck in topology %s: its routes must not deadlock, this is an error of the program", s.created-s.received, s.created, s.topology.Name)
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
	id := base + int32(shared.turn)
	now, size, in := s.packets[p].ready, s.packets[p].size, s.packets[p].in
	if in >= 0 {
		s.returnCredit(in, size, shared.freeAt)
	}
	s.load[id] -= size
	if shared.to < 0 {
		s.deliver(p, now)
		s.returnCredit(id, size, now)
	} else {
		s.packets[p].in = id
		s.forward(p, shared)
	}
	if link < s.hostLinks {
		s.inject(link)
	} else {
		s.start(base)
	}
}

// forward chooses the output port of a packet at a switch and queues it there.
func (s *simulator) forward(p int32, from *channel) {
	pk := &s.packets[p]
	out := s.choose(from.to, pk)
	c := &s.channels[out]
	base := s.base(out)
	c.queued += pk.size
	s.load[out] += pk.size
	s.peaks[out] = max(s.peaks[out], c.queued)
	limit := c.credits
	if s.above > 0 {
		limit = s.above
	}
	congested := c.queued > limit
	if congested {
		c.congested++
	}
	s.cross(p, pk, s.link(base), congested)
	if from.class != c.class && s.cut {
		// A fast link must not run out of a packet that a slow one still delivers.
		slow, fast := &s.classes[from.class], &s.classes[c.class]
		pk.ready += max(0, slow.sendTime(pk.size)-fast.sendTime(pk.size))
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

// cross is what a switch does to the packet's header: sampling.Header.Cross
// (Taffet 2018, algorithm 3), with the two links kept apart from the packet.
func (s *simulator) cross(p int32, pk *packet, link int32, congested bool) {
	if s.sampling {
		if sampling.Keeps(pk.hops, &s.sampler) {
			s.samples[p].hop = link
		}
		if congested && sampling.Keeps(pk.congested, &s.sampler) {
			s.samples[p].congested = link
		}
	}
	pk.hops += 1 - pk.hops/255
	if congested {
		pk.congested += 1 - pk.congested/255
	}
}

// link is the link of a channel, base its virtual channel 0.
func (s *simulator) link(id int32) int32 {
	if s.virtual > 1 {
		return id / s.virtual
	}
	return id
}

func (s *simulator) base(id int32) int32 {
	if s.virtual > 1 {
		return id - id%s.virtual
	}
	return id
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
	if begin := s.transmit(base, id, shared, c, p, pk); begin > ready {
		c.area += int64(pk.size) * ((begin - ready) >> 10)
	}
}

// transmit puts a packet on the link: it takes credit, occupies the link, and
// makes the event. It returns when the first byte leaves.
func (s *simulator) transmit(base, id int32, shared, c *channel, p int32, pk *packet) int64 {
	link, full := s.link(base), s.full
	kind := &s.classes[shared.class]
	begin := max(shared.freeAt, pk.ready)
	if c.credits-c.newest < pk.size && c.creditAt > begin {
		// It takes the newest credit, which may be on its way still.
		s.stalled[link] += c.creditAt - begin
		begin = c.creditAt
	}
	c.credits -= pk.size
	c.packets++
	if pk.size == full {
		shared.freeAt = begin + kind.full
	} else {
		shared.freeAt = begin + kind.sendTime(pk.size)
		s.short[link] += int64(full - pk.size)
	}
	shared.flight, shared.turn = p, uint16(id-base)
	pk.ready = shared.freeAt + kind.delay
	if shared.to >= 0 && s.cut {
		pk.ready = begin + kind.delay
	}
	s.wheel.add(link, pk.ready)
	return begin
}

// returnCredit gives a channel back the room of a packet whose last byte leaves
// its downstream buffer at a time, and wakes the link if it waited for that.
func (s *simulator) returnCredit(id, bytes int32, left int64) {
	c := &s.channels[id]
	c.credits += bytes
	c.newest = bytes
	c.creditAt = max(c.creditAt, left+s.classes[c.class].latency)
	base := s.base(id)
	if s.channels[base].flight >= 0 {
		return
	}
	if base < s.hostLinks*s.virtual {
		s.inject(s.link(base))
	} else if c.head >= 0 {
		s.start(base)
	}
}

// deliver ends a packet's journey at its host.
func (s *simulator) deliver(p int32, now int64) {
	pk := &s.packets[p]
	s.received++
	s.elapsed[pk.job] = max(s.elapsed[pk.job], now)
	if s.options.FlowCounts {
		f := &s.flows[pk.flow]
		f.Packets++
		f.Hops += int64(pk.hops)
		f.CongestedHops += int64(pk.congested)
	}
	if s.sampling {
		kept := &s.samples[p]
		s.tables[pk.job].Receive(&sampling.Header{HopLink: kept.hop, CongestedLink: kept.congested, HopCount: pk.hops, CongestedCount: pk.congested})
	}
	pk.next = s.free
	s.free = p
}
