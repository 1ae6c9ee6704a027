package stencil

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"remap/commgraph"
)

// ErrNone is the error of a graph that is no grid; test with errors.Is.
var ErrNone = errors.New("the graph is no grid of up to 4 dimensions")

func refuse(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrNone, fmt.Sprintf(format, args...))
}

// natural is the number of dimensions that a grid is most likely to have at most.
const natural = 3

// maxDegree is a cell's neighbours in a stencil with all diagonals.
const maxDegree = 3*3*3*3 - 1 // 3^MaxDimensions - 1

// Recover finds the grid that a graph's vertices are the cells of, whatever
// their labels: along every dimension a path or, when periodic, a ring; edges
// along the dimensions, and any diagonals as well, as long as every cell has the
// same ones up to the border. So it finds the stencils of 5 and 9 points in two
// dimensions, of 7 and 27 in three, paths, rings and tori. It never guesses:
// Measure(g, grid).Exact() holds for what it returns.
//
// Coordinates are one choice of several that a symmetry of the grid leads to.
// Dimensions come longest first. A ring of 4 and 2x2 have the same edges: it is
// a ring where there would be more than three dimensions, else 2x2. A ring of 2
// is a path.
// Complete graphs of more than 3 vertices are refused: they have no near and far.
//
// Weights do not matter as long as the edges tell; where they do not (diagonals
// across extents of 2, stencils with some diagonals), the heaviest edges are
// taken for those along the dimensions. O(edges x degree), degree at most 80.
//
// Errors: ErrNone with the reason.
func Recover(g *commgraph.Graph) (*Grid, error) {
	n := g.Vertices()
	if n == 0 {
		return nil, refuse("it has no vertices")
	}
	if n == 1 {
		return &Grid{Extents: []int{1}, Periodic: []bool{false}, Cells: []int32{0}}, nil
	}
	for v := range int32(n) {
		first, end := g.Row(v)
		switch d := end - first; {
		case d == 0:
			return nil, refuse("vertex %d has no neighbour", v)
		case d > maxDegree:
			return nil, refuse("vertex %d has %d neighbours", v, d)
		}
	}
	local, name, reached := all(g).nearby()
	if reached < n {
		return nil, refuse("%d of its %d vertices cannot be reached from the first", n-reached, n)
	}
	grid, plain, err := byStructure(local)
	if err == nil {
		grid.rename(name)
	}
	if err == nil && plain {
		return grid, nil
	}
	if other := byWeights(g); other != nil {
		return other, nil
	}
	return grid, err
}

// byStructure recovers a grid from the edges alone. plain is false when it had
// to choose among vertices that the edges do not tell apart.
func byStructure(g *skeleton) (grid *Grid, plain bool, err error) {
	s, full := g, g
	group, size := []int32(nil), 1
	if len(s.neighbors) > 2*MaxDimensions*s.vertices() ||
		slices.ContainsFunc(s.neighbors[:s.offsets[1]], func(v int32) bool {
			_, triangles := common(s.row(0), s.row(v), -1)
			return triangles > 0
		}) {
		count := shared(s)
		if s, group, size = twins(s, count); size == 0 {
			return nil, false, refuse("some of its vertices have twins and others have not")
		}
		if s.vertices() == 1 && size > 3 {
			return nil, false, refuse("all vertices are neighbours of each other")
		}
		if size > 1 {
			count = shared(s)
		}
		full = s
		if s = axes(s, count); s == nil {
			return nil, false, refuse("a vertex keeps more neighbours without diagonals than a grid of %d "+
				"dimensions has", MaxDimensions)
		}
	}
	grid = &Grid{}
	if s.vertices() > 1 {
		if grid, err = factor(s, full, natural-len(twinExtents(size))); err != nil {
			return nil, false, err
		}
	} else {
		grid.Cells = []int32{0}
	}
	if size > 1 {
		if err := grid.expand(group, size); err != nil {
			return nil, false, err
		}
	}
	return grid, size == 1, verify(g, grid)
}

// byWeights recovers a grid whose edges along the dimensions are heavier than
// the others; nil when there is none.
func byWeights(g *commgraph.Graph) *Grid {
	for _, least := range heaviest(g.Weights) {
		s := heavy(g, least)
		if s == nil {
			continue
		}
		if grid, err := factor(s, all(g), natural); err == nil && verify(all(g), grid) == nil {
			return grid
		}
	}
	return nil
}

// heaviest lists the different weights, descending; none when there are too
// many for weights by direction, or all are equal.
func heaviest(weights []int64) []int64 {
	var list []int64
	for _, w := range weights {
		at, found := slices.BinarySearchFunc(list, w, func(x, y int64) int { return cmp.Compare(y, x) })
		if found {
			continue
		}
		if list = slices.Insert(list, at, w); len(list) > maxDegree/2 {
			return nil
		}
	}
	return list[:max(0, len(list)-1)]
}

// verify tests that the edges are all pairs of some offsets of the grid.
func verify(g *skeleton, grid *Grid) error {
	if len(grid.Extents) > MaxDimensions {
		return refuse("it would have %d dimensions", len(grid.Extents))
	}
	steps := measure(g, nil, grid)
	if steps.Other > 0 {
		return refuse("as a grid %s it has edges between cells far from each other", grid)
	}
	for i := range steps.List {
		if s := &steps.List[i]; !s.Complete() {
			return refuse("as a grid %s it has %d of the %d edges of offset %v", grid, s.Pairs, s.Room, s.Offset)
		}
	}
	return nil
}

// assemble makes cells of the coordinates of every dimension (each of length
// vertices): longest dimensions first. Where there are more than limit, pairs of
// length 2 are bent to rings of 4; full tells which pairs may be: a ring's cells
// have no diagonals among each other.
func (g *Grid) assemble(coordinates [][]int32, full *skeleton, limit int) {
	for len(coordinates) > limit {
		a, b, found := g.ring(coordinates, full)
		if !found {
			break
		}
		for v, x := range coordinates[b] {
			// 0,0 1,0 1,1 0,1 are neighbours in turn.
			coordinates[a][v] = coordinates[a][v] ^ x + 2*x
		}
		g.Extents[a], g.Periodic[a] = 4, true
		coordinates = slices.Delete(coordinates, b, b+1)
		g.Extents, g.Periodic = slices.Delete(g.Extents, b, b+1), slices.Delete(g.Periodic, b, b+1)
	}
	order := make([]int, len(g.Extents))
	for d := range order {
		order[d] = d
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(g.Extents[y], g.Extents[x]) })
	extents, periodic := g.Extents, g.Periodic
	g.Extents, g.Periodic = nil, nil
	for _, d := range order {
		g.Extents, g.Periodic = append(g.Extents, extents[d]), append(g.Periodic, periodic[d])
	}
	g.Cells = make([]int32, len(coordinates[0]))
	for k := len(order) - 1; k >= 0; k-- {
		for v, x := range coordinates[order[k]] {
			g.Cells[v] = g.Cells[v]*int32(g.Extents[k]) + x
		}
	}
}

// ring finds two dimensions of length 2 without diagonals between them at
// vertex 0.
func (g *Grid) ring(coordinates [][]int32, full *skeleton) (a, b int, found bool) {
	for a := range coordinates {
		for b := a + 1; b < len(coordinates); b++ {
			if g.Extents[a] != 2 || g.Extents[b] != 2 {
				continue
			}
			if !slices.ContainsFunc(full.row(0), func(w int32) bool {
				for d, x := range coordinates {
					if differs := x[w] != x[0]; differs != (d == a || d == b) {
						return false
					}
				}
				return true
			}) {
				return a, b, true
			}
		}
	}
	return 0, 0, false
}

// rename gives the grid to vertices that had other names: name[v] is v's.
func (g *Grid) rename(name []int32) {
	cells := make([]int32, len(name))
	for v, x := range name {
		cells[v] = g.Cells[x]
	}
	g.Cells = cells
}

// twinExtents lists the dimensions of so many twins: 3 periodic, 2; nil when
// there are none of these extents.
func twinExtents(size int) (extents []int) {
	for _, prime := range []int{3, 2} {
		for ; size%prime == 0 && size > 1; size /= prime {
			extents = append(extents, prime)
		}
	}
	if size > 1 {
		return nil
	}
	return extents
}

// expand gives the vertices of every group cells of their own: rings of 3 and
// dimensions of 2, in the order of the vertices.
func (g *Grid) expand(group []int32, size int) error {
	groups := g.Vertices()
	extents := twinExtents(size)
	if extents == nil {
		return refuse("its vertices come in groups of %d twins", size)
	}
	for _, extent := range extents {
		g.Extents, g.Periodic = append(g.Extents, extent), append(g.Periodic, extent == 3)
	}
	cells := make([]int32, len(group))
	seen := make([]int32, groups)
	for v, k := range group {
		cells[v] = g.Cells[k] + int32(groups)*seen[k]
		seen[k]++
	}
	g.Cells = cells
	return nil
}
