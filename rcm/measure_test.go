package rcm

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"remap/commgraph"
)

// drawWeighted makes any small graph with few different weights.
func drawWeighted(t *rapid.T) *commgraph.Graph {
	n := rapid.IntRange(1, 30).Draw(t, "vertices")
	var flows []commgraph.Flow
	for range rapid.IntRange(0, 3*n).Draw(t, "edges") {
		flows = append(flows, commgraph.Flow{
			From:  rapid.Int32Range(0, int32(n-1)).Draw(t, "from"),
			To:    rapid.Int32Range(0, int32(n-1)).Draw(t, "to"),
			Bytes: rapid.Int64Range(1, 4).Draw(t, "bytes"),
		})
	}
	traffic, err := commgraph.NewTraffic(n, flows, false)
	if err != nil {
		t.Fatal(err)
	}
	return traffic.Graph()
}

// TestMeasuresOfTheMatrix: against the whole matrix, its rows in the order.
func TestMeasuresOfTheMatrix(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawWeighted(t)
		n := g.Vertices()
		order := rapid.Permutation(identity(n)).Draw(t, "order")
		var want Measures
		for at, order := range [][]int32{identity(n), order} {
			bandwidth, profile := 0, 0
			for i := range n {
				first := i
				for j := range i {
					from, end := g.Row(order[i])
					if slices.Contains(g.Neighbors[from:end], order[j]) {
						first = min(first, j)
						bandwidth = max(bandwidth, i-j)
					}
				}
				profile += i - first
			}
			if at == 0 {
				want.BandwidthBefore, want.ProfileBefore = bandwidth, int64(profile)
			} else {
				want.BandwidthAfter, want.ProfileAfter = bandwidth, int64(profile)
			}
		}
		if got := Measure(g, order); got != want {
			t.Fatalf("%+v, the matrix says %+v", got, want)
		}
	})
}

// TestWeightedOrder: a permutation in waves, in which the children of a vertex
// come by falling weight; equal weights change nothing, nor do double ones.
func TestWeightedOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawWeighted(t)
		order := OrderWith(g, Options{Weighted: true})
		if !isPermutation(order, g.Vertices()) {
			t.Fatalf("%v is no permutation", order)
		}
		checkWaves(t, g, order)
		double, even := *g, *g
		double.Weights, even.Weights = slices.Clone(g.Weights), slices.Repeat([]int64{3}, len(g.Weights))
		for i := range double.Weights {
			double.Weights[i] *= 2
		}
		if !slices.Equal(OrderWith(&double, Options{Weighted: true}), order) {
			t.Fatal("double weights change the order")
		}
		if !slices.Equal(OrderWith(&even, Options{Weighted: true}), Order(g)) {
			t.Fatal("equal weights change the order")
		}
		if !slices.Equal(Order(&even), Order(g)) {
			t.Fatal("weights change the unweighted order")
		}
		checkChildren(t, g, order)
	})
}

// checkChildren tests that vertices first met from the same vertex come by
// falling weight, read from the end of the order.
func checkChildren(t *rapid.T, g *commgraph.Graph, order []int32) {
	forward := slices.Clone(order)
	slices.Reverse(forward)
	position := Positions(forward)
	parent, weight := int32(-1), int64(math.MaxInt64)
	for i, v := range forward {
		met, edge := int32(i), int64(0)
		first, end := g.Row(v)
		for e := first; e < end; e++ {
			if p := position[g.Neighbors[e]]; p < met {
				met, edge = p, g.Weights[e]
			}
		}
		switch {
		case met == int32(i): // the first of its component
			parent = -1
		case met == parent && edge > weight:
			t.Fatalf("position %d has an edge of weight %d to its parent %d, the one before %d", i, edge, met, weight)
		default:
			parent, weight = met, edge
		}
	}
}

// boostExample is the example graph of the Boost Graph Library's
// cuthill_mckee_ordering: bandwidth 8 as numbered, 4 in the order.
var boostExample = [][2]int32{{0, 3}, {0, 5}, {1, 2}, {1, 4}, {1, 6}, {1, 9}, {2, 3}, {2, 4}, {3, 5},
	{3, 8}, {4, 6}, {5, 6}, {5, 7}, {6, 7}}

func TestPublishedExample(t *testing.T) {
	g := graphOf(t, 10, boostExample)
	got := Measure(g, Order(g))
	if got.BandwidthBefore != 8 || got.BandwidthAfter != 4 {
		t.Errorf("bandwidth %d became %d, published 8 and 4", got.BandwidthBefore, got.BandwidthAfter)
	}
}

// shuffled gives the vertices of a graph other numbers.
func shuffled(t testing.TB, g *commgraph.Graph) *commgraph.Graph {
	number := rand.New(rand.NewPCG(1, 2)).Perm(g.Vertices())
	var edges [][2]int32
	for v := range int32(g.Vertices()) {
		first, end := g.Row(v)
		for _, u := range g.Neighbors[first:end] {
			if u < v {
				edges = append(edges, [2]int32{int32(number[u]), int32(number[v])})
			}
		}
	}
	return graphOf(t, g.Vertices(), edges)
}

// comb is a spine of vertices with a tooth of growing length on each.
func comb(t testing.TB, teeth int) *commgraph.Graph {
	var edges [][2]int32
	next := int32(teeth)
	for i := range int32(teeth) {
		if i > 0 {
			edges = append(edges, [2]int32{i - 1, i})
		}
		at := i
		for range i {
			edges = append(edges, [2]int32{at, next})
			at, next = next, next+1
		}
	}
	return graphOf(t, int(next), edges)
}

// TestOrderIsLinear counts the row entries that are looked at, with a bound that
// does not grow with the graph.
func TestOrderIsLinear(t *testing.T) {
	pairs := make([][2]int32, 100_000)
	for i := range pairs {
		pairs[i] = [2]int32{int32(i), int32(200_000 - 1 - i)}
	}
	star := make([][2]int32, 50_000)
	for i := range star {
		star[i] = [2]int32{int32(len(star)), int32(i)}
	}
	for _, c := range []struct {
		name string
		g    *commgraph.Graph
		most int64 // looks at every entry
	}{
		{"path of a million", stencil(t, 1_000_000, 1), 4},
		{"path, shuffled", shuffled(t, stencil(t, 200_000, 1)), 4},
		{"100000 components", graphOf(t, 200_000, pairs), 4},
		{"star", graphOf(t, len(star)+1, star), 4},
		{"grid, shuffled", shuffled(t, stencil(t, 300, 200)), 5},
		{"comb", comb(t, 500), 5},
	} {
		w := newWalker(c.g)
		if order := w.order(); !isPermutation(order, c.g.Vertices()) {
			t.Fatalf("%s: no permutation", c.name)
		}
		if entries := int64(len(c.g.Neighbors)); w.visits > c.most*entries {
			t.Errorf("%s: %d looks at %d entries, want %d each at most", c.name, w.visits, entries, c.most)
		}
	}
}

const scipyScript = `
import sys
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import reverse_cuthill_mckee
n, *edges = map(int, sys.stdin.read().split())
u, v = edges[0::2], edges[1::2]
a = csr_matrix(([1] * (2 * len(u)), (u + v, v + u)), shape=(n, n))
order = [int(x) for x in reverse_cuthill_mckee(a, symmetric_mode=True)]
place = {x: i for i, x in enumerate(order)}
print(max(abs(place[x] - place[y]) for x, y in zip(u, v)), *order)
`

// TestAgainstSciPy: its orders have the bandwidth here that they have there.
func TestAgainstSciPy(t *testing.T) {
	if err := exec.Command("python3", "-c", "import scipy.sparse.csgraph").Run(); err != nil {
		t.Skip("python3 with scipy is not installed: bandwidths are not compared with those of SciPy's orders")
	}
	for i, g := range []*commgraph.Graph{graphOf(t, 10, boostExample), shuffled(t, stencil(t, 40, 7)),
		comb(t, 30)} {
		var in bytes.Buffer
		fmt.Fprintln(&in, g.Vertices())
		for v := range int32(g.Vertices()) {
			first, end := g.Row(v)
			for _, u := range g.Neighbors[first:end] {
				if u < v {
					fmt.Fprintln(&in, u, v)
				}
			}
		}
		command := exec.Command("python3", "-c", scipyScript)
		command.Stdin = &in
		out, err := command.Output()
		if err != nil {
			t.Fatal(err)
		}
		var numbers []int32
		for _, field := range strings.Fields(string(out)) {
			n, err := strconv.Atoi(field)
			if err != nil {
				t.Fatal(err)
			}
			numbers = append(numbers, int32(n))
		}
		if got := Bandwidth(g, numbers[1:]); got != int(numbers[0]) {
			t.Errorf("graph %d: bandwidth %d of SciPy's order, in Python %d", i, got, numbers[0])
		}
	}
}
