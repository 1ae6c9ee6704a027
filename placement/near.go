package placement

import (
	"remap/topology"
)

// near lists, for every block, the blocks on switches one link away: beside
// a partner is the next best place to its own. Empty where hosts hang on
// switches that no link joins, as in a fat tree, unless prices divide places
// that would be one block.
type near struct {
	offsets []int32 // length blocks+1
	blocks  []int32
}

func (n *near) of(b int32) []int32 {
	if n.offsets == nil {
		return nil
	}
	return n.blocks[n.offsets[b]:n.offsets[b+1]]
}

// newNear takes the first host of every block. O(blocks x ports).
func newNear(machine *topology.Topology, hosts []int32) near {
	ofHost := make([]int32, machine.Hosts())
	for h := range ofHost {
		ofHost[h] = -1
	}
	for b, h := range hosts {
		ofHost[h] = int32(b)
	}
	n := near{offsets: make([]int32, 1, len(hosts)+1)}
	for _, h := range hosts {
		first, end := machine.Out(machine.NodeOf(machine.LeafSwitch(h)))
		for l := first; l < end; l++ {
			beside := machine.Links[l].To
			if machine.IsHost(beside) {
				continue
			}
			port, last := machine.Out(beside)
			for ; port < last; port++ {
				if to := machine.Links[port].To; machine.IsHost(to) && ofHost[to] >= 0 {
					n.blocks = append(n.blocks, ofHost[to])
				}
			}
		}
		n.offsets = append(n.offsets, int32(len(n.blocks)))
	}
	return n
}

// addSiblings makes blocks of one place near to each other: of larger places
// those next in order. first are the bounds of the blocks, whole of the places.
func (n *near) addSiblings(first, whole []int32) {
	added := near{offsets: make([]int32, 1, len(first))}
	low, high := 0, 0 // blocks of the place
	for place, b := 0, 0; b < len(first)-1; b++ {
		for b >= high {
			for low = high; first[high] < whole[place+1]; high++ {
			}
			place++
		}
		added.blocks = append(added.blocks, n.of(int32(b))...)
		from := max(low, min(b-mostSiblings/2, high-1-mostSiblings))
		for sibling := from; sibling < min(high, from+1+mostSiblings); sibling++ {
			if sibling != b {
				added.blocks = append(added.blocks, int32(sibling))
			}
		}
		added.offsets = append(added.offsets, int32(len(added.blocks)))
	}
	*n = added
}
