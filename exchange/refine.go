package exchange

import (
	"cmp"
	"context"
	"slices"

	"remap/mapping"
)

// Refine improves a mapping under the problem's objective by exchanges until
// none that it looks at gains, or its work is done. It returns what it has
// reached, settled (Problem.Settle) and never worse than the settled start, and with it
// ctx's error when ctx has ended: callers may keep either. Other errors, then
// without a mapping, are options out of bounds and those of Problem.Settle.
//
// start must pass Check. The result depends on the problem and its seed, start
// and options only.
func Refine(ctx context.Context, p *mapping.Problem, start mapping.Mapping, options Options) (mapping.Mapping, error) {
	if err := options.validate(); err != nil {
		return nil, err
	}
	settled, err := p.Settle(start)
	if err != nil || ctx.Err() != nil {
		return settled, cmp.Or(err, ctx.Err())
	}
	r := newSearch(NewState(p, settled), options)
	if r.load != nil && p.MaxMoves == 0 {
		var begin mapping.Mapping
		if begin, err = shortened(ctx, p, settled, options); !slices.Equal(begin, settled) {
			r = newSearch(NewState(p, begin), options)
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

// shortened is the mapping refined for path length, if that does not make it
// worse under the problem's own objective: short paths load links little, and
// are found in a fraction of the time. So they are where they do not, which is
// the rule where a host's own links need most time.
func shortened(ctx context.Context, p *mapping.Problem, m mapping.Mapping, options Options) (mapping.Mapping, error) {
	q := *p
	q.Objective = mapping.PathLength
	if p.Objective == mapping.Capacity {
		options.Proposals = 0 // it anneals itself
	}
	r := newSearch(NewState(&q, m), options)
	err := r.run(ctx)
	if p.Cost(r.slotOf) > p.Cost(m) {
		return m, err
	}
	return r.slotOf, err
}

// run sweeps and anneals for path lengths and under Capacity; for worst
// links it relieves the worst before and after each sweep, until that brings
// nothing.
func (r *search) run(ctx context.Context) error {
	if err := r.fill(ctx); err != nil {
		return err
	}
	switch {
	case r.load == nil || r.load.steep:
		return r.leave(ctx)
	}
	for {
		_, err := r.relieve(ctx)
		if err == nil {
			err = r.sweep(ctx)
		}
		if err != nil {
			return err
		}
		fell, err := r.relieve(ctx)
		if err != nil || !fell || !r.withinWork() {
			return err
		}
	}
}

// leave sweeps, anneals and sweeps again, and keeps the better of both local
// optima.
func (r *search) leave(ctx context.Context) error {
	if err := r.sweep(ctx); err != nil {
		return err
	}
	best, cost := r.Mapping(), r.reached()
	err := r.anneal(ctx)
	if err == nil {
		if err = r.fill(ctx); err == nil {
			err = r.sweep(ctx)
		}
	}
	if r.reached() > cost {
		steps := r.steps
		r.State = NewState(r.problem, best)
		r.steps += steps
	}
	return err
}

// reached is the cost in the unit of worth.
func (r *search) reached() float64 {
	if r.load != nil {
		return r.Cost()
	}
	return float64(r.path.total)
}

// fill asks all ranks, in random order. Where moves are limited those who gain
// most for a move come first, so that the moves are not spent on little.
func (r *search) fill(ctx context.Context) error {
	order := r.chance.Perm(len(r.slotOf))
	if r.home != nil {
		worth := make([]Gain, len(order))
		for _, u := range order {
			if err := ctx.Err(); err != nil {
				return err
			}
			if !r.mayGain(int32(u)) || !r.withinWork() {
				continue
			}
			if slot, gain := r.best(int32(u), r.options.Trials); gain.Improves() {
				moves := float64(max(1, r.moves(r.slotOf[u], slot)))
				worth[u] = Gain{gain.Cost / moves, gain.Spread / moves}
			}
		}
		slices.SortStableFunc(order, func(x, y int) int {
			return cmp.Or(cmp.Compare(worth[y].Cost, worth[x].Cost), cmp.Compare(worth[y].Spread, worth[x].Spread))
		})
	}
	for _, u := range order {
		r.ask(int32(u))
	}
	return nil
}

func (r *search) withinWork() bool { return r.options.Work == 0 || r.steps < r.options.Work }

// atFloor tells whether no mapping can be better.
func (r *search) atFloor() bool {
	return r.problem.Objective == mapping.LinkLoad && r.load.worst() <= r.floor*(1+rounding)
}
