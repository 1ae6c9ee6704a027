package strategy

import (
	"context"
	"slices"

	"remap/mapping"
)

// keeper is a strategy and which constraints it keeps by itself. The others
// are kept for it:
//
//	fixed ranks   it maps as if all were free; symmetric places are renamed so
//	              that many fixed ranks sit where they must, the others change
//	              places with who sits there, and the damage is mended
//	a limit of    it maps as if all might move; symmetric places are renamed so
//	moved ranks   that few do, and of the way there only the part is taken that
//	              gains most (way)
//
// A refiner's result, and any under a limit, is never worse than the start.
type keeper struct {
	mapping.Strategy
	fixed bool // keeps Problem.Fixed
	limit bool // keeps Problem.MaxMoves
	plain bool // a baseline, which keeps fixed ranks: what a limit spoils is not mended
}

// kept is the strategy that keeps all constraints.
func (k keeper) kept() mapping.Strategy {
	s := k.Strategy
	s.Map = func(ctx context.Context, p *mapping.Problem) (mapping.Mapping, error) {
		m, err := k.keep(ctx, p, true)
		if err == nil {
			err = p.CheckMoves(m)
		}
		if err != nil {
			return nil, err
		}
		return m, nil
	}
	return s
}

// keep solves one problem. Under a limit of moves, alone has the start refined
// too, for the case that this leads further than the way to the result.
func (k keeper) keep(ctx context.Context, p *mapping.Problem, alone bool) (mapping.Mapping, error) {
	step, moves, err := p.WithSettledStart()
	if err != nil {
		return nil, err
	}
	limited := p.MaxMoves > 0
	if limited && !moves {
		return step.StartMapping(), ctx.Err()
	}
	var m mapping.Mapping
	if limited && !k.limit {
		free := *step
		free.MaxMoves = 0
		if m, err = k.pinned(ctx, &free); err == nil {
			m, err = k.approach(ctx, step, m, alone)
		}
	} else {
		m, err = k.pinned(ctx, step)
	}
	if err != nil {
		return nil, err
	}
	if k.Refine {
		if start := step.StartMapping(); step.Cost(m) > step.Cost(start) {
			return start, nil
		}
	}
	return m, nil
}

// pinned is what the strategy finds, with fixed ranks on their slots.
func (k keeper) pinned(ctx context.Context, p *mapping.Problem) (mapping.Mapping, error) {
	if p.Fixed == nil || k.fixed {
		return k.Map(ctx, p)
	}
	free := *p
	free.Fixed = nil
	m, err := k.Map(ctx, &free)
	if err != nil {
		return nil, err
	}
	return mend(ctx, p, renamed(&free, m, p.Fixed))
}

// approach goes from the start toward a mapping that may be too far, and mends
// with the moves that are left.
func (k keeper) approach(ctx context.Context, p *mapping.Problem, target mapping.Mapping, alone bool) (mapping.Mapping, error) {
	start := p.StartMapping()
	best, least := start, worthOf(p, start)
	consider := func(m mapping.Mapping) {
		if w := worthOf(p, m); w.less(least) {
			best, least = m, w
		}
	}
	m := renamed(p, target, start)
	if p.Moves(m) > p.MaxMoves {
		var err error
		if m, err = newWay(p, m).part(ctx, p.MaxMoves); err != nil {
			return nil, err
		}
	}
	consider(m)
	if k.plain {
		return best, nil
	}
	starts := []mapping.Mapping{best}
	if alone && !slices.Equal(best, start) {
		starts = append(starts, start)
	}
	for _, from := range starts {
		m, err := mend(ctx, p, from)
		if err != nil {
			return nil, err
		}
		consider(m)
	}
	return best, nil
}
