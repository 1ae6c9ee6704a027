package evalsim_test

import (
	"fmt"
	"math"
	"testing"

	"remap/evalsim"
	"remap/topology"
)

// upPackets are the packets on the links from the first leaf to the spines.
func upPackets(top *topology.Topology, r *evalsim.Result) (packets []int64) {
	first, end := top.Out(top.NodeOf(0))
	for l := first; l < end; l++ {
		if !top.IsHost(top.Links[l].To) {
			packets = append(packets, r.Links[l].Packets)
		}
	}
	return packets
}

// Packets that come to a switch at the same time see each other: as many as it
// has equal links take one each.
func TestAdaptiveSpreadsABatch(t *testing.T) {
	for _, links := range []int{8, 16, 30} {
		top := leavesAndSpines(t, links)
		var sends [][3]int
		for h := range links {
			sends = append(sends, [3]int{h, links + h, 4096})
		}
		for l, n := range upPackets(top, run(t, top, program(top.Hosts(), sends...), evalsim.DefaultOptions())) {
			if n != 1 {
				t.Errorf("%d links: link %d carries %d packets, one for each is there", links, l, n)
			}
		}
	}
}

// A switch uses all of its next hops alike, also when there are more than a word
// has bits; under hashing that holds for flows, each of which keeps to one.
func TestManyNextHops(t *testing.T) {
	for _, links := range []int{60, 63, 64, 65, 70} {
		t.Run("", func(t *testing.T) { manyNextHops(t, links) })
	}
}

func manyNextHops(t *testing.T, links int) {
	top := leavesAndSpines(t, links)
	const packets = 60
	var sends [][3]int
	for h := range links {
		sends = append(sends, [3]int{h, links + h, packets * 4096})
	}
	for _, routing := range []evalsim.Routing{evalsim.Adaptive, evalsim.TwoChoices, evalsim.RandomPacket,
		evalsim.FlowHash, evalsim.Static} {
		up := upPackets(top, run(t, top, program(top.Hosts(), sends...),
			options(func(o *evalsim.Options) { o.Routing = routing })))
		if len(up) != links {
			t.Fatalf("%d links up, want %d", len(up), links)
		}
		used, x := 0, 0.0
		for _, n := range up {
			if n > 0 {
				used++
			}
			x += math.Pow(float64(n-packets), 2) / packets
			switch {
			case routing == evalsim.FlowHash && n%packets != 0:
				t.Errorf("%v: a link carries %d packets, flows have %d", routing, n, packets)
			case routing == evalsim.Static && n != packets:
				t.Errorf("%v: a link carries %d packets, want those of one host", routing, n)
			}
		}
		// Of n flows on n links, 1 - 1/e of the links have one.
		if routing == evalsim.FlowHash && (float64(used) < 0.5*float64(links) || used == links) {
			t.Errorf("%v: %d of %d links are used", routing, used, links)
		}
		// Chi-square has links - 1 degrees of freedom where links are drawn, and is less where load counts.
		if limit := float64(links) + 6*math.Sqrt(2*float64(links)); routing < evalsim.FlowHash && x > limit {
			t.Errorf("%v: packets on %d links differ from %d by chi-square %g, limit "+
				"%g: %v", routing, links, packets, x, limit, up)
		}
	}
}

// leavesAndSpines are two leaf switches with as many hosts each as there are spines.
func leavesAndSpines(t *testing.T, spines int) *topology.Topology {
	t.Helper()
	return network(t, fmt.Sprintf("fattree:nodes-per-leaf=%d,leaves-per-pod=2,pods=1,aggs-per-pod=%d,"+
		"cores=0", spines, spines))
}
