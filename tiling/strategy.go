package tiling

import (
	"context"
	"errors"
	"fmt"

	"remap/mapping"
)

// AllLevels asks Strategy for tiles at every level of the network.
const AllLevels = 0

// Errors of problems that tiling does not solve; test with errors.Is.
var (
	ErrNoGrid   = errors.New("tiling needs the extents of the process grid")
	ErrFixed    = errors.New("tiling cannot keep ranks on fixed slots")
	ErrNoLevels = errors.New("the network has no groups of hosts to tile for")
	ErrUneven   = errors.New("tiling needs places of equal size, or of sizes with a common divisor")
)

// Strategy tiles the process grid: a box of cells for every host of several
// slots, every leaf switch, every pod, nested in one another, of the least
// number of faces. The 2018 thesis (Taffet), section 4.2.3, tiles for leaf
// switches only and leaves the order of the tiles open. levels limits it to that many levels of switches, from the
// leaves up; tiles then follow each other along the first dimension.
//
// The best there is for a stencil whose grid divides, in well under a
// millisecond a thousand ranks; of no use for other patterns. Spare slots are
// left free as whole places where possible; places of unequal size get tiles of
// their greatest common divisor.
func Strategy(levels int) mapping.Strategy {
	s := mapping.Strategy{Name: "tiling", Doc: "boxes of least perimeter of the process grid, for all levels of the network"}
	if levels != AllLevels {
		s.Name = fmt.Sprintf("tiling:levels=%d", levels)
		s.Doc = fmt.Sprintf("boxes of least perimeter of the process grid, for the lowest %d levels of switches", levels)
	}
	s.Map = func(ctx context.Context, p *mapping.Problem) (mapping.Mapping, error) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		return place(p, levels)
	}
	return s
}

// place solves one problem.
func place(p *mapping.Problem, levels int) (mapping.Mapping, error) {
	for _, s := range p.Fixed {
		if s >= 0 {
			return nil, ErrFixed
		}
	}
	if p.Ranks() == 0 {
		return mapping.Mapping{}, nil
	}
	if p.Grid == nil {
		return nil, ErrNoGrid
	}
	if len(p.Machine.Levels) == 0 {
		return nil, ErrNoLevels
	}
	all := mapping.NewPlaces(p.Machine, p.Allocation, nil)
	places := all
	if p.Ranks() < len(all.Slots) {
		places = mapping.NewPlaces(p.Machine, p.Allocation, all.Compact(p.Ranks()))
	}
	wanted := sizes(places, levels)
	if len(wanted) == 0 && len(places.Levels) > 0 {
		level := &places.Levels[0]
		return nil, fmt.Errorf("%w: the first two of level %s hold %d and %d of the %d ranks", ErrUneven, level.Name, level.Size(0), level.Size(1), p.Ranks())
	}
	shapes, err := Shapes(p.Grid, wanted)
	if err != nil {
		return nil, err
	}
	m := Place(places, Order(p.Grid, shapes, nil))
	if err := p.CheckMoves(m); err != nil {
		return nil, err
	}
	return m, nil
}

// Place puts the ranks in the order given on the places' slots in theirs.
func Place(places *mapping.Places, order []int32) mapping.Mapping {
	m := make(mapping.Mapping, len(order))
	for i, rank := range order {
		m[rank] = places.Slots[i]
	}
	return m
}

// sizes lists the cells of a tile of each level used, ascending. Unequal places
// make a level's size a divisor of several places; a size that is the same as
// the one below, or 1, adds nothing.
func sizes(places *mapping.Places, levels int) []int {
	var list []int
	switches := 0
	for i := range places.Levels {
		level := &places.Levels[i]
		if levels != AllLevels {
			if level.Name == mapping.HostLevel {
				continue
			}
			if switches++; switches > levels {
				break
			}
		}
		if unit := level.Unit(); unit > 1 && (len(list) == 0 || unit > list[len(list)-1]) {
			list = append(list, unit)
		}
	}
	return list
}
