package kernighanlin

import (
	"remap/commgraph"
	"remap/internal/scratch"
	"remap/placement"
)

// Refiner improves an assignment two blocks at a time. It keeps its memory
// between calls; all costs are of the graph under the metric.
type Refiner struct {
	graph  *commgraph.Graph
	metric *placement.Metric
	assign *placement.Assignment

	// Home, if not nil, is the block every vertex started in (length
	// positions; -1 = none, it may go anywhere), and Budget how many more may
	// newly leave theirs.
	Home   []int32
	Budget int

	// Fixed, if not nil, marks vertices that keep their block (length positions,
	// idle ones included).
	Fixed []bool

	visits *visits // of the sweeps under way, else nil
	passes Passes
	pair   Pair
	home   []int8          // backs pair.Home
	part   commgraph.Graph // of the pair
	cut    *commgraph.Extractor

	members []int32 // vertices of the pair: the free ones of its first block, then of its second

	weightTo  []int64 // length blocks: weight from the block under study, 0 between uses
	neighbors []int32 // blocks with weight
	partners  []int32 // of the block under study
	pairs     []blockPair
}

// NewRefiner works on assign in place.
func NewRefiner(g *commgraph.Graph, m *placement.Metric, assign *placement.Assignment) *Refiner {
	r := &Refiner{graph: g, metric: m, assign: assign, cut: commgraph.NewExtractor(g, len(assign.Block))}
	r.weightTo = make([]int64, assign.Blocks())
	return r
}

// Adjacent lists the blocks that b has edges to, in no particular but a fixed
// order, and the weight to each of them. Both slices are good until the next call.
func (r *Refiner) Adjacent(b int32) (blocks []int32, weight []int64) {
	for _, other := range r.neighbors {
		r.weightTo[other] = 0
	}
	r.neighbors = r.neighbors[:0]
	for _, v := range r.assign.Of(b) {
		if int(v) >= r.graph.Vertices() {
			continue
		}
		first, end := r.graph.Row(v)
		for i := first; i < end; i++ {
			other := r.assign.Block[r.graph.Neighbors[i]]
			if other == b {
				continue
			}
			if r.weightTo[other] == 0 {
				r.neighbors = append(r.neighbors, other)
			}
			r.weightTo[other] += r.graph.Weights[i]
		}
	}
	return r.neighbors, r.weightTo
}

// Improve exchanges vertices between blocks a and b, sizes kept, and gives by
// how much the cost fell: 0 or more. Slack, Passes and Fruitless of limits
// count; the others follow from the blocks.
func (r *Refiner) Improve(a, b int32, limits Limits) int64 {
	if a == b || !r.metric.TellsApart(a, b) {
		return 0
	}
	inA := r.gather(a, b)
	if inA == 0 || inA == len(r.members) {
		return 0
	}
	r.extract(a, b, inA)
	limits.Target, limits.Tolerance = int64(inA), 0
	limits.Budget = r.Budget
	gain := r.passes.Improve(&r.pair, limits)
	if gain > 0 {
		r.Budget -= r.passes.away
		r.apply(a, b)
	}
	return gain
}

// gather lists the vertices of two blocks that may move and tells how many of
// them are in a.
func (r *Refiner) gather(a, b int32) (inA int) {
	r.members = r.appendFree(r.members[:0], a)
	inA = len(r.members)
	r.members = r.appendFree(r.members, b)
	return inA
}

func (r *Refiner) appendFree(to []int32, block int32) []int32 {
	if r.Fixed == nil {
		return append(to, r.assign.Of(block)...)
	}
	for _, v := range r.assign.Of(block) {
		if !r.Fixed[v] {
			to = append(to, v)
		}
	}
	return to
}

// extract fills r.pair with the gathered vertices: those of a on side 0, those
// of b on side 1. An edge inside the pair weighs what it costs more when cut;
// edges to other blocks and to vertices that cannot move become biases. If one
// block costs more inside than the other, an edge counts as half of each, and
// half the difference is a bias of each of its ends:
//
//	both in a: inside a      cut: outside + (inside a + inside b)/2
//	both in b: inside b
func (r *Refiner) extract(a, b int32, inA int) {
	p := &r.pair
	p.Bias = scratch.Resize(p.Bias, len(r.members))
	clear(p.Bias)
	p.Side = scratch.Resize(p.Side, len(r.members))
	for i := range p.Side {
		p.Side[i] = 0
		if i >= inA {
			p.Side[i] = 1
		}
	}
	last, difference := int32(-1), int64(0) // blocks of consecutive neighbours are often the same
	r.cut.Extract(&r.part, r.members, func(i int, u int32, w int64) {
		if other := r.assign.Block[u]; other != last {
			last = other
			difference = r.metric.Between(a, other) - r.metric.Between(b, other)
		}
		p.Bias[i] += w * difference
	})
	p.Offsets, p.Neighbors, p.Weights = r.part.Offsets, r.part.Neighbors, r.part.Weights
	r.weigh(a, b)
	p.Home = nil
	if r.Home != nil {
		r.extractHome(a, b)
	}
}

// weigh turns the weights inside the pair, which are those of the graph, into what
// an edge costs more when it is cut.
func (r *Refiner) weigh(a, b int32) {
	p := &r.pair
	insideA, insideB := r.metric.Inside(a), r.metric.Inside(b)
	outside, tilt := r.metric.Between(a, b)-(insideA+insideB)/2, (insideA-insideB)/2
	for v := 0; tilt != 0 && v < len(p.Bias); v++ {
		for _, w := range p.Weights[p.Offsets[v]:p.Offsets[v+1]] {
			p.Bias[v] += w * tilt
		}
	}
	for k := range p.Weights {
		p.Weights[k] *= outside
	}
}

// extractHome notes for every vertex of the pair whether it is at home on one
// of its sides. Idle vertices never are.
func (r *Refiner) extractHome(a, b int32) {
	r.home = r.home[:0]
	for _, v := range r.members {
		home := int8(-1)
		switch {
		case int(v) >= r.graph.Vertices():
		case r.Home[v] == a:
			home = 0
		case r.Home[v] == b:
			home = 1
		}
		r.home = append(r.home, home)
	}
	r.pair.Home = r.home
}

// apply writes the sides of the pair back to the assignment, members in the
// order they had. Fixed ones keep their places.
func (r *Refiner) apply(a, b int32) {
	next := [2]int32{r.assign.First[a], r.assign.First[b]}
	blocks := [2]int32{a, b}
	for i, v := range r.members {
		side := r.pair.Side[i]
		for r.Fixed != nil && r.Fixed[r.assign.Members[next[side]]] {
			next[side]++
		}
		r.assign.Members[next[side]] = v
		if r.assign.Block[v] != blocks[side] {
			r.assign.Block[v] = blocks[side]
			r.touchAround(v)
		}
		next[side]++
	}
}

// touchAround tells the visits whom a move of v concerns.
func (r *Refiner) touchAround(v int32) {
	if r.visits == nil {
		return
	}
	r.visits.touch(r.assign.Block[v])
	if int(v) < r.graph.Vertices() {
		first, end := r.graph.Row(v)
		for _, u := range r.graph.Neighbors[first:end] {
			r.visits.touch(r.assign.Block[u])
		}
	}
}
