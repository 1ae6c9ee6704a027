package tiling

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// grids draws extents of one to four dimensions, at most 24 long.
func grids() *rapid.Generator[[]int] {
	return rapid.SliceOfN(rapid.SampledFrom([]int{1, 2, 3, 4, 5, 6, 8, 9, 12, 16, 24}), 1, 3)
}

func cellCount(grid []int) int {
	cells := 1
	for _, extent := range grid {
		cells *= extent
	}
	return cells
}

// drawShapes draws nested tiles of a grid, finest first.
func drawShapes(t *rapid.T, grid []int) [][]int {
	var shapes [][]int
	box := grid
	for range rapid.IntRange(0, 3).Draw(t, "levels") {
		tile := make([]int, len(box))
		for d := range box {
			tile[d] = rapid.SampledFrom(divisors(box[d])).Draw(t, "extent")
		}
		shapes = append(shapes, tile)
		box = tile
	}
	slices.Reverse(shapes)
	return shapes
}

func divisors(n int) []int {
	var list []int
	for d := 1; d <= n; d++ {
		if n%d == 0 {
			list = append(list, d)
		}
	}
	return list
}

// position is the coordinates of a cell.
func position(grid []int, cell int) []int {
	at := make([]int, len(grid))
	for d, extent := range grid {
		at[d] = cell % extent
		cell /= extent
	}
	return at
}

func tileOf(grid, tile []int, cell int) string {
	at := position(grid, cell)
	for d := range at {
		at[d] /= tile[d]
	}
	return fmt.Sprint(at)
}

// Every cell comes once, and every tile of every level is one run.
func TestOrderKeepsTilesTogether(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		grid := grids().Draw(t, "grid")
		shapes := drawShapes(t, grid)
		axes := make([]int, len(grid))
		for d := range axes {
			axes[d] = d
		}
		axes = rapid.Permutation(axes).Draw(t, "axes")
		order := Order(grid, shapes, axes)
		sorted := slices.Sorted(slices.Values(order))
		if len(sorted) != cellCount(grid) || len(sorted) > 0 &&
			(sorted[0] != 0 || int(sorted[len(sorted)-1]) != len(sorted)-1) ||
			len(slices.Compact(sorted)) != len(order) {
			t.Fatalf("not a permutation of %d cells: %v", cellCount(grid), order)
		}
		for _, tile := range shapes {
			size := cellCount(tile)
			for i, cell := range order {
				if tileOf(grid, tile, int(cell)) != tileOf(grid, tile, int(order[i-i%size])) {
					t.Fatalf("tile %v of grid %v is not one run at entry %d of %v", tile, grid, i, order)
				}
			}
		}
	})
}

func TestOrderOfTheComment(t *testing.T) {
	for _, c := range []struct {
		axes []int
		want []int32
	}{
		{nil, []int32{0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 12, 13, 10, 11, 14, 15}},
		{[]int{1, 0}, []int32{0, 4, 1, 5, 8, 12, 9, 13, 2, 6, 3, 7, 10, 14, 11, 15}},
	} {
		if got := Order([]int{4, 4}, [][]int{{2, 2}}, c.axes); !slices.Equal(got, c.want) {
			t.Errorf("axes %v: %v, want %v", c.axes, got, c.want)
		}
	}
	if got := Order([]int{3, 2}, nil, nil); !slices.Equal(got, []int32{0, 1, 2, 3, 4, 5}) {
		t.Errorf("without tiles: %v, want the identity", got)
	}
}

// The closed form against counting neighbours one by one.
func TestFacesAgainstCounting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		grid := grids().Draw(t, "grid")
		tile := make([]int, len(grid))
		for d := range grid {
			tile[d] = rapid.SampledFrom(divisors(grid[d])).Draw(t, "extent")
		}
		count, stride := 0, 1
		for d, extent := range grid {
			for cell := range cellCount(grid) {
				if position(grid, cell)[d] < extent-1 && tileOf(grid, tile, cell) != tileOf(grid, tile, cell+stride) {
					count++
				}
			}
			stride *= extent
		}
		if got := int(Plain(grid).Cut(tile)); got != count {
			t.Fatalf("grid %v, tile %v: %d faces, counted %d", grid, tile, got, count)
		}
	})
}

// leastFaces tries all chains without any memory; -1 when there is none.
func leastFaces(grid, box []int, sizes []int) int {
	if len(sizes) == 0 {
		return 0
	}
	best := -1
	last := len(sizes) - 1
	var choose func(tile []int)
	choose = func(tile []int) {
		if d := len(tile); d < len(box) {
			for _, extent := range divisors(box[d]) {
				choose(append(slices.Clone(tile), extent))
			}
			return
		}
		if cellCount(tile) != sizes[last] {
			return
		}
		if inner := leastFaces(grid, tile, sizes[:last]); inner >= 0 &&
			(best < 0 || inner+int(Plain(grid).Cut(tile)) < best) {
			best = inner + int(Plain(grid).Cut(tile))
		}
	}
	choose(nil)
	return best
}

// No chain of tiles crosses fewer faces; a refusal means there is no chain.
func TestShapesAreBest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		grid := grids().Draw(t, "grid")
		var sizes []int
		for size := cellCount(grid); len(sizes) < 3; {
			size = rapid.SampledFrom(divisors(size)).Draw(t, "size")
			sizes = append(sizes, size)
		}
		slices.Reverse(sizes)
		want := leastFaces(grid, grid, sizes)
		shapes, err := Shapes(Plain(grid), sizes, nil)
		if misfit := (*Misfit)(nil); err != nil {
			if !errors.As(err, &misfit) || want >= 0 {
				t.Fatalf("grid %v, sizes %v: %v, but a chain with %d faces exists", grid, sizes, err, want)
			}
			return
		}
		faces := 0
		outer := grid
		for l := len(shapes) - 1; l >= 0; l-- {
			if cellCount(shapes[l]) != sizes[l] {
				t.Fatalf("tile %v has not %d cells", shapes[l], sizes[l])
			}
			for d := range outer {
				if outer[d]%shapes[l][d] != 0 {
					t.Fatalf("tile %v does not divide %v", shapes[l], outer)
				}
			}
			faces += int(Plain(grid).Cut(shapes[l]))
			outer = shapes[l]
		}
		if faces != want {
			t.Fatalf("grid %v, sizes %v: %v with %d faces, best is %d", grid, sizes, shapes, faces, want)
		}
	})
}

// Ties go to the tile longer in the first dimension.
func TestShapesTies(t *testing.T) {
	shapes, err := Shapes(Plain([]int{64, 72}), []int{32}, nil)
	if err != nil || !slices.Equal(shapes[0], []int{8, 4}) {
		t.Errorf("got %v, %v; want 8x4, which ties with 4x8", shapes, err)
	}
}

func TestMisfitNamesExtentsAndSizes(t *testing.T) {
	_, err := Shapes(Plain([]int{7, 9}), []int{4, 32}, nil)
	if err == nil || err.Error() != "the grid 7x9 does not divide into tiles of 4 within 32 cells" {
		t.Errorf("got %v", err)
	}
}
