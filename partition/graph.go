package partition

import "remap/commgraph"

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

// resize gives a slice of length n, contents unspecified.
func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/4)
	}
	return s[:n]
}

// subgraph fills g with the part of the original graph that lies on members:
// vertex i of g is members[i], each of weight 1. local is scratch of length
// original vertices, -1 everywhere before and after. There are no biases.
func (g *graph) subgraph(from *commgraph.Graph, members, local []int32) {
	for i, v := range members {
		local[v] = int32(i)
	}
	g.offsets = append(g.offsets[:0], 0)
	ends := 0
	for _, v := range members {
		first, end := from.Row(v)
		ends += int(end - first)
	}
	g.neighbors, g.weights = resize(g.neighbors, ends)[:0], resize(g.weights, ends)[:0]
	g.vertices = resize(g.vertices, len(members))
	for i, v := range members {
		first, end := from.Row(v)
		for k := first; k < end; k++ {
			if u := local[from.Neighbors[k]]; u >= 0 {
				g.neighbors = append(g.neighbors, u)
				g.weights = append(g.weights, from.Weights[k])
			}
		}
		g.offsets = append(g.offsets, int32(len(g.neighbors)))
		g.vertices[i] = 1
	}
	g.total = int64(len(members))
	g.bias = nil
	for _, v := range members {
		local[v] = -1
	}
}

// contract fills coarse with fine after merging: vertex v of fine becomes part
// of vertex into[v], numbers 0 to count-1. Parallel edges add up, edges inside
// a merged vertex vanish. place is scratch; members lists, after the call, are
// not kept. O(vertices + edges).
func (coarse *graph) contract(fine *graph, into []int32, count int, s *scratch) {
	s.order(into, count)
	coarse.offsets = append(coarse.offsets[:0], 0)
	coarse.neighbors, coarse.weights = coarse.neighbors[:0], coarse.weights[:0]
	coarse.vertices = resize(coarse.vertices, count)
	coarse.total = fine.total
	coarse.bias = coarse.bias[:0]
	s.slot = resize(s.slot, count)
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

// scratch is memory for contract.
type scratch struct {
	start  []int32 // length coarse vertices+1: range of sorted
	sorted []int32 // fine vertices by coarse vertex
	slot   []int32 // length coarse vertices: where the row under construction has the neighbour
}

// order sorts the fine vertices by coarse vertex, by counting.
func (s *scratch) order(into []int32, count int) {
	s.start = resize(s.start, count+1)
	s.sorted = resize(s.sorted, len(into))
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
