package geometric

// cutter is a cloud kept in order along every dimension while it is divided:
// the points of a part are the same range of every list.
//
//	along x   3 0 | 1 2        cut between 0 and 1
//	along y   0 2 1 3          becomes 0 3 | 2 1, the order within parts kept
type cutter struct {
	*cloud
	lists [][]int32 // length dims, each a permutation of the points
	part  []int32   // length points, scratch
	spare []int32   // length points, scratch
}

func newCutter(c *cloud, keys *denseKeys, mirrored uint32) *cutter {
	return &cutter{c, c.orders(keys, mirrored), make([]int32, c.points()), make([]int32, c.points())}
}

// at is the coordinate of the point at a position of a list.
func (c *cutter) at(axis int, position int32) int32 {
	return c.values[int(c.lists[axis][position])*c.dims+axis]
}

// span is the length of the points from first to end, 0 at one place.
func (c *cutter) span(axis int, first, end int32) int32 {
	span := c.at(axis, end-1) - c.at(axis, first)
	return max(span, -span)
}

// length is how much there is to cut along a dimension: the rows of a grid, 0
// at one place, divided by the price (nil = all alike).
func (c *cutter) length(axis int, first, end int32, prices []float64) float64 {
	span := c.span(axis, first, end)
	switch {
	case span == 0:
		return 0
	case prices == nil:
		return float64(span) + 1
	}
	return (float64(span) + 1) / prices[axis]
}

// longest is the dimension in which the points from first to end are longest,
// lengths being divided by prices (nil = all alike); the first of equals. Minor
// dimensions count only where all others have no length.
func (c *cutter) longest(first, end int32, prices []float64) int {
	best, most := -1, 0.0
	for k := range c.minor {
		if length := c.length(k, first, end, prices); length > most {
			best, most = k, length
		}
	}
	for k := c.minor; k < c.dims && best < 0; k++ {
		if c.span(k, first, end) > 0 {
			best = k
		}
	}
	return max(best, 0)
}

// divide cuts the range from cuts[0] to the last cut at those between, along
// an axis, of which reversed takes the upper end first. O(points x dims).
func (c *cutter) divide(axis int, cuts []int32, reversed bool) {
	first, end := cuts[0], cuts[len(cuts)-1]
	for i := range len(cuts) - 1 {
		for at := cuts[i]; at < cuts[i+1]; at++ {
			from := at
			if reversed {
				from = first + end - 1 - at
			}
			c.part[c.lists[axis][from]] = int32(i)
		}
	}
	next := make([]int32, len(cuts)-1)
	for _, list := range c.lists {
		copy(next, cuts)
		for _, point := range list[first:end] {
			i := c.part[point]
			c.spare[next[i]] = point
			next[i]++
		}
		copy(list[first:end], c.spare[first:end])
	}
}
