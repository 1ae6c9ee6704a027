package partition

import (
	"context"
	"fmt"
	"slices"

	"remap/kernighanlin"
	"remap/mapping"
)

// Bisection is the strategy "bisection": multilevel recursive bisection over
// the finest places of the network in order, each filled exactly.
func Bisection() mapping.Strategy {
	return mapping.Strategy{
		Name: "bisection",
		Doc:  "multilevel recursive bisection over the leaf switches, exactly balanced",
		Map: func(ctx context.Context, p *mapping.Problem) (mapping.Mapping, error) {
			return place(ctx, p, "bisection", func(l *kernighanlin.Layout) ([]int32, error) {
				return Recursive(ctx, p.Graph, l.First, DefaultOptions, p.Seed)
			})
		},
	}
}

// Multisection is the strategy "multisection": it cuts the graph level by level
// as the network is built, pods first, then leaf switches, then hosts, and in
// the end exchanges ranks between all places that talk to each other while the
// sum of bytes times path length falls.
func Multisection() mapping.Strategy {
	return mapping.Strategy{
		Name: "multisection",
		Doc:  "multilevel partitioning along the levels of the network, then exchanges by path length",
		Map: func(ctx context.Context, p *mapping.Problem) (mapping.Mapping, error) {
			return place(ctx, p, "multisection", func(l *kernighanlin.Layout) ([]int32, error) {
				members, err := multisect(ctx, p.Graph, levelBounds(l), DefaultOptions, p.Seed)
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

// levelBounds lists the blocks of all levels, coarsest first, down to the
// layout's own.
func levelBounds(l *kernighanlin.Layout) [][]int32 {
	var bounds [][]int32
	for i := len(l.Places.Levels) - 1; i >= 0; i-- {
		bounds = append(bounds, l.Places.Levels[i].Bounds)
	}
	if n := len(bounds); n == 0 || len(bounds[n-1]) != len(l.First) {
		bounds = append(bounds, l.First)
	}
	return bounds
}

// place runs a partitioning of all ranks over the slots chosen for them.
// solve gives the ranks in the order of the layout's positions.
func place(ctx context.Context, p *mapping.Problem, name string, solve func(*kernighanlin.Layout) ([]int32, error)) (mapping.Mapping, error) {
	switch {
	case p.Fixed != nil:
		return nil, fmt.Errorf("fixed ranks are not supported by %s yet", name)
	case p.MaxMoves > 0:
		return nil, fmt.Errorf("a limit of moves is not supported by %s yet", name)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	ranks := p.Ranks()
	if ranks == 0 {
		return mapping.Mapping{}, nil
	}
	layout := kernighanlin.NewLayout(p, mapping.NewPlaces(p.Machine, p.Allocation, nil).Compact(ranks))
	members, err := solve(layout)
	if err != nil {
		return nil, err
	}
	for b := range layout.Blocks() {
		slices.Sort(members[layout.First[b]:layout.First[b+1]])
	}
	return layout.Mapping(kernighanlin.NewAssignment(layout.First, members), int32(ranks), nil, nil), nil
}
