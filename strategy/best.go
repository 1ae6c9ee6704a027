package strategy

import (
	"context"

	"remap/kernighanlin"
	"remap/mapping"
	"remap/partition"
	"remap/rcm"
	"remap/tiling"
)

// candidate is a member of best; after is the earlier member whose result it
// starts from, -1 = the problem's own start.
type candidate struct {
	mapping.Strategy
	after int
}

func candidates() []candidate {
	const multisection = 3
	return []candidate{
		{mapping.IdentityStrategy(), -1},
		{rcm.Strategy(), -1},
		{partition.Bisection(), -1},
		{partition.Multisection(), -1},
		{kernighanlin.Strategy(), multisection},
		{kernighanlin.Strategy(), -1},
		{tiling.Strategy(tiling.AllLevels), -1},
	}
}

// best tries several strategies and keeps the mapping with the fewest bytes
// times switches on the path, the earlier one of equals. Strategies that refuse
// the problem, such as tiling without a grid, are passed over; only when all
// refuse is the first refusal the error.
func best() mapping.Strategy {
	return mapping.Strategy{
		Refine: true,
		Name:   "best",
		Doc:    "the shortest average path of identity, rcm, bisection, multisection, multisection+kl, kl and tiling",
		Map: func(ctx context.Context, p *mapping.Problem) (mapping.Mapping, error) {
			return bestOf(ctx, p, candidates())
		},
	}
}

func bestOf(ctx context.Context, p *mapping.Problem, members []candidate) (mapping.Mapping, error) {
	results := make([]mapping.Mapping, len(members))
	var refusal error
	winner, least := -1, int64(0)
	for i, c := range members {
		step := *p
		if c.after >= 0 {
			if step.Start = results[c.after]; step.Start == nil {
				continue
			}
		}
		m, err := c.Map(ctx, &step)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err == nil {
			err = p.CheckMoves(m)
		}
		if err != nil {
			if refusal == nil {
				refusal = err
			}
			continue
		}
		results[i] = m
		if cost := mapping.PathBytes(p.Machine, p.Allocation, p.Graph, m); winner < 0 || cost < least {
			winner, least = i, cost
		}
	}
	if winner < 0 {
		return nil, refusal
	}
	return results[winner], nil
}
