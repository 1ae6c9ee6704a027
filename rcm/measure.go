package rcm

import "remap/commgraph"

// Positions inverts an order: the position of every vertex, length of order.
func Positions(order []int32) []int32 {
	position := make([]int32, len(order))
	for i, v := range order {
		position[v] = int32(i)
	}
	return position
}

// Bandwidth is the largest distance in the order between neighbours, 0 without
// edges. order is a permutation of the vertices.
func Bandwidth(g *commgraph.Graph, order []int32) int {
	position := Positions(order)
	var widest int32
	for v := range int32(g.Vertices()) {
		first, end := g.Row(v)
		for _, u := range g.Neighbors[first:end] {
			widest = max(widest, position[u]-position[v])
		}
	}
	return int(widest)
}

// Profile is the sum over vertices of the distance to the first neighbour
// before it in the order, 0 if none is (the size of the matrix's envelope).
func Profile(g *commgraph.Graph, order []int32) int64 {
	position := Positions(order)
	var sum int64
	for v := range int32(g.Vertices()) {
		var reach int32
		first, end := g.Row(v)
		for _, u := range g.Neighbors[first:end] {
			reach = max(reach, position[v]-position[u])
		}
		sum += int64(reach)
	}
	return sum
}

// Measures tell what an order does to a graph's matrix: its bandwidth and
// profile as the vertices are numbered, and in the order.
type Measures struct {
	BandwidthBefore int   `json:"bandwidth_before"`
	BandwidthAfter  int   `json:"bandwidth_after"`
	ProfileBefore   int64 `json:"profile_before"`
	ProfileAfter    int64 `json:"profile_after"`
}

// Measure compares an order, a permutation of the vertices, with their numbers.
// O(vertices + edges).
func Measure(g *commgraph.Graph, order []int32) Measures {
	numbers := make([]int32, len(order))
	for v := range numbers {
		numbers[v] = int32(v)
	}
	return Measures{
		BandwidthBefore: Bandwidth(g, numbers), BandwidthAfter: Bandwidth(g, order),
		ProfileBefore: Profile(g, numbers), ProfileAfter: Profile(g, order),
	}
}
