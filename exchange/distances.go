package exchange

import (
	"remap/mapping"
	"remap/topology"
)

// distances are the switches on the path between two sites. Few sites have
// them as a matrix; fat trees by the lowest level at which two sites share a
// subtree; other networks ask the topology, O(rails x rails) a question.
type distances struct {
	machine *topology.Topology
	sites   *sites

	forth []int32 // length sites x sites: path from the row's site, or nil
	back  []int32 // the same towards the row's site; the same slice where both are equal
	low   [][]int32
}

// matrixSites bounds the matrix to 16 MB.
const matrixSites = 2048

func newDistances(p *mapping.Problem, s *sites) *distances {
	d := &distances{machine: p.Machine, sites: s}
	n := s.count()
	if n > matrixSites {
		if t := newTree(p.Machine, s); t != nil {
			d.low = t.low
		}
		return d
	}
	d.forth = make([]int32, n*n)
	symmetric := true
	for a := range n {
		for b := range n {
			d.forth[a*n+b] = d.ask(int32(a), int32(b))
			symmetric = symmetric && (b > a || d.forth[a*n+b] == d.forth[b*n+a])
		}
	}
	if d.back = d.forth; !symmetric {
		d.back = make([]int32, n*n)
		for a := range n {
			for b := range n {
				d.back[b*n+a] = d.forth[a*n+b]
			}
		}
	}
	return d
}

// ask has the topology say it; two hosts of one site are one switch apart.
func (d *distances) ask(a, b int32) int32 {
	if a == b {
		return 1
	}
	return d.machine.PathLength(d.sites.sample[a], d.sites.sample[b])
}

// between is the length of the path from a host of site a to another host of
// site b, in switches.
func (d *distances) between(a, b int32) int64 {
	switch {
	case d.forth != nil:
		return int64(d.forth[int(a)*d.sites.count()+int(b)])
	case d.low != nil:
		length := int64(1)
		for _, low := range d.low {
			if low[a] == low[b] {
				break
			}
			length += 2
		}
		return length
	}
	return int64(d.ask(a, b))
}
