package mapping

import "remap/topology"

// LinkClasses puts links that carry the same bytes whatever the mapping, as
// LinkLoads divides them, into one class: in a fat tree all links that lead up
// out of a subtree, and all that lead down into it. Adaptive routing spreads
// over a class, so that what is free on it is free to every message that
// crosses it. Hosts' links, and all links of other networks, are alone.
type LinkClasses struct {
	// Of (length links): class of every link, numbered 0.. in order of their first link.
	Of []int32
	// Sizes (length classes): links in it.
	Sizes []int32
	// Tree: the machine is a fat tree.
	Tree bool
}

// NewLinkClasses is LinkClasses for MinimalRouting.
func NewLinkClasses(machine *topology.Topology) *LinkClasses {
	return MinimalRouting.LinkClasses(machine)
}

// LinkClasses takes O(links). Under StaticRouting every link is alone.
func (r RoutingModel) LinkClasses(machine *topology.Topology) *LinkClasses {
	k := &LinkClasses{Of: make([]int32, len(machine.Links))}
	var tree *topology.Subtrees
	if r != StaticRouting {
		tree = machine.Subtrees()
	}
	k.Tree = tree != nil
	type group struct {
		subtree int32 // that the link leads out of or into
		down    bool
	}
	known := map[group]int32{}
	for l := range machine.Links {
		link := &machine.Links[l]
		k.Of[l] = int32(len(k.Sizes))
		if tree != nil && !machine.IsHost(link.From) && !machine.IsHost(link.To) {
			from, to := machine.SwitchOf(link.From), machine.SwitchOf(link.To)
			below := group{tree.Top[from], tree.Level[from] > tree.Level[to]}
			if below.down {
				below.subtree = tree.Top[to]
			}
			if class, met := known[below]; met {
				k.Of[l] = class
				k.Sizes[class]++
				continue
			}
			known[below] = k.Of[l]
		}
		k.Sizes = append(k.Sizes, 1)
	}
	return k
}

// Mean replaces every value (length links) by the mean over its class.
func (k *LinkClasses) Mean(values []float64) []float64 {
	sums := make([]float64, len(k.Sizes))
	for l, v := range values {
		sums[k.Of[l]] += v
	}
	mean := make([]float64, len(values))
	for l, class := range k.Of {
		mean[l] = sums[class] / float64(k.Sizes[class])
	}
	return mean
}
