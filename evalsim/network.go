package evalsim

import (
	"fmt"
	"math"

	"remap/topology"
)

// channel is one virtual channel of one directed link: its output queue, the
// room it knows of in the next input buffer, its counts and, on virtual
// channel 0 only, the state of the link that all its channels share.
// It fills one cache line.
type channel struct {
	freeAt    int64  // link: when it has sent the last byte it began
	creditAt  int64  // when the newest returned credit arrives
	area      int64  // queued bytes x 1.024 ns, summed over packets
	head      int32  // first queued packet, -1 = none
	tail      int32  // last queued packet
	flight    int32  // link: packet whose event is pending, -1 = none
	credits   int32  // bytes free in the next buffer, as known here
	queued    int32  // bytes in the output queue
	to        int32  // switch number it leads to, -1 = a host
	packets   uint32 // packets sent
	congested uint32 // packets that found the port congested when they were queued
	newest    int32  // bytes of the newest returned credit
	class     uint16 // index into network.classes
	turn      uint16 // link: virtual channel of the packet in flight
}

// class is what links of one kind have in common.
type class struct {
	perByte int64 // transmission time of a byte, in 2^-16 ps
	full    int64 // transmission time of a full packet, ps
	delay   int64 // latency in ps, plus the switch traversal when the link leads to a switch
	latency int64 // ps: the way of a credit
}

// network is a topology laid out for the event loop.
type network struct {
	topology  *topology.Topology
	routes    *topology.Routes
	virtual   int32 // virtual channels a link
	hostLinks int32 // links 0..hostLinks-1 are injection links
	template  []channel
	classes   []class
	links     int
	origin    []int32 // length links: switch number it comes from, -1 = a host
	horizon   int64   // longest time from making an event to its happening, ps
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
	if err := n.checkBuffers(o); err != nil {
		return nil, err
	}
	known := map[class]uint16{}
	var slowest, farthest int64
	for i := range t.Links {
		l := &t.Links[i]
		kind, err := classOf(t, l, o)
		if err != nil {
			return nil, fmt.Errorf("link %d of topology %s: %w", i, t.Name, err)
		}
		number, ok := known[kind]
		if !ok {
			if len(n.classes) > math.MaxUint16 {
				return nil, fmt.Errorf("topology %s has more than 65,536 kinds of links", t.Name)
			}
			number = uint16(len(n.classes))
			known[kind], n.classes = number, append(n.classes, kind)
		}
		n.origin[i] = -1
		if !t.IsHost(l.From) {
			n.origin[i] = t.SwitchOf(l.From)
		}
		c := channel{head: -1, tail: -1, flight: -1, credits: int32(o.BufferBytes), to: -1, class: number}
		if !t.IsHost(l.To) {
			c.to = t.SwitchOf(l.To)
		}
		for v := range n.virtual {
			n.template[int32(i)*n.virtual+v] = c
		}
		slowest, farthest = max(slowest, kind.full), max(farthest, kind.delay)
	}
	n.horizon = 4 * (slowest + farthest)
	return n, nil
}

// checkBuffers refuses buffers so large that the packets of all inputs of a
// switch, queued at one output, could not be counted in 31 bits.
func (n *network) checkBuffers(o *Options) error {
	inputs := make([]int64, n.topology.Hosts()+n.topology.Switches())
	for i := range n.topology.Links {
		to := n.topology.Links[i].To
		if inputs[to]++; inputs[to]*int64(n.virtual)*int64(o.BufferBytes) > math.MaxInt32 {
			return fmt.Errorf("buffer bytes %d: %s has so many links that its buffers would exceed 2 GiB in all", o.BufferBytes, n.topology.NodeName(to))
		}
	}
	return nil
}

func classOf(t *topology.Topology, l *topology.Link, o *Options) (class, error) {
	scaled := 1e12 / l.BytesPerSecond * fixedPoint
	if !(scaled < 1<<40) {
		return class{}, fmt.Errorf("slower than 0.06 MB/s")
	}
	c := class{perByte: max(1, int64(math.Round(scaled))), latency: l.Latency.Nanoseconds() * 1000}
	c.delay = c.latency
	if !t.IsHost(l.To) {
		c.delay += o.SwitchLatency.Nanoseconds() * 1000
	}
	c.full = c.sendTime(int32(o.PacketBytes))
	return c, nil
}

// fixedPoint is the scale of perByte.
const fixedPoint = 1 << 16

// sendTime is how long the link sends a packet, in ps.
func (c *class) sendTime(bytes int32) int64 { return int64(bytes) * c.perByte / fixedPoint }
