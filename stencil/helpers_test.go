package stencil

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"remap/commgraph"
)

// edge is an undirected edge of a test graph.
type edge struct {
	u, v   int32
	weight int64
}

// graphOf builds a graph of edges, none twice.
func graphOf(n int, edges []edge) *commgraph.Graph {
	var half []edge
	for _, e := range edges {
		half = append(half, e, edge{e.v, e.u, e.weight})
	}
	slices.SortFunc(half, func(x, y edge) int {
		return cmp.Or(cmp.Compare(x.u, y.u), cmp.Compare(x.v, y.v))
	})
	half = slices.CompactFunc(half, func(x, y edge) bool { return x.u == y.u && x.v == y.v })
	g := &commgraph.Graph{Offsets: make([]int32, n+1)}
	for _, h := range half {
		g.Offsets[h.u+1]++
		g.Neighbors = append(g.Neighbors, h.v)
		g.Weights = append(g.Weights, h.weight)
	}
	for v := range n {
		g.Offsets[v+1] += g.Offsets[v]
	}
	return g
}

// shuffled renames the vertices at random.
func shuffled(n int, edges []edge, seed uint64) []edge {
	name := rand.New(rand.NewPCG(seed, 1)).Perm(n)
	list := make([]edge, len(edges))
	for i, e := range edges {
		list[i] = edge{int32(name[e.u]), int32(name[e.v]), e.weight}
	}
	return list
}

// shape is a stencil on a grid: diagonals up to so many dimensions at once.
type shape struct {
	extents  []int
	periodic []bool
	diagonal int               // 1 = along the dimensions only
	weight   func([]int) int64 // by step
}

func (s *shape) cells() int { return (&Grid{Extents: s.extents}).Vertices() }

// edges lists the pairs by walking from every cell over all steps: an oracle
// that shares no code with Measure.
func (s *shape) edges() []edge {
	dims := len(s.extents)
	var list []edge
	step := make([]int, dims)
	var each func(d, moves int, visit func())
	each = func(d, moves int, visit func()) {
		if d == dims {
			if moves > 0 {
				visit()
			}
			return
		}
		for step[d] = -1; step[d] <= 1; step[d]++ {
			m := moves
			if step[d] != 0 {
				m++
			}
			if m <= s.diagonal {
				each(d+1, m, visit)
			}
		}
		step[d] = 0
	}
	for cell := range s.cells() {
		each(0, 0, func() {
			to, stride, rest := 0, 1, cell
			for d, extent := range s.extents {
				x := rest%extent + step[d]
				rest /= extent
				if x < 0 || x >= extent {
					if !s.periodic[d] {
						return
					}
					x = (x + extent) % extent
				}
				to += x * stride
				stride *= extent
			}
			if to > cell {
				w := int64(1)
				if s.weight != nil {
					w = s.weight(step)
				}
				list = append(list, edge{int32(cell), int32(to), w})
			}
		})
	}
	return list
}

func (s *shape) graph(seed uint64) *commgraph.Graph {
	return graphOf(s.cells(), shuffled(s.cells(), s.edges(), seed))
}

// drawShape draws a grid of at most about 3000 cells.
func drawShape(t *rapid.T) *shape {
	s := &shape{}
	dims := rapid.IntRange(1, MaxDimensions).Draw(t, "dimensions")
	most := []int{200, 40, 12, 6}[dims-1]
	for range dims {
		s.extents = append(s.extents, rapid.IntRange(1, most).Draw(t, "extent"))
		s.periodic = append(s.periodic, rapid.Bool().Draw(t, "periodic") && s.extents[len(s.extents)-1] > 2)
	}
	s.diagonal = rapid.SampledFrom([]int{1, dims}).Draw(t, "diagonal")
	return s
}

func recovered(t testing.TB, g *commgraph.Graph) *Grid {
	t.Helper()
	grid, err := Recover(g)
	if err != nil {
		t.Fatal(err)
	}
	if err := grid.Check(); err != nil {
		t.Fatal(err)
	}
	return grid
}
