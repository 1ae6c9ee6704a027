package strategy

import (
	"context"
	"fmt"
	"slices"

	"remap/mapping"
)

// chain runs strategies one after the other, each from the result before. A
// limit of moves holds for the whole chain: the links map as if there were none.
func chain(name string, links []mapping.Strategy) adapter {
	return adapter{keepsFixed: true, Strategy: mapping.Strategy{
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
			return step.Start, nil
		},
	}}
}
