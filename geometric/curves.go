package geometric

import (
	"context"

	"remap/mapping"
)

// Curves is the strategy "curves": the ranks in the order of their numbers along
// curves that fill the machine, of which the best is kept: the recursive halves
// of the machine one after the other (the Morton order; on other networks than
// tori and meshes the hierarchy, and that is all); the same with every other
// part turned round, by which successive numbers stay neighbours, or along every
// dimension alone, by which numbers that differ in one bit do (Gray codes); and
// a Hilbert curve.
//
//	Morton 0 1 4 5    Gray 0 1 6 7    bits 0 1 5 4    Hilbert 0 1 e f
//	       2 3 6 7         3 2 5 4         2 3 7 6            3 2 d c
//	       8 9 c d         c d a b         a b f e            4 7 8 b
//	       a b e f         f e 9 8         8 9 d c            5 6 9 a
//
// Applications that exchange with ranks 1, 2, 4, 8, ... away, as many
// reductions, transposes and Fourier transforms do, lie well on the first, and
// local search hardly finds it: on NAS CG, 64 ranks on a mesh or torus of 4x4x4,
// it has 6 to 21 % fewer bytes times links than multilevel partitioning. Chains
// lie well on the others. It needs no coordinates, and is of no use where the
// ranks' numbers say nothing. O(ranks log ranks + edges).
func Curves() mapping.Strategy {
	return strategy("curves", "ranks by number along Morton, Gray and Hilbert curves through the "+
		"machine", numbersOf, byNumber)
}

// numbersOf puts the ranks on a line.
func numbersOf(p *mapping.Problem) (*cloud, error) {
	return &cloud{dims: 1, minor: 1, values: mapping.Identity(p.Ranks())}, nil
}

func byNumber(ctx context.Context, p *mapping.Problem, ranks *cloud,
	slots *mapping.Places) (mapping.Mapping, error) {
	halves, err := bisect(ctx, p, ranks, slots)
	if err != nil {
		return nil, err
	}
	curve, err := alongCurve(ctx, p, ranks, slots)
	if err != nil || p.Cost(halves) <= p.Cost(curve) {
		return halves, err
	}
	return curve, nil
}
