package partition

import (
	"cmp"
	"context"
	"math/rand/v2"
	"runtime"

	"golang.org/x/sync/errgroup"

	"remap/commgraph"
	"remap/mapping"
)

// Recursive orders the vertices of g so that block b is the range first[b] to
// first[b+1] of the result, with little weight between blocks and still less
// between the first and the second half of the blocks, and so on down.
// first ascends from 0 to the number of vertices. The same seed gives the same
// result. When ctx ends, Recursive ends with its error between two bisections.
func Recursive(
	ctx context.Context, g *commgraph.Graph, first []int32, options Options, seed uint64,
) ([]int32, error) {
	members := mapping.Identity(g.Vertices())
	group, inner := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	err := newRecursion(g, options).split(inner, group, members, first, seed)
	if err := cmp.Or(group.Wait(), err); err != nil {
		return nil, err
	}
	return members, nil
}

// recursion cuts sets of vertices of one graph into blocks by recursive bisection.
// Several goroutines may call split for different sets.
type recursion struct {
	graph   *commgraph.Graph
	options Options
	halvers pool[halver]
}

func newRecursion(g *commgraph.Graph, options Options) *recursion {
	return &recursion{graph: g, options: options}
}

// use changes the graph. No split may be under way.
func (r *recursion) use(g *commgraph.Graph) {
	r.graph = g
	for _, h := range r.halvers.idle {
		h.extract.Use(g, 0)
	}
}

// split sorts members, which are the vertices of positions first[0] to
// first[last], into the blocks between. What each bisection draws by chance follows
// from the seed and from where its part is, so that the result does not depend on
// which bisections run side by side: large halves do as far as the group has room,
// none where it is nil. When ctx ends, split ends with its error between two
// bisections; the group's Wait gives the errors of the others.
func (r *recursion) split(
	ctx context.Context, group *errgroup.Group, members, first []int32, seed uint64,
) error {
	blocks := len(first) - 1
	if blocks <= 1 {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	half := blocks / 2
	target := first[half] - first[0]
	h := r.halvers.take(func() *halver { return newHalver(r.graph, r.options) })
	h.halve(members, target, seed)
	r.halvers.giveBack(h)
	upper := func() error { return r.split(ctx, group, members[target:], first[half:], mix(seed, 1)) }
	if group == nil || len(members) <= together || !group.TryGo(upper) {
		if err := upper(); err != nil {
			return err
		}
	}
	return r.split(ctx, group, members[:target], first[:half+1], mix(seed, 0))
}

// halver is the memory of one bisection after the other.
type halver struct {
	source   *rand.PCG
	bisector *bisector
	extract  *commgraph.Extractor
	part     commgraph.Graph
	spare    []int32
}

func newHalver(g *commgraph.Graph, options Options) *halver {
	h := &halver{source: rand.NewPCG(0, 0), extract: commgraph.NewExtractor(g, 0)}
	h.bisector = newBisector(options, rand.New(h.source))
	return h
}

// halve sorts members so that the first target of them are one half.
func (h *halver) halve(members []int32, target int32, seed uint64) {
	h.source.Seed(seed, 0x63757474) // "cutt": a stream of its own
	h.extract.Extract(&h.part, members, nil)
	h.bisector.graph().set(&h.part)
	h.spare = divide(members, h.bisector.bisect(int64(target)), h.spare)
}

// divide moves the members of side 0 before those of side 1, orders kept. spare
// is memory that it needs, and gives back for the next time.
func divide(members []int32, side []uint8, spare []int32) []int32 {
	spare = spare[:0]
	next := 0
	for i, v := range members {
		if side[i] == 0 {
			members[next] = v
			next++
		} else {
			spare = append(spare, v)
		}
	}
	copy(members[next:], spare)
	return spare
}

// mix derives a seed from another and a number (the finalizer of SplitMix64,
// Steele, Lea and Flood 2014).
func mix(seed, number uint64) uint64 {
	z := seed + (number+1)*0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
