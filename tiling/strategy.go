package tiling

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"remap/mapping"
	"remap/stencil"
)

// AllLevels asks Strategy for tiles at every level of the network.
const AllLevels = 0

// Errors of problems that tiling does not solve; test with errors.Is.
var (
	ErrNoGrid   = errors.New("tiling needs the extents of the process grid")
	ErrFixed    = errors.New("tiling cannot keep ranks on fixed slots")
	ErrNoLevels = errors.New("the network has no groups of hosts to tile for")
)

// Strategy tiles the process grid: a region of cells for every host of several
// slots, every leaf switch, every pod, nested in one another, that cuts little
// traffic. The 2018 thesis (Taffet), section 4.2.3, tiles for leaf switches
// only and leaves the order of the tiles open. levels limits it to that many
// levels of switches, from the leaves up; tiles then follow each other along
// the first dimension.
//
// Without Problem.Grid the grid is recovered from the graph (stencil.Recover).
// Directions weigh what their edges weigh. Two kinds of tiles compete: boxes
// that divide each other and the grid, the best of all of these (Shapes); and
// sweeps, which hold for any extents and any sizes of places, of which those
// that promise most are tried. The mapping of the least bytes times switches on
// the path wins.
//
// The best there is for a stencil whose grid divides, in some milliseconds a
// thousand ranks; of no use for other patterns. Spare slots are left free as
// whole places where possible.
func Strategy(levels int) mapping.Strategy {
	s := mapping.Strategy{Name: "tiling", Doc: "tiles of least cut of the process grid, for all levels of " +
		"the network"}
	if levels != AllLevels {
		s.Name = fmt.Sprintf("tiling:levels=%d", levels)
		s.Doc = fmt.Sprintf("tiles of least cut of the process grid, for the lowest %d levels of switches", levels)
	}
	s.Map = func(ctx context.Context, p *mapping.Problem) (mapping.Mapping, error) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		return place(ctx, p, levels)
	}
	return s
}

// GridOf is the grid of a problem's ranks: the one it names, whose first
// dimension is the fastest in the ranks' numbers, or the one that its graph is.
// Errors: ErrNoGrid with the reason.
func GridOf(p *mapping.Problem) (*stencil.Grid, error) {
	if p.Grid != nil {
		return named(p), nil
	}
	grid, err := stencil.Recover(p.Graph)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoGrid, err)
	}
	return grid, nil
}

// named is the grid that a problem names. A dimension is periodic when any
// edges lead from its last cells to the first along it.
func named(p *mapping.Problem) *stencil.Grid {
	grid := &stencil.Grid{Extents: p.Grid, Periodic: make([]bool, len(p.Grid))}
	stride := 1
	for d, extent := range p.Grid {
		step := int32(stride * (extent - 1))
		for v := int32(0); extent > 2 && int(v+step) < p.Ranks(); v++ {
			first, end := p.Graph.Row(v)
			if _, found := slices.BinarySearch(p.Graph.Neighbors[first:end], v+step); found &&
				int(v)/stride%extent == 0 {
				grid.Periodic[d] = true
				break
			}
		}
		stride *= extent
	}
	return grid
}

// place solves one problem.
func place(ctx context.Context, p *mapping.Problem, levels int) (mapping.Mapping, error) {
	for _, s := range p.Fixed {
		if s >= 0 {
			return nil, ErrFixed
		}
	}
	if p.Ranks() == 0 {
		return mapping.Mapping{}, nil
	}
	if len(p.Machine.Levels) == 0 {
		return nil, ErrNoLevels
	}
	grid, err := GridOf(p)
	if err != nil {
		return nil, err
	}
	t := &task{Problem: p, lattice: Measured(p.Graph, grid), vertexAt: grid.VertexAt(),
		places: usedPlaces(p, levels)}
	if whole := t.boxes(levels); !whole || levels == AllLevels && p.Ranks() <= manyRanks && !t.proved(grid) {
		if err := t.sweeps(ctx); err != nil {
			return nil, err
		}
	}
	if err := p.CheckMoves(t.best); err != nil {
		return nil, err
	}
	return t.best, nil
}

// usedPlaces arranges the slots that the ranks take by all levels, or by the
// lowest so many levels of switches.
func usedPlaces(p *mapping.Problem, levels int) *mapping.Places {
	places := mapping.NewPlaces(p.Machine, p.Allocation, nil)
	if p.Ranks() < len(places.Slots) {
		places = mapping.NewPlaces(p.Machine, p.Allocation, places.Compact(p.Ranks()))
	}
	if levels == AllLevels {
		return places
	}
	switches := slices.DeleteFunc(places.Levels,
		func(l mapping.PlaceLevel) bool { return l.Name == mapping.HostLevel })
	places.Levels = switches[:min(levels, len(switches))]
	return places
}

// Place puts the ranks in the order given on the places' slots in theirs.
func Place(places *mapping.Places, order []int32) mapping.Mapping {
	m := make(mapping.Mapping, len(order))
	for i, rank := range order {
		m[rank] = places.Slots[i]
	}
	return m
}
