package stencil

import (
	"slices"

	"remap/commgraph"
)

// shared counts, for every half-edge u-v, the vertices in both closed
// neighbourhoods: u, v and their common neighbours. O(edges x degree).
func shared(s *skeleton) []uint8 {
	count := make([]uint8, len(s.neighbors))
	mark := make([]int32, s.vertices()) // u+1 at the neighbours of u
	next := slices.Clone(s.offsets)
	for u := range int32(s.vertices()) {
		row := s.row(u)
		for _, v := range row {
			mark[v] = u + 1
		}
		for i, v := range row {
			back := next[v]
			next[v]++
			if v < u {
				continue
			}
			both := uint8(2)
			for _, w := range s.row(v) {
				if mark[w] == u+1 {
					both++
				}
			}
			count[s.offsets[u]+int32(i)], count[back] = both, both
		}
	}
	return count
}

// twins puts vertices with the same closed neighbourhood together: such are
// the cells of a stencil with diagonals that differ only in dimensions of
// extent 2, or 3 and periodic. It returns the graph of the groups, the group of
// every vertex, and the size of the groups, 0 when they differ in size.
func twins(s *skeleton, count []uint8) (quotient *skeleton, group []int32, size int) {
	n := s.vertices()
	sets := newUnion(n)
	for u := range int32(n) {
		for i, v := range s.row(u) {
			both := int(count[s.offsets[u]+int32(i)])
			if u < v && both == s.degree(u)+1 && both == s.degree(v)+1 {
				sets.join(u, v)
			}
		}
	}
	group, groups := sets.number()
	if groups == n {
		return s, group, 1
	}
	first := make([]int32, groups) // a vertex of every group
	members := make([]int32, groups)
	for v := int32(n) - 1; v >= 0; v-- {
		first[group[v]] = v
		members[group[v]]++
	}
	size = n / groups
	quotient = &skeleton{offsets: make([]int32, 1, groups+1)}
	for k, v := range first {
		if int(members[k]) != size {
			return nil, nil, 0
		}
		start := len(quotient.neighbors)
		for _, w := range s.row(v) {
			if group[w] != int32(k) {
				quotient.neighbors = append(quotient.neighbors, group[w])
			}
		}
		slices.Sort(quotient.neighbors[start:])
		quotient.neighbors = append(quotient.neighbors[:start], slices.Compact(quotient.neighbors[start:])...)
		quotient.offsets = append(quotient.offsets, int32(len(quotient.neighbors)))
	}
	return quotient, group, size
}

// axes takes the diagonals out of a stencil without twins. An edge x-y is a
// diagonal when there is a z between: x and z have more neighbours in common
// than x and y have, and so have z and y; or, at the border, the neighbourhood
// of one end lies in z's and that in the other end's. In strong products of
// paths and cycles, which stencils with all diagonals are, what stays is the
// Cartesian product (the Cartesian skeleton of Hammack and Imrich 2009; there
// inclusions are compared, which the sizes decide here). The result is nil when
// some vertex keeps more edges than a grid's has. O(edges x degree).
func axes(s *skeleton, count []uint8) *skeleton {
	n := s.vertices()
	at := make([]int32, n) // index of the half-edge u-w within neighbors, +1, at the neighbours w of u
	keep := make([]bool, len(s.neighbors))
	next := slices.Clone(s.offsets)
	kept := make([]uint8, n)
	for u := range int32(n) {
		row := s.row(u)
		for i, w := range row {
			at[w] = s.offsets[u] + int32(i) + 1
		}
		for i, v := range row {
			back := next[v]
			next[v]++
			if v < u || between(s, count, at, u, v, count[s.offsets[u]+int32(i)]) {
				continue
			}
			keep[s.offsets[u]+int32(i)], keep[back] = true, true
			if kept[u]++; kept[u] > 2*MaxDimensions {
				return nil
			}
			if kept[v]++; kept[v] > 2*MaxDimensions {
				return nil
			}
		}
		for _, w := range row {
			at[w] = 0
		}
	}
	result := &skeleton{offsets: make([]int32, 1, n+1)}
	for u := range int32(n) {
		for i, v := range s.row(u) {
			if keep[s.offsets[u]+int32(i)] {
				result.neighbors = append(result.neighbors, v)
			}
		}
		result.offsets = append(result.offsets, int32(len(result.neighbors)))
	}
	return result
}

// between tells whether some vertex lies between u and v, so that their edge is
// a diagonal.
func between(s *skeleton, count []uint8, at []int32, u, v int32, both uint8) bool {
	if both == 2 {
		return false
	}
	sizeU, sizeV := s.degree(u)+1, s.degree(v)+1
	first := s.offsets[v]
	for j, z := range s.row(v) {
		if at[z] == 0 {
			continue
		}
		uz, zv := count[at[z]-1], count[first+int32(j)]
		if uz > both && zv > both {
			return true
		}
		sizeZ := s.degree(z) + 1
		if sizeU < sizeZ && sizeZ < sizeV && int(uz) == sizeU && int(zv) == sizeZ ||
			sizeV < sizeZ && sizeZ < sizeU && int(zv) == sizeV && int(uz) == sizeZ {
			return true
		}
	}
	return false
}

// all is the whole graph as a skeleton.
func all(g *commgraph.Graph) *skeleton {
	if g.Vertices() == 0 {
		return &skeleton{offsets: []int32{0}}
	}
	return &skeleton{g.Offsets, g.Neighbors}
}

// nearby renames the vertices in the order of a breadth-first search from
// vertex 0, so that neighbours lie near each other in memory; name is the new
// one of every vertex, and reached counts those that have one. O(edges).
func (s *skeleton) nearby() (renamed *skeleton, name []int32, reached int) {
	n := s.vertices()
	name = make([]int32, n)
	for v := range name {
		name[v] = -1
	}
	name[0] = 0
	order := make([]int32, 1, n)
	for at := 0; at < len(order); at++ {
		for _, v := range s.row(order[at]) {
			if name[v] < 0 {
				name[v] = int32(len(order))
				order = append(order, v)
			}
		}
	}
	if len(order) < n {
		return nil, nil, len(order)
	}
	renamed = &skeleton{make([]int32, n+1), make([]int32, len(s.neighbors))}
	for k, v := range order {
		renamed.offsets[k+1] = renamed.offsets[k] + int32(s.degree(v))
	}
	// Every edge is written at its other end: in ascending order, since k ascends.
	next := slices.Clone(renamed.offsets)
	for k, v := range order {
		for _, w := range s.row(v) {
			renamed.neighbors[next[name[w]]] = int32(k)
			next[name[w]]++
		}
	}
	return renamed, name, n
}

// heavy is the graph of the edges of at least a weight; nil when some vertex
// has none or more than a grid's has.
func heavy(g *commgraph.Graph, least int64) *skeleton {
	n := g.Vertices()
	s := &skeleton{offsets: make([]int32, 1, n+1)}
	for u := range int32(n) {
		first, end := g.Row(u)
		start := len(s.neighbors)
		for i := first; i < end; i++ {
			if g.Weights[i] >= least {
				s.neighbors = append(s.neighbors, g.Neighbors[i])
			}
		}
		if d := len(s.neighbors) - start; d == 0 || d > 2*MaxDimensions {
			return nil
		}
		s.offsets = append(s.offsets, int32(len(s.neighbors)))
	}
	return s
}
