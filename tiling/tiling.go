// Package tiling cuts the process grid of a stencil program into boxes, one
// for every leaf switch, pod and so on, so that as few grid neighbours as
// possible end up in different boxes.
package tiling

import (
	"fmt"
	"slices"
	"strings"
)

// Shapes chooses the tile of every level: shapes[l] has sizes[l] cells, its
// extents divide those of shapes[l+1], and the last divides the grid. Of all
// such chains it takes the one that cuts the least weight, summed over the
// levels; of equals, the one whose coarsest differing tile is longer in the
// first differing dimension.
//
// sizes ascend, each dividing the next and the last dividing the number of
// cells; prices are those of a unit of weight cut at each level (length sizes,
// nil = 1 each). An exhaustive search over the
// divisors, remembering the best chain below every shape:
//
//	32x24 pods of 8x4 tiles in a 64x72 grid:   +--+--+--+--+ . .
//	                                           +--+--+--+--+
//	                                           +--+--+--+--+
//	                                           .  one pod  .
//
// Errors: *Misfit when no chain exists.
func Shapes(l *Lattice, sizes []int, prices []float64) ([][]int, error) {
	search := orderSearch{lattice: l, sizes: sizes, prices: prices, best: map[string]chain{}}
	found := search.below(len(sizes), l.Extents)
	if !found.ok {
		return nil, &Misfit{Grid: l.Extents, Sizes: sizes}
	}
	return found.shapes, nil
}

// Misfit is the error of a grid that no chain of tiles divides.
type Misfit struct {
	Grid  []int
	Sizes []int
}

func (e *Misfit) Error() string {
	sizes := make([]string, len(e.Sizes))
	for i, s := range e.Sizes {
		sizes[i] = fmt.Sprint(s)
	}
	return fmt.Sprintf("the grid %s does not divide into tiles of %s cells",
		Extents(e.Grid), strings.Join(sizes, " within "))
}

// Extents writes a grid as users do: 64x72.
func Extents(grid []int) string {
	parts := make([]string, len(grid))
	for i, extent := range grid {
		parts[i] = fmt.Sprint(extent)
	}
	return strings.Join(parts, "x")
}

// orderSearch remembers the best chain of tiles inside every box it has seen.
type orderSearch struct {
	lattice *Lattice
	sizes   []int
	prices  []float64
	best    map[string]chain // key: level and box
}

// chain is tiles of levels 0..len(shapes)-1 and the price of what they cut.
type chain struct {
	shapes [][]int
	cost   float64
	ok     bool
}

// below finds the best chain for the levels under `levels` inside a box.
func (s *orderSearch) below(levels int, box []int) chain {
	if levels == 0 {
		return chain{ok: true}
	}
	key := fmt.Sprint(levels, box)
	if found, ok := s.best[key]; ok {
		return found
	}
	var best chain
	eachTile(box, s.sizes[levels-1], func(tile []int) {
		inner := s.below(levels-1, tile)
		if !inner.ok {
			return
		}
		cost := s.lattice.Cut(tile)
		if s.prices != nil {
			cost *= s.prices[levels-1]
		}
		if cost += inner.cost; !best.ok || cost < best.cost {
			shapes := append(slices.Clone(inner.shapes), slices.Clone(tile))
			best = chain{shapes: shapes, cost: cost, ok: true}
		}
	})
	s.best[key] = best
	return best
}

// eachTile visits the tiles of size cells whose extents divide the box's,
// longest in the first dimension first, then in the second, and so on.
func eachTile(box []int, size int, visit func(tile []int)) {
	tile := make([]int, len(box))
	var choose func(d, left int)
	choose = func(d, left int) {
		if d == len(box) {
			if left == 1 {
				visit(tile)
			}
			return
		}
		for extent := min(box[d], left); extent > 0; extent-- {
			if box[d]%extent == 0 && left%extent == 0 {
				tile[d] = extent
				choose(d+1, left/extent)
			}
		}
	}
	choose(0, size)
}
