package rcm

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"remap/commgraph"
	"remap/mapping"
	"remap/topology"
)

func graphOf(t testing.TB, vertices int, edges [][2]int32) *commgraph.Graph {
	flows := make([]commgraph.Flow, len(edges))
	for i, e := range edges {
		flows[i] = commgraph.Flow{From: e[0], To: e[1], Bytes: 1}
	}
	traffic, err := commgraph.NewTraffic(vertices, flows, false)
	if err != nil {
		t.Fatal(err)
	}
	return traffic.Graph()
}

// stencil is a width x height grid, rank = y*width + x.
func stencil(t testing.TB, width, height int) *commgraph.Graph {
	var edges [][2]int32
	for v := range int32(width * height) {
		if int(v)%width+1 < width {
			edges = append(edges, [2]int32{v, v + 1})
		}
		if int(v)+width < width*height {
			edges = append(edges, [2]int32{v, v + int32(width)})
		}
	}
	return graphOf(t, width*height, edges)
}

func identity(n int) []int32 { return mapping.Identity(n) }

func isPermutation(order []int32, n int) bool {
	return slices.Equal(slices.Sorted(slices.Values(order)), identity(n)) || n == 0 && len(order) == 0
}

// TestThesisStencil: reference figures of the 64x72 stencil on the tapered fat
// tree, 32 hosts a leaf and 24 leaves a pod.
func TestThesisStencil(t *testing.T) {
	g := stencil(t, 64, 72)
	position := Positions(Order(g))
	var sum, cut, far, edges float64
	for v := range int32(g.Vertices()) {
		first, end := g.Row(v)
		for _, u := range g.Neighbors[first:end] {
			if u > v {
				continue
			}
			edges++
			a, b := position[u], position[v]
			switch {
			case a/32 == b/32:
				sum++
			case a/768 == b/768:
				sum += 3
				cut++
			default:
				sum += 5
				cut++
			}
			if max(a-b, b-a) >= 32 {
				far++
			}
		}
	}
	average := math.Round(sum/edges*1e4) / 1e4
	if average != 2.9661 && average != 2.9665 {
		t.Errorf("average path length %.4f, want 2.9661 or 2.9665", average)
	}
	if math.Abs(cut/edges-0.928) > 5e-4 || math.Abs(far/edges-0.788) > 5e-4 {
		t.Errorf("cut fraction %.4f and %.4f of the pairs 32 or more apart, want 0.928 and "+
			"0.788", cut/edges, far/edges)
	}
}

func TestOrderIsAPermutation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 30).Draw(t, "vertices")
		var flows []commgraph.Flow
		if n > 0 {
			for range rapid.IntRange(0, 2*n).Draw(t, "edges") {
				flows = append(flows, commgraph.Flow{
					From:  rapid.Int32Range(0, int32(n-1)).Draw(t, "from"),
					To:    rapid.Int32Range(0, int32(n-1)).Draw(t, "to"),
					Bytes: 1,
				})
			}
		}
		traffic, err := commgraph.NewTraffic(n, flows, false)
		if err != nil {
			t.Fatal(err)
		}
		g := traffic.Graph()
		order := Order(g)
		if !isPermutation(order, n) {
			t.Fatalf("%v is no permutation of %d vertices", order, n)
		}
		checkWaves(t, g, order)
	})
}

// checkWaves tests the property that defines the order: read from its end,
// every vertex is either the first of its component or comes after a neighbour,
// and vertices come in the order of their earliest neighbours.
func checkWaves(t *rapid.T, g *commgraph.Graph, order []int32) {
	forward := slices.Clone(order)
	slices.Reverse(forward)
	position := Positions(forward)
	previous := int32(-1)
	for i, v := range forward {
		parent := int32(i)
		first, end := g.Row(v)
		for _, u := range g.Neighbors[first:end] {
			parent = min(parent, position[u])
		}
		if parent < previous {
			t.Fatalf("position %d has its earliest neighbour at %d, before that of position %d "+
				"at %d", i, parent, i-1, previous)
		}
		previous = parent
	}
}

// TestBandedGraphsStayBanded: on shuffled paths, ladders and grids the order
// recovers the band of the natural numbering.
func TestBandedGraphsStayBanded(t *testing.T) {
	for _, test := range []struct{ width, height int }{{1, 50}, {2, 40}, {3, 60}, {5, 50}, {8, 30}} {
		t.Run(fmt.Sprint(test.width, "x", test.height), func(t *testing.T) {
			g := stencil(t, test.width, test.height)
			natural, order := identity(g.Vertices()), Order(g)
			if got, want := Bandwidth(g, order), Bandwidth(g, natural); got > want {
				t.Errorf("bandwidth %d, of the natural order %d", got, want)
			}
			if got, want := Profile(g, order), Profile(g, natural); got > want {
				t.Errorf("profile %d, of the natural order %d", got, want)
			}
		})
	}
}

func TestMeasuresByHand(t *testing.T) {
	path := graphOf(t, 4, [][2]int32{{0, 1}, {1, 2}, {2, 3}})
	for _, test := range []struct {
		order     []int32
		bandwidth int
		profile   int64
	}{
		{[]int32{0, 1, 2, 3}, 1, 3},
		{[]int32{0, 2, 1, 3}, 2, 2 + 2},
		{[]int32{1, 2, 3, 0}, 3, 1 + 1 + 3},
	} {
		if b, p := Bandwidth(path, test.order), Profile(path, test.order); b != test.bandwidth ||
			p != test.profile {
			t.Errorf("order %v: bandwidth %d and profile %d, want %d "+
				"and %d", test.order, b, p, test.bandwidth, test.profile)
		}
	}
}

func TestComponentsStayTogether(t *testing.T) {
	g := graphOf(t, 7, [][2]int32{{0, 4}, {4, 6}, {1, 5}, {2, 3}})
	want := []int32{2, 3, 1, 5, 0, 4, 6} // reversed: the component of the lowest vertex comes last
	sets := func(order []int32) [][]int32 {
		order = slices.Clone(order)
		parts := [][]int32{order[:2], order[2:4], order[4:]}
		for _, p := range parts {
			slices.Sort(p)
		}
		return parts
	}
	if got := sets(Order(g)); !slices.EqualFunc(got, sets(want),
		func(a, b []int32) bool { return slices.Equal(a, b) }) {
		t.Errorf("components %v", got)
	}
}

func TestStrategy(t *testing.T) {
	machine, err := topology.Parse("fattree:nodes-per-leaf=4,leaves-per-pod=2,pods=2,aggs-per-pod=1,cores=2")
	if err != nil {
		t.Fatal(err)
	}
	a := &mapping.Allocation{Hosts: []int32{5, 0, 9, 3, 12}, Slots: []int32{2, 1, 3, 1, 1}}
	for n := range 9 {
		p := &mapping.Problem{Graph: stencil(t, n, 1), Machine: machine, Allocation: a}
		m, err := Strategy().Map(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		if err := m.Check(n); err != nil || len(m) != n {
			t.Errorf("%d ranks: %v on the first %d slots: %v", n, m, n, err)
		}
	}
	p := &mapping.Problem{Graph: stencil(t, 2, 2), Machine: machine, Allocation: a}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Strategy().Map(ctx, p); err == nil {
		t.Error("an ended context went unnoticed")
	}
	p.Fixed = make([]int32, 4)
	if _, err := Strategy().Map(context.Background(), p); err == nil {
		t.Error("fixed ranks were ignored silently")
	}
}

func BenchmarkOrder(b *testing.B) {
	for _, side := range []int{64, 256} {
		b.Run(fmt.Sprintf("size=%d/graph=grid", side*side), func(b *testing.B) {
			g := stencil(b, side, side)
			var order []int32
			for b.Loop() {
				order = Order(g)
			}
			b.ReportMetric(float64(Bandwidth(g, order)), "bandwidth")
		})
	}
}
