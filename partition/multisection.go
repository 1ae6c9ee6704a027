package partition

import (
	"context"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"

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
	cutters := newCutters(g, options)
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
			cutters.split(inner, group, members[above[b]:above[b+1]], first[from:to+1], mix(mix(seed, uint64(level)), uint64(b)))
		}
		if err := group.Wait(); err != nil {
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

// mix derives a seed from another and a number (the finalizer of SplitMix64,
// Steele, Lea and Flood 2014).
func mix(seed, number uint64) uint64 {
	z := seed + (number+1)*0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// cutter cuts sets of vertices into blocks by recursive bisection, one at a
// time. What a bisection draws follows from the seed it is given.
type cutter struct {
	source   *rand.PCG
	bisector *bisector
	extract  commgraph.Extractor
	part     commgraph.Graph
	spare    []int32
}

func newCutter(g *commgraph.Graph, options Options) *cutter {
	c := &cutter{source: rand.NewPCG(0, 0)}
	c.bisector = newBisector(options, rand.New(c.source))
	c.use(g)
	return c
}

// use changes the graph.
func (c *cutter) use(g *commgraph.Graph) {
	c.extract.Use(g, 0)
}

// halve sorts members so that the first target of them are one half.
func (c *cutter) halve(members []int32, target int32, seed uint64) {
	c.source.Seed(seed, 0x63757474) // "cutt": a stream of its own
	c.extract.Extract(&c.part, members, nil)
	c.bisector.graph().set(&c.part)
	c.spare = divide(members, c.bisector.bisect(int64(target)), c.spare)
}

// split sorts members, which are the vertices of positions first[0] to
// first[last], into the blocks between. When ctx ends it gives up.
func (c *cutter) split(ctx context.Context, members, first []int32, seed uint64) error {
	blocks := len(first) - 1
	if blocks <= 1 {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	half := blocks / 2
	target := first[half] - first[0]
	c.halve(members, target, seed)
	if err := c.split(ctx, members[:target], first[:half+1], mix(seed, 0)); err != nil {
		return err
	}
	return c.split(ctx, members[target:], first[half:], mix(seed, 1))
}

// cutters lends cutters of one graph to those who work side by side.
type cutters struct {
	graph   *commgraph.Graph
	options Options
	mutex   sync.Mutex
	idle    []*cutter
}

func newCutters(g *commgraph.Graph, options Options) *cutters {
	return &cutters{graph: g, options: options}
}

func (s *cutters) borrow() *cutter {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if n := len(s.idle); n > 0 {
		c := s.idle[n-1]
		s.idle = s.idle[:n-1]
		return c
	}
	return newCutter(s.graph, s.options)
}

func (s *cutters) giveBack(c *cutter) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.idle = append(s.idle, c)
}

// split is cutter.split with the halves side by side as far as the group has
// room; the group's Wait gives the error.
func (s *cutters) split(ctx context.Context, group *errgroup.Group, members, first []int32, seed uint64) {
	const together = 2048 // vertices: fewer are not worth another goroutine
	blocks := len(first) - 1
	if blocks <= 1 || ctx.Err() != nil {
		return
	}
	if len(members) <= together {
		c := s.borrow()
		_ = c.split(ctx, members, first, seed) // the context's error, which Wait or the caller sees
		s.giveBack(c)
		return
	}
	half := blocks / 2
	target := first[half] - first[0]
	c := s.borrow()
	c.halve(members, target, seed)
	s.giveBack(c)
	upper := func() { s.split(ctx, group, members[target:], first[half:], mix(seed, 1)) }
	if !group.TryGo(func() error { upper(); return ctx.Err() }) {
		defer upper()
	}
	s.split(ctx, group, members[:target], first[:half+1], mix(seed, 0))
}

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
