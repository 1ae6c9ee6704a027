package geometric

import (
	"slices"

	"remap/mapping"
)

// sites is the machine's side of a bisection: the slots in use, as positions,
// and how a range of them falls into units that may be put together to parts.
//
// On a torus or mesh slots lie in space like ranks do, at their switch; the
// units are the planes of switches across the longest side, then the hosts of a
// switch, then the slots of a host. On all other networks they are the places
// of the highest level that divides the range.
type sites struct {
	places *mapping.Places
	grid   *cutter // of positions; nil where the network is no torus or mesh
}

// newSites arranges the slots in use; cloud is slotCloud's.
func newSites(places *mapping.Places, cloud *cloud, keys *denseKeys) *sites {
	s := &sites{places: places}
	if cloud != nil {
		s.grid = newCutter(cloud, keys, 0)
	}
	return s
}

// slotCloud is where the slots of a torus or mesh lie: the place of their
// switch and, as minor dimensions, their host and position among the slots in
// use; nil on other networks. A ring is cut open within its longest run of
// coordinates without slots (Deveci et al. 2014).
func slotCloud(p *mapping.Problem, places *mapping.Places) *cloud {
	if p.Machine.Routes == nil || p.Machine.Routes.Grid == nil {
		return nil
	}
	grid := p.Machine.Routes.Grid
	d := int(grid.Dimensions)
	c := &cloud{dims: d + 2, minor: d}
	hosts := p.Allocation.HostOfSlot()
	host := int32(0)
	for i, slot := range places.Slots {
		if i > 0 && hosts[slot] != hosts[places.Slots[i-1]] {
			host++
		}
		sw := int(p.Machine.LeafSwitch(hosts[slot]))
		for _, x := range grid.Coordinates[sw*d : (sw+1)*d] {
			c.values = append(c.values, int32(x))
		}
		c.values = append(c.values, host, int32(i))
	}
	for k := range d {
		if grid.Wrap[k] {
			c.open(k, int32(grid.Extents[k]))
		}
	}
	return c
}

// open shifts the coordinates of a ring so that its longest gap is at the ends.
func (c *cloud) open(k int, extent int32) {
	used := make([]bool, extent)
	for i := k; i < len(c.values); i += c.dims {
		used[c.values[i]] = true
	}
	first := int32(slices.Index(used, true))
	start, longest, gap := int32(0), int32(0), int32(0) // start is what follows the longest gap
	for x := first + 1; x <= first+extent; x++ {
		if !used[x%extent] {
			gap++
			continue
		}
		if gap > longest {
			start, longest = x%extent, gap
		}
		gap = 0
	}
	for i := k; i < len(c.values); i += c.dims {
		c.values[i] = (c.values[i] - start + extent) % extent
	}
}

// units cuts a range of positions into its units: bounds from first to end,
// and the axis they lie along on a torus or mesh, where turned says which axes
// are taken from the other end, a bit each. nil = the slots are all alike.
func (s *sites) units(first, end int32, turned uint32) (bounds []int32, axis int) {
	if s.grid == nil {
		return s.level(first, end), 0
	}
	if axis = s.grid.longest(first, end, nil); axis == s.grid.dims-1 {
		return nil, axis // slots of one host
	}
	bounds = append(bounds, first)
	for at := first + 1; at < end; at++ {
		if s.grid.at(axis, at) != s.grid.at(axis, at-1) {
			bounds = append(bounds, at)
		}
	}
	bounds = append(bounds, end)
	if turned>>axis&1 == 1 {
		slices.Reverse(bounds)
		for i := range bounds {
			bounds[i] = first + end - bounds[i]
		}
	}
	return bounds, axis
}

// level is the places within a range, of the highest level that has several.
func (s *sites) level(first, end int32) []int32 {
	for i := range slices.Backward(s.places.Levels) {
		bounds := s.places.Levels[i].Bounds
		low, _ := slices.BinarySearch(bounds, first+1)
		high, _ := slices.BinarySearch(bounds, end)
		if inner := bounds[low:max(low, high)]; len(inner) > 0 {
			return slices.Concat([]int32{first}, inner, []int32{end})
		}
	}
	return nil
}

// positions are the indexes of places.Slots in the order of the parts.
func (s *sites) positions() []int32 {
	if s.grid == nil {
		return mapping.Identity(len(s.places.Slots))
	}
	return s.grid.lists[0]
}
