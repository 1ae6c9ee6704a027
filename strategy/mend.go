package strategy

import (
	"context"

	"remap/exchange"
	"remap/mapping"
)

// mend improves a mapping of a problem, m, under its objective. Fixed ranks
// must be on their slots in it, and no more ranks than may be away from their
// hosts in the start. The result is never worse.
func mend(ctx context.Context, p *mapping.Problem, m mapping.Mapping) (mapping.Mapping, error) {
	found, err := exchange.Refine(ctx, p, m, exchange.FastOptions)
	if err != nil {
		return nil, err
	}
	return found, nil
}
