package partition

import (
	"cmp"
	"slices"

	"remap/mapping"
)

// slotsFor chooses as many slots as there are ranks, among them all that ranks
// are fixed to: whole places as far as possible, at every level first those
// with most fixed ranks, then the largest. nil Fixed is Places.Compact.
func slotsFor(p *mapping.Problem) []int32 {
	places := mapping.NewPlaces(p.Machine, p.Allocation, nil)
	if p.Fixed == nil {
		return places.Compact(p.Ranks())
	}
	c := slotChoice{Places: places, fixed: make([]int32, len(places.Slots)+1)}
	isFixed := make([]bool, len(places.Slots))
	for _, slot := range p.Fixed {
		if slot >= 0 {
			isFixed[slot] = true
		}
	}
	for i, slot := range places.Slots {
		c.fixed[i+1] = c.fixed[i]
		if isFixed[slot] {
			c.fixed[i+1]++
		}
	}
	c.choose(len(places.Levels)-1, 0, int32(len(places.Slots)), int32(p.Ranks()))
	slices.Sort(c.chosen)
	return c.chosen
}

// slotChoice is the choice of slots under way.
type slotChoice struct {
	*mapping.Places
	fixed  []int32 // length slots+1: slots with a fixed rank before each position
	chosen []int32
}

// stretch is a range of positions.
type stretch struct{ first, end int32 }

func (c *slotChoice) fixedIn(p stretch) int32 { return c.fixed[p.end] - c.fixed[p.first] }

// choose appends count of the slots between two positions, which are one place
// of the level above; at least as many as are fixed there.
func (c *slotChoice) choose(level int, first, end, count int32) {
	if count == end-first {
		c.chosen = append(c.chosen, c.Slots[first:end]...)
		return
	}
	parts := c.parts(level, first, end)
	owed := c.fixedIn(stretch{first, end})
	for _, part := range parts {
		mine := c.fixedIn(part)
		owed -= mine // what the parts after this one must get
		give := min(part.end-part.first, count-owed)
		count -= give
		if give > 0 {
			c.choose(level-1, part.first, part.end, give)
		}
	}
}

// parts lists the places of a level within a range, single slots below all
// levels, in the order in which they are filled.
func (c *slotChoice) parts(level int, first, end int32) []stretch {
	var parts []stretch
	if level < 0 {
		for i := first; i < end; i++ {
			parts = append(parts, stretch{i, i + 1})
		}
	} else {
		bounds := c.Levels[level].Bounds
		at, _ := slices.BinarySearch(bounds, first)
		for ; bounds[at] < end; at++ {
			parts = append(parts, stretch{bounds[at], bounds[at+1]})
		}
	}
	slices.SortStableFunc(parts, func(x, y stretch) int {
		return cmp.Or(cmp.Compare(c.fixedIn(y), c.fixedIn(x)), cmp.Compare(y.end-y.first, x.end-x.first))
	})
	return parts
}
