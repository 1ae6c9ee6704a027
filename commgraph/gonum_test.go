package commgraph

import (
	"slices"
	"testing"

	"gonum.org/v1/gonum/graph"
	"gonum.org/v1/gonum/graph/simple"
	"gonum.org/v1/gonum/graph/topo"
	"pgregory.net/rapid"
)

// TestComponentsAgainstGonum: gonum finds the same groups.
func TestComponentsAgainstGonum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t)
		label := Components(g)
		if len(label) != g.Vertices() {
			t.Fatalf("%d labels for %d vertices", len(label), g.Vertices())
		}
		groups := topo.ConnectedComponents(GonumGraph(g))
		total := 0
		for _, group := range groups {
			total += len(group)
			for _, node := range group {
				if label[node.ID()] != label[group[0].ID()] {
					t.Fatalf("%v are apart: %v", group, label)
				}
			}
		}
		count, lowest := int32(0), int32(-1)
		for _, c := range label {
			if c > lowest+1 {
				t.Fatalf("labels are not numbered by their lowest vertex: %v", label)
			}
			lowest = max(lowest, c)
			count = max(count, c+1)
		}
		if total != g.Vertices() || len(groups) != int(count) || traffic(g).Components != int(count) {
			t.Fatalf("%d groups of %d vertices, gonum finds %d", count, total, len(groups))
		}
	})
}

func traffic(g *Graph) Stats { return g.Traffic().Stats() }

// TestGonumRoundTrip: through the view, and through a copy in gonum's own type.
func TestGonumRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t)
		g.VertexWeights = nil
		view := GonumGraph(g)
		copied := simple.NewWeightedUndirectedGraph(0, 0)
		for nodes := view.Nodes(); nodes.Next(); {
			copied.AddNode(nodes.Node())
		}
		for v := range int32(g.Vertices()) {
			first, end := g.Row(v)
			for _, u := range g.Neighbors[first:end] {
				copied.SetWeightedEdge(view.WeightedEdge(int64(v), int64(u)))
			}
		}
		for _, source := range []graph.WeightedUndirected{view, copied} {
			got, ids, err := FromGonum(source)
			if err != nil {
				t.Fatal(err)
			}
			same(t, "copied back", got, g)
			if len(ids) != g.Vertices() || len(ids) > 0 && ids[len(ids)-1] != int64(len(ids)-1) {
				t.Fatalf("IDs %v", ids)
			}
		}
	})
}

// TestGonumView: what is not there is answered as gonum wants it.
func TestGonumView(t *testing.T) {
	g := &Graph{Offsets: []int32{0, 1, 2, 2}, Neighbors: []int32{1, 0}, Weights: []int64{7, 7}}
	v := GonumGraph(g)
	if v.Node(3) != nil || v.Node(-1) != nil || v.Node(2).ID() != 2 {
		t.Error("nodes")
	}
	if v.From(2).Len() != 0 || v.From(9).Len() != 0 || v.From(0).Len() != 1 {
		t.Error("neighbours")
	}
	if v.Edge(0, 2) != nil || v.EdgeBetween(0, 9) != nil || v.WeightedEdge(2, 1) != nil ||
		v.HasEdgeBetween(0, 0) {
		t.Error("edges that are not there")
	}
	e := v.WeightedEdgeBetween(1, 0)
	if e.From().ID() != 1 || e.To().ID() != 0 || e.Weight() != 7 || e.ReversedEdge().From().ID() != 0 {
		t.Errorf("edge %+v", e)
	}
	for _, test := range []struct {
		x, y   int64
		weight float64
		ok     bool
	}{{0, 1, 7, true}, {1, 0, 7, true}, {0, 0, 0, true}, {0, 2, 0, false}, {9, 9, 0, false}} {
		if w, ok := v.Weight(test.x, test.y); w != test.weight || ok != test.ok {
			t.Errorf("weight of %d-%d is %g, %v", test.x, test.y, w, ok)
		}
	}
}

func TestFromGonum(t *testing.T) {
	source := simple.NewWeightedUndirectedGraph(0, 0)
	source.SetWeightedEdge(source.NewWeightedEdge(simple.Node(40), simple.Node(-3), 5))
	source.SetWeightedEdge(source.NewWeightedEdge(simple.Node(40), simple.Node(7), 6))
	g, ids, err := FromGonum(source)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(ids, []int64{-3, 7, 40}) {
		t.Errorf("IDs %v", ids)
	}
	same(t, "graph", g, &Graph{Offsets: []int32{0, 1, 2, 4}, Neighbors: []int32{2, 2, 0, 1},
		Weights: []int64{5, 6, 5, 6}})
	for _, weight := range []float64{0, -1, 0.5, 1e300} {
		source.SetWeightedEdge(source.NewWeightedEdge(simple.Node(40), simple.Node(7), weight))
		if _, _, err := FromGonum(source); err == nil {
			t.Errorf("weight %g: no error", weight)
		}
	}
}
