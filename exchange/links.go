package exchange

import (
	"remap/mapping"
	"remap/topology"
)

// links are the directed links of a network in classes of links that carry the same bytes under
// every mapping: in fat trees all links up out of a subtree, and all links down into it; elsewhere
// each link alone. Only links that an allocated host may use count.
type links struct {
	// slowest (length classes) is the seconds that a byte in the class takes on its slowest link.
	slowest []float64
	// spread (phases x classes) is the sum over the class's links of what a byte counts
	// (load.measure).
	spread [][]float64
	// seconds is the time that a byte takes on a link.
	seconds func(link int32) float64
	// price is what a link adds to spread, if a byte of the class takes `seconds` on it and is its
	// `part` of the class.
	price func(phase int, seconds, part float64) float64
	// rails (length hosts): classes rails[h]+i are the i-th injection links of host h; its ejection
	// links follow. -1 = not allocated.
	rails []int32

	// static: every pair of hosts has one route, so that each link is a class.
	static bool
	// tree is nil in networks that are no fat trees, and where static.
	tree *topology.Subtrees
	// class (length links) is the class of a link between switches; nil with a tree.
	class []int32
	// bottom is the class of the links up out of subtree 0 in trees. The links down into it follow,
	// then those of subtree 1.
	bottom int32
	// low (levels x sites) is the subtree of a site; nil unless there is a tree and hosts have one
	// rail.
	low [][]int32
}

func newLinks(p *mapping.Problem, s *sites) *links {
	machine := p.Machine
	var limits []float64 // seconds, of Capacity, by phase
	if p.Objective == mapping.Capacity {
		limits = p.PhaseSeconds()
	}
	k := &links{rails: make([]int32, machine.Hosts()), static: p.Routing == mapping.StaticRouting,
		spread: make([][]float64, max(1, len(p.Phases)))}
	if !k.static {
		k.tree = machine.Subtrees()
	}
	share := 1.0
	if p.Traffic == nil {
		share = 0.5 // the whole weight of every edge is carried each way
	}
	k.seconds = func(link int32) float64 {
		free := 1.0
		if p.LinkFree != nil {
			free = max(p.LinkFree[link], leastFree)
		}
		return share / (machine.Links[link].BytesPerSecond * free)
	}
	k.price = func(phase int, seconds, part float64) float64 {
		if limits == nil {
			return seconds * seconds
		}
		return share * part * power(seconds/limits[phase], mapping.CapacityPower)
	}
	for h := range k.rails {
		k.rails[h] = -1
	}
	for _, h := range s.host {
		if k.rails[h] >= 0 {
			continue
		}
		k.rails[h] = int32(len(k.slowest))
		first, end := machine.Out(h)
		for l := first; l < end; l++ {
			k.add(k.seconds(l))
		}
		for _, l := range machine.Ejection(h) {
			k.add(k.seconds(l))
		}
	}
	if k.tree != nil {
		k.addSubtrees(machine)
		k.low = bySite(k.tree, machine, s)
		return k
	}
	k.class = make([]int32, len(machine.Links))
	for l := range machine.Links {
		if link := &machine.Links[l]; !machine.IsHost(link.From) && !machine.IsHost(link.To) {
			k.class[l] = k.add(k.seconds(int32(l)))
		}
	}
	return k
}

// power multiplies. Unlike math.Pow it is exact when x is doubled.
func power(x float64, times int) float64 {
	product := 1.0
	for range times {
		product *= x
	}
	return product
}

// add makes a class of one link.
func (k *links) add(seconds float64) int32 {
	k.slowest = append(k.slowest, seconds)
	for i := range k.spread {
		k.spread[i] = append(k.spread[i], k.price(i, seconds, 1))
	}
	return int32(len(k.slowest) - 1)
}

// addSubtrees makes two classes for every subtree: up out of it, down into it.
func (k *links) addSubtrees(machine *topology.Topology) {
	k.bottom = int32(len(k.slowest))
	for _, upward := range k.tree.Up {
		up := int32(len(k.slowest))
		k.slowest = append(k.slowest, 0, 0)
		for i := range k.spread {
			k.spread[i] = append(k.spread[i], 0, 0)
		}
		for _, l := range upward {
			k.join(up, l, len(upward))
			k.join(up+1, machine.Reverse(l), len(upward))
		}
	}
}

// join puts a link into a class of `count` links.
func (k *links) join(class, link int32, count int) {
	part := 1 / float64(count)
	seconds := k.seconds(link) * part
	k.slowest[class] = max(k.slowest[class], seconds)
	for i := range k.spread {
		k.spread[i][class] += k.price(i, seconds, part)
	}
}
