package partition

import (
	"context"
	"math/rand/v2"

	"remap/commgraph"
)

// splitter cuts sets of vertices into blocks by recursive bisection.
type splitter struct {
	bisector *bisector
	extract  *commgraph.Extractor
	part     commgraph.Graph
	spare    []int32
}

func newSplitter(g *commgraph.Graph, options Options, seed uint64) *splitter {
	s := &splitter{extract: commgraph.NewExtractor(g, 0)}
	s.bisector = newBisector(options, rand.New(rand.NewPCG(seed, 0x7061727469))) // "parti": a stream of its own
	return s
}

// Recursive orders the vertices of g so that block b is the range first[b] to
// first[b+1] of the result, with little weight between blocks and still less
// between the first and the second half of the blocks, and so on down.
// first ascends from 0 to the number of vertices. The same seed gives the same
// result. When ctx ends, Recursive ends with its error between two bisections.
func Recursive(ctx context.Context, g *commgraph.Graph, first []int32, options Options, seed uint64) ([]int32, error) {
	members := make([]int32, g.Vertices())
	for v := range members {
		members[v] = int32(v)
	}
	s := newSplitter(g, options, seed)
	if err := s.split(ctx, members, first); err != nil {
		return nil, err
	}
	return members, nil
}

// split sorts members, which are the vertices of positions first[0] to
// first[last], into the blocks between.
func (s *splitter) split(ctx context.Context, members, first []int32) error {
	blocks := len(first) - 1
	if blocks <= 1 {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	half := blocks / 2
	target := first[half] - first[0]
	s.extract.Extract(&s.part, members, nil)
	s.bisector.graph().set(&s.part)
	side := s.bisector.bisect(int64(target))
	s.spare = divide(members, side, s.spare)
	if err := s.split(ctx, members[:target], first[:half+1]); err != nil {
		return err
	}
	return s.split(ctx, members[target:], first[half:])
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
