package commgraph

import (
	"remap/internal/scratch"
)

// Extractor cuts induced subgraphs out of one graph, and keeps its memory between
// calls. Callers that work side by side need one each.
type Extractor struct {
	graph *Graph
	local []int32 // length numbers: index in the members of the call under way, else -1
}

// NewExtractor is for members numbered below numbers. Those from the graph's number
// of vertices upward have no edges.
func NewExtractor(g *Graph, numbers int) *Extractor {
	x := &Extractor{}
	x.Use(g, numbers)
	return x
}

// Use changes the graph, and the bound of members with it.
func (x *Extractor) Use(g *Graph, numbers int) {
	x.graph = g
	x.local = scratch.Resize(x.local, max(numbers, g.Vertices()))
	for v := range x.local {
		x.local[v] = -1
	}
}

// Extract fills part with the subgraph that members induce: vertex i of part is
// members[i]. The rows of part keep the order of the graph's rows, so that they
// ascend where members do. outside, if not nil, is called for every edge from a
// member, by its index, to a vertex that is no member. O(edges of the members).
func (x *Extractor) Extract(part *Graph, members []int32, outside func(i int, v int32, weight int64)) {
	g := x.graph
	vertices, most := int32(g.Vertices()), 0
	for i, v := range members {
		x.local[v] = int32(i)
		if v < vertices {
			first, end := g.Row(v)
			most += int(end - first)
		}
	}
	part.Offsets = append(scratch.Resize(part.Offsets, len(members)+1)[:0], 0)
	neighbors, weights := scratch.Resize(part.Neighbors, most), scratch.Resize(part.Weights, most)
	n := 0
	for i, v := range members {
		if v < vertices {
			first, end := g.Row(v)
			for k := first; k < end; k++ {
				u, w := g.Neighbors[k], g.Weights[k]
				if at := x.local[u]; at >= 0 {
					neighbors[n], weights[n] = at, w
					n++
				} else if outside != nil {
					outside(i, u, w)
				}
			}
		}
		part.Offsets = append(part.Offsets, int32(n))
	}
	part.Neighbors, part.Weights = neighbors[:n], weights[:n]
	for _, v := range members {
		x.local[v] = -1
	}
}
