package commgraph

import (
	"cmp"
	"fmt"
	"slices"
)

// edgeFault is an edge of a file that does not stand once at each of its two
// vertices with one weight.
type edgeFault struct {
	vertex int32 // the one on whose line it shows
	reason string
}

const edgeFaultHint = "every edge must stand once at each of its two vertices, with one weight"

// normalize makes a graph of rows as a file has them: it sorts them if they are
// not yet sorted, and tests that every edge stands once at each of its vertices
// with one weight. label is what the file calls a vertex. nil = all is well.
// O(vertices + edges) if the rows are sorted.
func (g *Graph) normalize(sorted bool, label func(v int32) int64) *edgeFault {
	if !sorted {
		g.sortRows()
	}
	if g.mirrored() {
		return nil
	}
	return g.findFault(label)
}

// smallRow is the degree up to which insertion is the quickest sort.
const smallRow = 40

// sortRows makes the neighbours of every vertex ascend.
func (g *Graph) sortRows() {
	type half struct {
		to     int32
		weight int64
	}
	var scratch []half
	for u := range int32(g.Vertices()) {
		first, end := g.Row(u)
		to, weights := g.Neighbors[first:end], g.Weights[first:end]
		switch {
		case slices.IsSorted(to):
		case len(to) <= smallRow:
			for i := 1; i < len(to); i++ {
				v, w, k := to[i], weights[i], i
				for ; k > 0 && to[k-1] > v; k-- {
					to[k], weights[k] = to[k-1], weights[k-1]
				}
				to[k], weights[k] = v, w
			}
		default:
			scratch = scratch[:0]
			for i, v := range to {
				scratch = append(scratch, half{v, weights[i]})
			}
			slices.SortFunc(scratch, func(a, b half) int { return cmp.Compare(a.to, b.to) })
			for i, h := range scratch {
				to[i], weights[i] = h.to, h.weight
			}
		}
	}
}

// mirrored tests that rows ascend strictly and equal their transpose. Visiting
// the rows in order meets the edges that point at v in the order of v's own row.
func (g *Graph) mirrored() bool {
	next := slices.Clone(g.Offsets[:g.Vertices()])
	for u := range int32(g.Vertices()) {
		first, end := g.Row(u)
		for i := first; i < end; i++ {
			v := g.Neighbors[i]
			k := next[v]
			if i > first && g.Neighbors[i-1] >= v || k >= g.Offsets[v+1] || g.Neighbors[k] != u ||
				g.Weights[k] != g.Weights[i] {
				return false
			}
			next[v] = k + 1
		}
	}
	return true
}

// findFault compares sorted rows with their transpose: what u says of v must be
// what v says of u. It finds the first difference; nil if there is none.
func (g *Graph) findFault(label func(v int32) int64) *edgeFault {
	in := g.transposed()
	fault := func(v int32, format string, args ...any) *edgeFault {
		return &edgeFault{v, fmt.Sprintf(format, args...)}
	}
	const twice = "vertex %d names its neighbour %d twice"
	const alone = "vertex %d names %d, which does not name it back"
	for u := range int32(g.Vertices()) {
		first, end := g.Row(u)
		mirror, mirrorEnd := in.Row(u)
		for i := first; i < end || mirror < mirrorEnd; i, mirror = i+1, mirror+1 {
			switch {
			case i > first && i < end && g.Neighbors[i] == g.Neighbors[i-1]:
				return fault(u, twice, label(u), label(g.Neighbors[i]))
			case mirror > in.Offsets[u] && mirror < mirrorEnd && in.Neighbors[mirror] == in.Neighbors[mirror-1]:
				return fault(in.Neighbors[mirror], twice, label(in.Neighbors[mirror]), label(u))
			case mirror >= mirrorEnd || i < end && g.Neighbors[i] < in.Neighbors[mirror]:
				return fault(u, alone, label(u), label(g.Neighbors[i]))
			case i >= end || g.Neighbors[i] > in.Neighbors[mirror]:
				return fault(in.Neighbors[mirror], alone, label(in.Neighbors[mirror]), label(u))
			case g.Weights[i] != in.Weights[mirror]:
				return fault(u, "edge %d-%d has weight %d here, %d at the other end",
					label(u), label(g.Neighbors[i]), g.Weights[i], in.Weights[mirror])
			}
		}
	}
	return nil
}
