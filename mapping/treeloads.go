package mapping

import "remap/topology"

// treeLoads carries bytes through a fat tree that has all its links. What leaves and what
// enters each subtree says how much every link carries (topology.Subtrees), whatever the
// number of paths: O(demands x levels + links).
type treeLoads struct {
	machine  *topology.Topology
	subtrees *topology.Subtrees
	leaving  []float64 // length subtrees: bytes out of it
	coming   []float64 // length subtrees: bytes into it
}

// newTreeLoads is nil for networks that are no fat trees, or lack links.
func newTreeLoads(machine *topology.Topology) *treeLoads {
	s := machine.Subtrees()
	if s == nil {
		return nil
	}
	return &treeLoads{machine, s, make([]float64, len(s.Up)), make([]float64, len(s.Up))}
}

// add carries a demand up to the lowest level that has both ends below it.
func (t *treeLoads) add(d demand) {
	for _, of := range t.subtrees.Of {
		from, to := of[d.from], of[d.to]
		if from == to {
			return
		}
		t.leaving[from] += d.bytes
		t.coming[to] += d.bytes
	}
}

// spread adds to loads what every link between switches carries.
func (t *treeLoads) spread(loads []float64) {
	for n, up := range t.subtrees.Up {
		for _, l := range up {
			loads[l] += t.leaving[n] / float64(len(up))
			loads[t.machine.Reverse(l)] += t.coming[n] / float64(len(up))
		}
	}
}
