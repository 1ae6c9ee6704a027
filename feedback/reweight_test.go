package feedback

import (
	"testing"

	"pgregory.net/rapid"

	"remap/commgraph"
)

// Heavier traffic folds to the heavier graph, but for the rounding of the two
// directions, and what was equal both ways stays equal.
func TestHeavierTrafficFoldsToTheHeavierGraph(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ranks := rapid.IntRange(1, 8).Draw(t, "ranks")
		var flows []commgraph.Flow
		for range rapid.IntRange(0, 20).Draw(t, "flows") {
			rank := rapid.Int32Range(0, int32(ranks)-1)
			flows = append(flows, commgraph.Flow{From: rank.Draw(t, "from"), To: rank.Draw(t, "to"),
				Bytes: rapid.Int64Range(1, 1000).Draw(t, "bytes")})
		}
		traffic, err := commgraph.NewTraffic(ranks, flows, false)
		if err != nil {
			t.Fatal(err)
		}
		graph := traffic.Graph()
		w := NewWeights(graph, traffic)
		for u := range int32(ranks) { // both halves of an edge
			first, end := graph.Row(u)
			for i := first; i < end; i++ {
				w.factor[i] = 1 + float64((u+1)*(graph.Neighbors[i]+1)%7)
			}
		}
		want := w.Apply(graph, 1<<50)
		changed := heavier(traffic, graph, want)
		if err := changed.Check(); err != nil {
			t.Fatal(err)
		}
		got := changed.Graph()
		for i, weight := range got.Weights {
			if got.Neighbors[i] != want.Neighbors[i] || weight < want.Weights[i]-1 ||
				weight > want.Weights[i]+1 {
				t.Fatalf("half-edge %d weighs %d, want %d", i, weight, want.Weights[i])
			}
		}
	})
}
