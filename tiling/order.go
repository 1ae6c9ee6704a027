package tiling

// Order lists the cells of the grid tile by tile: every tile of shapes[0] is
// one run, every tile of shapes[1] is one run of those, and so on. A cell's
// number counts along the grid's first dimension first. axes tells in which
// order dimensions are walked, among tiles as within them: axes[0] fastest;
// nil = as the grid. The result is a permutation; length cells.
//
// Each tile must divide the next, the last the grid.
//
//	Order({4, 4}, {{2, 2}}, nil):      0  1  4  5      axes {1, 0}:   0  2  8 10
//	where each cell comes in the list  2  3  6  7                     1  3  9 11
//	                                   8  9 12 13                     4  6 12 14
//	                                  10 11 14 15                     5  7 13 15
func Order(grid []int, shapes [][]int, axes []int) []int32 {
	if axes == nil {
		axes = make([]int, len(grid))
		for d := range axes {
			axes[d] = d
		}
	}
	w := walk{axes: axes, strides: make([]int, len(grid))}
	cells := 1
	for d, extent := range grid {
		w.strides[d] = cells
		cells *= extent
	}
	unit := make([]int, len(grid))
	for d := range unit {
		unit[d] = 1
	}
	// boxes runs from single cells to the whole grid.
	w.boxes = append(append([][]int{unit}, shapes...), grid)
	w.cells = make([]int32, 0, cells)
	if cells > 0 {
		w.box(len(w.boxes)-1, 0)
	}
	return w.cells
}

// walk goes through nested boxes.
type walk struct {
	axes    []int
	strides []int
	boxes   [][]int // extents of the boxes of every level, finest first
	cells   []int32
}

// box lists the cells of the box of a level whose first cell is corner.
func (w *walk) box(level, corner int) {
	if level == 0 {
		w.cells = append(w.cells, int32(corner))
		return
	}
	w.along(level, len(w.axes)-1, corner)
}

// along walks the boxes of the level below, dimensions axes[0..k].
func (w *walk) along(level, k, corner int) {
	if k < 0 {
		w.box(level-1, corner)
		return
	}
	d := w.axes[k]
	step := w.boxes[level-1][d]
	for at := 0; at < w.boxes[level][d]; at += step {
		w.along(level, k-1, corner+at*w.strides[d])
	}
}
