package placement

import (
	"fmt"
	"slices"

	"remap/commgraph"
)

// Assignment puts vertices into blocks of fixed sizes. Vertex numbers from the
// graph's count upward are idle: they have no edges and stand for empty slots.
type Assignment struct {
	// First (length blocks+1): block b is Members[First[b]:First[b+1]].
	First []int32
	// Members (length positions): vertices, block by block.
	Members []int32
	// Block (length positions): block of every vertex, idle ones included.
	Block []int32
}

// NewAssignment cuts members at the bounds.
func NewAssignment(first, members []int32) *Assignment {
	a := &Assignment{First: first, Members: members, Block: make([]int32, len(members))}
	for b := range a.Blocks() {
		for _, v := range a.Of(int32(b)) {
			a.Block[v] = int32(b)
		}
	}
	return a
}

// Blocks is the number of blocks.
func (a *Assignment) Blocks() int { return len(a.First) - 1 }

// Of lists the vertices of block b.
func (a *Assignment) Of(b int32) []int32 { return a.Members[a.First[b]:a.First[b+1]] }

// Cost is the sum over the graph's edges of weight times path length.
func (a *Assignment) Cost(g *commgraph.Graph, m *Metric) int64 {
	var cost int64
	for u := range int32(g.Vertices()) {
		first, end := g.Row(u)
		for i := first; i < end; i++ {
			if v := g.Neighbors[i]; v < u {
				cost += g.Weights[i] * m.Between(a.Block[u], a.Block[v])
			}
		}
	}
	return cost
}

// Check tests that every vertex stands once, in the block it is noted in.
func (a *Assignment) Check() error {
	seen := make([]bool, len(a.Block))
	for b := range int32(a.Blocks()) {
		for _, v := range a.Of(b) {
			if v < 0 || int(v) >= len(seen) || seen[v] || a.Block[v] != b {
				return fmt.Errorf("vertex %d in block %d", v, b)
			}
			seen[v] = true
		}
	}
	if at := slices.Index(seen, false); at >= 0 {
		return fmt.Errorf("vertex %d is in no block", at)
	}
	return nil
}
