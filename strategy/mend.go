package strategy

import (
	"context"

	"remap/kernighanlin"
	"remap/mapping"
)

// mend improves a mapping of a problem, m, which keeps fixed ranks on their
// slots; at most moves ranks leave their hosts in it, 0 = any number. The
// result is never worse by the problem's objective.
func mend(ctx context.Context, p *mapping.Problem, m mapping.Mapping, moves int) (mapping.Mapping, error) {
	step := *p
	step.Start, step.MaxMoves = m, moves
	found, err := kernighanlin.Strategy().Map(ctx, &step)
	if err != nil {
		return nil, err
	}
	if step.Objective != mapping.PathLength && step.Cost(found) > step.Cost(m) {
		return m, nil
	}
	return found, nil
}
