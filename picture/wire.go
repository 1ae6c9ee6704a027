package picture

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"remap/linkview"
	"remap/topology"
)

// wire is all links from one switch to another, which are drawn as one.
type wire struct {
	from, to int32 // switch numbers
	links    []int32
}

// wires are the wires between the shown switches, by sender and then receiver.
func wires(t *topology.Topology, shown func(sw int32) bool) []wire {
	var all []wire
	for from := range int32(t.Switches()) {
		if !shown(from) {
			continue
		}
		first, end := t.Out(t.NodeOf(from))
		links := make([]int32, 0, end-first)
		for l := first; l < end; l++ {
			if to := t.Links[l].To; !t.IsHost(to) && shown(t.SwitchOf(to)) {
				links = append(links, l)
			}
		}
		slices.SortStableFunc(links, func(a, b int32) int { return int(t.Links[a].To - t.Links[b].To) })
		for len(links) > 0 {
			n := 1
			for n < len(links) && t.Links[links[n]].To == t.Links[links[0]].To {
				n++
			}
			all = append(all, wire{from, t.SwitchOf(t.Links[links[0]].To), links[:n:n]})
			links = links[n:]
		}
	}
	return all
}

// load is what a view has of some links together.
type load struct {
	links int
	// rate, capacity: bytes per second; rate is NaN if not known
	rate, capacity float64
	// congested is the mean congested fraction of the links that are known, weighted by their bytes;
	// NaN if none is. worst is the largest, of worstLink.
	congested, worst float64
	worstLink        int32
	low, high        float64 // interval of congested, of one link
}

// idle tells whether the links are known to carry nothing, and congestion is not known to be there.
func (l *load) idle() bool { return l.rate == 0 && !(l.congested > 0) }

// use is the share of the capacity that is used; 1 where it is not known.
func (l *load) use() float64 {
	if math.IsNaN(l.rate) || l.capacity == 0 {
		return 1
	}
	return min(1, l.rate/l.capacity)
}

// loadOf adds the links up.
func loadOf(t *topology.Topology, v *linkview.View, links []int32) load {
	sum := load{links: len(links), congested: math.NaN(), worst: math.NaN(), low: math.NaN(), worstLink: -1}
	weights, weighted, plain, known := 0.0, 0.0, 0.0, 0
	for _, l := range links {
		link := &v.Links[l]
		if link.Bytes > 0 || math.IsNaN(link.Bytes) { // the time may not be known
			sum.rate += v.BytesPerSecond(l)
		}
		sum.capacity += t.Links[l].BytesPerSecond
		c := link.Congested.Value
		if math.IsNaN(c) {
			continue
		}
		c = min(1, max(0, c))
		if !(sum.worst >= c) {
			sum.worst, sum.worstLink = c, l
		}
		known++
		plain += c
		if bytes := math.Max(0, link.Bytes); bytes > 0 {
			weights, weighted = weights+bytes, weighted+bytes*c
		}
	}
	switch {
	case weights > 0:
		sum.congested = weighted / weights
	case known > 0:
		sum.congested = plain / float64(known)
	}
	if len(links) == 1 {
		sum.low, sum.high = v.Links[links[0]].Congested.Low, v.Links[links[0]].Congested.High
	}
	return sum
}

// String is the load in words: "61 of 100 Gb/s, congested 0.83 (0.80 to 0.86)".
func (l *load) String() string {
	var b strings.Builder
	if l.links > 1 {
		fmt.Fprintf(&b, "%d links, ", l.links)
	}
	switch {
	case l.idle():
		b.WriteString("no traffic")
		return b.String()
	case math.IsNaN(l.rate):
		fmt.Fprintf(&b, "rate not known, of %s Gb/s", gbps(l.capacity))
	default:
		fmt.Fprintf(&b, "%s of %s Gb/s", gbps(l.rate), gbps(l.capacity))
	}
	switch {
	case math.IsNaN(l.congested):
		b.WriteString(", congestion not seen")
	case l.low < l.high:
		fmt.Fprintf(&b, ", congested %.2f (%.2f to %.2f)", l.congested, max(0, l.low), min(1, l.high))
	default:
		fmt.Fprintf(&b, ", congested %.2f", l.congested)
	}
	if l.links > 1 && l.worst > l.congested {
		fmt.Fprintf(&b, ", worst %.2f", l.worst)
	}
	return b.String()
}

// gbps is a rate for people: three digits.
func gbps(bytesPerSecond float64) string {
	x := bytesPerSecond * 8 / 1e9
	switch {
	case x >= 100:
		return fmt.Sprintf("%.0f", x)
	case x >= 10:
		return strings.TrimSuffix(fmt.Sprintf("%.1f", x), ".0")
	}
	return strings.TrimSuffix(fmt.Sprintf("%.2f", x), ".00")
}

// linkIDs are the IDs of links, of the first eight.
func linkIDs(links []int32) string {
	var b strings.Builder
	for i, l := range links[:min(len(links), 8)] {
		if i > 0 {
			b.WriteByte(' ')
		}
		fmt.Fprintf(&b, "l%d", l)
	}
	return b.String()
}
