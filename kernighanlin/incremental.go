package kernighanlin

import (
	"cmp"
	"context"
	"slices"
)

// Options of Incremental.
type Options struct {
	// Partners: how many blocks a block tries in turn, those it talks to most first, >= 1.
	Partners int
	// Sweeps: most sweeps over all blocks.
	Sweeps int
	// Passes: most passes over one pair of blocks.
	Passes int

	// ExpensiveFirst visits pairs by what their edges cost instead of block by
	// block: as good from a good start, better from a random one, and quicker.
	ExpensiveFirst bool
}

// Incremental is the incremental variant of Kernighan and Lin's algorithm of
// the 2018 thesis (Taffet, section 4.2.2): for each block choose the block it
// has the most edge weight to, and swap vertices between the two. Blocks keep
// their sizes, so a valid start stays valid.
//
// Deviations: the cost is that of the refiner's metric, so that with path
// lengths the levels above the leaf switches count too (the thesis counts cut
// edges); a visit is whole passes with a best prefix, not one swap; a block
// whose first partner offers nothing tries the next ones, and then the blocks
// beside its partners, which on a torus is where it should sit; sweeps repeat
// until none gains.
//
// It gives by how much the cost fell. When ctx ends it stops between two pairs
// with ctx's error; the assignment is valid then too.
// O(sweeps x partners x edges), usually few sweeps.
func (r *Refiner) Incremental(ctx context.Context, options Options) (int64, error) {
	limits := Limits{Slack: 1, Passes: options.Passes, Fruitless: sweepFruitless}
	sweep := r.sweepBlocks
	if options.ExpensiveFirst {
		sweep = r.sweepExpensive
	}
	var total int64
	r.visits = newVisits(r.assign.Blocks())
	defer func() { r.visits = nil }()
	for range options.Sweeps {
		gain, err := sweep(ctx, options, limits)
		total += gain
		if gain == 0 || err != nil {
			return total, err
		}
	}
	return total, nil
}

// sweepBlocks has every block try its partners until one has something to offer.
func (r *Refiner) sweepBlocks(ctx context.Context, options Options, limits Limits) (gain int64, err error) {
	for b := range int32(r.assign.Blocks()) {
		for _, other := range r.partnersOf(b, options.Partners) {
			g, err := r.visit(ctx, b, other, limits)
			gain += g
			if err != nil {
				return gain, err
			}
			if g > 0 {
				break
			}
		}
	}
	return gain, nil
}

// visit improves a pair unless it is known to have nothing to offer.
func (r *Refiner) visit(ctx context.Context, a, b int32, limits Limits) (gain int64, err error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if r.visits != nil && r.visits.futile(a, b, r.Budget) {
		return 0, nil
	}
	gain = r.Improve(a, b, limits)
	if gain == 0 && r.visits != nil {
		r.visits.note(a, b, r.Budget)
	}
	return gain, nil
}

// partnersOf lists the blocks that b has most edge weight to, and then those
// beside them. Good until the next call.
func (r *Refiner) partnersOf(b int32, most int) []int32 {
	blocks, weight := r.Adjacent(b)
	r.partners = append(r.partners[:0], blocks...)
	slices.SortFunc(r.partners, func(x, y int32) int {
		return cmp.Or(cmp.Compare(weight[y], weight[x]), cmp.Compare(x, y))
	})
	r.partners = r.withNear(b, r.partners[:min(len(r.partners), most)])
	return r.partners
}

// withNear appends the blocks one link away from b's partners.
func (r *Refiner) withNear(b int32, partners []int32) []int32 {
	for _, partner := range partners {
		for _, beside := range r.metric.Near(partner) {
			if beside != b && !slices.Contains(partners, beside) {
				partners = append(partners, beside)
			}
		}
	}
	return partners
}
