package strategy

import (
	"context"
	"slices"

	"remap/exchange"
	"remap/mapping"
)

// adapter is a constraint adapter: a strategy, and which constraints it keeps by
// itself. The adapter keeps the others:
//
//	fixed ranks   The strategy maps as if all ranks were free. Symmetric places are
//	              relabelled so that many fixed ranks sit where they must; the others
//	              change places with the ranks that sit there; exchanges repair the rest.
//	a limit of    The strategy maps as if all ranks might move. Symmetric places are
//	moved ranks   relabelled so that few do. Of the cycles of moves that are left, those
//	              are made that gain most within the limit; exchanges use what is left.
//
// The result of a refiner, and any under a limit, is never worse than the start.
type adapter struct {
	mapping.Strategy

	// keepsFixed tells that the strategy keeps Problem.Fixed itself.
	keepsFixed bool

	// keepsLimit tells that the strategy keeps Problem.MaxMoves itself.
	keepsLimit bool

	// baseline strategies keep fixed ranks themselves; after a limit of moves nothing is
	// repaired, so that they stay what their name says as far as they can.
	baseline bool
}

// adapted is the strategy with all constraints kept.
func (a adapter) adapted() mapping.Strategy {
	s := a.Strategy
	s.Map = func(ctx context.Context, p *mapping.Problem) (mapping.Mapping, error) {
		m, err := a.solve(ctx, p, true)
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

// solve maps one problem. Under a limit of moves, fromStart has the start refined too,
// for the case that this leads further than the cycles of moves to the result.
func (a adapter) solve(ctx context.Context, p *mapping.Problem, fromStart bool) (mapping.Mapping, error) {
	settled, mayMove, err := p.WithSettledStart()
	if err != nil {
		return nil, err
	}
	limited := p.MaxMoves > 0
	if limited && !mayMove {
		return settled.StartMapping(), ctx.Err()
	}
	var m mapping.Mapping
	if limited && !a.keepsLimit {
		free := *settled
		free.MaxMoves = 0
		if m, err = a.withFixed(ctx, &free); err == nil {
			m, err = a.withinLimit(ctx, settled, m, fromStart)
		}
	} else {
		m, err = a.withFixed(ctx, settled)
	}
	if err != nil {
		return nil, err
	}
	if a.Refine {
		if start := settled.StartMapping(); settled.Cost(m) > settled.Cost(start) {
			return start, nil
		}
	}
	return m, nil
}

// withFixed is the strategy's mapping, with fixed ranks on their slots.
func (a adapter) withFixed(ctx context.Context, p *mapping.Problem) (mapping.Mapping, error) {
	if p.Fixed == nil || a.keepsFixed {
		return a.Map(ctx, p)
	}
	free := *p
	free.Fixed = nil
	m, err := a.Map(ctx, &free)
	if err != nil {
		return nil, err
	}
	return repair(ctx, p, relabel(&free, m, p.Fixed))
}

// withinLimit changes the start toward a target mapping that may move too many ranks,
// and repairs with the moves that are left.
func (a adapter) withinLimit(
	ctx context.Context, p *mapping.Problem, target mapping.Mapping, fromStart bool,
) (mapping.Mapping, error) {
	start := p.StartMapping()
	best, least := start, costOf(p, start)
	consider := func(m mapping.Mapping) {
		if c := costOf(p, m); c.less(least) {
			best, least = m, c
		}
	}
	m := relabel(p, target, start)
	if p.Moves(m) > p.MaxMoves {
		var err error
		if m, err = newTransition(p, m).partial(ctx, p.MaxMoves); err != nil {
			return nil, err
		}
	}
	consider(m)
	if a.baseline {
		return best, nil
	}
	starts := []mapping.Mapping{best}
	if fromStart && !slices.Equal(best, start) {
		starts = append(starts, start)
	}
	for _, from := range starts {
		m, err := repair(ctx, p, from)
		if err != nil {
			return nil, err
		}
		consider(m)
	}
	return best, nil
}

// repair improves a mapping under the problem's objective by exchanges. Fixed ranks
// that are elsewhere go to their slots first (Problem.Settle). The result is never
// worse than the settled mapping.
func repair(ctx context.Context, p *mapping.Problem, m mapping.Mapping) (mapping.Mapping, error) {
	found, err := exchange.Refine(ctx, p, m, exchange.FastOptions)
	if err != nil {
		return nil, err
	}
	return found, nil
}
