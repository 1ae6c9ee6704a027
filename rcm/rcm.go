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
// It looks at no weights unless told to. It suits long thin graphs; on a grid it
// loses the locality that row order has along the rows (2018 thesis, Taffet,
// section 4.2.1). It costs O(vertices + edges), the start vertices included.
package rcm

import (
	"cmp"
	"slices"

	"remap/commgraph"
)

// Options of OrderWith.
type Options struct {
	// Weighted takes heavier edges first, and degrees only among neighbours of
	// equal weight.
	Weighted bool
}

// Order is the reverse Cuthill-McKee order (Cuthill and McKee 1969, reversed by
// George 1971): length vertices, a permutation of them. Components come in the
// order of their lowest vertex and start at a pseudo-peripheral vertex (George
// and Liu 1979, searched from the lowest vertex); neighbours come by ascending
// degree, ties by number; in the end all is reversed.
func Order(g *commgraph.Graph) []int32 { return OrderWith(g, Options{}) }

// OrderWith is Order with options. Weighted, neighbours come by falling weight
// of the edge to the vertex they are reached from, then by ascending degree, so
// that among those of one wave front who talk most come soonest. That deviates
// from Cuthill and McKee, who knew no weights, and widens the band where they
// differ. It costs O(vertices + edges log degree) then.
func OrderWith(g *commgraph.Graph, options Options) []int32 {
	w := newWalker(g)
	if options.Weighted {
		w.sortByWeight(g)
	}
	return w.order()
}

// order walks all components and reverses what comes out.
func (w *walker) order() []int32 {
	n := len(w.numbered)
	order := make([]int32, 0, n)
	for v := range int32(n) {
		if w.numbered[v] {
			continue
		}
		order = w.number(order, w.peripheral(v))
	}
	slices.Reverse(order)
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
	visits    int64 // row entries looked at, for the test that their number is linear
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

// sortByWeight puts the heaviest edges of every row first; the others keep
// their order.
func (w *walker) sortByWeight(g *commgraph.Graph) {
	type entry struct {
		weight int64
		vertex int32
	}
	weight := make([]int64, g.Vertices()) // from the vertex in hand
	var row []entry
	for v := range int32(g.Vertices()) {
		first, end := g.Row(v)
		for i := first; i < end; i++ {
			weight[g.Neighbors[i]] = g.Weights[i]
		}
		row = row[:0]
		for _, u := range w.row(v) {
			row = append(row, entry{weight[u], u})
		}
		slices.SortStableFunc(row, func(x, y entry) int { return cmp.Compare(y.weight, x.weight) })
		for i, x := range row {
			w.neighbors[int(first)+i] = x.vertex
		}
	}
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

// mostSearches is how many breadth-first searches a start vertex may take. Two
// or three are common; the bound keeps the whole linear on any graph.
const mostSearches = 16

// peripheral finds a vertex from which the component of v is deep: it goes to
// the vertex of least degree in the last level of the search, ties by number,
// as long as the search from there is deeper. Other than George and Liu it
// stops after mostSearches.
func (w *walker) peripheral(v int32) int32 {
	depth, last := w.levels(v)
	for range mostSearches - 1 {
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
	return v
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
			w.visits += int64(w.degree(u))
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
		w.visits += int64(w.degree(order[at]))
		for _, u := range w.row(order[at]) {
			if !w.numbered[u] {
				w.numbered[u] = true
				order = append(order, u)
			}
		}
	}
	return order
}
