package strategy

import (
	"context"

	"remap/exchange"
	"remap/mapping"
)

// mend improves a mapping of a problem, m, under its objective. Fixed ranks
// that are elsewhere change places with who is on their slots first. The result
// is never worse than what m then is.
func mend(ctx context.Context, p *mapping.Problem, m mapping.Mapping) (mapping.Mapping, error) {
	found, err := exchange.Refine(ctx, p, m, exchange.FastOptions)
	if err != nil {
		return nil, err
	}
	return found, nil
}
