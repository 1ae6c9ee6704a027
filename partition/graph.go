package partition

import (
	"remap/commgraph"
	"remap/internal/scratch"
)

// graph is a weighted graph of a multilevel hierarchy, in compressed sparse
// rows. Its slices are reused from one use to the next.
type graph struct {
	offsets   []int32 // length vertices+1
	neighbors []int32 // every edge at both ends, rows in no order
	weights   []int64 // length neighbors
	vertices  []int32 // length vertices: weight of each, the number of original vertices in it
	bias      []int64 // length vertices, or nil = 0 each: what a vertex costs more on side 0 than on side 1
	total     int64   // sum of vertices
}

func (g *graph) count() int { return len(g.vertices) }

// set makes g the graph of an extractor's rows, whose memory it shares: every vertex
// of weight 1, no biases.
func (g *graph) set(part *commgraph.Graph) {
	g.offsets, g.neighbors, g.weights = part.Offsets, part.Neighbors, part.Weights
	g.vertices = scratch.Resize(g.vertices, part.Vertices())
	for i := range g.vertices {
		g.vertices[i] = 1
	}
	g.total = int64(len(g.vertices))
	g.bias = nil
}

// contract fills coarse with fine after merging: vertex v of fine becomes part
// of vertex into[v], numbers 0 to count-1. Parallel edges add up, edges inside
// a merged vertex vanish. O(vertices + edges).
func (coarse *graph) contract(fine *graph, into []int32, count int, s *contraction) {
	s.order(into, count)
	coarse.offsets = append(coarse.offsets[:0], 0)
	coarse.neighbors, coarse.weights = coarse.neighbors[:0], coarse.weights[:0]
	coarse.vertices = scratch.Resize(coarse.vertices, count)
	coarse.total = fine.total
	coarse.bias = coarse.bias[:0]
	s.slot = scratch.Resize(s.slot, count)
	for c := range s.slot {
		s.slot[c] = -1
	}
	for c := range int32(count) {
		begin := int32(len(coarse.neighbors))
		weight, bias := int32(0), int64(0)
		for _, v := range s.sorted[s.start[c]:s.start[c+1]] {
			weight += fine.vertices[v]
			if fine.bias != nil {
				bias += fine.bias[v]
			}
			for k := fine.offsets[v]; k < fine.offsets[v+1]; k++ {
				u := into[fine.neighbors[k]]
				if u == c {
					continue
				}
				if at := s.slot[u]; at >= begin {
					coarse.weights[at] += fine.weights[k]
					continue
				}
				s.slot[u] = int32(len(coarse.neighbors))
				coarse.neighbors = append(coarse.neighbors, u)
				coarse.weights = append(coarse.weights, fine.weights[k])
			}
		}
		coarse.vertices[c] = weight
		if fine.bias != nil {
			coarse.bias = append(coarse.bias, bias)
		}
		coarse.offsets = append(coarse.offsets, int32(len(coarse.neighbors)))
	}
	if fine.bias == nil {
		coarse.bias = nil
	}
}

// contraction is memory for contract.
type contraction struct {
	start  []int32 // length coarse vertices+1: range of sorted
	sorted []int32 // fine vertices by coarse vertex
	slot   []int32 // length coarse vertices: where the row under construction has the neighbour
}

// order sorts the fine vertices by coarse vertex, by counting.
func (s *contraction) order(into []int32, count int) {
	s.start = scratch.Resize(s.start, count+1)
	s.sorted = scratch.Resize(s.sorted, len(into))
	clear(s.start)
	for _, c := range into {
		s.start[c]++
	}
	sum := int32(0)
	for c := range count {
		sum += s.start[c]
		s.start[c] = sum
	}
	s.start[count] = sum
	for v := len(into) - 1; v >= 0; v-- {
		c := into[v]
		s.start[c]--
		s.sorted[s.start[c]] = int32(v)
	}
}
