package partition

import (
	"math/rand/v2"

	"remap/internal/scratch"
	"remap/kernighanlin"
)

// Merging is how vertices are merged into those of the next coarser graph.
type Merging uint8

const (
	ByTurns  Merging = iota // clusters in the first run down the hierarchy, pairs in the second, and so on
	Pairs                   // matching
	Clusters                // label propagation
)

// bisector cuts graphs in two and keeps its memory between calls.
//
// The graph is merged into ever smaller ones, the smallest is bisected, and
// the bisection is carried back and refined on every graph on the way
// (Hendrickson and Leland 1995, Karypis and Kumar 1998):
//
//	levels[0]  o-o-o-o-o-o-o-o          refine to the exact size
//	              \ merge   / carry back
//	levels[1]   o---o---o---o           refine
//	               \     /
//	levels[2]      o-----o              bisect
type bisector struct {
	options   Options
	chance    *rand.Rand
	levels    []*level
	passes    kernighanlin.Passes
	matcher   matcher
	clusterer clusterer
	memory    contraction
	best      []uint8
	turn      int // runs down the hierarchy since bisect began
}

// level is one graph of the hierarchy.
type level struct {
	graph graph
	into  []int32 // length vertices: vertex of the next coarser graph
	side  []uint8 // length vertices
}

func newBisector(options Options, chance *rand.Rand) *bisector {
	return &bisector{options: options, chance: chance, levels: []*level{{}}}
}

// graph is where the caller puts the graph to bisect: unit vertex weights.
func (b *bisector) graph() *graph { return &b.levels[0].graph }

// bisect gives the side of every vertex, exactly target of them on side 0. The
// slice is good until the next call.
// O(attempts x edges x log vertices) for graphs that merge well.
func (b *bisector) bisect(target int64) []uint8 {
	var best int64
	b.turn = 0
	n := b.graph().count()
	b.best = scratch.Resize(b.best, n)
	for try := range b.options.Attempts {
		cost := b.attempt(target, false)
		if try == 0 || cost < best {
			best = cost
			copy(b.best, b.levels[0].side)
		}
		if n <= b.options.Coarsest {
			break // nothing was merged: another attempt is only more seeds
		}
	}
	if n > b.options.Coarsest {
		for range b.options.Cycles {
			copy(b.levels[0].side, b.best)
			cost := b.attempt(target, true)
			if cost >= best {
				break
			}
			best = cost
			copy(b.best, b.levels[0].side)
		}
	}
	return b.best
}

// attempt runs down and up the hierarchy once and gives the cut. With keep it
// starts from the sides of levels[0] and merges only within them.
func (b *bisector) attempt(target int64, keep bool) int64 {
	deepest := b.coarsen(target, keep)
	bottom := b.levels[deepest]
	if keep {
		b.refine(bottom, target, deepest)
	} else {
		b.initial(bottom, target, deepest)
	}
	for l := deepest - 1; l >= 0; l-- {
		fine, coarse := b.levels[l], b.levels[l+1]
		fine.side = scratch.Resize(fine.side, len(fine.into))
		for v, c := range fine.into {
			fine.side[v] = coarse.side[c]
		}
		b.refine(fine, target, l)
	}
	return cut(&b.levels[0].graph, b.levels[0].side)
}

// coarsen merges until the graph is small or hardly shrinks, and gives the
// number of the coarsest level.
func (b *bisector) coarsen(target int64, keep bool) int {
	limit := max(2, 3*b.graph().total/int64(2*b.options.Coarsest))
	limit = min(limit, max(2, min(target, b.graph().total-target)))
	clusters := b.options.Merging == Clusters || b.options.Merging == ByTurns && b.turn%2 == 0
	b.turn++
	for l := 0; ; l++ {
		fine := b.levels[l]
		n := fine.graph.count()
		if n <= b.options.Coarsest {
			return l
		}
		var marks []uint8
		if keep {
			marks = fine.side
		}
		count, into := b.merge(&fine.graph, limit, marks, clusters)
		if 20*count > shrink*n {
			return l
		}
		fine.into = append(fine.into[:0], into...)
		if len(b.levels) == l+1 {
			b.levels = append(b.levels, &level{})
		}
		coarse := b.levels[l+1]
		coarse.graph.contract(&fine.graph, fine.into, count, &b.memory)
		if keep {
			coarse.side = scratch.Resize(coarse.side, count)
			for v, c := range fine.into {
				coarse.side[c] = fine.side[v]
			}
		}
	}
}

// merge finds the vertices of the next coarser graph: how many, and which of
// them every vertex becomes part of. Where clusters hardly shrink the graph
// it takes pairs, which also join vertices that are no neighbours.
func (b *bisector) merge(g *graph, limit int64, marks []uint8, clusters bool) (int, []int32) {
	if clusters {
		if count := b.clusterer.cluster(g, limit, marks, b.chance); 4*count <= clusterShrink*g.count() {
			return count, b.clusterer.into
		}
	}
	b.matcher.fixed = marks
	return b.matcher.match(g, limit, b.chance), b.matcher.into
}

// initial bisects the coarsest graph: from a random vertex alone on side 0,
// passes first move the vertices of best gain across until the weight is met
// (greedy graph growing, Karypis and Kumar 1998), then refine. The best of
// several such starts is kept.
func (b *bisector) initial(bottom *level, target int64, l int) {
	n := bottom.graph.count()
	bottom.side = scratch.Resize(bottom.side, n)
	grown := make([]uint8, n)
	var best, bestExcess int64
	for try := range b.options.Seeds {
		for v := range grown {
			grown[v] = 1
		}
		if n > 0 {
			grown[b.chance.IntN(n)] = 0
		}
		pair := bottom.graph.pair(grown)
		limits := b.limits(&bottom.graph, target, l)
		b.passes.Improve(&pair, limits)
		cost, excess := cut(&bottom.graph, grown), b.passes.Excess(&pair, limits)
		if try == 0 || excess < bestExcess || excess == bestExcess && cost < best {
			best, bestExcess = cost, excess
			copy(bottom.side, grown)
		}
	}
}

func (b *bisector) refine(at *level, target int64, l int) {
	pair := at.graph.pair(at.side)
	b.passes.Improve(&pair, b.limits(&at.graph, target, l))
}

// limits are exact on the original graph; on merged ones a deviation of the
// heaviest vertex may remain.
func (b *bisector) limits(g *graph, target int64, l int) kernighanlin.Limits {
	heaviest := int64(1)
	for _, w := range g.vertices {
		heaviest = max(heaviest, int64(w))
	}
	n := g.count()
	limits := kernighanlin.Limits{Target: target, Passes: b.options.Passes, Fruitless: min(500, 50+n/5)}
	limits.Slack = max(heaviest, min(g.total/64, 16))
	if l > 0 {
		limits.Tolerance = heaviest
		limits.Slack = max(limits.Slack, 2*heaviest)
	}
	return limits
}

func (g *graph) pair(side []uint8) kernighanlin.Pair {
	return kernighanlin.Pair{
		Offsets: g.offsets, Neighbors: g.neighbors, Weights: g.weights,
		VertexWeights: g.vertices, Bias: g.bias, Side: side,
	}
}

// cut is the weight of the edges between the sides, with the bias of side 0.
func cut(g *graph, side []uint8) int64 {
	var sum, bias int64
	for v := range g.count() {
		if g.bias != nil && side[v] == 0 {
			bias += g.bias[v]
		}
		for k := g.offsets[v]; k < g.offsets[v+1]; k++ {
			if side[g.neighbors[k]] != side[v] {
				sum += g.weights[k]
			}
		}
	}
	return sum/2 + bias
}
