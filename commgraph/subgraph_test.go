package commgraph

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Every edge of a member is in the subgraph once at each end, or told as outside,
// whatever the order of the members; members without a vertex have no edges; and an
// extractor that has been used gives the same again.
func TestExtract(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		vertices := rapid.IntRange(0, 12).Draw(t, "vertices")
		var flows []Flow
		for u := range int32(vertices) {
			for v := range u {
				if w := rapid.Int64Range(0, 3).Draw(t, "weight"); w > 0 {
					flows = append(flows, Flow{From: u, To: v, Bytes: w})
				}
			}
		}
		traffic, err := NewTraffic(vertices, flows, false)
		if err != nil {
			t.Fatal(err)
		}
		g, numbers := traffic.Graph(), vertices+3
		x := NewExtractor(g, numbers)
		var part Graph
		for range 3 {
			all := make([]int32, numbers)
			for v := range all {
				all[v] = int32(v)
			}
			members := rapid.Permutation(all).Draw(t, "order")[:rapid.IntRange(0, numbers).Draw(t, "members")]
			type edge struct {
				from, to int32
				weight   int64
			}
			var got, want []edge
			x.Extract(&part, members, func(i int, v int32, w int64) { got = append(got, edge{members[i], v, w}) })
			if part.Vertices() != len(members) {
				t.Fatalf("%d vertices of %d members", part.Vertices(), len(members))
			}
			for i, v := range members {
				first, end := part.Row(int32(i))
				for k := first; k < end; k++ {
					got = append(got, edge{v, members[part.Neighbors[k]], part.Weights[k]})
				}
				if int(v) < vertices {
					first, end := g.Row(v)
					for k := first; k < end; k++ {
						want = append(want, edge{v, g.Neighbors[k], g.Weights[k]})
					}
				}
			}
			order := func(a, b edge) int { return slices.Compare([]int32{a.from, a.to}, []int32{b.from, b.to}) }
			slices.SortFunc(got, order)
			slices.SortFunc(want, order)
			if !slices.Equal(got, want) {
				t.Fatalf("edges %v, want %v", got, want)
			}
			if slices.IsSorted(members) {
				if err := part.Check(); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}
