package exchange

import (
	"cmp"
	"context"
	"slices"

	"remap/mapping"
)

// Refine improves a mapping under the problem's objective by exchanges until none that it tries
// gains, or its work is done. The result keeps the problem's constraints (Problem.Settle) and is never
// worse than the start after Problem.Settle. When ctx ends, Refine returns ctx's error together with what
// it has reached; callers may keep either. All other errors come without a mapping: options out of
// bounds and those of Problem.Settle.
//
// start must pass Check. The result depends on the problem and its seed, on start and on options
// only.
func Refine(ctx context.Context, p *mapping.Problem, start mapping.Mapping,
	options Options) (mapping.Mapping, error) {
	if err := options.validate(); err != nil {
		return nil, err
	}
	settled, err := p.Settle(start)
	if err != nil || ctx.Err() != nil {
		return settled, cmp.Or(err, ctx.Err())
	}
	r := newLocalSearch(NewState(p, settled), options)
	if r.load != nil && p.MaxMoves == 0 {
		var begin mapping.Mapping
		if begin, err = refineForPaths(ctx, p, settled, options); !slices.Equal(begin, settled) {
			r = newLocalSearch(NewState(p, begin), options)
		}
	}
	if err == nil && p.MaxMoves > 0 {
		r, err = r.withBlocks(ctx)
	}
	if err == nil {
		err = r.run(ctx)
	}
	if p.Cost(r.slotOf) > p.Cost(settled) {
		return settled, err
	}
	return r.Mapping(), err
}

// refineForPaths is the mapping refined for path length, or the mapping itself if the refined one
// is worse under the problem's own objective. Short paths load links little and are found in a
// fraction of the time. Where a host's own links need most time, they usually do not make the cost
// worse.
func refineForPaths(ctx context.Context, p *mapping.Problem, m mapping.Mapping,
	options Options) (mapping.Mapping, error) {
	q := *p
	q.Objective = mapping.PathLength
	if p.Objective == mapping.Capacity {
		options.Proposals = 0 // annealing follows under the objective itself
	}
	r := newLocalSearch(NewState(&q, m), options)
	err := r.run(ctx)
	if p.Cost(r.slotOf) > p.Cost(m) {
		return m, err
	}
	return r.slotOf, err
}

// run sweeps and anneals for path length and under Capacity. For the other objectives it relieves
// the bottleneck before and after each sweep, until the cost no longer falls.
func (r *localSearch) run(ctx context.Context) error {
	if err := r.enqueueAll(ctx); err != nil {
		return err
	}
	switch {
	case r.load == nil || r.load.capacity:
		return r.sweepAndAnneal(ctx)
	}
	for {
		_, err := r.relieveBottleneck(ctx)
		if err == nil {
			err = r.sweep(ctx)
		}
		if err != nil {
			return err
		}
		fell, err := r.relieveBottleneck(ctx)
		if err != nil || !fell || !r.withinWork() {
			return err
		}
	}
}

// sweepAndAnneal sweeps, anneals and sweeps again, and keeps the better of both local optima.
func (r *localSearch) sweepAndAnneal(ctx context.Context) error {
	if err := r.sweep(ctx); err != nil {
		return err
	}
	best, cost := r.Mapping(), r.objective()
	err := r.anneal(ctx)
	if err == nil {
		if err = r.enqueueAll(ctx); err == nil {
			err = r.sweep(ctx)
		}
	}
	if r.objective() > cost {
		steps := r.steps
		r.State = NewState(r.problem, best)
		r.steps += steps
	}
	return err
}

// objective is the cost in the unit of gainOf.
func (r *localSearch) objective() float64 {
	if r.load != nil {
		return r.Cost()
	}
	return float64(r.path.total)
}

// enqueueAll puts all ranks into the queue in random order. Where moves are limited the ranks that
// gain most for a move come first, so that moves are not spent on small gains.
func (r *localSearch) enqueueAll(ctx context.Context) error {
	order := r.chance.Perm(len(r.slotOf))
	if r.home != nil {
		gains := make([]GainTerms, len(order))
		for _, u := range order {
			if err := ctx.Err(); err != nil {
				return err
			}
			if !r.mayGain(int32(u)) || !r.withinWork() {
				continue
			}
			if slot, gain := r.best(int32(u), r.options.Trials); gain.Improves() {
				moves := float64(max(1, r.moves(r.slotOf[u], slot)))
				gains[u] = GainTerms{gain.Cost / moves, gain.Spread / moves}
			}
		}
		slices.SortStableFunc(order, func(x, y int) int {
			return cmp.Or(cmp.Compare(gains[y].Cost, gains[x].Cost),
				cmp.Compare(gains[y].Spread, gains[x].Spread))
		})
	}
	for _, u := range order {
		r.enqueue(int32(u))
	}
	return nil
}

func (r *localSearch) withinWork() bool { return r.options.Work == 0 || r.steps < r.options.Work }

// atLowerBound tells whether no mapping can be better.
func (r *localSearch) atLowerBound() bool {
	return r.problem.Objective == mapping.LinkLoad && r.load.worst() <= r.lowerBound*(1+rounding)
}
