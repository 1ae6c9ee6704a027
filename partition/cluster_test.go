package partition

import (
	"testing"

	"pgregory.net/rapid"

	"remap/commgraph"
)

// TestClustersKeepTheirLimits: no cluster is above the limit or mixes marks,
// and any bisection of the clusters has the same cut carried back.
func TestClustersKeepTheirLimits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fine := internal(drawGraph(t))
		limit := rapid.Int64Range(1, 20).Draw(t, "limit")
		random := chance(rapid.Uint64().Draw(t, "order"))
		marks := make([]uint8, fine.count())
		for v := range marks {
			marks[v] = uint8(random.IntN(2))
		}
		var c clusterer
		var s contraction
		var coarse graph
		count := c.cluster(fine, limit, marks, random)
		coarse.contract(fine, c.into, count, &s)
		mark, side, back := make([]int, count), make([]uint8, count), make([]uint8, fine.count())
		for l := range mark {
			mark[l], side[l] = -1, uint8(random.IntN(2))
		}
		for v, l := range c.into {
			if mark[l] >= 0 && mark[l] != int(marks[v]) {
				t.Fatalf("cluster %d has vertices of both marks", l)
			}
			mark[l], back[v] = int(marks[v]), side[l]
		}
		for l, w := range coarse.vertices {
			if mark[l] < 0 || int64(w) > max(1, limit) {
				t.Fatalf("cluster %d weighs %d, the limit is %d", l, w, limit)
			}
		}
		if a, b := cut(fine, back), cut(&coarse, side); a != b {
			t.Fatalf("cut %d, carried back %d", b, a)
		}
	})
}

// TestClustersFindCommunities: in a ring of cliques joined by light edges no
// cluster reaches from one clique into another, and there are few to a clique.
func TestClustersFindCommunities(t *testing.T) {
	const cliques, size = 30, 4
	var flows []commgraph.Flow
	for v := range int32(cliques * size) {
		clique := v / size
		for u := clique * size; u < v; u++ {
			flows = append(flows, commgraph.Flow{From: u, To: v, Bytes: 5})
		}
		if v%size == 0 {
			flows = append(flows, commgraph.Flow{From: v, To: (v + size + 1) % (cliques * size), Bytes: 1})
		}
	}
	var c clusterer
	count := c.cluster(internal(build(t, cliques*size, flows)), size, nil, chance(1))
	home := make([]int, count)
	for v, l := range c.into {
		if clique := v/size + 1; home[l] == 0 {
			home[l] = clique
		} else if home[l] != clique {
			t.Fatalf("vertex %d is with vertices of clique %d", v, home[l]-1)
		}
	}
	if count > 2*cliques {
		t.Errorf("%d cliques became %d clusters", cliques, count)
	}
}
