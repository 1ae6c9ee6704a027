package stencil

import "slices"

// skeleton is an undirected graph without weights.
type skeleton struct {
	offsets   []int32 // length vertices+1
	neighbors []int32 // ascending within a row
}

func (s *skeleton) vertices() int       { return len(s.offsets) - 1 }
func (s *skeleton) row(v int32) []int32 { return s.neighbors[s.offsets[v]:s.offsets[v+1]] }
func (s *skeleton) degree(v int32) int  { return int(s.offsets[v+1] - s.offsets[v]) }
func (s *skeleton) find(u, v int32) int32 { // index of v in u's row within neighbors
	at, _ := slices.BinarySearch(s.row(u), v)
	return s.offsets[u] + int32(at)
}

// factor gives coordinates to a graph that is the Cartesian product of paths
// and cycles, which is a grid whose cells have edges along the dimensions only.
//
// Two edges that meet at a vertex lie in different dimensions exactly when they
// are two sides of a square; opposite sides of a square lie in one dimension
// (Imrich and Klavzar 2000, chapter 4). So one union-find over the edges
// finds the dimensions. A vertex's coordinate in a dimension is the component
// that it lies in when the edges of that dimension are taken out.
//
// full is the graph with its diagonals, limit the most dimensions wanted
// (assemble). A graph that is no such product gives a refusal or wrong coordinates: the
// caller verifies. O(edges x degree).
func factor(s, full *skeleton, limit int) (*Grid, error) {
	n := s.vertices()
	for v := range int32(n) {
		if d := s.degree(v); d > 2*MaxDimensions || d == 0 {
			return nil, refuse("a vertex has %d neighbours along the axes, and no grid of %d "+
				"dimensions has", d, MaxDimensions)
		}
	}
	edge := edgeNumbers(s)
	sets := newUnion(len(s.neighbors) / 2)
	for v := range int32(n) {
		if !joinAround(s, edge, sets, v) {
			return nil, refuse("the squares around a vertex do not fit together")
		}
	}
	dimension, count := sets.number()
	if count > 2*MaxDimensions {
		return nil, refuse("the edges fall into %d directions or more", count)
	}
	of := make([]uint8, len(s.neighbors)) // dimension of every half-edge
	for i, e := range edge {
		of[i] = uint8(dimension[e])
	}
	g := &Grid{}
	coordinates := make([][]int32, count)
	cells := 1
	for d := range count {
		layer, periodic, err := layers(s, of, uint8(d))
		if err != nil {
			return nil, err
		}
		coordinates[d] = layer
		extent := int(slices.Max(layer)) + 1
		if cells *= extent; cells > n {
			return nil, refuse("the layers of its directions do not cross in one vertex each")
		}
		g.Extents, g.Periodic = append(g.Extents, extent), append(g.Periodic, periodic)
	}
	if cells != n {
		return nil, refuse("the layers of its directions do not cross in one vertex each")
	}
	g.assemble(coordinates, full, limit)
	return g, nil
}

// edgeNumbers numbers the edges 0.. in order of their lower vertex; the result
// has the length of neighbors.
func edgeNumbers(s *skeleton) []int32 {
	edge := make([]int32, len(s.neighbors))
	next := slices.Clone(s.offsets)
	var count int32
	for u := range int32(s.vertices()) {
		for i, v := range s.row(u) {
			if u < v {
				edge[s.offsets[u]+int32(i)] = count
				edge[next[v]] = count
				count++
			}
			next[v]++
		}
	}
	return edge
}

// joinAround puts edges at and opposite to vertex v together by dimension.
func joinAround(s *skeleton, edge []int32, sets *union, v int32) bool {
	row := s.row(v)
	for i, a := range row {
		for j := i + 1; j < len(row); j++ {
			b := row[j]
			c, count := common(s.row(a), s.row(b), v)
			if count > 1 {
				return false
			}
			va, vb := s.offsets[v]+int32(i), s.offsets[v]+int32(j)
			if count == 0 {
				sets.join(edge[va], edge[vb])
				continue
			}
			sets.join(edge[va], edge[s.find(b, c)])
			sets.join(edge[vb], edge[s.find(a, c)])
		}
	}
	return true
}

// common finds an element that two ascending lists share beside v, and counts them.
func common(x, y []int32, v int32) (element int32, count int) {
	for i, j := 0, 0; i < len(x) && j < len(y); {
		switch {
		case x[i] < y[j]:
			i++
		case x[i] > y[j]:
			j++
		default:
			if x[i] != v {
				element = x[i]
				count++
			}
			i++
			j++
		}
	}
	return element, count
}

// layers numbers the components that stay when dimension d's edges are taken
// out, in their order along that dimension.
func layers(s *skeleton, of []uint8, d uint8) (layer []int32, periodic bool, err error) {
	n := int32(s.vertices())
	sets := newUnion(int(n))
	for u := range n {
		for i, v := range s.row(u) {
			if u < v && of[s.offsets[u]+int32(i)] != d {
				sets.join(u, v)
			}
		}
	}
	layer, count := sets.number()
	next := make([][2]int32, count) // the up to two neighbours of every layer
	for l := range next {
		next[l] = [2]int32{-1, -1}
	}
	for u := range n {
		for i, v := range s.row(u) {
			if of[s.offsets[u]+int32(i)] != d {
				continue
			}
			a, b := layer[u], layer[v]
			switch {
			case a == b:
				return nil, false, refuse("a direction leads back into its own layer")
			case next[a][0] == b || next[a][1] == b:
			case next[a][0] < 0:
				next[a][0] = b
			case next[a][1] < 0:
				next[a][1] = b
			default:
				return nil, false, refuse("the layers of a direction branch")
			}
		}
	}
	order, periodic := walkLayers(next)
	if order == nil {
		return nil, false, refuse("the layers of a direction fall apart")
	}
	for v, l := range layer {
		layer[v] = order[l]
	}
	return layer, periodic, nil
}

// walkLayers numbers layers along their path or ring; nil when they are neither.
func walkLayers(next [][2]int32) (order []int32, periodic bool) {
	start := slices.IndexFunc(next, func(x [2]int32) bool { return x[1] < 0 })
	if periodic = start < 0; periodic {
		start = 0
	}
	order = make([]int32, len(next))
	for l := range order {
		order[l] = -1
	}
	at, number := int32(start), int32(0)
	for at >= 0 && order[at] < 0 {
		order[at] = number
		number++
		a, b := next[at][0], next[at][1]
		switch {
		case a >= 0 && order[a] < 0:
			at = a
		case b >= 0 && order[b] < 0:
			at = b
		default:
			at = -1
		}
	}
	if int(number) != len(next) {
		return nil, false
	}
	return order, periodic
}
