package kernighanlin

import (
	"cmp"
	"context"
	"slices"
)

// sweepExpensive visits every pair of partners once, those first that the
// network makes expensive: by falling cost of the edges between the two blocks
// over what they would cost within one. Blocks beside a partner come last. It
// gives by how much the cost fell. O(edges + pairs log pairs + visits).
func (r *Refiner) sweepExpensive(
	ctx context.Context, options Options, limits Limits,
) (gain int64, err error) {
	r.pairs = r.pairs[:0]
	for b := range int32(r.assign.Blocks()) {
		for _, other := range r.partnersOf(b, options.Partners) {
			r.pairs = append(r.pairs, blockPair{min(b, other), max(b, other), r.expense(b, other)})
		}
	}
	slices.SortFunc(r.pairs, func(x, y blockPair) int {
		return cmp.Or(cmp.Compare(y.expense, x.expense), cmp.Compare(x.a, y.a), cmp.Compare(x.b, y.b))
	})
	r.pairs = slices.Compact(r.pairs) // most pairs are partners both ways
	for _, p := range r.pairs {
		g, err := r.visit(ctx, p.a, p.b, limits)
		gain += g
		if err != nil {
			return gain, err
		}
	}
	return gain, nil
}

// blockPair is two blocks, a < b, and what the edges between them cost more
// than within one of them.
type blockPair struct {
	a, b    int32
	expense int64
}

// expense counts the edges that Adjacent(b) found last.
func (r *Refiner) expense(b, other int32) int64 {
	m := r.metric
	return r.weightTo[other] * (m.Between(b, other) - (m.Inside(b)+m.Inside(other))/2)
}
