package commgraph

import (
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// TestNewTrafficSums: entries are the sums of their flows, in any order of flows.
func TestNewTrafficSums(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const ranks = 6
		flow := rapid.Custom(func(t *rapid.T) Flow {
			return Flow{rapid.Int32Range(0, ranks-1).Draw(t, "from"), rapid.Int32Range(0, ranks-1).Draw(t, "to"),
				rapid.Int64Range(0, 100).Draw(t, "bytes"), rapid.Int64Range(0, 5).Draw(t, "messages")}
		})
		flows := rapid.SliceOfN(flow, 0, 80).Draw(t, "flows")
		traffic, err := NewTraffic(ranks, flows, true)
		if err != nil {
			t.Fatal(err)
		}
		mustCheck(t, traffic)
		var bytes, messages [ranks][ranks]int64
		for _, f := range flows {
			bytes[f.From][f.To] += f.Bytes
			messages[f.From][f.To] += f.Messages
		}
		for u := range int32(ranks) {
			for v := range int32(ranks) {
				var b, m int64
				if i := traffic.Find(u, v); i >= 0 {
					b, m = traffic.Bytes[i], traffic.Messages[i]
				}
				if b != bytes[u][v] || m != messages[u][v] {
					t.Fatalf("%d -> %d: %d bytes in %d messages, want %d in %d", u, v, b, m, bytes[u][v], messages[u][v])
				}
			}
		}
		shuffled := rapid.Permutation(flows).Draw(t, "shuffled")
		again, err := NewTraffic(ranks, shuffled, true)
		if err != nil {
			t.Fatal(err)
		}
		same(t, "shuffled", again, traffic)
	})
}

func TestNewTrafficErrors(t *testing.T) {
	for name, flow := range map[string]Flow{
		"sender":   {From: 3, To: 0, Bytes: 1},
		"receiver": {From: 0, To: -1, Bytes: 1},
		"bytes":    {From: 0, To: 1, Bytes: -1},
		"overflow": {From: 0, To: 1, Bytes: MaxTotal},
		"messages": {From: 0, To: 1, Bytes: 1, Messages: -1},
	} {
		if _, err := NewTraffic(3, []Flow{{0, 1, 1, 1}, flow}, true); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := NewTraffic(MaxRanks+1, nil, false); err == nil {
		t.Error("too many ranks: no error")
	}
}

// TestFold: the graph is symmetric, holds the bytes of both directions and
// nothing that a rank sends itself.
func TestFold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		traffic := drawTraffic(t, true)
		g := traffic.Graph()
		mustCheck(t, g)
		var others, self int64
		for u := range int32(traffic.Ranks()) {
			for v := range int32(traffic.Ranks()) {
				var there, back int64
				if i := traffic.Find(u, v); i >= 0 {
					there = traffic.Bytes[i]
				}
				if i := traffic.Find(v, u); i >= 0 {
					back = traffic.Bytes[i]
				}
				if u == v {
					self += there
					continue
				}
				others += there
				var weight int64
				if i := (GonumView{g}).find(int64(u), int64(v)); i >= 0 {
					weight = g.Weights[i]
				}
				if weight != there+back {
					t.Fatalf("edge %d-%d weighs %d, want %d + %d", u, v, weight, there, back)
				}
			}
		}
		if g.TotalWeight() != others || traffic.TotalBytes() != others+self {
			t.Fatalf("graph %d, traffic %d; want %d and %d more to "+
				"themselves", g.TotalWeight(), traffic.TotalBytes(), others, self)
		}
	})
}

// TestGraphTrafficRoundTrip: splitting a graph in two directions and folding
// it gives it back.
func TestGraphTrafficRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t)
		g.VertexWeights = nil // traffic has none
		split := g.Traffic()
		mustCheck(t, split)
		same(t, "folded again", split.Graph(), g)
		for i, b := range split.Bytes {
			if d := 2*b - g.Weights[i]; d < -1 || d > 1 {
				t.Fatalf("half of %d is %d", g.Weights[i], b)
			}
		}
	})
}

// TestRelabel: renaming the ranks and folding commute.
func TestRelabel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		traffic := drawTraffic(t, false)
		name := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0)).Perm(traffic.Ranks())
		var flows, edges []Flow
		g := traffic.Graph()
		for u := range int32(traffic.Ranks()) {
			first, end := traffic.Row(u)
			for i := first; i < end; i++ {
				flows = append(flows, Flow{From: int32(name[u]), To: int32(name[traffic.Destinations[i]]),
					Bytes: traffic.Bytes[i]})
			}
			first, end = g.Row(u)
			for i := first; i < end; i++ {
				if v := g.Neighbors[i]; u < v {
					edges = append(edges, Flow{From: int32(name[u]), To: int32(name[v]), Bytes: g.Weights[i]})
				}
			}
		}
		before, err := NewTraffic(traffic.Ranks(), flows, false)
		if err != nil {
			t.Fatal(err)
		}
		after, err := NewTraffic(traffic.Ranks(), edges, false)
		if err != nil {
			t.Fatal(err)
		}
		same(t, "folded", before.Graph(), after.Graph())
		a, b := traffic.Stats(), before.Stats()
		same(t, "statistics", b, a)
	})
}

// TestCheckFinds: each invariant that is broken is noticed.
func TestCheckFinds(t *testing.T) {
	for name, spoil := range map[string]func(g *Graph){
		"offsets":        func(g *Graph) { g.Offsets[1] = 9 },
		"weight of zero": func(g *Graph) { g.Weights[0] = 0 },
		"one end":        func(g *Graph) { g.Weights[0]++ },
		"loop":           func(g *Graph) { g.Neighbors[0] = 0 },
		"outside":        func(g *Graph) { g.Neighbors[0] = 7 },
		"vertex weights": func(g *Graph) { g.VertexWeights = []int64{1} },
		"negative":       func(g *Graph) { g.VertexWeights = []int64{1, -1, 1} },
		"order":          func(g *Graph) { g.Neighbors[1], g.Neighbors[2] = 2, 0 },
	} {
		// A path 0 - 1 - 2.
		g := &Graph{Offsets: []int32{0, 1, 3, 4}, Neighbors: []int32{1, 0, 2, 1}, Weights: []int64{5, 5, 6, 6}}
		mustCheck(t, g)
		spoil(g)
		if g.Check() == nil {
			t.Errorf("%s: not noticed", name)
		}
	}
	for name, spoil := range map[string]func(t *Traffic){
		"offsets":  func(t *Traffic) { t.Offsets[2] = 1 },
		"order":    func(t *Traffic) { t.Destinations[0], t.Destinations[1] = 2, 0 },
		"outside":  func(t *Traffic) { t.Destinations[2] = 3 },
		"negative": func(t *Traffic) { t.Bytes[0] = -1 },
		"total":    func(t *Traffic) { t.Bytes[0] = MaxTotal },
		"counts":   func(t *Traffic) { t.Messages = []int64{1} },
	} {
		traffic := &Traffic{Offsets: []int32{0, 2, 3, 3}, Destinations: []int32{0, 2, 1}, Bytes: []int64{1, 2, 3}}
		mustCheck(t, traffic)
		spoil(traffic)
		if traffic.Check() == nil {
			t.Errorf("traffic, %s: not noticed", name)
		}
	}
}

// TestFoldBothWays: a graph split into both directions folds back to itself by
// the short way, and by the long one once a rank sends itself something.
func TestFoldBothWays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t)
		g.VertexWeights = nil
		traffic := g.Traffic()
		same(t, "folded", traffic.Graph(), g)
		if g.Vertices() == 0 {
			return
		}
		same(t, "short way", traffic.foldMirrored(), g)
		flows := []Flow{{Bytes: 1}}
		for u := range int32(traffic.Ranks()) {
			for i, end := traffic.Row(u); i < end; i++ {
				flows = append(flows, Flow{u, traffic.Destinations[i], traffic.Bytes[i], 0})
			}
		}
		selfish, err := NewTraffic(traffic.Ranks(), flows, false)
		if err != nil {
			t.Fatal(err)
		}
		if selfish.foldMirrored() != nil {
			t.Fatal("self traffic folded the short way")
		}
		same(t, "long way", selfish.Graph(), g)
	})
}
