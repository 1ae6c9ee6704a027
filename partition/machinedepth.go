package partition

import (
	"context"
	"math"

	"remap/kernighanlin"
	"remap/placement"
)

// refineDepth exchanges vertices between any two of the parts there are once depth d
// is split, siblings or not, while the cost by mean distances falls.
func (s *machineMapper) refineDepth(ctx context.Context, d int, samples int32) error {
	frontier := s.frontier(d)
	parts := len(frontier)
	most := mostParts
	if d == len(s.depths)-2 {
		most = 2 * mostParts // the blocks themselves
	}
	if parts > most || 2*parts > len(s.members) {
		return nil
	}
	matrix := make([]uint16, parts*parts)
	var inside int64
	part := make([]int32, len(s.nodes))
	assign := &placement.Assignment{Members: s.members}
	assign.First, assign.Block = make([]int32, parts+1), make([]int32, len(s.where))
	for i, a := range frontier {
		part[a] = int32(i)
		assign.First[i+1] = s.room[s.nodes[a].end]
		own := s.between(a, a, samples) / s.coarse
		inside += own
		for j, b := range frontier[:i] {
			length := uint16(min(math.MaxUint16, s.between(a, b, samples)/s.coarse))
			matrix[i*parts+j], matrix[j*parts+i] = length, length
		}
	}
	inside /= int64(parts)
	for i := range frontier {
		matrix[i*parts+i] = uint16(inside)
	}
	for v, node := range s.where {
		for frontier[part[node]] != node {
			node = s.parent[node]
		}
		assign.Block[v] = part[node]
	}
	rounds := 3
	if parts > mostParts/2 {
		rounds = 1
	}
	r := kernighanlin.NewRefiner(s.graph, placement.NewMatrixMetric(matrix, parts, inside), assign)
	if err := refinePairs(ctx, r, parts, nil, rounds); err != nil {
		return err
	}
	for i, node := range frontier {
		for _, v := range assign.Of(int32(i)) {
			s.where[v] = node
		}
	}
	return nil
}

// frontier lists the nodes that cover the machine once depth d is split, in its
// order.
func (s *machineMapper) frontier(d int) []int32 {
	var nodes []int32
	var visit func(node int32, depth int)
	visit = func(node int32, depth int) {
		child := s.nodes[node].child
		if depth > d || child == 0 {
			nodes = append(nodes, node)
			return
		}
		visit(child, depth+1)
		visit(child+1, depth+1)
	}
	visit(0, 0)
	return nodes
}
