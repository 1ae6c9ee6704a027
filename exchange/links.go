package exchange

import (
	"remap/mapping"
	"remap/topology"
)

// links are the directed links of a network in classes of those that always
// carry the same bytes: in fat trees all links up out of a subtree and all links
// down into it, each link alone elsewhere. Only links that an allocated host
// may use count.
type links struct {
	slowest []float64 // length classes: seconds a byte in the class takes on its slowest link
	squares []float64 // length classes: sum over its links of those seconds squared
	rails   []int32   // length hosts: classes rails[h]+i are the i-th injection links of host h, then follow its ejection links; -1 = not allocated

	tree   *tree
	class  []int32   // length links: class of a link between switches; nil in trees
	bottom int32     // class of the links up out of subtree 0 in trees; down follows, then subtree 1
	low    [][]int32 // levels x sites: subtree; nil unless a tree of hosts with one rail
}

// leastFree is the share of a link that counts when others leave less.
const leastFree = 1e-9

func newLinks(p *mapping.Problem, s *sites) *links {
	machine := p.Machine
	k := &links{rails: make([]int32, machine.Hosts()), tree: newTree(machine)}
	share := 1.0
	if p.Traffic == nil {
		share = 0.5 // the whole weight of every edge is carried each way
	}
	seconds := func(link int32) float64 {
		free := 1.0
		if p.LinkFree != nil {
			free = max(p.LinkFree[link], leastFree)
		}
		return share / (machine.Links[link].BytesPerSecond * free)
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
			k.add(seconds(l))
		}
		for _, l := range machine.Ejection(h) {
			k.add(seconds(l))
		}
	}
	if k.tree != nil {
		k.addSubtrees(machine, seconds)
		k.low = k.tree.bySite(machine, s)
		return k
	}
	k.class = make([]int32, len(machine.Links))
	for l := range machine.Links {
		if link := &machine.Links[l]; !machine.IsHost(link.From) && !machine.IsHost(link.To) {
			k.class[l] = k.add(seconds(int32(l)))
		}
	}
	return k
}

// add makes a class of one link.
func (k *links) add(seconds float64) int32 {
	k.slowest = append(k.slowest, seconds)
	k.squares = append(k.squares, seconds*seconds)
	return int32(len(k.slowest) - 1)
}

// addSubtrees makes two classes for every subtree: up out of it, down into it.
func (k *links) addSubtrees(machine *topology.Topology, seconds func(int32) float64) {
	k.bottom = int32(len(k.slowest))
	for _, upward := range k.tree.upward {
		up, down := k.add(0), k.add(0)
		for _, l := range upward {
			k.join(up, seconds(l)/float64(len(upward)))
			k.join(down, seconds(machine.Reverse(l))/float64(len(upward)))
		}
	}
}

// join puts a link into a class of several.
func (k *links) join(class int32, seconds float64) {
	k.slowest[class] = max(k.slowest[class], seconds)
	k.squares[class] += seconds * seconds
}
