package evalsim

import (
	"remap/sampling"
	"remap/topology"
)

// What packets carry, in the order of how it is done.
const (
	carriesNothing = iota // exact counts of hops alone
	carriesTwo            // two reservoirs of one link, in packet.hop and packet.congested
	carriesLess           // the same, with counters of fewer bits
	carriesOne            // one: packet.congested holds whether its link was congested, as bit sampledCongested
	carriesWide           // what does not fit in a packet is in carrier.headers
)

const sampledCongested = 1 << 8 // of packet.congested

// carrier is what packets carry and what receivers do with it. A hashed bit is
// computed when the packet arrives, from the link that its reservoir holds: it
// is the one that the switch of that link would have put there.
type carrier struct {
	carries    int
	limit      uint32 // of the hop counters that receivers see
	hashed     bool   // receivers see bits in place of links
	ticketed   bool   // they must know whose packet it is
	atOnce     bool   // the log does not say all that they need of a delivery
	named      bool   // packets have identities or headers
	device     *sampling.Switch
	receiver   *sampling.Receiver
	ids        []uint32          // by packet: its identity; nil where none is needed
	headers    []sampling.Header // by packet, wide variants
	next       []uint32          // length flows: number of the next packet, for identities
	identities sampling.Identities
	tickets    []ticket         // as simulator.log, if ticketed
	arriving   sampling.Packet  // scratch
	blocks     []sampling.Block // two a message, modulo maxBlocks; hashed variants
}

// ticket is what a receiver needs to correct a logged delivery.
type ticket struct{ in, out int32 } // injection and ejection link

// newCarrier is for one simulator, which has an own stream of chance for it.
func newCarrier(n *network, v sampling.Variant, flows int, sampler *sampling.Random) carrier {
	c := carrier{limit: uint32(v.Limit()), hashed: v.Hashed()}
	switch {
	case v.Kind == sampling.Off:
		return c
	case v.Wide():
		c.carries, c.device = carriesWide, sampling.NewSwitch(v, n.links, sampler)
	case v.Kind == sampling.OneReservoir:
		c.carries = carriesOne
	case c.limit < countMask:
		c.carries = carriesLess
	default:
		c.carries = carriesTwo
	}
	c.ticketed = n.ways != nil && c.carries != carriesWide && !c.hashed
	c.atOnce = c.hashed || c.ticketed || c.carries == carriesWide
	c.named = c.hashed || c.carries == carriesWide
	c.receiver = sampling.NewReceiver(v, n.links, n.paths, 0)
	if c.limit < countMask && n.ways != nil {
		c.receiver.Correct(n.ways.Place)
	}
	if v.Hashed() || v.Kind == sampling.Bloom {
		c.next, c.ids = make([]uint32, flows), []uint32{}
	}
	return c
}

// reset forgets the last run.
func (c *carrier) reset(seed uint64) {
	clear(c.next)
	c.identities = sampling.NewIdentities(seed ^ 0x69646e73)
	c.tickets, c.blocks = c.tickets[:0], c.blocks[:0]
}

// begin gives a new packet its identity and an empty header.
func (s *simulator) begin(p, flow int32) {
	if s.ids != nil {
		for len(s.ids) <= int(p) {
			s.ids = append(s.ids, 0)
		}
		s.ids[p] = s.identities.Next(&s.next[flow])
	}
	if s.carries == carriesWide {
		for len(s.headers) <= int(p) {
			s.headers = append(s.headers, sampling.Header{})
		}
		s.headers[p].Reset(s.options.Sampling)
	}
}

// crossOther is cross for what is not two reservoirs of one link with counters
// of eight bits.
func (s *simulator) crossOther(p int32, pk *packet, link int32, congested bool) {
	switch s.carries {
	case carriesLess:
		if s.keeps(pk.hop) {
			pk.hop = uint32(link)<<8 | pk.hop&countMask
		}
		if congested && s.keeps(pk.congested) {
			pk.congested = uint32(link)<<8 | pk.congested&countMask
		}
	case carriesWide:
		id := uint32(0)
		if s.ids != nil {
			id = s.ids[p]
		}
		s.device.Cross(&s.headers[p], id, link, congested)
	}
	pk.hop = counted(pk.hop)
	if congested {
		pk.congested = counted(pk.congested)
	}
}

// keepOnce counts a link into the only reservoir, and puts it there, with whether
// it is congested, with probability 1/count.
func keepOnce(hop, found uint32, link int32, congested bool, limit, random uint32) (uint32, uint32) {
	now := uint32(0)
	if congested {
		now = 1
	}
	count := hop & countMask
	if uint64(random)*uint64(min(count, limit)+1)>>32 == 0 {
		hop, found = uint32(link)<<8|count, found&^sampledCongested|now*sampledCongested
	}
	return counted(hop), found + now&^((found&countMask+1)>>8)
}

// keeps decides whether one more link replaces what a reservoir holds.
func (s *simulator) keeps(reservoir uint32) bool {
	return sampling.Keeps(uint8(min(reservoir&countMask, s.limit)), &s.sampler)
}

// layPaths makes ready what receivers know of the links that packets may cross,
// as far as the variant needs it.
func (n *network) layPaths(o *Options) {
	v := o.Sampling
	guess := v.Hashed() || v.Kind == sampling.Bloom
	if !guess && (v.Kind == sampling.Off || v.Limit() == countMask) {
		return
	}
	n.ways = topology.NewPathLinks(n.topology, o.Routing.nonMinimal())
	n.paths = n.ways.Between
	if v.Unpruned {
		all := n.ways.All()
		n.paths = func(_, _ int32) []sampling.Range { return all }
	}
}
