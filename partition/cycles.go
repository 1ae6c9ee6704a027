package partition

import (
	"context"
)

// cycles finds cycles of moves as negative cycles in the digraph of the blocks: the
// arc from A to B carries the vertex of A whose move to B gains most, and costs minus
// that gain. A cycle of negative cost is a cycle of moves that gains, and keeps all
// sizes exactly (Sanders and Schulz 2013, "Think locally, act globally", who
// called it the basic negative cycle search under perfect balance).
//
//	A --5--> B        gains: 5 + 2 - 4 = 3, though no swap of two gains
//	 ^      /
//	 -4    2
//	   \ v
//	    C
//
// Cycles are found by Bellman and Ford's algorithm from all blocks at once.
// The gains of a cycle add up only where its vertices are no neighbours. So every
// cycle is priced before it is made.
//
// Deviations: arcs lead only to blocks that a vertex has edges to, vertices
// without edges take no part, and cycles of more than about longestCycle blocks are not
// looked for.
//
// A round costs O(edges + length x arcs).
type cycles struct {
	*moves
	from, to []int32 // length arcs, in order of from
	vertex   []int32
	gain     []int64
	arc      []int32 // length blocks: index of the arc from the block under study, -1 = none
	distance []int64 // length blocks
	parent   []int32 // length blocks: arc by which the distance came, -1 = none
	used     []bool  // length blocks: changed in this round
	vertices []int32 // of the cycle at hand
	cycle    []int32 // its arcs
	seen     []int32 // length blocks
}

// negativeCycles makes cycles of moves in rounds until none gains, and gives by how much the cost
// fell. When ctx ends it ends with its error, the assignment valid.
func (m *moves) negativeCycles(ctx context.Context, rounds int) (int64, error) {
	blocks := m.assign.Blocks()
	r := &cycles{moves: m, arc: make([]int32, blocks), distance: make([]int64, blocks)}
	r.parent, r.seen, r.used = make([]int32, blocks), make([]int32, blocks), make([]bool, blocks)
	for b := range r.arc {
		r.arc[b] = -1
	}
	var total int64
	for range rounds {
		if err := ctx.Err(); err != nil {
			return total, err
		}
		r.findArcs()
		gain := r.round()
		if total += gain; gain == 0 {
			break
		}
	}
	return total, nil
}

// findArcs lists the arcs and the vertex of each; of equal ones the first.
func (r *cycles) findArcs() {
	r.from, r.to, r.vertex, r.gain = r.from[:0], r.to[:0], r.vertex[:0], r.gain[:0]
	for a := range int32(r.assign.Blocks()) {
		begin := len(r.from)
		for _, v := range r.assign.Of(a) {
			if r.fixed != nil && r.fixed[v] {
				continue
			}
			r.look(v)
			here := r.price(a)
			for _, b := range r.near {
				if b == a {
					continue
				}
				gain := here - r.price(b)
				if at := r.arc[b]; at >= 0 {
					if gain > r.gain[at] {
						r.vertex[at], r.gain[at] = v, gain
					}
					continue
				}
				r.arc[b] = int32(len(r.from))
				r.from, r.to = append(r.from, a), append(r.to, b)
				r.vertex, r.gain = append(r.vertex, v), append(r.gain, gain)
			}
		}
		for _, b := range r.to[begin:] {
			r.arc[b] = -1
		}
	}
}

// round makes disjoint cycles as long as there are any, and gives their gain.
func (r *cycles) round() (total int64) {
	clear(r.used)
	for {
		if !r.search() {
			return total
		}
		any := false
		for b := range r.seen {
			r.seen[b] = -1
		}
		for b := range int32(len(r.seen)) {
			if !r.follow(b) {
				continue
			}
			any = true
			total += r.attempt()
		}
		if !any {
			return total
		}
	}
}

// search runs Bellman and Ford's rounds over arcs between blocks that are not
// used; it tells whether distances still fell in the last one, which means that
// the parents hold a negative cycle, or will with more rounds.
func (r *cycles) search() bool {
	for b := range r.parent {
		r.distance[b], r.parent[b] = 0, -1
	}
	for range min(longestCycle, len(r.parent)) {
		fell := false
		for i, a := range r.from {
			b := r.to[i]
			if r.used[a] || r.used[b] {
				continue
			}
			if d := r.distance[a] - r.gain[i]; d < r.distance[b] {
				r.distance[b], r.parent[b] = d, int32(i)
				fell = true
			}
		}
		if !fell {
			return false
		}
	}
	return true
}

// follow walks from b along the parents; if that leads into a cycle not met
// before, the cycle is in r.cycle.
func (r *cycles) follow(b int32) bool {
	stamp := b
	at := b
	for at >= 0 && r.seen[at] < 0 {
		r.seen[at] = stamp
		if r.parent[at] < 0 {
			return false
		}
		at = r.from[r.parent[at]]
	}
	if at < 0 || r.seen[at] != stamp {
		return false
	}
	r.cycle = r.cycle[:0]
	for start := at; ; {
		r.cycle = append(r.cycle, r.parent[at])
		if at = r.from[r.parent[at]]; at == start {
			return true
		}
	}
}

// attempt makes the moves of r.cycle if they gain, counted exactly, and gives the
// gain. Its blocks are used then; the worst arc of a cycle that does not gain is
// taken out.
func (r *cycles) attempt() int64 {
	r.vertices = r.vertices[:0]
	worst := r.cycle[0]
	for i := len(r.cycle) - 1; i >= 0; i-- { // parents lead backward
		arc := r.cycle[i]
		r.vertices = append(r.vertices, r.vertex[arc])
		if r.gain[arc] < r.gain[worst] {
			worst = arc
		}
	}
	gain := r.gainOf(r.cycle)
	if gain <= 0 {
		r.gain[worst] = -1 << 60
		return 0
	}
	r.apply(r.vertices)
	for _, arc := range r.cycle {
		r.used[r.from[arc]] = true
	}
	return gain
}

// gainOf prices the moves of a cycle of arcs, one after the other.
func (r *cycles) gainOf(cycle []int32) (gain int64) {
	for _, arc := range cycle {
		v := r.vertex[arc]
		r.look(v)
		gain += r.price(r.from[arc]) - r.price(r.to[arc])
		r.assign.Block[v] = r.to[arc]
	}
	for _, arc := range cycle {
		r.assign.Block[r.vertex[arc]] = r.from[arc]
	}
	return gain
}
