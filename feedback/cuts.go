package feedback

import (
	"remap/commgraph"
	"remap/topology"
)

// cuts are disjoint sets of nodes. What ranks inside a set send to ranks outside must leave over
// the links that go out, whatever the routing. So its bytes over the sum of the rates of these
// links is a lower bound of the time.
type cuts struct {
	// of (length nodes) is the set of every node, -1 = none.
	of []int32
	// n is the number of sets.
	n int
}

// newCuts are single hosts, then single switches with their hosts, then the groups of every level
// of the machine.
func newCuts(machine *topology.Topology) []cuts {
	nodes := machine.Hosts() + machine.Switches()
	alone := cuts{none(nodes), machine.Hosts()}
	leaf := cuts{none(nodes), machine.Switches()}
	for h := range int32(machine.Hosts()) {
		alone.of[h], leaf.of[h] = h, machine.LeafSwitch(h)
	}
	for sw := range int32(machine.Switches()) {
		leaf.of[machine.NodeOf(sw)] = sw
	}
	all := []cuts{alone, leaf}
	for i := range machine.Levels {
		if level := &machine.Levels[i]; level.Groups() > 1 {
			group := cuts{none(nodes), level.Groups()}
			copy(group.of, level.Group)
			for h, set := range level.Group {
				group.of[machine.NodeOf(machine.LeafSwitch(int32(h)))] = set
			}
			group.grow(machine)
			all = append(all, group)
		}
	}
	return all
}

func none(n int) []int32 {
	of := make([]int32, n)
	for i := range of {
		of[i] = -1
	}
	return of
}

// grow adds switches to sets. A switch joins the set that at least half of its links by rate lead
// to, if that is one set alone; the rate of the links out of the set does not grow then. Any choice
// of sets gives a lower bound; this choice gives a higher one.
func (c *cuts) grow(machine *topology.Topology) {
	for grown := true; grown; {
		grown = false
		for sw := range int32(machine.Switches()) {
			node := machine.NodeOf(sw)
			if c.of[node] >= 0 {
				continue
			}
			rates, whole := map[int32]float64{}, 0.0
			for l, end := machine.Out(node); l < end; l++ {
				link := &machine.Links[l]
				whole += link.BytesPerSecond
				if set := c.of[link.To]; set >= 0 {
					rates[set] += link.BytesPerSecond
				}
			}
			for set, rate := range rates {
				if rate > whole/2 || rate == whole/2 && len(rates) == 1 {
					c.of[node], grown = set, true
				}
			}
		}
	}
}

// seconds are the most that the links out of a set, and into one, need for the traffic of ranks on
// hosts (length ranks). left is the same over both directions at the rates that others leave; it is
// 0 without foreign (length links).
func (c *cuts) seconds(machine *topology.Topology, traffic *commgraph.Traffic, hosts []int32,
	foreign []float64) (out, in, left float64) {
	type direction struct{ bytes, rate, free float64 }
	leaving, coming := make([]direction, c.n), make([]direction, c.n)
	for r := range int32(traffic.Ranks()) {
		from := c.of[hosts[r]]
		for i, end := traffic.Row(r); i < end; i++ {
			if to := c.of[hosts[traffic.Destinations[i]]]; from != to {
				leaving[from].bytes += float64(traffic.Bytes[i])
				coming[to].bytes += float64(traffic.Bytes[i])
			}
		}
	}
	for l := range machine.Links {
		link := &machine.Links[l]
		from, to := c.of[link.From], c.of[link.To]
		if from == to {
			continue
		}
		free := 0.0
		if foreign != nil {
			free = link.BytesPerSecond * max(leastFree, 1-foreign[l])
		}
		if from >= 0 {
			leaving[from].rate += link.BytesPerSecond
			leaving[from].free += free
		}
		if to >= 0 {
			coming[to].rate += link.BytesPerSecond
			coming[to].free += free
		}
	}
	most := func(of []direction) (most float64) {
		for _, d := range of {
			if d.bytes > 0 {
				most = max(most, d.bytes/d.rate)
			}
			if d.bytes > 0 && d.free > 0 {
				left = max(left, d.bytes/d.free)
			}
		}
		return most
	}
	return most(leaving), most(coming), left
}
