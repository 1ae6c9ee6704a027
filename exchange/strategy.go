package exchange

import (
	"context"

	"remap/mapping"
)

// Strategy is "swap": it exchanges ranks with ranks, and ranks with empty slots, from
// Problem.Start, where that gains under the problem's objective. Fixed ranks go to their slots
// first. The result keeps MaxMoves and is never worse than Start with the fixed ranks in place.
func Strategy() mapping.Strategy {
	return mapping.Strategy{
		Refine: true,
		Name:   "swap",
		Doc:    "exchanges of ranks that gain under the objective, from the start mapping, on any network",
		Map: func(ctx context.Context, p *mapping.Problem) (mapping.Mapping, error) {
			m, err := Refine(ctx, p, p.StartMapping(), DefaultOptions)
			if err != nil {
				return nil, err
			}
			return m, nil
		},
	}
}
