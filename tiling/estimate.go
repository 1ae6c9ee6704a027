package tiling

import (
	"cmp"
	"math"
	"slices"
)

// estimate lists up to count sweeps of a box for so many places of about equal
// size, the least cost first. The cost is that of a box of cells with the
// fractions that do not divide smoothed over, and half a slice more for every
// cut that ends within one.
func (s *sweeper) estimate(low, high []int32, places, count int) []sweep {
	box := &Lattice{Extents: make([]int, s.dims), Periodic: make([]bool, s.dims),
		Directions: s.lattice.Directions}
	for d := range box.Extents {
		box.Extents[d] = int(high[d] - low[d])
		box.Periodic[d] = s.lattice.Periodic != nil && s.lattice.Periodic[d] &&
			box.Extents[d] == s.lattice.Extents[d]
	}
	// Sides are at most thrice, at least a third of a cube's of that size.
	volume, solid := float64(box.Cells()), 0
	for _, extent := range box.Extents {
		if extent > 1 {
			solid++
		}
	}
	side := math.Pow(volume/float64(places), 1/float64(max(1, solid)))
	var list []sweep
	bars := slices.Repeat([]int{1}, s.dims)
	for axis := range s.dims {
		if box.Extents[axis] == 1 && volume > 1 {
			continue
		}
		var each func(d, product int)
		each = func(d, product int) {
			switch {
			case d == s.dims:
				list = append(list, sweep{axis, slices.Clone(bars), box.smooth(axis, bars, places)})
				return
			case d == axis:
				each(d+1, product)
				return
			}
			extent := float64(box.Extents[d])
			least, most := int(extent/(3*side)), int(math.Ceil(3*extent/side))
			for parts := max(1, least); parts <= min(most, box.Extents[d]) && product*parts <= places; parts++ {
				bars[d] = parts
				each(d+1, product*parts)
			}
			bars[d] = 1
		}
		each(0, 1)
	}
	slices.SortStableFunc(list, func(x, y sweep) int { return cmp.Compare(x.cost, y.cost) })
	return list[:min(count, len(list))]
}

// smooth estimates what a sweep cuts.
func (l *Lattice) smooth(axis int, bars []int, places int) float64 {
	parts := make([]float64, len(bars))
	product := 1
	slice := 1.0 // cells of a slice across a bar
	for d, p := range bars {
		parts[d] = float64(p)
		product *= p
		if d != axis {
			slice *= float64(l.Extents[d]) / float64(p)
		}
	}
	parts[axis] = float64(places) / float64(product)
	cost := l.cut(parts)
	size := float64(l.Cells()) / float64(places)
	if whole := math.Round(size / slice); whole < 1 || math.Abs(size-whole*slice) > 1e-9*size {
		// A step in a cut adds faces between the rows of one slice.
		var step float64
		for i := range l.Directions {
			o := &l.Directions[i]
			if o.Offset[axis] == 0 {
				step += o.Weight * math.Pow(slice, float64(len(bars)-2)/float64(max(1, len(bars)-1)))
			}
		}
		cost += step * float64(places) / 2
	}
	return cost
}
