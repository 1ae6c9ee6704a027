package commgraph

import (
	"fmt"
	"math"
)

// Graph is the undirected communication graph in compressed sparse rows, the
// layout METIS calls xadj, adjncy, adjwgt and vwgt.
//
// Invariants (Check): Offsets ascends from 0 to len(Neighbors); neighbours of
// a vertex ascend strictly, never the vertex itself; every edge stands at both
// ends with the same weight > 0.
type Graph struct {
	// Offsets: length vertices+1.
	Offsets []int32
	// Neighbors: length 2 x edges.
	Neighbors []int32
	// Weights (length 2 x edges): bytes of the pair, both directions together.
	Weights []int64
	// VertexWeights: length vertices, or nil = 1 each.
	VertexWeights []int64
}

// Vertices is the number of vertices.
func (g *Graph) Vertices() int { return max(0, len(g.Offsets)-1) }

// Edges is the number of undirected edges.
func (g *Graph) Edges() int { return len(g.Neighbors) / 2 }

// Row is the range of half-edges of vertex v.
func (g *Graph) Row(v int32) (first, end int32) { return g.Offsets[v], g.Offsets[v+1] }

// TotalWeight is the sum over undirected edges.
func (g *Graph) TotalWeight() int64 {
	var sum int64
	for _, w := range g.Weights {
		sum += w
	}
	return sum / 2
}

// Graph folds the traffic: the weight of a pair is the sum of both
// directions; self traffic and pairs without bytes are left out.
// O(ranks + entries).
func (t *Traffic) Graph() *Graph {
	if g := t.foldMirrored(); g != nil {
		return g
	}
	n := t.Ranks()
	there := &Graph{Offsets: t.Offsets, Neighbors: t.Destinations, Weights: t.Bytes}
	if len(t.Offsets) == 0 {
		there.Offsets = []int32{0}
	}
	back := there.transposed()
	g := &Graph{Offsets: make([]int32, n+1)}
	for u := range int32(n) {
		degree := int32(0)
		merge(there, back, u, func(int32, int64) { degree++ })
		g.Offsets[u+1] = g.Offsets[u] + degree
	}
	m := g.Offsets[n]
	g.Neighbors, g.Weights = make([]int32, 0, m), make([]int64, 0, m)
	for u := range int32(n) {
		merge(there, back, u, func(v int32, w int64) {
			g.Neighbors, g.Weights = append(g.Neighbors, v), append(g.Weights, w)
		})
	}
	return g
}

// foldMirrored folds traffic in which every pair exchanges bytes both ways and
// no rank has any with itself, without the memory of a transpose: visiting rows
// in order meets the entries that lead to v in the order of v's own row. nil if
// the traffic is not so.
func (t *Traffic) foldMirrored() *Graph {
	n := t.Ranks()
	if n == 0 {
		return nil
	}
	weights := make([]int64, len(t.Bytes))
	next := append([]int32(nil), t.Offsets[:n]...)
	for u := range int32(n) {
		first, end := t.Row(u)
		for i := first; i < end; i++ {
			v := t.Destinations[i]
			k := next[v]
			if v == u || k >= t.Offsets[v+1] || t.Destinations[k] != u {
				return nil
			}
			next[v]++
			if weights[i] = t.Bytes[i] + t.Bytes[k]; weights[i] == 0 {
				return nil
			}
		}
	}
	return &Graph{Offsets: append([]int32(nil), t.Offsets...), Neighbors: append([]int32{}, t.Destinations...),
		Weights: weights}
}

// merge visits the neighbours of u in the union of two sets of rows, in
// ascending order with the sums of their weights; u itself and sums of 0 are
// left out.
func merge(a, b *Graph, u int32, visit func(v int32, w int64)) {
	i, endA := a.Row(u)
	k, endB := b.Row(u)
	for i < endA || k < endB {
		v, w := int32(math.MaxInt32), int64(0)
		if i < endA {
			v = a.Neighbors[i]
		}
		if k < endB {
			v = min(v, b.Neighbors[k])
		}
		if i < endA && a.Neighbors[i] == v {
			w = a.Weights[i]
			i++
		}
		if k < endB && b.Neighbors[k] == v {
			w += b.Weights[k]
			k++
		}
		if v != u && w > 0 {
			visit(v, w)
		}
	}
}

// transposed turns every half-edge round, vertex weights left out. Because
// rows are visited in ascending order, the rows of the result ascend.
// O(vertices + edges).
func (g *Graph) transposed() *Graph {
	n := g.Vertices()
	t := &Graph{
		Offsets:   make([]int32, n+1),
		Neighbors: make([]int32, len(g.Neighbors)),
		Weights:   make([]int64, len(g.Weights)),
	}
	for _, v := range g.Neighbors {
		t.Offsets[v+1]++
	}
	for v := range n {
		t.Offsets[v+1] += t.Offsets[v]
	}
	next := append([]int32(nil), t.Offsets[:n]...)
	for u := range int32(n) {
		first, end := g.Row(u)
		for i := first; i < end; i++ {
			v := g.Neighbors[i]
			t.Neighbors[next[v]], t.Weights[next[v]] = u, g.Weights[i]
			next[v]++
		}
	}
	return t
}

// Traffic splits every edge into its two directions, half the weight each;
// the odd byte goes from the lower to the higher rank. Folding the result
// gives the graph back. Counts are not known.
func (g *Graph) Traffic() *Traffic {
	return (&Graph{
		Offsets:   append([]int32{0}, g.Offsets[min(1, len(g.Offsets)):]...),
		Neighbors: append([]int32(nil), g.Neighbors...),
		Weights:   append([]int64(nil), g.Weights...),
	}).intoTraffic()
}

// intoTraffic is Traffic in the graph's own memory: the graph is used up.
func (g *Graph) intoTraffic() *Traffic {
	t := &Traffic{Offsets: g.Offsets, Destinations: g.Neighbors, Bytes: g.Weights}
	for u := range int32(g.Vertices()) {
		first, end := g.Row(u)
		for i := first; i < end; i++ {
			half := g.Weights[i] / 2
			if u < g.Neighbors[i] {
				half = g.Weights[i] - half
			}
			t.Bytes[i] = half
		}
	}
	return t
}

// Check tests the invariants; O(edges x log degree).
func (g *Graph) Check() error {
	n := g.Vertices()
	if len(g.Offsets) == 0 || g.Offsets[0] != 0 || int(g.Offsets[n]) != len(g.Neighbors) ||
		len(g.Weights) != len(g.Neighbors) {
		return fmt.Errorf("offsets, %d neighbours and %d weights do not fit together", len(g.Neighbors),
			len(g.Weights))
	}
	if g.VertexWeights != nil && len(g.VertexWeights) != n {
		return fmt.Errorf("%d vertex weights for %d vertices", len(g.VertexWeights), n)
	}
	for v := range n {
		if g.Offsets[v] > g.Offsets[v+1] {
			return fmt.Errorf("offsets of vertex %d descend", v)
		}
	}
	for _, w := range g.VertexWeights {
		if w < 0 {
			return fmt.Errorf("negative vertex weight %d", w)
		}
	}
	return g.checkSymmetry()
}

// checkSymmetry walks the rows in order: because they ascend, the edges that
// point at v appear in the order of v's own row.
func (g *Graph) checkSymmetry() error {
	n := g.Vertices()
	next := append([]int32(nil), g.Offsets[:n]...)
	var total int64
	for u := range int32(n) {
		first, end := g.Row(u)
		for i := first; i < end; i++ {
			v, w := g.Neighbors[i], g.Weights[i]
			switch {
			case v < 0 || int(v) >= n:
				return fmt.Errorf("vertex %d has neighbour %d of %d vertices", u, v, n)
			case v == u:
				return fmt.Errorf("vertex %d is its own neighbour", u)
			case i > first && g.Neighbors[i-1] >= v:
				return fmt.Errorf("neighbours of vertex %d do not ascend", u)
			case w <= 0 || w > MaxTotal:
				return fmt.Errorf("edge %d-%d has weight %d", u, v, w)
			}
			if total += w; total > 2*MaxTotal {
				return fmt.Errorf("total weight above the limit of %d", int64(MaxTotal))
			}
			k := next[v]
			if k >= g.Offsets[v+1] || g.Neighbors[k] != u || g.Weights[k] != w {
				return fmt.Errorf("edge %d-%d does not stand at both ends with one weight", u, v)
			}
			next[v]++
		}
	}
	return nil
}
