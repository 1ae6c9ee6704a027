package partition

import (
	"context"

	"remap/commgraph"
	"remap/kernighanlin"
	"remap/placement"
)

// refinePairs improves pairs of adjacent blocks in rounds until nothing gains or
// the rounds are used up. The first round visits all pairs for which within
// holds (nil = all), later rounds those of which a block has changed since its
// last visit (active block scheduling, Sanders and Schulz 2011).
func refinePairs(ctx context.Context, r *kernighanlin.Refiner, blocks int, within func(a, b int32) bool, limits kernighanlin.Limits, rounds int) error {
	active, changed := make([]bool, blocks), make([]bool, blocks)
	for b := range active {
		active[b] = true
	}
	var partners []int32
	for range rounds {
		any := false
		for a := range int32(blocks) {
			adjacent, _ := r.Adjacent(a)
			partners = append(partners[:0], adjacent...)
			for _, b := range partners {
				if b < a && active[b] || !active[a] && !active[b] || within != nil && !within(a, b) {
					continue // an active b has visited this pair already
				}
				if err := ctx.Err(); err != nil {
					return err
				}
				if r.Improve(a, b, limits) > 0 {
					changed[a], changed[b], any = true, true, true
				}
			}
		}
		if !any {
			return nil
		}
		active, changed = changed, active
		clear(changed)
	}
	return nil
}

// kway is what the searches over all blocks share: the blocks, where every
// vertex stands in them, and what a move of it would gain.
//
// A move takes one vertex to another block. Moves in a ring, each into the
// block that the next one leaves, keep all sizes:
//
//	block A --u--> block B --v--> block C --w--> back to A
type kway struct {
	graph    *commgraph.Graph
	metric   *placement.Metric
	assign   *placement.Assignment
	fixed    []bool  // length positions: vertices that stay where they are; nil = none
	position []int32 // length positions: index of every vertex in assign.Members

	toward []int64 // length blocks: weight from the vertex last looked at, 0 elsewhere
	near   []int32 // the blocks with weight
}

func newKway(g *commgraph.Graph, m *placement.Metric, assign *placement.Assignment, fixed []bool) *kway {
	k := &kway{graph: g, metric: m, assign: assign, fixed: fixed}
	k.position = make([]int32, len(assign.Members))
	for i, v := range assign.Members {
		k.position[v] = int32(i)
	}
	k.toward = make([]int64, assign.Blocks())
	return k
}

// look sums the weights from v to the blocks around it. An idle vertex has none.
func (k *kway) look(v int32) {
	for _, b := range k.near {
		k.toward[b] = 0
	}
	k.near = k.near[:0]
	if int(v) >= k.graph.Vertices() {
		return
	}
	first, end := k.graph.Row(v)
	for i := first; i < end; i++ {
		b := k.assign.Block[k.graph.Neighbors[i]]
		if k.toward[b] == 0 {
			k.near = append(k.near, b)
		}
		k.toward[b] += k.graph.Weights[i]
	}
}

// price is what the edges of the vertex last looked at cost if it is in b.
// O(blocks around it).
func (k *kway) price(b int32) int64 {
	var sum int64
	for _, other := range k.near {
		sum += k.toward[other] * k.metric.Between(b, other)
	}
	return sum
}

// turn puts every vertex of a ring into the block and position of the next one,
// the last one into those of the first.
func (k *kway) turn(ring []int32) {
	position, block := k.position[ring[0]], k.assign.Block[ring[0]]
	for i, next := range ring[1:] {
		k.put(ring[i], k.position[next], k.assign.Block[next])
	}
	k.put(ring[len(ring)-1], position, block)
}

func (k *kway) put(v, position, block int32) {
	k.assign.Members[position], k.assign.Block[v], k.position[v] = v, block, position
}
