package tiling

import (
	"cmp"
	"context"
	"math"
	"slices"

	"remap/mapping"
)

// sweep is a way to list the cells of a box: it is cut across all dimensions
// but one into bars, and these are walked in turn, to and fro along that
// dimension. Places of any sizes cut this list into runs, which are boxes where
// the numbers divide and boxes with a step at either end elsewhere.
//
//	0 1 5 6 7 | 11 of 12   2 bars of height 2 in a 7x4 grid,
//	2 3 4 8 9 10   ..      places of 5, 6 and 3 + 14
type sweep struct {
	axis int   // the dimension walked
	bars []int // length dimensions: parts along each, 1 for axis
	cost float64
}

// sweeper tiles a grid for places of any size, level by level: the cells of
// every place, whatever region they are, are swept for the places in it.
type sweeper struct {
	lattice *Lattice
	places  *mapping.Places
	dims    int
	at      []int32   // length cells x dimensions: coordinates
	next    [][]int32 // of every direction, length cells: the cell that a step leads to, -1 = none
	region  []int32   // length cells: number of the region that a cell was last judged in
	owner   []int32   // length cells: place within that region
	regions int32     // numbers given so far
	keys    []uint64  // length cells: scratch
	trials  int       // sweeps judged for every region
}

func newSweeper(l *Lattice, places *mapping.Places) *sweeper {
	n, dims := l.Cells(), len(l.Extents)
	s := &sweeper{lattice: l, places: places, dims: dims, at: make([]int32, n*dims),
		region: make([]int32, n), owner: make([]int32, n), keys: make([]uint64, n)}
	for c := range n {
		rest := c
		for d, extent := range l.Extents {
			s.at[c*dims+d] = int32(rest % extent)
			rest /= extent
		}
	}
	for i := range l.Directions {
		s.next = append(s.next, s.neighbors(l.Directions[i].Offset))
	}
	return s
}

// neighbors lists for every cell the one that is offset away, -1 = none.
func (s *sweeper) neighbors(offset []int) []int32 {
	list := make([]int32, s.lattice.Cells())
	for c := range list {
		to, stride := 0, 1
		for d, extent := range s.lattice.Extents {
			x := int(s.at[c*s.dims+d]) + offset[d]
			if x < 0 || x >= extent {
				if s.lattice.Periodic == nil || !s.lattice.Periodic[d] {
					to = -1
					break
				}
				x = (x + extent) % extent
			}
			to += x * stride
			stride *= extent
		}
		list[c] = int32(to)
	}
	return list
}

// tops lists up to count sweeps of the whole grid for its top level, those of
// the least estimated cost first; one when there are no levels.
func (s *sweeper) tops(count int) []sweep {
	sizes := s.children(0, s.lattice.Cells(), len(s.places.Levels)-1)
	if len(sizes) < 2 {
		return []sweep{{bars: slices.Repeat([]int{1}, s.dims)}}
	}
	low, high := make([]int32, s.dims), make([]int32, s.dims)
	for d, extent := range s.lattice.Extents {
		high[d] = int32(extent)
	}
	return s.estimate(low, high, len(sizes), count)
}

// order lists all cells so that places in turn hold runs of them; top is the
// sweep of the top level. Errors: ctx's.
func (s *sweeper) order(ctx context.Context, top sweep, trials int) ([]int32, error) {
	cells := make([]int32, s.lattice.Cells())
	for c := range cells {
		cells[c] = int32(c)
	}
	s.trials = trials
	return cells, s.split(ctx, cells, 0, len(s.places.Levels)-1, &top)
}

// children lists the bounds of the places of a level within a run of slots,
// counted from its first slot; from 0 to length.
func (s *sweeper) children(first, length, level int) []int32 {
	if level < 0 {
		return nil
	}
	bounds := s.places.Levels[level].Bounds
	at, _ := slices.BinarySearch(bounds, int32(first))
	var list []int32
	for ; at < len(bounds) && int(bounds[at]) <= first+length; at++ {
		list = append(list, bounds[at]-int32(first))
	}
	return list
}

// split orders the cells of the run of slots that starts at first.
func (s *sweeper) split(ctx context.Context, cells []int32, first, level int, given *sweep) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if level < 0 {
		slices.Sort(cells)
		return nil
	}
	bounds := s.children(first, len(cells), level)
	if len(bounds) > 2 {
		if given == nil {
			best := s.choose(cells, bounds)
			given = &best
		}
		low, high := s.box(cells)
		s.sort(cells, given, low, high)
	}
	for i := range len(bounds) - 1 {
		if err := s.split(ctx, cells[bounds[i]:bounds[i+1]], first+int(bounds[i]), level-1, nil); err != nil {
			return err
		}
	}
	return nil
}

// box is the least box around cells: low inclusive, high exclusive.
func (s *sweeper) box(cells []int32) (low, high []int32) {
	low, high = make([]int32, s.dims), make([]int32, s.dims)
	for d := range low {
		low[d] = math.MaxInt32
	}
	for _, c := range cells {
		for d, x := range s.at[int(c)*s.dims : int(c+1)*s.dims] {
			low[d], high[d] = min(low[d], x), max(high[d], x+1)
		}
	}
	return low, high
}

// choose judges the most promising sweeps of a region exactly and takes the
// one that cuts least; of equals, the first.
func (s *sweeper) choose(cells, bounds []int32) sweep {
	low, high := s.box(cells)
	list := s.estimate(low, high, len(bounds)-1, s.trials)
	if len(list) == 1 {
		return list[0]
	}
	s.regions++
	for _, c := range cells {
		s.region[c] = s.regions
	}
	for i := range list {
		s.sort(cells, &list[i], low, high)
		for k := range len(bounds) - 1 {
			for _, c := range cells[bounds[k]:bounds[k+1]] {
				s.owner[c] = int32(k)
			}
		}
		list[i].cost = s.cut(cells)
	}
	return slices.MinFunc(list, func(x, y sweep) int { return cmp.Compare(x.cost, y.cost) })
}

// cut is the weight between cells of one region with different owners.
func (s *sweeper) cut(cells []int32) float64 {
	var sum float64
	region := s.region[cells[0]]
	for i, next := range s.next {
		count := 0
		for _, c := range cells {
			if to := next[c]; to >= 0 && s.region[to] == region && s.owner[to] != s.owner[c] {
				count++
			}
		}
		sum += s.lattice.Directions[i].Weight * float64(count)
	}
	return sum
}

// sort lists cells in the order of a sweep of the box around them.
func (s *sweeper) sort(cells []int32, w *sweep, low, high []int32) {
	var scale [][2]uint64 // by dimension and coordinate: its bar, its place within the bar
	first := make([]int, s.dims)
	for d := range s.dims {
		first[d] = len(scale) - int(low[d])
		scale = appendBars(scale, int(high[d]-low[d]), w.bars[d])
	}
	thick := uint64(1) // cells of the thickest slice, and maybe more
	for d := range s.dims {
		if d != w.axis {
			thick *= uint64(int(high[d]-low[d])/w.bars[d] + 1)
		}
	}
	length := uint64(high[w.axis] - low[w.axis])
	keys := s.keys[:len(cells)]
	for i, c := range cells {
		var bar, within uint64
		odd := false
		at := s.at[int(c)*s.dims : int(c+1)*s.dims]
		// A cell's place: its bar, its slice along the axis, its place in the
		// slice. Every other bar is walked backwards.
		for d := s.dims - 1; d >= 0; d-- {
			if d == w.axis {
				continue
			}
			x := scale[first[d]+int(at[d])]
			parts := uint64(w.bars[d])
			if odd {
				x[0] = parts - 1 - x[0]
			}
			bar = bar*parts + x[0]
			odd = bar%2 == 1
			within = within*uint64(int(high[d]-low[d])/w.bars[d]+1) + x[1]
		}
		x := uint64(at[w.axis] - low[w.axis])
		if odd {
			x = length - 1 - x
		}
		keys[i] = ((bar*length+x)*thick+within)<<24 | uint64(c)
	}
	slices.Sort(keys)
	for i, k := range keys {
		cells[i] = int32(k & (1<<24 - 1))
	}
}

// appendBars appends, for each of extent coordinates, the number of the bar
// that it lies in when there are so many of about equal thickness, and its
// place from that bar's beginning.
func appendBars(list [][2]uint64, extent, parts int) [][2]uint64 {
	bar := 0
	for x := range extent {
		for (bar+1)*extent/parts <= x {
			bar++
		}
		list = append(list, [2]uint64{uint64(bar), uint64(x - bar*extent/parts)})
	}
	return list
}
