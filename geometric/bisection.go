package geometric

import (
	"context"
	"math"
	"slices"

	"remap/mapping"
)

// RecursiveCoordinateBisection is the strategy "rcb": it cuts ranks and machine
// again and again, the ranks across their longest extent into as many as the
// parts of the machine hold (Berger and Bokhari 1987), the machine along its
// own hierarchy or, on tori and meshes, across its longest extent too (Deveci
// et al. 2014, "Exploiting geometric partitioning in task mapping").
//
//	. . . . | . . . .      one pod of two leaf switches | the other
//	. . . . | . . . .
//	- - - - | - - - -      its leaf switches
//	. . . . | . . . .
//	. . . . | . . . .
//
// Every part is filled exactly, whatever the capacities; a cut that does not
// end between two rows runs within one. Ranks at the same place stay in order.
//
// Deviations: parts may be three or more side by side, where that ends between
// rows and halves do not; lengths may be weighted by the bytes along their
// dimension, since a heavy dimension is better cut seldom; on tori and meshes
// every other part of ranks or machine may be laid out turned round, as in Gray
// codes, which holds a long thin cloud together; every dimension may be taken
// from its other end. The way of least cost wins, the earlier of equals, so that
// a reflection of all coordinates costs the same as long as all ways fit the
// work that is allowed.
//
// O(ranks x (dimensions x log ranks + degree)) a way to cut, of which there are
// 4 x 2^dimensions on small problems, three times as many on tori and meshes,
// and 2 on the largest.
func RecursiveCoordinateBisection() mapping.Strategy {
	return strategy("rcb", "recursive coordinate bisection of ranks whose coordinates or grid are "+
		"known", ranksOf, bisect)
}

// way is one way to cut.
type way struct {
	fit      bool // three and more parts at a time, where the cuts then fall between rows
	weighted bool // extents are weighted by the bytes along them
	turning  turning
	mirrored uint32 // dimensions taken from the other end, a bit each
}

// turning is what is taken from its other end in every other part, along the
// dimension that was cut.
type turning uint8

const (
	nothing  turning = iota
	rankSide         // as in a reflected Gray code: a chain stays in one piece
	slotSide         // one Gray code along each dimension: ranks whose numbers differ in one bit stay near
)

// ways lists how to cut, those that promise most first, for ranks of some
// dimensions; none twice.
func ways(dims int, grid bool, most int) []way {
	var list []way
	for mirrored := uint32(0); mirrored < 1<<min(dims, 16) && len(list) < most; mirrored++ {
		for turned := nothing; turned <= slotSide && (grid || turned == nothing); turned++ {
			for _, fit := range []bool{true, false} {
				for _, weighted := range []bool{false, true}[:min(dims, 2)] {
					list = append(list, way{fit, weighted, turned, mirrored})
				}
			}
		}
	}
	return list[:min(most, len(list))]
}

// allowance is how many ways a problem may try.
func allowance(p *mapping.Problem, dims int) int {
	work := 1 << 21
	if p.Objective != mapping.PathLength {
		work >>= 4 // link loads take longer
	}
	return max(2, work/(p.Ranks()*dims+len(p.Graph.Neighbors)))
}

// bisect tries all ways and keeps the best.
func bisect(ctx context.Context, p *mapping.Problem, ranks *cloud,
	slots *mapping.Places) (mapping.Mapping, error) {
	rankKeys := newDenseKeys(ranks)
	nodes := slotCloud(p, slots)
	var nodeKeys *denseKeys
	if nodes != nil {
		nodeKeys = newDenseKeys(nodes)
	}
	prices := traffic(p, ranks)
	var best mapping.Mapping
	var least float64
	for _, w := range ways(ranks.dims, nodes != nil, allowance(p, ranks.dims)) {
		b := &bisection{ctx: ctx, way: w, ranks: newCutter(ranks, rankKeys, w.mirrored),
			sites: newSites(slots, nodes, nodeKeys)}
		if w.weighted {
			b.prices = prices
		}
		if nodes != nil {
			b.pairs = slices.Repeat([]int{-1}, nodes.dims)
		}
		if err := b.split(0, int32(len(slots.Slots)), [3]uint32{}); err != nil {
			return nil, err
		}
		m := b.mapping()
		if cost := p.Cost(m); best == nil || cost < least {
			best, least = m, cost
		}
	}
	return best, nil
}

// traffic is the bytes times the distance along every dimension, positive.
func traffic(p *mapping.Problem, ranks *cloud) []float64 {
	prices := slices.Repeat([]float64{math.SmallestNonzeroFloat32}, ranks.dims)
	d := ranks.dims
	for u := range p.Ranks() {
		first, end := p.Graph.Row(int32(u))
		for e := first; e < end; e++ {
			v := int(p.Graph.Neighbors[e])
			for k := range d {
				prices[k] += float64(p.Graph.Weights[e]) * math.Abs(float64(ranks.values[u*d+k]-ranks.values[v*d+k]))
			}
		}
	}
	return prices
}

// bisection is one way carried out.
type bisection struct {
	way
	ctx    context.Context
	ranks  *cutter
	sites  *sites
	prices []float64 // of extents, nil = all alike
	// of every dimension of a torus or mesh, that of the ranks which was cut with it first; -1 = none yet
	pairs []int
}

// split divides the ranks and slots of positions first to end, which hold as
// many of either, until slots are alike; turned are the dimensions, a bit each,
// that are taken from the other end, of the ranks and of the slots.
func (b *bisection) split(first, end int32, turned [3]uint32) error {
	if err := b.ctx.Err(); err != nil {
		return err
	}
	if end-first <= 1 {
		return nil
	}
	bounds, side := b.sites.units(first, end, turned[slotSide])
	if bounds == nil {
		return nil
	}
	axis := b.across(side, first, end)
	reversed := turned[rankSide]>>axis&1 == 1
	cuts := halves(bounds)
	if b.fit {
		cuts = b.fitting(bounds, axis, reversed)
	}
	if b.sites.grid != nil {
		b.sites.grid.divide(side, cuts, turned[slotSide]>>side&1 == 1)
	}
	b.ranks.divide(axis, cuts, reversed)
	for i := range len(cuts) - 1 {
		if err := b.split(cuts[i], cuts[i+1], turned); err != nil {
			return err
		}
		switch b.turning {
		case rankSide:
			turned[rankSide] ^= 1 << axis
		case slotSide:
			turned[slotSide] ^= 1 << side
		}
	}
	return nil
}

// across is the dimension to cut the ranks along when the machine is cut along
// side: the longest; but of those that are nearly as long the one that went
// with side before, or one that went with none, so that all parts are laid out
// alike.
func (b *bisection) across(side int, first, end int32) int {
	longest := b.ranks.longest(first, end, b.prices)
	if b.sites.grid == nil {
		return longest
	}
	const nearly = 0.8
	enough := nearly * b.ranks.length(longest, first, end, b.prices)
	if pair := b.pairs[side]; pair >= 0 {
		if b.ranks.length(pair, first, end, b.prices) >= enough {
			return pair
		}
		return longest
	}
	for k := range b.ranks.dims {
		if length := b.ranks.length(k, first, end, b.prices); length >= enough && !slices.Contains(b.pairs, k) {
			longest, enough = k, math.Nextafter(length, math.Inf(1))
		}
	}
	b.pairs[side] = longest
	return longest
}

// halves is two parts of whole units, as equal as can be.
func halves(bounds []int32) []int32 {
	last := len(bounds) - 1
	sum := bounds[0] + bounds[last]
	middle := 1
	for i := 2; i < last; i++ {
		if distance(2*bounds[i], sum) < distance(2*bounds[middle], sum) {
			middle = i
		}
	}
	return []int32{bounds[0], bounds[middle], bounds[last]}
}

func distance(a, b int32) int32 { return max(a-b, b-a) }

// fitting is parts of as many units each, a prime number of parts, the highest
// where all cuts fall between two rows of ranks; two parts if there is none, or
// three of three units.
func (b *bisection) fitting(bounds []int32, axis int, reversed bool) []int32 {
	units := len(bounds) - 1
	for rest, factor := units, 0; rest > 1; rest /= factor {
		factor = largestFactor(rest)
		if cuts := every(bounds, units/factor); b.between(cuts, axis, reversed) {
			return cuts
		}
	}
	if units == 3 {
		return bounds
	}
	return halves(bounds)
}

// every is each step-th bound.
func every(bounds []int32, step int) []int32 {
	var cuts []int32
	for i := 0; i < len(bounds); i += step {
		cuts = append(cuts, bounds[i])
	}
	return cuts
}

// between tells whether all cuts fall between two rows of ranks.
func (b *bisection) between(cuts []int32, axis int, reversed bool) bool {
	first, end := cuts[0], cuts[len(cuts)-1]
	for _, cut := range cuts[1 : len(cuts)-1] {
		if reversed {
			cut = first + end - cut
		}
		if b.ranks.at(axis, cut-1) == b.ranks.at(axis, cut) {
			return false
		}
	}
	return true
}

// largestFactor is the largest prime factor of n > 1.
func largestFactor(n int) int {
	largest := 1
	for f := 2; f*f <= n; f++ {
		for ; n%f == 0; n /= f {
			largest = f
		}
	}
	return max(largest, n)
}

// mapping puts ranks on slots position by position.
func (b *bisection) mapping() mapping.Mapping {
	order := b.ranks.lists[0]
	slots := make([]int32, len(order))
	for i, position := range b.sites.positions() {
		slots[i] = b.sites.places.Slots[position]
	}
	return place(slots, order)
}
