package tiling

import (
	"context"
	"math"
	"slices"

	"remap/mapping"
	"remap/stencil"
)

// task is a problem whose grid is known, and the best mapping so far.
type task struct {
	*mapping.Problem
	lattice  *Lattice
	vertexAt []int32 // length cells: rank of every cell
	places   *mapping.Places
	best     mapping.Mapping
	cost     int64 // bytes times switches on the path of best
}

// try judges an order of the cells; ties stay with the earlier one.
func (t *task) try(cells []int32) {
	ranks := make([]int32, len(cells))
	for i, c := range cells {
		ranks[i] = t.vertexAt[c]
	}
	m := Place(t.places, ranks)
	if cost := mapping.PathBytes(t.Machine, t.Allocation, t.Graph, m); t.best == nil || cost < t.cost {
		t.best, t.cost = m, cost
	}
}

// prices is what a unit of weight between different places of each level costs
// beyond the level below, at least 1: where places of two levels can be equally
// near, as on a torus, large places must still hold together. strict tells that
// no two levels are.
func (t *task) prices() (list []float64, strict bool) {
	distance := apart(t.Machine, t.Allocation, t.places)
	list, strict = make([]float64, len(distance)-1), true
	for i := range list {
		step := distance[i+1] - distance[i]
		strict = strict && step > 0
		list[i] = float64(max(1, step))
	}
	return list, strict
}

// boxes tries the best tiles that divide each other and the grid, if there are
// any; their sizes are those of the places, or a common divisor of these. It
// tells whether the tiles are the places.
func (t *task) boxes(levels int) (whole bool) {
	prices, strict := t.prices()
	var sizes []int
	var chosen []float64
	whole = true
	for i := range t.places.Levels {
		unit := t.places.Levels[i].Unit()
		whole = whole && unit == t.places.Levels[i].Size(0)
		if unit > 1 && (len(sizes) == 0 || unit > sizes[len(sizes)-1]) {
			sizes, chosen = append(sizes, unit), append(chosen, prices[i])
		}
	}
	shapes, err := Shapes(t.lattice, sizes, chosen)
	if err != nil {
		return false // no tiles divide the grid
	}
	if strict || levels != AllLevels || t.Ranks() > manyRanks {
		t.try(Order(t.lattice.Extents, shapes, nil))
		return whole
	}
	// Which tiles of one place lie next to each other matters too.
	axes := make([]int, len(t.lattice.Extents))
	for d := range axes {
		axes[d] = d
	}
	eachPermutation(axes, len(axes), func() { t.try(Order(t.lattice.Extents, shapes, axes)) })
	return whole
}

// eachPermutation visits the orders of the first k elements, that given first.
func eachPermutation(list []int, k int, visit func()) {
	if k <= 1 {
		visit()
		return
	}
	for i := k - 1; i >= 0; i-- {
		list[i], list[k-1] = list[k-1], list[i]
		eachPermutation(list, k-1, visit)
		list[i], list[k-1] = list[k-1], list[i]
	}
}

// proved tells that no mapping is better than the best so far. Stencils with
// diagonals are not asked: their bound is never reached and takes longer.
func (t *task) proved(grid *stencil.Grid) bool {
	steps := stencil.Measure(t.Graph, grid)
	if slices.ContainsFunc(steps.List, func(s stencil.Step) bool { return alongAxis(s.Offset) < 0 }) {
		return false
	}
	return t.best != nil && newIsoperimetry(steps, grid).bound(t.Problem).Above(t.cost) < 1e-9
}

// Above manyRanks only sweeps that promise most are tried, and none where boxes
// divide the grid.
const manyRanks = 20000

// sweeps tries the most promising sweeps of the whole grid. Errors: ctx's.
func (t *task) sweeps(ctx context.Context) error {
	// About so many looks from a cell at a neighbour in all, some tenths of a second.
	const work = 40e6
	pairs := work / float64(max(1, t.Ranks()*len(t.lattice.Directions)))
	trials := max(2, min(30, int(math.Sqrt(pairs))))
	tops := max(3, min(20, int(pairs)/trials))
	s := newSweeper(t.lattice, t.places)
	for _, top := range s.tops(tops) {
		cells, err := s.order(ctx, top, trials)
		if err != nil {
			return err
		}
		t.try(cells)
	}
	return nil
}
