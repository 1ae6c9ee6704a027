package tiling

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"
)

// drawCells draws a set of cells: a connected one, or scattered ones, or ones
// whose coordinates have an even sum, which meet few diagonals.
func drawCells(t *rapid.T, dims int) [][]int {
	kind := rapid.SampledFrom([]string{"grown", "scattered", "even"}).Draw(t, "kind")
	taken := map[string]bool{}
	cells := [][]int{make([]int, dims)}
	taken[fmt.Sprint(cells[0])] = true
	for range rapid.IntRange(0, 40).Draw(t, "cells") {
		cell := make([]int, dims)
		copy(cell, cells[rapid.IntRange(0, len(cells)-1).Draw(t, "from")])
		if kind == "scattered" {
			clear(cell)
		}
		sum := 0
		for d := range cell {
			cell[d] += rapid.IntRange(-1, 1).Draw(t, "step") * map[string]int{"grown": 1, "scattered": 3,
				"even": 1}[kind]
			sum += cell[d]
		}
		if kind == "even" && sum%2 != 0 || taken[fmt.Sprint(cell)] {
			continue
		}
		taken[fmt.Sprint(cell)] = true
		cells = append(cells, cell)
	}
	return cells
}

// linesMet counts the lines in a direction, of steps of one, that cells lie on.
func linesMet(cells [][]int, offset []int) int {
	lines := map[string]bool{}
	for _, cell := range cells {
		// Slide along the line until the first coordinate that moves is 0.
		at := append([]int(nil), cell...)
		for d, step := range offset {
			if step != 0 {
				times := at[d] * step // step is 1 or -1
				for k := range at {
					at[k] -= times * offset[k]
				}
				break
			}
		}
		lines[fmt.Sprint(at)] = true
	}
	return len(lines)
}

// No set of cells meets fewer lines than the bounds say.
func TestSetsMeetTheLinesOfTheBounds(t *testing.T) {
	weight := rapid.Float64Range(0, 10)
	rapid.Check(t, func(t *rapid.T) {
		cells := drawCells(t, 2)
		columns, rows := linesMet(cells, []int{0, 1}), linesMet(cells, []int{1, 0})
		up, down := linesMet(cells, []int{1, 1}), linesMet(cells, []int{1, -1})
		if least := diagonalLines(len(cells), columns, rows); up < least || down < least {
			t.Fatalf("%d cells in %d columns and %d rows meet %d and %d diagonals, the bound "+
				"is %d", len(cells), columns, rows, up, down, least)
		}
		p := plane{weight.Draw(t, "w"), weight.Draw(t, "w"), weight.Draw(t, "w")}
		if got, least := p.along*float64(rows)+p.across*float64(columns)+p.diagonal*float64(min(up, down)),
			p.lines(len(cells)); got < least*(1-1e-12) {
			t.Fatalf("%v: %v, the bound is %v", p, got, least)
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		cells := drawCells(t, 3)
		b, got := solid{}, 0.0
		for d := range 3 {
			axis, up, down := make([]int, 3), make([]int, 3), make([]int, 3)
			axis[d] = 1
			up[(d+1)%3], up[(d+2)%3], down[(d+1)%3], down[(d+2)%3] = 1, 1, 1, -1
			b.axes[d], b.diagonals[d] = weight.Draw(t, "w"), weight.Draw(t, "w")
			got += b.axes[d]*float64(linesMet(cells, axis)) +
				b.diagonals[d]/2*float64(linesMet(cells, up)+linesMet(cells, down))
		}
		if least := b.lines(len(cells)); got < least*(1-1e-12) {
			t.Fatalf("%+v: %d cells meet %v, the bound is %v", b, len(cells), got, least)
		}
	})
}

// Boxes, and boxes without two opposite corners, reach the bound of a diagonal.
func TestDiagonalLinesAreReached(t *testing.T) {
	for columns := 1; columns <= 6; columns++ {
		for rows := columns; rows <= 6; rows++ {
			for cut := 0; 2*cut <= columns; cut++ {
				var cells [][]int
				for x := range columns {
					for y := range rows {
						// Corners at the ends of the other diagonal.
						if x+rows-1-y >= cut && y+columns-1-x >= cut {
							cells = append(cells, []int{x, y})
						}
					}
				}
				if got, want := diagonalLines(len(cells), columns, rows), linesMet(cells, []int{1, 1}); got != want {
					t.Errorf("%dx%d without %d diagonals at two corners: the bound is %d "+
						"of %d", columns, rows, cut, got, want)
				}
			}
		}
	}
}

// Dimensions that weigh the same are bounded like those that hardly differ,
// which are searched one by one.
func TestLinesOfEqualDimensions(t *testing.T) {
	for _, size := range []int{2, 27, 100, 400} {
		equal := solid{[3]float64{64, 64, 64}, [3]float64{16, 16, 16}}
		other := solid{[3]float64{64, 64, 64 * (1 + 1e-12)}, [3]float64{16, 16, 16}}
		if got, want := equal.lines(size), other.lines(size); math.Abs(got-want) > 1e-9*want {
			t.Errorf("%d cells: %g, one by one %g", size, got, want)
		}
	}
}
