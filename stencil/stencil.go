// Package stencil finds out that a communication graph is a grid or a stencil
// on one, whatever the labels of its vertices, and gives every vertex its
// coordinates; and it says which steps the edges of such a graph take and how
// heavy those of each direction are.
package stencil

import (
	"fmt"
	"strings"
)

// MaxDimensions is the most dimensions of a grid that Recover finds.
const MaxDimensions = 4

// Grid gives every vertex of a graph a cell of a box.
type Grid struct {
	// Extents: cells along each dimension, > 0.
	Extents []int
	// Periodic (length dimensions): the last cell is a neighbour of the first; nil = none is.
	Periodic []bool
	// Cells (length vertices): cell of each, none twice; cell numbers count along the first dimension
	// first; nil = vertex v is cell v.
	Cells []int32
}

// Vertices is the number of cells, which is that of the vertices.
func (g *Grid) Vertices() int {
	cells := 1
	for _, extent := range g.Extents {
		cells *= extent
	}
	return cells
}

// Cell is the cell of a vertex.
func (g *Grid) Cell(v int32) int32 {
	if g.Cells == nil {
		return v
	}
	return g.Cells[v]
}

// VertexAt lists the vertex of every cell; length vertices.
func (g *Grid) VertexAt() []int32 {
	at := make([]int32, g.Vertices())
	for v := range int32(len(at)) {
		at[g.Cell(v)] = v
	}
	return at
}

// Wraps tells whether dimension d is periodic.
func (g *Grid) Wraps(d int) bool { return g.Periodic != nil && g.Periodic[d] }

// String writes the extents as users do, a periodic one with a p: 64x72, 8px8x8.
func (g *Grid) String() string {
	parts := make([]string, len(g.Extents))
	for d, extent := range g.Extents {
		parts[d] = fmt.Sprint(extent)
		if g.Wraps(d) {
			parts[d] += "p"
		}
	}
	return strings.Join(parts, "x")
}

// Check tests that extents are positive and that the cells are a permutation.
func (g *Grid) Check() error {
	cells := 1
	for _, extent := range g.Extents {
		if extent < 1 {
			return fmt.Errorf("the grid %s has an extent below 1", g)
		}
		if cells *= extent; cells > maxCells {
			return fmt.Errorf("the grid %s has more than %d cells", g, maxCells)
		}
	}
	if g.Periodic != nil && len(g.Periodic) != len(g.Extents) {
		return fmt.Errorf("%d extents with %d of periodic or not", len(g.Extents), len(g.Periodic))
	}
	if g.Cells == nil {
		return nil
	}
	if len(g.Cells) != cells {
		return fmt.Errorf("the grid %s has %d cells for %d vertices", g, cells, len(g.Cells))
	}
	taken := make([]bool, cells)
	for v, c := range g.Cells {
		if c < 0 || int(c) >= cells || taken[c] {
			return fmt.Errorf("cell %d of vertex %d of the grid %s does not exist or is taken", c, v, g)
		}
		taken[c] = true
	}
	return nil
}

const maxCells = 1 << 30
