package diagnosis

import (
	"remap/linkview"
	"remap/topology"
)

// tree is the congestion trees of a view (Taffet 2018, section 4.1): hot links, and for each where its
// packets meet the next congestion.
type tree struct {
	hot []hotLink
	at  []int32 // length links: index into hot, -1 = not hot
}

// hotLink is a link that many packets find congested.
type hotLink struct {
	link      int32
	congested float64 // fraction of packets
	waits     float64 // packets that found it congested
	use       float64 // of its rate while it was congested, by the traffic in view; NaN = not known
	next      []passage
	root      bool
	host      bool // it leads to a host
}

// passage is where packets of a link go next, if that link is hot: index into tree.hot, and the share of
// the packets.
type passage struct {
	next  int32
	share float64
}

// newTree finds the hot links. Links without a significant number of packets are not, nor are links that
// leave hosts: what backs up into a host has its root elsewhere.
func newTree(t *topology.Topology, v *linkview.View) *tree {
	x := &tree{at: make([]int32, len(t.Links))}
	for i := range v.Links {
		l := &v.Links[i]
		x.at[i] = -1
		if !l.Sampled || !(l.Congested.Low > SuspectFraction) || t.IsHost(t.Links[i].From) {
			continue
		}
		x.at[i] = int32(len(x.hot))
		waits := max(0, l.Congested.Value*l.Packets)
		if l.Packets != l.Packets { // port counters count no packets
			waits = max(0, l.Congested.Value*l.Bytes)
		}
		x.hot = append(x.hot, hotLink{link: int32(i), congested: min(1, l.Congested.Value), waits: waits,
			use: v.Use(t, int32(i)), host: t.IsHost(t.Links[i].To)})
	}
	return x
}

// useWhileCongested is the use of links in the slices in which they were congested: the mean over slices
// of the use, weighted by the packets that found the link congested. Slices have the job's pauses apart,
// so a link that is full in one phase of a step shows as full. Slices in a row are taken together until they
// have slicePackets packets of the link: with few samples a slice, those that happen to have many weigh most.
func (x *tree) useWhileCongested(t *topology.Topology, slices []*linkview.View) {
	for k := range x.hot {
		h := &x.hot[k]
		var parts []linkPart
		var p linkPart
		for i, v := range slices {
			l := &v.Links[h.link]
			p.packets += l.Packets
			p.bytes += l.Bytes
			p.seconds += v.Seconds
			p.waits += l.Congested.Value * l.Packets
			if p.packets >= slicePackets || i == len(slices)-1 {
				parts = append(parts, p)
				p = linkPart{}
			}
		}
		sum, weight := 0.0, 0.0
		for i, p := range parts {
			if i == len(parts)-1 && i > 0 && p.packets < slicePackets {
				continue // what is left over
			}
			if p.waits > 0 {
				sum, weight = sum+p.waits*max(0, p.bytes)/p.seconds, weight+p.waits
			}
		}
		if weight > 0 {
			h.use = sum / weight / t.Links[h.link].BytesPerSecond
		}
	}
}

// linkPart is what was seen of a link in some slices.
type linkPart struct{ packets, bytes, seconds, waits float64 }

// pass adds traffic of a hot link to one that follows it.
func (h *hotLink) pass(next int32, bytes float64) {
	for i := range h.next {
		if h.next[i].next == next {
			h.next[i].share += bytes
			return
		}
	}
	h.next = append(h.next, passage{next, bytes})
}

// followBytes finds how traffic goes on behind hot links where flows are not known: as all bytes that
// leave the end of the link, but for the way back.
func (x *tree) followBytes(t *topology.Topology, v *linkview.View) {
	for k := range x.hot {
		h, through := &x.hot[k], 0.0
		first, end := t.Out(t.Links[h.link].To)
		for m := first; m < end; m++ {
			bytes := v.Links[m].Bytes
			if m == t.Reverse(h.link) || !(bytes > 0) {
				continue
			}
			through += bytes
			if next := x.at[m]; next >= 0 {
				h.pass(next, bytes)
			}
		}
		h.divide(through)
	}
}

// divide makes shares of bytes.
func (h *hotLink) divide(through float64) {
	for i := range h.next {
		h.next[i].share /= through
	}
}

// ownWaits counts only the job's own packets as waiting, in a view of all traffic.
func (x *tree) ownWaits(own *linkview.View) {
	for k := range x.hot {
		h := &x.hot[k]
		l := &own.Links[h.link]
		h.waits = 0
		if w := l.Congested.Value * l.Packets; l.Sampled && w > 0 {
			h.waits = w
		}
	}
}
