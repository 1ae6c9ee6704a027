package rcm

import (
	"context"
	"errors"

	"remap/mapping"
)

// Strategy is "rcm": ranks in reverse Cuthill-McKee order take the slots in
// allocation order. Spare slots stay at the end.
func Strategy() mapping.Strategy { return StrategyWith(Options{}) }

// StrategyWith is "rcm" with options: "rcm:weighted=true" follows heavy edges
// first.
func StrategyWith(options Options) mapping.Strategy {
	name, doc := "rcm", "reverse Cuthill-McKee order on the slots in order; looks at no weights"
	if options.Weighted {
		name, doc = "rcm:weighted=true", "reverse Cuthill-McKee order on the slots in order, heavy edges "+
			"followed first"
	}
	return mapping.Strategy{
		Name: name,
		Doc:  doc,
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
			return Positions(OrderWith(p.Graph, options)), ctx.Err()
		},
	}
}
