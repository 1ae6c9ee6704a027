package partition

import (
	"cmp"
	"context"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"remap/kernighanlin"
	"remap/mapping"
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
func multisect(ctx context.Context, cut *recursion, bounds [][]int32, seed uint64) ([]int32, error) {
	g := cut.graph
	members := mapping.Identity(g.Vertices())
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
			s, inPlace := mix(mix(seed, uint64(level)), uint64(b)), members[above[b]:above[b+1]]
			if err := cut.split(inner, group, inPlace, first[from:to+1], s); err != nil {
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
		if err := refinePairs(ctx, r, assign.Blocks(), siblings, partRounds); err != nil {
			return nil, err
		}
		above = first
	}
	return members, nil
}
