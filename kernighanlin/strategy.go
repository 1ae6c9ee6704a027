// Package kernighanlin improves an assignment of vertices to blocks of fixed
// sizes by exchanging vertices between two blocks at a time: the passes of
// Kernighan and Lin, and the incremental strategy built on them.
package kernighanlin

import (
	"context"
	"slices"

	"remap/mapping"
	"remap/placement"
)

// Strategy is "kl": incremental improvement of Problem.Start by swaps of ranks
// between the places that talk to each other most. Slots without a rank take
// part like ranks that send nothing, so ranks may also move to spare slots
// beside their partners. The result is never worse than Start in bytes times
// path length. MaxMoves is kept. Fixed ranks that Start has elsewhere are first
// put on their slots (Problem.Settle); the result is then never worse than that.
func Strategy() mapping.Strategy { return StrategyWith(DefaultOptions) }

// StrategyWith is "kl" with options; ExpensiveFirst is "kl:order=expense".
func StrategyWith(options Options) mapping.Strategy {
	name := "kl"
	if options.ExpensiveFirst {
		name = "kl:order=expense"
	}
	return mapping.Strategy{
		Refine: true,
		Name:   name,
		Doc:    "incremental Kernighan-Lin swaps from the start mapping (block placement unless chained)",
		Map: func(ctx context.Context, p *mapping.Problem) (mapping.Mapping, error) {
			return improve(ctx, p, options)
		},
	}
}

func improve(ctx context.Context, p *mapping.Problem, options Options) (mapping.Mapping, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	start, err := p.Settle(p.StartMapping())
	if err != nil {
		return nil, err
	}
	layout := placement.NewLayout(p, nil)
	assign := layout.Assign(start)
	home := slices.Clone(assign.Block)
	r := NewRefiner(p.Graph, layout.Metric, assign)
	r.Fixed = layout.FixedVertices()
	if p.MaxMoves > 0 {
		r.Home, r.Budget = unmoved(p, start, home)
	}
	if _, err := r.Incremental(ctx, options); err != nil {
		return nil, err
	}
	m := layout.Mapping(assign, int32(p.Ranks()), start, home)
	// Within irregular networks the metric is that of a block's first host.
	if p.PathCost(m) > p.PathCost(start) {
		return start, nil
	}
	return m, nil
}

// unmoved is the home block of every rank still on the host it has in
// Problem.Start, -1 for those whom fixed ranks drove off, who count as moved
// wherever they go, and how many more ranks may move.
func unmoved(p *mapping.Problem, start mapping.Mapping, block []int32) (home []int32, budget int) {
	home, budget = slices.Clone(block), p.MaxMoves
	if p.Fixed == nil {
		return home, budget
	}
	now, before := start.Hosts(p.Allocation), p.StartMapping().Hosts(p.Allocation)
	for r, h := range now {
		if h != before[r] {
			home[r] = -1
			budget--
		}
	}
	return home, budget
}
