package evalsim

import (
	"fmt"
	"math"
	"time"

	"remap/sampling"
	"remap/topology"
)

// channel is one virtual channel of one directed link: its output queue, the
// room it knows of in the next input buffer, its counts and, on virtual
// channel 0 only, the state of the link that all its channels share.
// It fills one cache line.
type channel struct {
	freeAt  int64   // link: when it has sent the last byte it began
	due     int64   // when the newest credit arrives
	area    float64 // queued bytes x ps, summed over packets
	head    int32   // first queued packet, -1 = none
	tail    int32   // last queued packet; meaningless when there is none
	flight  int32   // link: packet whose event is pending, -1 = none
	credits int32   // bytes free in the next buffer, counting credits on their way; see credits.go
	owed    int32   // bytes of the newest credit
	queued  int32   // bytes in the output queue
	peak    int32   // link: most bytes waiting at a time, over all its channels
	packets uint32  // packets sent
	leads   int32   // switch number it leads to, -1 = a host
	class   uint16  // index into network.classes
	turn    uint8   // link: virtual channel of the packet sent last
	flags   uint8   // link: isWaiting, isChoice, isApart, hasLeft; channel: isOwedMore
}

// Flags of links, but for the last one.
const (
	isWaiting  = 1 << iota // at rest with a packet that no credit allows yet
	isChoice               // one of several candidates somewhere: its load is asked for
	isApart                // busy with a packet that leaves apart, see apart.go
	hasLeft                // packets that left apart are on their way: it may send the next
	isOwedMore             // of a channel: credits before the newest may be on their way
)

// isBusy tells whether a link may not send: what it sends has not landed or, apart, not left.
func (c *channel) isBusy() bool { return c.flight >= 0 && c.flags&hasLeft == 0 }

// class is what links of one kind have in common. Times in ps.
type class struct {
	full     int64 // transmission of a full packet
	arrive   int64 // from the first byte of a full packet to its event
	perByte  int64 // transmission of a byte, in 2^-16 ps
	delay    int64 // latency, plus the switch traversal when the link leads to a switch
	latency  int64 // the way of a credit
	wholly   bool  // the event waits for the last byte: into hosts, and under store-and-forward
	endpoint bool  // leads to a host
	apart    bool  // a full packet's last byte leaves apart from its landing, see apart.go
	early    bool  // every packet's does; see classOf
}

// group is a set of candidate links of a next hop.
type group struct {
	first   int32 // link, the others follow it; scattered ones: index in network.scattered
	count   int16 // links; negative: so many scattered ones
	virtual int16 // virtual channel; of scattered ones that of the first
}

// tie tells whether a group is that of a switch half-way round a ring: the only
// ones whose links are used on different virtual channels (topology.GridRoute).
func (n *network) tie(g group) bool {
	return g.count == -2 && n.scatteredVirtual[g.first] != n.scatteredVirtual[g.first+1]
}

// interval is a topology.Interval ready for the event loop: destination number
// low+d, d < span, takes group base + d x scale / 2^32, any other takes group up.
type interval struct {
	scale     uint64
	low, span uint32
	up, base  int32
}

// network is a topology laid out for the event loop.
type network struct {
	topology  *topology.Topology
	routes    *topology.Routes
	virtual   int32 // virtual channels a link
	hostLinks int32 // links 0..hostLinks-1 are injection links
	template  []channel
	classes   []class
	classAt   table[class] // of classes
	groups    []group      // as in topology.Routes
	groupAt   table[group] // of groups
	scattered []int32      // links of groups whose numbers are not consecutive

	// scatteredVirtual is the virtual channel of every scattered link.
	scatteredVirtual []uint8
	intervals        []interval // as in topology.Routes, or nil
	links            int
	roomy            bool                // of credits on their way the newest is timed, see credits.go
	mixed            bool                // links have different rates
	origin           []int32             // length links: switch number it comes from, -1 = a host
	memory           []float64           // length hosts: rate of its memory, bytes a ps
	horizon          int64               // longest time from making an event to its happening, ps
	ways             *topology.PathLinks // nil where receivers need not know
	paths            sampling.Paths      // nil where receivers need not know
}

func layOut(t *topology.Topology, o *Options) (*network, error) {
	if t.Routes == nil {
		return nil, fmt.Errorf("topology %s has no routes", t.Name)
	}
	n := &network{topology: t, routes: t.Routes, virtual: t.Routes.VirtualChannels}
	if t.Hosts() > 0 {
		_, n.hostLinks = t.Out(int32(t.Hosts() - 1))
	}
	n.template = make([]channel, len(t.Links)*int(n.virtual))
	n.links, n.origin = len(t.Links), make([]int32, len(t.Links))
	if err := n.checkRouting(o); err != nil {
		return nil, err
	}
	if err := n.checkBuffers(o); err != nil {
		return nil, err
	}
	if err := n.layGroups(); err != nil {
		return nil, err
	}
	n.layIntervals()
	n.layPaths(o)
	if err := n.layLinks(o); err != nil {
		return nil, err
	}
	return n, nil
}

// layLinks makes the channels and classes of all links, and the horizon.
func (n *network) layLinks(o *Options) error {
	t := n.topology
	known := map[class]uint16{}
	var slowest, farthest int64
	nearest := longestLatency
	for i := range t.Links {
		nearest = min(nearest, t.Links[i].Latency)
	}
	for i := range t.Links {
		l := &t.Links[i]
		kind, err := classOf(t, l, o, nearest)
		if err != nil {
			return fmt.Errorf("link %d of topology %s: %w", i, t.Name, err)
		}
		number, ok := known[kind]
		if !ok {
			if len(n.classes) > math.MaxUint16 {
				return fmt.Errorf("topology %s has more than 65,536 kinds of links", t.Name)
			}
			number = uint16(len(n.classes))
			known[kind], n.classes = number, append(n.classes, kind)
		}
		n.origin[i] = -1
		if !t.IsHost(l.From) {
			n.origin[i] = t.SwitchOf(l.From)
		}
		c := channel{head: -1, tail: -1, flight: -1, credits: int32(o.BufferBytes), leads: -1, class: number}
		if !kind.endpoint {
			c.leads = t.SwitchOf(l.To)
		}
		n.mixed = n.mixed || kind.perByte != n.classes[0].perByte
		for v := range n.virtual {
			c.flags = n.template[int32(i)*n.virtual+v].flags
			n.template[int32(i)*n.virtual+v] = c
		}
		slowest, farthest = max(slowest, kind.full), max(farthest, kind.delay)
	}
	n.classAt = tableOf(n.classes)
	if err := n.timeCredits(o); err != nil {
		return err
	}
	for h := range int32(t.Hosts()) {
		n.memory = append(n.memory, o.MemoryRate(t, h)/1e12)
	}
	// A rank that goes on as soon as a message has left may be ahead by one on
	// each of its host's rails.
	n.horizon = 4*(slowest+farthest) + mostRails(t)*slowest
	return nil
}

// mostRails is the most rails a host has.
func mostRails(t *topology.Topology) int64 {
	rails := int32(0)
	for h := range int32(t.Hosts()) {
		first, end := t.Out(h)
		rails = max(rails, end-first)
	}
	return int64(rails)
}

// layGroups copies the routes' groups: links with consecutive numbers, as all
// up-links of a switch have, are known by the first.
func (n *network) layGroups() error {
	r := n.routes
	n.groups = make([]group, max(0, len(r.Offsets)-1))
	n.groupAt = tableOf(n.groups)
	for i := range n.groups {
		channels := r.Channels[r.Offsets[i]:r.Offsets[i+1]]
		count := len(channels)
		if count == 0 {
			continue
		}
		if count > math.MaxInt16 {
			return fmt.Errorf("topology %s: a switch has %d next hops, more than %d",
				n.topology.Name, count, math.MaxInt16)
		}
		g := group{first: channels[0] / n.virtual, count: int16(count), virtual: int16(channels[0] % n.virtual)}
		for k, c := range channels {
			if c != channels[0]+int32(k)*n.virtual || k >= 64 {
				g.first, g.count = int32(len(n.scattered)), -int16(count)
				for _, c := range channels {
					n.scattered = append(n.scattered, c/n.virtual)
					n.scatteredVirtual = append(n.scatteredVirtual, uint8(c%n.virtual))
				}
				break
			}
		}
		n.groups[i] = g
		if count > 1 {
			for _, c := range channels {
				n.template[c-c%n.virtual].flags |= isChoice
			}
		}
	}
	return nil
}

// layIntervals replaces divisions by multiplications, which are exact for
// numerators and divisors of 16 bits; other networks stay without.
func (n *network) layIntervals() {
	for _, iv := range n.routes.Intervals {
		divide := uint64(max(1, iv.Divide))
		span := uint32(iv.High - iv.Low)
		if span >= 1<<16 || divide >= 1<<16 {
			n.intervals = nil
			return
		}
		n.intervals = append(n.intervals, interval{(1<<32 + divide - 1) / divide, uint32(iv.Low), span, iv.Up,
			iv.Base})
	}
}

// checkBuffers refuses buffers so large that the packets of all inputs of a
// switch, queued at one output, could not be counted in 31 bits.
func (n *network) checkBuffers(o *Options) error {
	inputs := make([]int64, n.topology.Hosts()+n.topology.Switches())
	for i := range n.topology.Links {
		to := n.topology.Links[i].To
		if inputs[to]++; inputs[to]*int64(n.virtual)*int64(o.BufferBytes) > math.MaxInt32 {
			return fmt.Errorf("buffer bytes %d: %s has so many links that its buffers would exceed 2 GiB in all",
				o.BufferBytes, n.topology.NodeName(to))
		}
	}
	return nil
}

// classOf is what a link is like; nearest is the least latency of all links.
func classOf(t *topology.Topology, l *topology.Link, o *Options, nearest time.Duration) (class, error) {
	scaled := 1e12 / l.BytesPerSecond * fixedPoint
	if !(scaled < 1<<40) {
		return class{}, fmt.Errorf("slower than 0.06 MB/s")
	}
	if l.Latency > longestLatency {
		return class{}, fmt.Errorf("latency %v, more than %v", l.Latency, longestLatency)
	}
	c := class{perByte: max(1, int64(math.Round(scaled))), latency: l.Latency.Nanoseconds() * 1000,
		endpoint: t.IsHost(l.To)}
	c.full = c.sendTime(int32(o.PacketBytes))
	c.delay = c.latency
	if !c.endpoint {
		c.delay += o.SwitchLatency.Nanoseconds() * 1000
	}
	c.arrive = c.delay
	if c.wholly = c.endpoint || o.Switching == StoreAndForward; c.wholly {
		c.arrive += c.full
	}
	c.early = c.wholly && (!c.endpoint || l.Latency > nearest)
	c.apart = c.leavesApart(c.full)
	return c, nil
}

// leavesApart tells whether a packet that takes a time to send must free its link
// before it lands.
func (c *class) leavesApart(time int64) bool { return c.early || !c.wholly && c.delay > time }

// fixedPoint is the scale of perByte.
const fixedPoint = 1 << 16

// sendTime is how long the link sends a packet, in ps.
func (c *class) sendTime(bytes int32) int64 { return int64(bytes) * c.perByte / fixedPoint }
