package partition

import (
	"context"
	"slices"

	"remap/commgraph"
	"remap/kernighanlin"
)

// multisect orders the vertices level by level: bounds are the blocks of every
// level, coarsest first, each list refining the one before. At each level every
// block of the level above is cut by recursive bisection, then its parts
// exchange vertices pairwise. Members of the result stand in the ranges of the
// last bounds.
func multisect(ctx context.Context, g *commgraph.Graph, bounds [][]int32, options Options, seed uint64) ([]int32, error) {
	members := make([]int32, g.Vertices())
	for v := range members {
		members[v] = int32(v)
	}
	s := newSplitter(g, options, seed)
	above := []int32{0, int32(len(members))}
	for _, first := range bounds {
		parent := make([]int32, len(first)-1)
		for b := range len(above) - 1 {
			from, _ := slices.BinarySearch(first, above[b])
			to, _ := slices.BinarySearch(first, above[b+1])
			for child := from; child < to; child++ {
				parent[child] = int32(b)
			}
			if err := s.split(ctx, members[above[b]:above[b+1]], first[from:to+1]); err != nil {
				return nil, err
			}
		}
		assign := kernighanlin.NewAssignment(first, members)
		r := kernighanlin.NewRefiner(g, kernighanlin.CutMetric(assign.Blocks()), assign)
		siblings := func(a, b int32) bool { return parent[a] == parent[b] }
		if err := settle(ctx, r, assign.Blocks(), siblings, pairLimits, 8); err != nil {
			return nil, err
		}
		above = first
	}
	return members, nil
}

// pairLimits are for passes over two blocks.
var pairLimits = kernighanlin.Limits{Slack: 2, Passes: 4, Fruitless: 60}
