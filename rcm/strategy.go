package rcm

import (
	"context"
	"errors"

	"remap/mapping"
)

// Strategy is "rcm": ranks in reverse Cuthill-McKee order take the slots in
// allocation order. Spare slots stay at the end.
func Strategy() mapping.Strategy {
	return mapping.Strategy{
		Name: "rcm",
		Doc:  "reverse Cuthill-McKee order on the slots in order; looks at no weights",
		Map: func(ctx context.Context, p *mapping.Problem) (mapping.Mapping, error) {
			switch {
			case p.Fixed != nil:
				return nil, errors.New("fixed ranks are not supported by rcm yet")
			case p.MaxMoves > 0:
				return nil, errors.New("a limit of moves is not supported by rcm yet")
			}
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			return Positions(Order(p.Graph)), ctx.Err()
		},
	}
}
