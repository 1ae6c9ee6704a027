package partition

import (
	"context"
	"slices"

	"remap/mapping"
	"remap/placement"
)

// Improve cuts neighbourhoods of a mapping's places again by FastPreset (large
// neighbourhood search): the inside of every place of every level that has places
// inside, the coarsest first, then groups of leaf switches. Where the luck of one
// solution differs from pod to pod, the best of every pod is better than the best of
// all. In a tree the whole gains what the neighbourhoods gain. On other networks the
// whole is priced after the round of a level, and keeps what it was if it has not
// gained.
//
// It is for path lengths alone: m must pass Check, and the problem have neither fixed
// ranks nor a limit of moves. It returns the best mapping that it has reached, never
// worse than m, and with it ctx's error when ctx has ended.
func Improve(
	ctx context.Context, p *mapping.Problem, m mapping.Mapping, seed uint64,
) (mapping.Mapping, error) {
	layout := placement.NewLayout(p, nil)
	levels := levelBounds(layout)
	least := p.Cost(m)
	round := func(level, size int) error {
		assign := layout.Assign(m)
		home := slices.Clone(assign.Block)
		search := newNeighbourhoodSearch(p.Graph, layout.Metric, assign, levels, FastPreset.Solver)
		s := mix(seed, uint64(level*leafPlaces+size))
		if err := search.round(ctx, level, size, improveTrials, s); err != nil {
			return err
		}
		found := layout.Mapping(assign, int32(p.Ranks()), m, home)
		if cost := p.Cost(found); cost < least {
			m, least = found, cost
		}
		return nil
	}
	for level := range len(levels) - 1 {
		if err := round(level, 1); err != nil {
			return m, err
		}
	}
	for i := range layout.Places.Levels {
		if layout.Places.Levels[i].Name != mapping.HostLevel {
			err := round(len(layout.Places.Levels)-1-i, leafPlaces)
			return m, err
		}
	}
	return m, nil
}
