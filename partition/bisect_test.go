package partition

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"remap/commgraph"
	"remap/mapping"
)

func chance(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

// internal copies a communication graph as the multilevel code holds it.
func internal(g *commgraph.Graph) *graph {
	var part commgraph.Graph
	commgraph.NewExtractor(g, 0).Extract(&part, mapping.Identity(g.Vertices()), nil)
	var out graph
	out.set(&part)
	return &out
}

func drawGraph(t *rapid.T) *commgraph.Graph {
	n := rapid.IntRange(1, 300).Draw(t, "vertices")
	seed := rapid.Uint64().Draw(t, "seed")
	random := chance(seed)
	flows := make([]commgraph.Flow, rapid.IntRange(0, 3*n).Draw(t, "edges"))
	for i := range flows {
		flows[i] = commgraph.Flow{From: random.Int32N(int32(n)), To: random.Int32N(int32(n)), Bytes: 1 +
			random.Int64N(9)}
	}
	traffic, err := commgraph.NewTraffic(n, flows, false)
	if err != nil {
		t.Fatal(err)
	}
	return traffic.Graph()
}

func TestRecursiveFillsBlocksExactly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t)
		n := int32(g.Vertices())
		first := []int32{0}
		for last := int32(0); last < n; {
			last += rapid.Int32Range(1, n-last).Draw(t, "size")
			first = append(first, last)
		}
		members, err := Recursive(context.Background(), g, first, DefaultOptions, 1)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(slices.Sorted(slices.Values(members)), mapping.Identity(int(n))) {
			t.Fatalf("members %v of %d vertices", members, n)
		}
	})
}

// TestBisectMeetsAnyTarget: side 0 gets exactly the vertices asked for.
func TestBisectMeetsAnyTarget(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t)
		n := int64(g.Vertices())
		target := rapid.Int64Range(0, n).Draw(t, "target")
		b := newBisector(DefaultOptions, chance(1))
		*b.graph() = *internal(g)
		side := b.bisect(target)
		zeros := int64(0)
		for _, s := range side {
			if s == 0 {
				zeros++
			}
		}
		if zeros != target {
			t.Fatalf("%d of %d vertices on side 0, want %d", zeros, n, target)
		}
	})
}

// TestBisectBeatsChance: over many random sparse graphs the cuts together are
// far below what random bisections have on average.
func TestBisectBeatsChance(t *testing.T) {
	var sum, expected float64
	for seed := range uint64(100) {
		random := chance(seed)
		n := 20 + random.IntN(200)
		flows := make([]commgraph.Flow, 2*n)
		for i := range flows {
			flows[i] = commgraph.Flow{From: random.Int32N(int32(n)), To: random.Int32N(int32(n)), Bytes: 1 +
				random.Int64N(9)}
		}
		g := build(t, n, flows)
		target := 1 + random.IntN(n-1)
		b := newBisector(DefaultOptions, random)
		*b.graph() = *internal(g)
		sum += float64(cut(b.graph(), b.bisect(int64(target))))
		expected += float64(g.TotalWeight()) * 2 * float64(target*(n-target)) / float64(n*(n-1))
	}
	if sum > 0.45*expected {
		t.Errorf("cuts of %g in all, random bisections have %g", sum, expected)
	}
	t.Logf("cuts of %.3f of random ones", sum/expected)
}

// TestKnownOptima: cuts that must be found, since no hill hides them.
func TestKnownOptima(t *testing.T) {
	twoCliques := build(t, 40, func() (flows []commgraph.Flow) {
		for u := range int32(40) {
			for v := range u {
				if u%2 == v%2 || u == 21 && v == 20 {
					flows = append(flows, commgraph.Flow{From: u, To: v, Bytes: 5})
				}
			}
		}
		return flows
	}())
	for _, test := range []struct {
		name   string
		graph  *commgraph.Graph
		target int64
		cut    int64
	}{
		{"path", grid(t, 500, 1), 250, 1},
		{"uneven path", grid(t, 500, 1), 123, 1},
		{"grid", grid(t, 32, 16), 256, 16},
		{"two cliques", twoCliques, 20, 5},
		{"complete", complete(t, 50), 25, 625},
		{"no edges", build(t, 100, nil), 37, 0},
		{"star: the lightest leaves leave the hub", star(t, 11), 6, 1 + 2 + 3 + 4 + 5},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newBisector(DefaultOptions, chance(2))
			*b.graph() = *internal(test.graph)
			if got := cut(b.graph(), b.bisect(test.target)); got != test.cut {
				t.Errorf("cut %d, want %d", got, test.cut)
			}
		})
	}
}

// TestContractionKeepsCuts: total vertex weight stays, and any bisection of the
// merged graph has the same cut when carried back.
func TestContractionKeepsCuts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fine := internal(drawGraph(t))
		limit := rapid.Int64Range(2, 6).Draw(t, "limit")
		var m matcher
		var s contraction
		random := chance(rapid.Uint64().Draw(t, "order"))
		for range 3 {
			count := m.match(fine, limit, random)
			var coarse graph
			coarse.contract(fine, m.into, count, &s)
			checkMatching(t, fine, &coarse, m.into, limit)
			side, back := make([]uint8, count), make([]uint8, fine.count())
			for c := range side {
				side[c] = uint8(random.IntN(2))
			}
			for v, c := range m.into {
				back[v] = side[c]
			}
			if a, b := cut(fine, back), cut(&coarse, side); a != b {
				t.Fatalf("cut %d, carried back %d", b, a)
			}
			fine = &coarse
		}
	})
}

func checkMatching(t *rapid.T, fine, coarse *graph, into []int32, limit int64) {
	parts, weight := make([]int, coarse.count()), make([]int64, coarse.count())
	for v, c := range into {
		parts[c]++
		weight[c] += int64(fine.vertices[v])
	}
	for c := range parts {
		if parts[c] < 1 || parts[c] > 2 || parts[c] == 2 && weight[c] > limit ||
			weight[c] != int64(coarse.vertices[c]) {
			t.Fatalf("vertex %d has %d parts of weight %d, noted %d, "+
				"limit %d", c, parts[c], weight[c], coarse.vertices[c], limit)
		}
	}
	for c := range int32(coarse.count()) {
		seen := map[int32]bool{}
		for k := coarse.offsets[c]; k < coarse.offsets[c+1]; k++ {
			if u := coarse.neighbors[k]; u == c || seen[u] {
				t.Fatalf("vertex %d has neighbour %d twice or is its own", c, u)
			}
			seen[coarse.neighbors[k]] = true
		}
	}
}

// TestMatchingDoesNotStall: where few vertices have free neighbours, pairs at
// two hops still halve the graph.
func TestMatchingDoesNotStall(t *testing.T) {
	for _, g := range []namedGraph{{"star", star(t, 1000)}, {"empty", build(t, 1000, nil)},
		{"powerlaw", powerLaw(t, 1000)}} {
		t.Run(g.name, func(t *testing.T) {
			var m matcher
			if count := m.match(internal(g.graph), 4, chance(1)); count > 650 {
				t.Errorf("1000 vertices became %d", count)
			}
		})
	}
}
