package geometric

import (
	"fmt"
	"math"
	"slices"

	"remap/mapping"
)

// ranksOf is where the ranks of a problem lie: at its coordinates, or in the
// cells of its grid. Ranks without a place are placed next to those they talk
// to. Errors: ErrNoCoordinates, coordinates of another number of ranks.
func ranksOf(p *mapping.Problem) (*cloud, error) {
	given := p.Coordinates
	if given == nil {
		if p.Grid == nil {
			return nil, ErrNoCoordinates
		}
		return cells(p.Grid, p.Ranks()), nil
	}
	if given.Dimensions > 0 && given.Ranks() != p.Ranks() {
		return nil, fmt.Errorf("coordinates of %d ranks, and the graph has %d", given.Ranks(), p.Ranks())
	}
	placed := make([]bool, p.Ranks())
	missing := 0
	for r := range placed {
		placed[r] = given.Dimensions > 0 && given.Of(int32(r)) != nil
		if !placed[r] {
			missing++
		}
	}
	if missing == p.Ranks() {
		return nil, ErrNoCoordinates
	}
	c := &cloud{dims: given.Dimensions, minor: given.Dimensions, values: given.Values}
	if missing > 0 {
		placeOthers(p, c, placed)
	}
	return c, nil
}

// cells are the places of a process grid, first dimension fastest.
func cells(grid []int, ranks int) *cloud {
	dims := max(1, len(grid))
	c := &cloud{dims: dims, minor: dims, values: make([]int32, ranks*dims)}
	for r := range ranks {
		rest := r
		for k, extent := range grid {
			c.values[r*dims+k] = int32(rest % extent)
			rest /= extent
		}
	}
	return c
}

// placeOthers gives ranks without a place one: in every dimension the median of
// those they talk to, weighted by bytes, from which the bytes times the
// distance along the dimensions are least; the middle of the medians, where
// there are several. First come ranks that talk to ranks with places, then
// those that talk to these, and so on; the order within a step does not
// matter. Who talks to nobody with a place is put in the middle of all.
//
// Coordinates are doubled, so that middles are whole numbers. O(edges x dims)
// but for sorting a rank's partners.
func placeOthers(p *mapping.Problem, c *cloud, placed []bool) {
	scale := int32(2)
	for _, x := range c.values {
		if x > math.MaxInt32/4 {
			scale = 1
		}
	}
	c.values = slices.Clone(c.values)
	for i := range c.values {
		c.values[i] *= scale
	}
	for wave := frontier(p, placed); len(wave) > 0; {
		for _, r := range wave {
			for k := range c.dims {
				c.values[int(r)*c.dims+k] = median(p, c, placed, r, k)
			}
		}
		for _, r := range wave {
			placed[r] = true
		}
		wave = beyond(p, placed, wave)
	}
	middle := make([]int32, c.dims)
	for k := range middle {
		low, high := int64(math.MaxInt32), int64(0)
		for r, known := range placed {
			if x := int64(c.values[r*c.dims+k]); known {
				low, high = min(low, x), max(high, x)
			}
		}
		middle[k] = int32((low + high) / 2)
	}
	for r, known := range placed {
		if !known {
			copy(c.values[r*c.dims:], middle)
		}
	}
}

// frontier lists the ranks without a place that talk to one with a place.
func frontier(p *mapping.Problem, placed []bool) []int32 {
	var list []int32
	for r := range int32(len(placed)) {
		first, end := p.Graph.Row(r)
		if !placed[r] && slices.ContainsFunc(p.Graph.Neighbors[first:end],
			func(v int32) bool { return placed[v] }) {
			list = append(list, r)
		}
	}
	return list
}

// beyond lists the ranks without a place that talk to one of a wave.
func beyond(p *mapping.Problem, placed []bool, wave []int32) []int32 {
	var list []int32
	for _, r := range wave {
		first, end := p.Graph.Row(r)
		for _, v := range p.Graph.Neighbors[first:end] {
			if !placed[v] {
				list = append(list, v)
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// median is the weighted median of the partners' coordinates in dimension k.
func median(p *mapping.Problem, c *cloud, placed []bool, r int32, k int) int32 {
	type pull struct {
		at     int32
		weight int64
	}
	var pulls []pull
	var total int64
	first, end := p.Graph.Row(r)
	for e := first; e < end; e++ {
		if v := p.Graph.Neighbors[e]; placed[v] {
			pulls = append(pulls, pull{c.values[int(v)*c.dims+k], p.Graph.Weights[e]})
			total += p.Graph.Weights[e]
		}
	}
	slices.SortFunc(pulls, func(a, b pull) int { return int(a.at) - int(b.at) })
	var below int64
	for i, x := range pulls {
		below += x.weight
		if 2*below == total {
			return int32((int64(x.at) + int64(pulls[i+1].at)) / 2)
		}
		if 2*below > total {
			return x.at
		}
	}
	return 0 // of no partners; a frontier has none such
}
