package geometric

import (
	"slices"
)

// cloud is points in space. Of points at the same place the one of the lower
// number comes first everywhere.
type cloud struct {
	dims   int
	values []int32 // length points x dims, point by point
	minor  int     // dimensions from here on divide points that are one place in all before
}

func (c *cloud) points() int { return len(c.values) / c.dims }

// extents is the length of the cloud in every dimension: highest less least
// coordinate, plus 1.
func (c *cloud) extents() []int32 {
	low, high := slices.Clone(c.values[:c.dims]), slices.Clone(c.values[:c.dims])
	for i, x := range c.values {
		k := i % c.dims
		low[k], high[k] = min(low[k], x), max(high[k], x)
	}
	for k := range high {
		high[k] += 1 - low[k]
	}
	return high
}

// dense numbers the coordinates of one dimension from 0 without gaps, in
// order; the second result is how many there are.
func (c *cloud) dense(k int) ([]int32, int) {
	distinct := make([]int32, c.points())
	for i := range distinct {
		distinct[i] = c.values[i*c.dims+k]
	}
	numbers := slices.Clone(distinct)
	slices.Sort(distinct)
	distinct = slices.Compact(distinct)
	for i, x := range numbers {
		at, _ := slices.BinarySearch(distinct, x)
		numbers[i] = int32(at)
	}
	return numbers, len(distinct)
}

// orders sorts the points along every dimension, which mirrored (a bit each)
// turns round; points level there go by the other dimensions, the longest
// first, so that an order that ends within a level leaves a short front.
// Counting sorts: O(points x dims^2) once the coordinates are dense.
func (c *cloud) orders(keys *denseKeys, mirrored uint32) [][]int32 {
	lists := make([][]int32, c.dims)
	spare := make([]int32, c.points())
	for k := range lists {
		list := make([]int32, c.points())
		for i := range list {
			list[i] = int32(i)
		}
		for _, by := range slices.Backward(keys.priority) {
			if by != k {
				keys.sort(by, mirrored>>by&1 == 1, list, spare)
				list, spare = spare, list
			}
		}
		keys.sort(k, mirrored>>k&1 == 1, list, spare)
		lists[k], spare = spare, list
	}
	return lists
}

// denseKeys are the dense coordinates of a cloud.
type denseKeys struct {
	numbers  [][]int32 // length dims, each as long as the cloud
	counts   []int     // distinct coordinates of each dimension
	priority []int     // the dimensions, longest first
}

func newDenseKeys(c *cloud) *denseKeys {
	d := &denseKeys{}
	extents := c.extents()
	for k := range c.dims {
		numbers, count := c.dense(k)
		d.numbers, d.counts = append(d.numbers, numbers), append(d.counts, count)
		d.priority = append(d.priority, k)
	}
	slices.SortStableFunc(d.priority, func(a, b int) int {
		if (a >= c.minor) != (b >= c.minor) {
			return a - b
		}
		return int(extents[b]) - int(extents[a])
	})
	return d
}

// sort writes list to sorted, by one dimension, stable.
func (d *denseKeys) sort(k int, mirrored bool, list, sorted []int32) {
	numbers, last := d.numbers[k], int32(d.counts[k]-1)
	next := make([]int32, d.counts[k]+1)
	key := func(i int32) int32 {
		if mirrored {
			return last - numbers[i]
		}
		return numbers[i]
	}
	for _, i := range list {
		next[key(i)+1]++
	}
	for x := range d.counts[k] {
		next[x+1] += next[x]
	}
	for _, i := range list {
		x := key(i)
		sorted[next[x]] = i
		next[x]++
	}
}
