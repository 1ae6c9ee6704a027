package partition

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"remap/exchange"
	"remap/mapping"
	"remap/placement"
)

// Bisection is the strategy "bisection": multilevel recursive bisection over
// the finest places of the network in order, each filled exactly.
func Bisection() mapping.Strategy {
	return mapping.Strategy{
		Name: "bisection",
		Doc:  "multilevel recursive bisection over the leaf switches, exactly balanced",
		Map: func(ctx context.Context, p *mapping.Problem) (mapping.Mapping, error) {
			solve := func(l *placement.Layout, seed uint64) ([]int32, error) {
				return Recursive(ctx, p.Graph, l.First, DefaultOptions, seed)
			}
			return place(ctx, p, "bisection", MachineEffort{}, solve)
		},
	}
}

// place runs a partitioning of all ranks over the slots chosen for them, on
// small graphs several times, and keeps the one of the least bytes times path
// length. solve gives the ranks in the order of the layout's positions; it is
// for networks whose places decide distances. On others, and where ranks have
// fixed slots, the machine itself is split, with that effort, and single ranks
// may change places in the end.
func place(
	ctx context.Context, p *mapping.Problem, name string, effort MachineEffort,
	solve func(l *placement.Layout, seed uint64) ([]int32, error),
) (mapping.Mapping, error) {
	if p.MaxMoves > 0 {
		return nil, fmt.Errorf("a limit of moves is not supported by %s yet", name)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	ranks := p.Ranks()
	if ranks == 0 {
		return mapping.Mapping{}, nil
	}
	layout := placement.NewLayout(p, slotsFor(p))
	fixed := layout.FixedBlocks()
	whole := fixed == nil && layout.Nested()
	seeds := rand.New(rand.NewPCG(p.Seed, 0x747269616c)) // "trial": a stream of its own
	var best *placement.Assignment
	var least int64
	count := trials(ranks + len(p.Graph.Neighbors))
	if !whole {
		count = effort.trials(p.Graph)
	}
	for trial := range count {
		var members []int32
		var err error
		if seed := seeds.Uint64(); whole {
			members, err = solve(layout, seed)
		} else {
			members, err = onMachine(ctx, p, layout, fixed, uint64(trial), seed)
		}
		if err != nil {
			return nil, err
		}
		assign := placement.NewAssignment(layout.First, members)
		if cost := assign.Cost(p.Graph, layout.Metric); best == nil || cost < least {
			best, least = assign, cost
		}
	}
	for b := range int32(layout.Blocks()) {
		slices.Sort(best.Of(b))
	}
	m := layout.Mapping(best, int32(ranks), p.Fixed, fixed)
	if whole || !effort.Swaps {
		return m, nil
	}
	swaps := *p
	swaps.Objective = mapping.PathLength
	return exchange.Refine(ctx, &swaps, m, exchange.FastOptions)
}
