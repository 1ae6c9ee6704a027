package commgraph

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/graph"
	"gonum.org/v1/gonum/graph/iterator"
)

// GonumGraph shows the graph to gonum's algorithms: a read-only view without a
// copy; vertex v is the node of ID v, the edge's weight the bytes of the pair.
// For interchange only: every step through it allocates.
func GonumGraph(g *Graph) GonumView { return GonumView{g} }

// GonumView implements graph.Undirected and graph.WeightedUndirected.
type GonumView struct{ g *Graph }

// gonumNode is a vertex; its ID is its number.
type gonumNode int64

func (v gonumNode) ID() int64 { return int64(v) }

// gonumEdge is an edge seen from one of its ends.
type gonumEdge struct {
	from, to gonumNode
	weight   float64
}

func (e gonumEdge) From() graph.Node         { return e.from }
func (e gonumEdge) To() graph.Node           { return e.to }
func (e gonumEdge) ReversedEdge() graph.Edge { return gonumEdge{e.to, e.from, e.weight} }
func (e gonumEdge) Weight() float64          { return e.weight }

func (v GonumView) has(id int64) bool { return id >= 0 && id < int64(v.g.Vertices()) }

// find gives the half-edge from x to y, or -1.
func (v GonumView) find(x, y int64) int32 {
	if !v.has(x) || !v.has(y) {
		return -1
	}
	first, end := v.g.Row(int32(x))
	i, ok := slices.BinarySearch(v.g.Neighbors[first:end], int32(y))
	if !ok {
		return -1
	}
	return first + int32(i)
}

// Node is the node of that ID, nil if there is none.
func (v GonumView) Node(id int64) graph.Node {
	if !v.has(id) {
		return nil
	}
	return gonumNode(id)
}

// Nodes are all nodes, ascending.
func (v GonumView) Nodes() graph.Nodes {
	if v.g.Vertices() == 0 {
		return graph.Empty
	}
	return iterator.NewImplicitNodes(0, v.g.Vertices(), func(id int) graph.Node { return gonumNode(id) })
}

// From are the neighbours of a node, ascending.
func (v GonumView) From(id int64) graph.Nodes {
	if !v.has(id) {
		return graph.Empty
	}
	first, end := v.g.Row(int32(id))
	if first == end {
		return graph.Empty
	}
	nodes := make([]graph.Node, 0, end-first)
	for _, to := range v.g.Neighbors[first:end] {
		nodes = append(nodes, gonumNode(to))
	}
	return iterator.NewOrderedNodes(nodes)
}

// HasEdgeBetween tells whether two nodes are neighbours.
func (v GonumView) HasEdgeBetween(x, y int64) bool { return v.find(x, y) >= 0 }

// Edge is the edge from x to y, nil if there is none.
func (v GonumView) Edge(x, y int64) graph.Edge {
	if e := v.WeightedEdge(x, y); e != nil {
		return e
	}
	return nil
}

// EdgeBetween is Edge.
func (v GonumView) EdgeBetween(x, y int64) graph.Edge { return v.Edge(x, y) }

// WeightedEdge is the edge from x to y, nil if there is none.
func (v GonumView) WeightedEdge(x, y int64) graph.WeightedEdge {
	i := v.find(x, y)
	if i < 0 {
		return nil
	}
	return gonumEdge{gonumNode(x), gonumNode(y), float64(v.g.Weights[i])}
}

// WeightedEdgeBetween is WeightedEdge.
func (v GonumView) WeightedEdgeBetween(x, y int64) graph.WeightedEdge { return v.WeightedEdge(x, y) }

// Weight is the weight of the edge from x to y; 0 of a node with itself, and
// 0, false where there is no edge.
func (v GonumView) Weight(x, y int64) (float64, bool) {
	if i := v.find(x, y); i >= 0 {
		return float64(v.g.Weights[i]), true
	}
	return 0, x == y && v.has(x)
}

// FromGonum copies a gonum graph. Vertices are its nodes by ascending ID; ids
// gives the ID of each. Errors: more nodes or edges than int32 counts, an edge
// of a node with itself, a weight that is not a whole number from 1 to MaxTotal.
func FromGonum(source graph.WeightedUndirected) (g *Graph, ids []int64, err error) {
	for nodes := source.Nodes(); nodes.Next(); {
		ids = append(ids, nodes.Node().ID())
	}
	if len(ids) > MaxRanks {
		return nil, nil, fmt.Errorf("%d nodes: at most %d are supported", len(ids), MaxRanks)
	}
	slices.Sort(ids)
	g = &Graph{Offsets: make([]int32, 1, len(ids)+1)}
	var row []int64
	for _, id := range ids {
		row = row[:0]
		for neighbors := source.From(id); neighbors.Next(); {
			row = append(row, neighbors.Node().ID())
		}
		slices.Sort(row)
		if len(g.Neighbors)+len(row) > math.MaxInt32 {
			return nil, nil, fmt.Errorf("more than %d edges", math.MaxInt32/2)
		}
		for _, to := range row {
			weight, _ := source.Weight(id, to)
			if !(weight >= 1 && weight <= MaxTotal) || weight != math.Trunc(weight) {
				return nil, nil, fmt.Errorf("edge %d-%d has weight %g, must be a whole number from 1 to %d", id, to,
					weight, int64(MaxTotal))
			}
			v, _ := slices.BinarySearch(ids, to)
			g.Neighbors = append(g.Neighbors, int32(v))
			g.Weights = append(g.Weights, int64(weight))
		}
		g.Offsets = append(g.Offsets, int32(len(g.Neighbors)))
	}
	if err := g.Check(); err != nil {
		return nil, nil, err
	}
	return g, ids, nil
}
