// Package rcm orders the vertices of a graph by the reverse Cuthill-McKee
// algorithm, which brings communicating ranks close together in number.
//
// It walks the graph breadth first from a vertex far out, so that every vertex
// comes soon after its neighbours:
//
//	o-o-o-o        0-1-3-6
//	| | | |   =>   | | | |    numbers along the wave front, then reversed
//	o-o-o-o        2-4-7-..
//
// It looks at no weights. It suits long thin graphs; on a grid it loses the
// locality that row order has along the rows (2018 thesis, Taffet, section
// 4.2.1). It costs O(vertices + edges) and, for the start vertices, as many
// breadth-first searches as the depth grows, few in practice.
package rcm

import "remap/commgraph"

// Order is the reverse Cuthill-McKee order (Cuthill and McKee 1969, reversed by
// George 1971): length vertices, a permutation of them. Components come in the
// order of their lowest vertex and start at a pseudo-peripheral vertex (George
// and Liu 1979, searched from the lowest vertex); neighbours come by ascending
// degree, ties by number; in the end all is reversed.
func Order(g *commgraph.Graph) []int32 {
	n := g.Vertices()
	w := newWalker(g)
	order := make([]int32, 0, n)
	for v := range int32(n) {
		if w.numbered[v] {
			continue
		}
		order = w.number(order, w.peripheral(v))
	}
	for i, j := 0, n-1; i < j; i, j = i+1, j-1 {
		order[i], order[j] = order[j], order[i]
	}
	return order
}

// walker is the graph with rows sorted by degree, and memory for searches.
type walker struct {
	offsets   []int32
	neighbors []int32 // rows by ascending degree, ties by number
	numbered  []bool  // length vertices: has its place in the order
	seen      []int32 // length vertices: last search that met the vertex
	search    int32
	queue     []int32
}

// newWalker sorts all rows at once: vertices taken in the order of their
// degree, from a bucket sort, enter the rows of their neighbours in that order.
func newWalker(g *commgraph.Graph) *walker {
	n := g.Vertices()
	w := &walker{
		offsets:   g.Offsets,
		neighbors: make([]int32, len(g.Neighbors)),
		numbered:  make([]bool, n),
		seen:      make([]int32, n),
		queue:     make([]int32, 0, n),
	}
	next := make([]int32, n)
	for v := range next {
		next[v] = g.Offsets[v]
	}
	for _, v := range byDegree(g) {
		first, end := g.Row(v)
		for _, u := range g.Neighbors[first:end] {
			w.neighbors[next[u]] = v
			next[u]++
		}
	}
	return w
}

// byDegree lists the vertices by ascending degree, ties by number.
func byDegree(g *commgraph.Graph) []int32 {
	n := g.Vertices()
	start := make([]int32, n+1) // a degree is below n
	for v := range n {
		start[g.Offsets[v+1]-g.Offsets[v]+1]++
	}
	for d := range n {
		start[d+1] += start[d]
	}
	order := make([]int32, n)
	for v := range n {
		d := g.Offsets[v+1] - g.Offsets[v]
		order[start[d]] = int32(v)
		start[d]++
	}
	return order
}

func (w *walker) row(v int32) []int32 { return w.neighbors[w.offsets[v]:w.offsets[v+1]] }

func (w *walker) degree(v int32) int32 { return w.offsets[v+1] - w.offsets[v] }

// peripheral finds a vertex from which the component of v is deep: it goes to
// the vertex of least degree in the last level of the search, ties by number,
// as long as the search from there is deeper.
func (w *walker) peripheral(v int32) int32 {
	depth, last := w.levels(v)
	for {
		far := last[0]
		for _, u := range last {
			if w.degree(u) < w.degree(far) || w.degree(u) == w.degree(far) && u < far {
				far = u
			}
		}
		deeper, next := w.levels(far)
		if deeper <= depth {
			return v
		}
		v, depth, last = far, deeper, next
	}
}

// levels searches breadth first from v and gives the number of levels and the
// vertices of the last one.
func (w *walker) levels(v int32) (depth int, last []int32) {
	w.search++
	w.seen[v] = w.search
	w.queue = append(w.queue[:0], v)
	first := 0
	for {
		end := len(w.queue)
		depth++
		for _, u := range w.queue[first:end] {
			for _, x := range w.row(u) {
				if w.seen[x] != w.search {
					w.seen[x] = w.search
					w.queue = append(w.queue, x)
				}
			}
		}
		if len(w.queue) == end {
			return depth, w.queue[first:end]
		}
		first = end
	}
}

// number appends the component of start in Cuthill-McKee order.
func (w *walker) number(order []int32, start int32) []int32 {
	at := len(order)
	w.numbered[start] = true
	order = append(order, start)
	for ; at < len(order); at++ {
		for _, u := range w.row(order[at]) {
			if !w.numbered[u] {
				w.numbered[u] = true
				order = append(order, u)
			}
		}
	}
	return order
}
