package tiling

import (
	"remap/commgraph"
	"remap/stencil"
)

// Lattice is a grid of cells with a price for every pair of cells some step
// apart that lie in different tiles.
type Lattice struct {
	// Extents: first dimension fastest.
	Extents []int
	// Periodic: length dimensions, nil = none is.
	Periodic   []bool
	Directions []Direction
}

// Direction is one step between cells that talk to each other; the step the
// other way round is the same direction.
type Direction struct {
	// Offset: length dimensions.
	Offset []int
	Weight float64
}

// Plain is the lattice of a grid whose neighbours along the dimensions all talk
// to each other alike.
func Plain(grid []int) *Lattice {
	l := &Lattice{Extents: grid}
	for d := range grid {
		offset := make([]int, len(grid))
		offset[d] = 1
		l.Directions = append(l.Directions, Direction{offset, 1})
	}
	return l
}

// Measured is the lattice of a graph on a grid: every direction weighs what its
// edges weigh on average. A graph without edges of short steps makes it Plain.
func Measured(g *commgraph.Graph, grid *stencil.Grid) *Lattice {
	l := &Lattice{Extents: grid.Extents, Periodic: grid.Periodic}
	for _, s := range stencil.Measure(g, grid).List {
		if s.Room > 0 && s.Weight > 0 {
			l.Directions = append(l.Directions, Direction{s.Offset, float64(s.Weight) / float64(s.Room)})
		}
	}
	if len(l.Directions) == 0 {
		l.Directions = Plain(grid.Extents).Directions
	}
	return l
}

// Cells is the number of cells.
func (l *Lattice) Cells() int {
	cells := 1
	for _, extent := range l.Extents {
		cells *= extent
	}
	return cells
}

// Cut is the weight between cells of different tiles when tiles of the extents
// given, which divide the grid's, lie side by side; without periodic dimensions
// it is exact.
func (l *Lattice) Cut(tile []int) float64 {
	parts := make([]float64, len(tile))
	for d, extent := range l.Extents {
		parts[d] = float64(extent / tile[d])
	}
	return l.cut(parts)
}

// cut is the weight between tiles when each dimension is cut into so many parts.
func (l *Lattice) cut(parts []float64) float64 {
	var sum float64
	for i := range l.Directions {
		o := &l.Directions[i]
		all, inside := 1.0, 1.0
		for d, step := range o.Offset {
			extent, reach := float64(l.Extents[d]), float64(max(step, -step))
			open := extent
			if l.Periodic == nil || !l.Periodic[d] {
				open = max(0, extent-reach)
			}
			all *= open
			if parts[d] > 1 {
				open = max(0, extent-reach*parts[d])
			}
			inside *= open
		}
		sum += o.Weight * (all - inside)
	}
	return sum
}
