package exchange

import (
	"context"

	"remap/mapping"
)

// Strategy is "swap": exchanges of ranks, and of ranks with empty slots, that
// gain under the problem's objective, from Problem.Start. Fixed ranks go to
// their slots first. The result is never worse than Start so settled, and keeps
// MaxMoves.
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
