package partition

import (
	"context"

	"remap/kernighanlin"
	"remap/mapping"
)

// Multisection is the strategy "multisection": it cuts the graph level by level
// as the network is built, pods first, then leaf switches, then hosts, and in
// the end exchanges ranks between all places that talk to each other while the
// sum of bytes times path length falls.
func Multisection() mapping.Strategy {
	return mapping.Strategy{
		Name: "multisection",
		Doc:  "multilevel partitioning along the levels of the network, then exchanges by path length",
		Map: func(ctx context.Context, p *mapping.Problem) (mapping.Mapping, error) {
			return place(ctx, p, "multisection", func(l *kernighanlin.Layout, seed uint64) ([]int32, error) {
				members, err := multisect(ctx, p.Graph, levelBounds(l), DefaultOptions, seed)
				if err != nil {
					return nil, err
				}
				assign := kernighanlin.NewAssignment(l.First, members)
				r := kernighanlin.NewRefiner(p.Graph, l.Metric, assign)
				err = settle(ctx, r, assign.Blocks(), nil, pairLimits, 20)
				return assign.Members, err
			})
		},
	}
}
