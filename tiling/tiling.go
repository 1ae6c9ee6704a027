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
// such chains it takes the one that crosses the fewest faces, summed over the
// levels; of equals, the one whose coarsest differing tile is longer in the
// first differing dimension.
//
// grid lists the extents, first fastest; sizes ascend, each dividing the next
// and the last dividing the number of cells. An exhaustive search over the
// divisors, remembering the best chain below every shape:
//
//	32x24 pods of 8x4 tiles in a 64x72 grid:   +--+--+--+--+ . .
//	                                           +--+--+--+--+
//	                                           +--+--+--+--+
//	                                           .  one pod  .
//
// Errors: *Misfit when no chain exists.
func Shapes(grid []int, sizes []int) ([][]int, error) {
	search := search{grid: grid, sizes: sizes, best: map[string]chain{}}
	found := search.below(len(sizes), grid)
	if !found.ok {
		return nil, &Misfit{Grid: grid, Sizes: sizes}
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

// Faces counts the pairs of grid neighbours that lie in different tiles:
// in every dimension, the boundaries between tiles times the cells along one.
func Faces(grid, tile []int) int {
	cells := 1
	for _, extent := range grid {
		cells *= extent
	}
	faces := 0
	for d, extent := range grid {
		faces += (extent/tile[d] - 1) * (cells / extent)
	}
	return faces
}

// search remembers the best chain of tiles inside every box it has seen.
type search struct {
	grid, sizes []int
	best        map[string]chain // key: level and box
}

// chain is tiles of levels 0..len(shapes)-1 and the faces they cross.
type chain struct {
	shapes [][]int
	faces  int
	ok     bool
}

// below finds the best chain for the levels under `levels` inside a box.
func (s *search) below(levels int, box []int) chain {
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
		faces := inner.faces + Faces(s.grid, tile)
		if !best.ok || faces < best.faces {
			shapes := append(slices.Clone(inner.shapes), slices.Clone(tile))
			best = chain{shapes: shapes, faces: faces, ok: true}
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
