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
	ready     int64  // ps: when it may leave the node it is at (or, in flight, will reach)
	next      int32  // following packet of the same queue or of the free list
	in        int32  // channel whose downstream buffer it occupies, -1 = none
	message   int32  // index into simulator.messages
	to        int32  // switch number it is bound for; the sign bit marks a packet that is not full
	hop       uint32 // sampled link x 256 + switch output ports crossed, saturating; see carry.go
	congested uint32 // the same of congested ones
}

const (
	partial   = math.MinInt32 // sign bit of packet.to: it has what the full ones of its message left
	countMask = 1<<8 - 1      // of packet.hop and packet.congested
)

// simulator is one run: all its state is flat and reused between runs.
type simulator struct {
	*network
	options    *Options
	full       int32 // options.PacketBytes
	congestion congestionTest
	cut        bool    // options.Switching is CutThrough
	each       bool    // packets are routed one by one, see detours.go
	candidates []int32 // scratch
	jobs       []jobState
	random     sampling.Random // ties and routing
	sampler    sampling.Random // reservoirs; apart, so that sampling changes no route
	channels   []channel
	channelAt  table[channel] // of channels
	packetAt   table[packet]  // of packets
	load       loads
	packets    []packet
	free       int32    // first packet not in use, -1 = none
	found      []uint32 // length channels: packets that found the port congested
	stalled    []int64  // length links: ps with a packet ready and the link free but no credit
	short      []int64  // length links: bytes by which packets sent fell short of full ones
	seed       uint64
	wheel      wheel
	alarms     alarms
	shares     []bool // length injection links: several messages of the host may ask for it
	hosting    []bool // scratch of findShared
	attentive  bool   // attend has something to do
	byTheClock bool   // some links choose when they fall free, see contended
	onWay      creditList
	timers     timers
	timed      int64 // timers made so far
	carrier
	nic
	protocol
	ranks   []rank
	rails   []topology.Rails // scratch
	flows   []FlowStats
	own     []OwnLink // length links; nil without Options.OwnLinks
	elapsed []int64   // length jobs, ps
	endlessly
	stepping
	slicing
	latencies  *Latencies       // nil unless options.Latencies
	take       func([]Delivery) // who asks for deliveries; nil = nobody
	watched    bool             // deliveries or time slices are asked for
	deliveries []Delivery       // those not yet handed over
	log        []delivery       // received packets not yet in tables and flows
	created    int64
	received   int64
	events     int64
	countable  int64 // events until which no link's packets can be more than are counted
	stages
	observe func(stage int, moves []move) // traces are made of what it sees; nil but in tests
	held    []int32                       // scratch of checkRoom
}

func newSimulator(n *network, jobs []jobState, o *Options) *simulator {
	s := &simulator{network: n, options: o, jobs: jobs,
		full: int32(o.PacketBytes), congestion: newCongestionTest(o.Congestion), cut: o.Switching == CutThrough,
		each:     n.routes.PerHop || !n.routes.Grouped() || o.Routing.nonMinimal(),
		channels: make([]channel, len(n.template)),
		found:    make([]uint32, len(n.template)),
		stalled:  make([]int64, n.links),
		short:    make([]int64, n.links),
		wheel:    newWheel(n.links, n.horizon),
		onWay:    newCreditList(len(n.template)),
		nic:      newNIC(n.hostLinks),
		protocol: newProtocol(jobs, n.topology.Hosts()),
		elapsed:  make([]int64, len(jobs)),
		log:      make([]delivery, 0, logged),
	}
	s.load = newLoads(n.links, int(n.virtual), s.full)
	s.slicing, _ = newSlicing(n, jobs, o) // New has tested it
	s.channelAt = tableOf(s.channels)
	ranks, flows := 0, 0
	for i := range jobs {
		ranks += jobs[i].Program.Ranks()
		flows += jobs[i].flows
	}
	s.ranks = make([]rank, ranks)
	s.carrier = newCarrier(n, o.Sampling, flows, &s.sampler)
	if o.OwnLinks {
		s.own = make([]OwnLink, n.links)
	}
	if o.FlowCounts {
		s.flows = make([]FlowStats, flows)
	}
	return s
}

// reset brings every part back to time 0.
func (s *simulator) reset(seed uint64) {
	s.random, s.sampler = sampling.NewRandom(seed), sampling.NewRandom(seed^0x5bf03635)
	s.seed = seed
	s.congestion.random = sampling.NewRandom(seed ^ 0x70726f62)
	copy(s.channels, s.template)
	s.load.reset()
	clear(s.stalled)
	clear(s.short)
	clear(s.found)
	clear(s.flows)
	clear(s.own)
	clear(s.elapsed)
	s.packets, s.free = s.packets[:0], -1
	s.packetAt = tableOf(s.packets)
	s.wheel.reset()
	s.alarms.reset()
	s.findShared()
	s.attentive = s.virtual > 1 || s.congestion.At == AtDeparture
	s.onWay.reset()
	s.nic.reset()
	s.carrier.reset(seed)
	s.protocol.reset(s.jobs)
	s.timers, s.timed = s.timers[:0], 0
	s.created, s.received, s.events, s.countable = 0, 0, 0, mostPackets-countMargin
	s.log = s.log[:0]
	s.resetSlices()
	s.deliveries, s.watched = s.deliveries[:0], s.take != nil || s.length > 0
	if s.latencies = nil; s.options.Latencies {
		s.latencies = new(Latencies)
	}
}

// run plays all jobs from time 0 until nothing moves.
func (s *simulator) run(ctx context.Context) error {
	s.startRanks()
	s.keepWaits()
	s.attentive = s.attentive || s.lastWait != nil
	s.start()
	for rounds, check := 0, int64(0); ; rounds++ {
		if rounds&(1<<14-1) == 0 || s.events >= check { // a round may have thousands of events
			check = s.events + 1<<20
			if err := s.checkTime(ctx); err != nil {
				return err
			}
			if s.endless {
				if s.settled() {
					s.close()
					return nil
				}
				if err := s.checkProgress(); err != nil {
					return err
				}
			}
		}
		limit := int64(math.MaxInt64)
		if len(s.timers) > 0 {
			limit = s.timers[0].at
		}
		if s.repeats && s.undone == 0 {
			s.stop()
			return nil
		}
		if s.alarms.count > 0 {
			if links := s.popAlarms(limit); links != nil {
				s.alarmed(links)
				continue
			}
		}
		links := s.wheel.pop(limit)
		if links == nil {
			if len(s.timers) == 0 {
				s.close()
				return s.checkEnd()
			}
			t := s.timers.pop()
			if s.endless && t.at > longestTime {
				return s.tooLong()
			}
			s.wheel.advance(t.at)
			s.woken(t.rank, t.at)
			s.start()
			continue
		}
		s.events += int64(len(links))
		for len(links) > 0 {
			some := links[:min(batch, len(links))]
			links = links[len(some):]
			s.step(some)
		}
	}
}

// close takes in what is logged.
func (s *simulator) close() {
	s.flush()
	if s.receiver != nil {
		s.receiver.Flush()
	}
}

// checkEnd finds what must never be: packets that did not arrive, credits that
// did not return, queues that are not empty. O(channels), so always on.
func (s *simulator) checkEnd() error {
	if s.created != s.received {
		return fmt.Errorf("%d of %d packets are stuck in topology %s: its routes must not deadlock, "+
			"this is an error of the program", s.created-s.received, s.created, s.topology.Name)
	}
	for i := range s.channels {
		c := &s.channels[i]
		if int(c.credits) != s.options.BufferBytes || c.queued != 0 || c.flight >= 0 || c.head >= 0 {
			return fmt.Errorf("channel %d ended with %d of %d credits, %d bytes queued",
				i, c.credits, s.options.BufferBytes, c.queued)
		}
	}
	return nil
}
