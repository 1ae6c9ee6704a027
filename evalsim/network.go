package evalsim

import (
	"fmt"
	"math"

	"remap/topology"
)

// channel is one virtual channel of one directed link: its output queue, the
// room it knows of in the next input buffer, and, on virtual channel 0 only,
// the state of the link that all its channels share.
type channel struct {
	freeAt   int64 // link: when it has sent the last byte it began
	creditAt int64 // when the newest returned credit arrives
	delay    int64 // latency in ps, plus the switch traversal when it leads to a switch
	perByte  int64 // transmission time of a byte, in 2^-16 ps
	head     int32 // first queued packet, -1 = none
	tail     int32
	flight   int32 // link: packet whose event is pending, -1 = none
	credits  int32 // bytes free in the next buffer, as known here
	queued   int32 // bytes in the output queue
	to       int32 // switch number it leads to, -1 = a host
	turn     uint8 // link: virtual channel of the packet in flight
}

// counters are one directed link's exact counts.
type counters struct {
	bytes     int64
	packets   int64
	congested int64 // packets that found the port congested when they were queued
	stalled   int64 // ps with a packet ready and the link free but no credit
	area      int64 // queued bytes x ns, summed over packets
	queueMax  int64 // most bytes ever queued
}

// network is a topology laid out for the event loop.
type network struct {
	topology  *topology.Topology
	routes    *topology.Routes
	virtual   int32 // virtual channels a link
	hostLinks int32 // links 0..hostLinks-1 are injection links
	template  []channel
	latency   []int64 // length links, ps: the way of a credit
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
	n.latency = make([]int64, len(t.Links))
	var slowest, farthest int64
	for i, l := range t.Links {
		scaled := 1e12 / l.BytesPerSecond * fixedPoint
		if !(scaled < 1<<40) {
			return nil, fmt.Errorf("link %d of topology %s is slower than 1 MB/s", i, t.Name)
		}
		c := channel{perByte: max(1, int64(math.Round(scaled))), head: -1, tail: -1, flight: -1,
			credits: int32(o.BufferBytes), to: -1, delay: l.Latency.Nanoseconds() * 1000}
		n.latency[i] = c.delay
		if !t.IsHost(l.To) {
			c.to = t.SwitchOf(l.To)
			c.delay += o.SwitchLatency.Nanoseconds() * 1000
		}
		for v := range n.virtual {
			n.template[int32(i)*n.virtual+v] = c
		}
		slowest = max(slowest, c.sendTime(int32(o.PacketBytes)))
		farthest = max(farthest, c.delay)
	}
	n.horizon = 4 * (slowest + farthest)
	return n, nil
}

// fixedPoint is the scale of perByte.
const fixedPoint = 1 << 16

// sendTime is how long the link sends a packet, in ps.
func (c *channel) sendTime(bytes int32) int64 { return int64(bytes) * c.perByte / fixedPoint }
