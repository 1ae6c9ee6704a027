package strategy

import (
	"context"
	"fmt"
	"slices"

	"remap/mapping"
)

// chain runs strategies one after the other, each from the result before. The
// limit of moves holds for the whole chain.
func chain(name string, links []mapping.Strategy) mapping.Strategy {
	return mapping.Strategy{
		Refine: !slices.ContainsFunc(links, func(s mapping.Strategy) bool { return !s.Refine }),
		Name:   name,
		Doc:    "a chain: every strategy starts from the result of the one before",
		Map: func(ctx context.Context, p *mapping.Problem) (mapping.Mapping, error) {
			step := *p
			for _, s := range links {
				m, err := s.Map(ctx, &step)
				if err != nil {
					return nil, fmt.Errorf("%s: %w", s.Name, err)
				}
				step.Start = m
			}
			if err := p.CheckMoves(step.Start); err != nil {
				return nil, err
			}
			return step.Start, nil
		},
	}
}
