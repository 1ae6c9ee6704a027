package partition

import (
	"cmp"
	"context"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"remap/commgraph"
	"remap/kernighanlin"
	"remap/placement"
)

// multisect orders the vertices level by level: bounds are the blocks of every
// level, coarsest first, each list refining the one before. At each level every
// block of the level above is cut by recursive bisection, then, except at the
// last level, its parts exchange vertices pairwise. Members of the result stand
// in the ranges of the last bounds.
//
// Bisections that do not depend on each other run side by side. What each draws
// by chance follows from the seed and from where its part is, so that the number
// of cores makes no difference.
func multisect(ctx context.Context, g *commgraph.Graph, bounds [][]int32, options Options, seed uint64) ([]int32, error) {
	members := make([]int32, g.Vertices())
	for v := range members {
		members[v] = int32(v)
	}
	cut := newRecursion(g, options)
	above := []int32{0, int32(len(members))}
	for level, first := range bounds {
		parent := make([]int32, len(first)-1)
		group, inner := errgroup.WithContext(ctx)
		group.SetLimit(runtime.GOMAXPROCS(0))
		for b := range len(above) - 1 {
			from, _ := slices.BinarySearch(first, above[b])
			to, _ := slices.BinarySearch(first, above[b+1])
			for child := from; child < to; child++ {
				parent[child] = int32(b)
			}
			members, first, seed := members[above[b]:above[b+1]], first[from:to+1], mix(mix(seed, uint64(level)), uint64(b))
			if err := cut.split(inner, group, members, first, seed); err != nil {
				break // Wait tells it, or the caller's context
			}
		}
		if err := cmp.Or(group.Wait(), ctx.Err()); err != nil {
			return nil, err
		}
		if level == len(bounds)-1 {
			break // the caller refines these under the metric itself
		}
		assign := placement.NewAssignment(first, members)
		r := kernighanlin.NewRefiner(g, placement.CutMetric(assign.Blocks()), assign)
		siblings := func(a, b int32) bool { return parent[a] == parent[b] }
		if err := refinePairs(ctx, r, assign.Blocks(), siblings, pairLimits, 8); err != nil {
			return nil, err
		}
		above = first
	}
	return members, nil
}

// pairLimits are for passes over two blocks.
var pairLimits = kernighanlin.Limits{Slack: 2, Passes: 4, Fruitless: 60}

// parents gives the place of the level above for every block of the last
// bounds; of one level alone all have the same.
func parents(bounds [][]int32) []int32 {
	first := bounds[len(bounds)-1]
	parent := make([]int32, len(first)-1)
	if len(bounds) == 1 {
		return parent
	}
	above := bounds[len(bounds)-2]
	at := int32(0)
	for b := range parent {
		for above[at+1] <= first[b] {
			at++
		}
		parent[b] = at
	}
	return parent
}
