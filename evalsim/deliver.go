package evalsim

import (
	"context"
	"slices"

	"golang.org/x/sync/errgroup"

	"remap/sampling"
)

// Delivery is one packet as its receiver has seen it.
type Delivery struct {
	// Arrival is when the packet's last byte was at the receiving host, in ps.
	Arrival int64

	// Source and Destination are the sending and the receiving rank, within their job.
	Source, Destination int32

	// HopLink is the sampled link; -1 = none, as under variants that carry no whole link.
	HopLink int32

	// CongestedLink is the sampled congested link; -1 = none.
	CongestedLink int32

	// In and Out are the injection and the ejection link.
	In, Out int32

	// ID is the identity that switches have hashed with; 0 where they do not hash.
	ID uint32

	// Job is the index of the packet's job.
	Job uint16

	// Tag is the tag of the packet's message.
	Tag uint16

	// CallSite is the call site of the packet's message: an index into Program.CallSites.
	CallSite uint16

	// Phase is the phase of the packet's message: an index into Program.Phases.
	Phase uint8

	// Hops is the number of switch output ports crossed, up to the counter's limit; up to 255
	// without sampling.
	Hops uint8

	// CongestedHops is how many of these ports were congested, up to the counter's limit.
	// Under OneReservoir it is Hops if the sampled link was congested, else 0.
	CongestedHops uint8

	// HopBit is the bit of the sampled link, under hashed variants.
	HopBit uint8

	// CongestedBit is the bit of the sampled congested link under OneBit. Under OneReservoir it
	// tells whether the sampled link was congested.
	CongestedBit uint8

	once bool // the variant is OneReservoir

	// Wide is what variants of several links or bits carry; else nil.
	Wide *sampling.Header
}

// Packet is the delivery as a receiver of samples takes it, between links.
func (d *Delivery) Packet() sampling.Packet {
	p := sampling.Packet{ID: d.ID, Source: d.In, Destination: d.Out}
	if d.Wide != nil {
		p.Header = *d.Wide
		return p
	}
	p.Header = sampling.Header{HopCount: d.Hops, HopBit: d.HopBit, CongestedBit: d.CongestedBit,
		HopLink: max(0, d.HopLink), CongestedLink: max(0, d.CongestedLink)}
	if p.CongestedCount = d.CongestedHops; d.once {
		p.CongestedCount = 0
	}
	return p
}

// watch takes in what is asked for of a packet: its delivery, and how much
// higher than its message's the number of its table is.
func (s *simulator) watch(p int32, pk *packet, m *message, now int64) int32 {
	if s.take != nil {
		s.tell(p, pk, m, now)
	}
	if s.length > 0 {
		return s.sliceTables(now)
	}
	return 0
}

// tell makes a delivery of packet p and hands it over with others.
func (s *simulator) tell(p int32, pk *packet, m *message, now int64) {
	first, op := s.jobs[m.job].firstRank, s.opOf(m)
	hops, congested := s.seen(pk.hop, pk.congested)
	d := Delivery{Arrival: now, Source: m.rank - first, Destination: m.peer - first,
		HopLink: -1, CongestedLink: -1, In: m.link, Out: m.toLink, Job: m.job,
		Tag: op.Tag, Phase: op.Phase, CallSite: s.jobs[m.job].Program.Site(m.op),
		Hops: uint8(hops), CongestedHops: uint8(congested)}
	if m.kind == clearToSend {
		d.Source, d.Destination = d.Destination, d.Source
	}
	if s.ids != nil {
		d.ID = s.ids[p]
	}
	switch s.carries {
	case carriesWide:
		h := s.headers[p]
		h.Hops, h.Congested = append([]int32(nil), h.Hops...), append([]int32(nil), h.Congested...)
		h.Filter, h.CongestedFilter = slices.Clone(h.Filter), slices.Clone(h.CongestedFilter)
		d.Wide = &h
	case carriesTwo, carriesLess, carriesOne:
		h := s.header(pk.hop, pk.congested)
		if s.hashed {
			s.hash(&h, d.ID)
		} else if h.HopCount > 0 {
			d.HopLink = h.HopLink
		}
		d.once = s.carries == carriesOne
		if !s.hashed && h.CongestedCount > 0 {
			d.CongestedLink = h.CongestedLink
		} else if !s.hashed && d.once && h.CongestedBit > 0 {
			d.CongestedLink = h.HopLink
		}
		d.HopBit, d.CongestedBit = h.HopBit, h.CongestedBit
	}
	s.deliveries = append(s.deliveries, d)
	if len(s.deliveries) == deliveryBatch {
		s.handOver()
	}
}

// handOver gives the deliveries, and their slice, to who asked for them.
func (s *simulator) handOver() {
	s.take(s.deliveries)
	s.deliveries = make([]Delivery, 0, deliveryBatch)
}

// tallyJobs counts the logged deliveries by table. Only runs of several jobs or
// parts need it: the packets of one job are all there are.
func (s *simulator) tallyJobs() {
	for i := range s.log {
		d := &s.log[i]
		s.tally[d.table].add(&JobStats{1, int64(d.hop & countMask), int64(d.congested & countMask)})
	}
}

// RepeatDelivered is Repeat that also hands every delivered packet to take. Packets come in
// the order of the repeats, and within a repeat in the order of its events. Their times may
// step back: by a nanosecond where all links are alike, otherwise by up to the longest
// latency or transmission.
//
// take is called from one goroutine at a time and may keep its argument. An error of take
// ends all repeats. A repeat that is ahead of its turn waits, so memory does not grow with
// the number of packets.
func (s *Simulation) RepeatDelivered(ctx context.Context, first, count, workers int, progress func(),
	take func(repeat int, some []Delivery) error) ([]*Result, error) {
	queues := make([]queue, count)
	for i := range queues {
		queues[i] = queue{make(chan []Delivery, 16), make(chan struct{})}
	}
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return drain(ctx, queues, first, take) })
	var results []*Result
	group.Go(func() (err error) {
		results, err = repeat(ctx, count, workers, progress, func(ctx context.Context, i int) (*Result, error) {
			defer close(queues[i].waiting)
			if ahead := i - workers - 1; ahead >= 0 {
				select {
				case <-queues[ahead].drained:
				case <-ctx.Done():
					return nil, ctx.Err()
				}
			}
			return s.play(ctx, RepeatSeed(s.options.Seed, first+i), func(some []Delivery) {
				select {
				case queues[i].waiting <- some:
				case <-ctx.Done(): // the run will see it too
				}
			})
		})
		return err
	})
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return results, nil
}

// queue holds deliveries of one repeat on their way.
type queue struct {
	waiting chan []Delivery
	drained chan struct{} // closed when all are taken
}

// drain empties the queues one after the other.
func drain(ctx context.Context, queues []queue, first int,
	take func(repeat int, some []Delivery) error) error {
	for i, q := range queues {
		for open := true; open; {
			var some []Delivery
			select {
			case some, open = <-q.waiting:
			case <-ctx.Done():
				return ctx.Err()
			}
			if open {
				if err := take(first+i, some); err != nil {
					return err
				}
			}
		}
		close(q.drained)
	}
	return nil
}
