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
func refinePairs(
	ctx context.Context, r *kernighanlin.Refiner, blocks int, within func(a, b int32) bool, rounds int,
) error {
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
				if r.Improve(a, b, pairLimits) > 0 {
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

// moves is what the searches for cycles of moves share: the blocks, where every
// vertex stands in them, and what a move of it would gain.
//
// A move takes one vertex to another block. A cycle of moves, each into the block
// that the next one leaves, keeps all sizes:
//
//	block A --u--> block B --v--> block C --w--> back to A
type moves struct {
	graph    *commgraph.Graph
	metric   *placement.Metric
	assign   *placement.Assignment
	fixed    []bool  // length positions: vertices that stay where they are; nil = none
	position []int32 // length positions: index of every vertex in assign.Members

	weightTo []int64 // length blocks: weight from the vertex last looked at, 0 elsewhere
	near     []int32 // the blocks with weight
}

func newMoves(g *commgraph.Graph, m *placement.Metric, assign *placement.Assignment, fixed []bool) *moves {
	k := &moves{graph: g, metric: m, assign: assign, fixed: fixed}
	k.position = make([]int32, len(assign.Members))
	for i, v := range assign.Members {
		k.position[v] = int32(i)
	}
	k.weightTo = make([]int64, assign.Blocks())
	return k
}

// look sums the weights from v to the blocks around it. An idle vertex has none.
func (m *moves) look(v int32) {
	for _, b := range m.near {
		m.weightTo[b] = 0
	}
	m.near = m.near[:0]
	if int(v) >= m.graph.Vertices() {
		return
	}
	first, end := m.graph.Row(v)
	for i := first; i < end; i++ {
		b := m.assign.Block[m.graph.Neighbors[i]]
		if m.weightTo[b] == 0 {
			m.near = append(m.near, b)
		}
		m.weightTo[b] += m.graph.Weights[i]
	}
}

// price is what the edges of the vertex last looked at cost if it is in b.
// O(blocks around it).
func (m *moves) price(b int32) int64 {
	var sum int64
	for _, other := range m.near {
		sum += m.weightTo[other] * m.metric.Between(b, other)
	}
	return sum
}

// apply puts every vertex of a cycle into the block and position of the next one,
// the last one into those of the first.
func (m *moves) apply(cycle []int32) {
	position, block := m.position[cycle[0]], m.assign.Block[cycle[0]]
	for i, next := range cycle[1:] {
		m.put(cycle[i], m.position[next], m.assign.Block[next])
	}
	m.put(cycle[len(cycle)-1], position, block)
}

func (m *moves) put(v, position, block int32) {
	m.assign.Members[position], m.assign.Block[v], m.position[v] = v, block, position
}
