package stencil

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"remap/commgraph"

	"remap/internal/testkit/tier"
)

// complete tells whether all cells are neighbours of each other.
func (s *shape) complete() bool {
	n := s.cells()
	return n > 3 && len(graphOf(n, s.edges()).Neighbors) == n*(n-1)
}

// sameEdges tests that the cells that the vertices got have the edges of the
// stencil with the offsets found, in both directions, by listing them.
func sameEdges(t *rapid.T, s *shape, g interface{ Row(int32) (int32, int32) }, neighbors []int32,
	grid *Grid, steps *Steps) {
	at := positions(grid)
	dims := len(grid.Extents)
	vertex := grid.VertexAt()
	n := int32(s.cells())
	var want []edge
	for v := range n {
		for _, step := range steps.List {
			to, stride, inside := 0, 1, true
			for d, extent := range grid.Extents {
				x := int(at[int(v)*dims+d]) + step.Offset[d]
				if grid.Wraps(d) {
					x = (x + extent) % extent
				}
				inside = inside && x >= 0 && x < extent
				to += x * stride
				stride *= extent
			}
			if inside {
				want = append(want, edge{min(v, vertex[to]), max(v, vertex[to]), 1})
			}
		}
	}
	if got := graphOf(int(n), want).Neighbors; !slices.Equal(got, neighbors) {
		t.Fatalf("the edges of %s are not the graph's", grid)
	}
}

// Whatever the extents, labels and borders: a grid comes back with the graph's edges.
func TestGridsAreRecovered(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawShape(t)
		if s.complete() && s.diagonal > 1 {
			return
		}
		g := s.graph(rapid.Uint64().Draw(t, "labels"))
		grid, err := Recover(g)
		if err != nil {
			t.Fatalf("%v %v diagonal %d: %v", s.extents, s.periodic, s.diagonal, err)
		}
		if err := grid.Check(); err != nil || len(grid.Extents) > MaxDimensions {
			t.Fatalf("%s: %v", grid, err)
		}
		steps := Measure(g, grid)
		if !steps.Exact() {
			t.Fatalf("%s is not exact: %+v", grid, steps)
		}
		sameEdges(t, s, g, g.Neighbors, grid, steps)
		// Extents come back too; rings of 4 and twins have several names.
		plain := !slices.ContainsFunc(s.extents, func(x int) bool { return x <= 4 })
		want, got := slices.Clone(s.extents), slices.Clone(grid.Extents)
		slices.Sort(want)
		slices.Sort(got)
		if plain && !slices.Equal(want, got) {
			t.Fatalf("extents %v came back as %v", want, got)
		}
	})
}

// Weights by direction come back as they were, also where the edges alone do
// not tell the directions apart.
func TestWeightsByDirection(t *testing.T) {
	for _, s := range []*shape{
		{extents: []int{16, 16, 18}, diagonal: 3},
		{extents: []int{5, 2, 7}, diagonal: 3},
		{extents: []int{2, 2, 2}, diagonal: 3},
		{extents: []int{3, 6, 5}, periodic: []bool{true, true, false}, diagonal: 3},
		{extents: []int{4, 4, 4}, periodic: []bool{true, true, true}, diagonal: 3},
		{extents: []int{9, 8, 7}, diagonal: 2}, // 19 points
	} {
		if s.periodic == nil {
			s.periodic = make([]bool, len(s.extents))
		}
		s.weight = func(step []int) int64 {
			moves := 0
			for _, x := range step {
				moves += x * x
			}
			return []int64{0, 64, 8, 1}[moves]
		}
		g := s.graph(5)
		grid := recovered(t, g)
		for _, step := range Measure(g, grid).List {
			moves := 0
			for _, x := range step.Offset {
				moves += x * x
			}
			if want := []int64{0, 64, 8, 1}[min(3, moves)]; step.Least != want || step.Weight != want*step.Pairs {
				t.Errorf("%v %v as %s: offset %v weighs %d to %d in sum, want %d "+
					"each", s.extents, s.periodic, grid, step.Offset, step.Least, step.Weight, want)
			}
		}
	}
}

// Known extents of larger grids, so that a symmetric mistake cannot hide.
func TestExtents(t *testing.T) {
	for _, c := range []struct {
		s    shape
		want string
	}{
		{shape{extents: []int{64, 72}, diagonal: 1}, "72x64"},
		{shape{extents: []int{30, 20}, diagonal: 2}, "30x20"},
		{shape{extents: []int{16, 18, 16}, diagonal: 3}, "18x16x16"},
		{shape{extents: []int{1, 9, 1}, diagonal: 1}, "9"},
		{shape{extents: []int{7}, periodic: []bool{true}, diagonal: 1}, "7p"},
		{shape{extents: []int{6, 5, 8}, periodic: []bool{true, false, true}, diagonal: 3}, "8px6px5"},
		{shape{extents: []int{2, 2, 2, 2}, diagonal: 1}, "4px2x2"},
		{shape{extents: []int{4, 4, 4}, periodic: []bool{true, true, true}, diagonal: 1}, "4px4px4p"},
		{shape{extents: []int{4, 4, 4, 4}, periodic: []bool{true, true, true, true}, diagonal: 1}, "4px4px4px4p"},
		{shape{extents: []int{3}, periodic: []bool{true}, diagonal: 1}, "3p"},
	} {
		if c.s.periodic == nil {
			c.s.periodic = make([]bool, len(c.s.extents))
		}
		if got := recovered(t, c.s.graph(3)).String(); got != c.want {
			t.Errorf("%v %v: got %s, want %s", c.s.extents, c.s.periodic, got, c.want)
		}
	}
}

// A recorded profile: MiniMD's ranks talk to six neighbours each on a torus.
func TestRecordedTorus(t *testing.T) {
	const file = "../../shared/data/par-comm-data/MiniMD_Vesta_n32_c4_w_hopbyte.txt"
	if _, err := os.Stat(file); err != nil {
		t.Skip("the recorded profile is not there")
	}
	traffic, err := commgraph.Open(file, "")
	if err != nil {
		t.Fatal(err)
	}
	if got := recovered(t, traffic.Graph()).String(); got != "8px4px4p" {
		t.Errorf("got %s, want a torus of 8x4x4", got)
	}
}

// geometric is a random geometric graph of mean degree about 12.
func geometric(n int, chance *rand.Rand) []edge {
	x, y := make([]float64, n), make([]float64, n)
	for i := range n {
		x[i], y[i] = chance.Float64(), chance.Float64()
	}
	reach := math.Sqrt(12 / (math.Pi * float64(n)))
	var list []edge
	for i := range n {
		for j := range i {
			if math.Hypot(x[i]-x[j], y[i]-y[j]) < reach {
				list = append(list, edge{int32(j), int32(i), 1 + chance.Int64N(9)})
			}
		}
	}
	return list
}

// grown attaches every vertex to some earlier ones, preferring those of many edges.
func grown(n, each int, chance *rand.Rand) []edge {
	var list []edge
	ends := []int32{0}
	for v := int32(1); v < int32(n); v++ {
		for range each {
			u := ends[chance.IntN(len(ends))]
			list = append(list, edge{u, v, 1})
			ends = append(ends, u)
		}
		ends = append(ends, v)
	}
	return list
}

func TestOthersAreRefused(t *testing.T) {
	chance := rand.New(rand.NewPCG(8, 9))
	var complete, bipartite, regular, product []edge
	for i := range int32(12) {
		for j := range i {
			complete = append(complete, edge{j, i, 1})
			for k := range int32(5) { // complete graphs along two dimensions
				product = append(product, edge{12*k + j, 12*k + i, 1}, edge{12 * (k % 4), 12 * (k%4 + 1), 1})
			}
		}
		for j := range int32(6) {
			bipartite = append(bipartite, edge{j, 6 + i, 1})
		}
	}
	for range 4 {
		ring := chance.Perm(200)
		for i, u := range ring {
			regular = append(regular, edge{int32(u), int32(ring[(i+1)%200]), 1})
		}
	}
	cube := func(dims int) []edge {
		var list []edge
		for u := range int32(1) << dims {
			for d := range dims {
				if v := u ^ 1<<d; u < v {
					list = append(list, edge{u, v, 1})
				}
			}
		}
		return list
	}
	two := (&shape{extents: []int{5, 5}, periodic: make([]bool, 2), diagonal: 1}).edges()
	for _, e := range two {
		two = append(two, edge{e.u + 25, e.v + 25, 1})
	}
	for name, c := range map[string]struct {
		n     int
		edges []edge
	}{
		"geometric": {800, geometric(800, chance)}, "power law": {500, grown(500, 4, chance)},
		"tree":     {500, grown(500, 1, chance)},
		"complete": {12, complete}, "complete bipartite": {18, bipartite}, "complete along " +
			"dimensions": {60, product},
		"regular": {200, regular}, "hypercube of 9": {512, cube(9)},
		"star":     {5, []edge{{0, 1, 1}, {0, 2, 1}, {0, 3, 1}, {0, 4, 1}}},
		"no edges": {9, nil}, "no vertices": {0, nil}, "two grids": {50, two}, "Petersen": {10, petersen()},
	} {
		if grid, err := Recover(graphOf(c.n, c.edges)); !errors.Is(err, ErrNone) {
			t.Errorf("%s: %v, %v", name, grid, err)
		}
	}
	if _, err := Recover(graphOf(256, cube(8))); err != nil {
		t.Errorf("a hypercube of 8 dimensions is a torus 4x4x4x4: %v", err)
	}
}

func petersen() []edge {
	var list []edge
	for i := range int32(5) {
		list = append(list, edge{i, (i + 1) % 5, 1}, edge{i, i + 5, 1}, edge{i + 5, (i+2)%5 + 5, 1})
	}
	return list
}

// One edge less or more, or two that swap their ends, and the graph is no grid
// any more: what is returned must still be exact, and is nothing unless the
// change has led to another grid (the ring to a path).
func TestSpoiledGridsAreRefused(t *testing.T) {
	tier.Long(t, "grids with an edge less or more: 2 s")
	rapid.Check(t, func(t *rapid.T) {
		s := drawShape(t)
		edges := s.edges()
		if len(edges) < 2 {
			return
		}
		at := rapid.IntRange(0, len(edges)-1).Draw(t, "edge")
		switch change := rapid.SampledFrom([]string{"remove", "add", "turn"}).Draw(t, "change"); change {
		case "remove":
			edges = slices.Delete(edges, at, at+1)
		case "add":
			u := rapid.Int32Range(0, int32(s.cells()-1)).Draw(t, "u")
			if v := rapid.Int32Range(0, int32(s.cells()-1)).Draw(t, "v"); u != v {
				edges = append(edges, edge{u, v, 1})
			}
		case "turn":
			if v := rapid.Int32Range(0, int32(s.cells()-1)).Draw(t, "v"); v != edges[at].u {
				edges[at].v = v
			}
		}
		g := graphOf(s.cells(), edges)
		grid, err := Recover(g)
		if err != nil {
			if !errors.Is(err, ErrNone) {
				t.Fatal(err)
			}
			return
		}
		if !Measure(g, grid).Exact() {
			t.Fatalf("%s is not exact", grid)
		}
		sameEdges(t, s, g, g.Neighbors, grid, Measure(g, grid))
	})
	for _, s := range []*shape{
		{extents: []int{9, 8}, periodic: make([]bool, 2), diagonal: 1},
		{extents: []int{6, 5, 7}, periodic: make([]bool, 3), diagonal: 3},
		{extents: []int{7, 8}, periodic: []bool{true, true}, diagonal: 1},
	} {
		for at := range s.edges() {
			if grid, err := Recover(graphOf(s.cells(), slices.Delete(s.edges(), at, at+1))); err == nil {
				t.Fatalf("%v without edge %d is %s", s.extents, at, grid)
			}
		}
	}
}

// The same graph gives the same grid, and relabelling a symmetric one too.
func TestSameGraphSameGrid(t *testing.T) {
	s := &shape{extents: []int{12, 7, 5}, periodic: []bool{true, false, false}, diagonal: 3}
	first := recovered(t, s.graph(1))
	if again := recovered(t, s.graph(1)); fmt.Sprint(again) != fmt.Sprint(first) ||
		!slices.Equal(again.Cells, first.Cells) {
		t.Error("two runs differ")
	}
	if other := recovered(t, s.graph(2)); other.String() != first.String() {
		t.Errorf("other labels: %s and %s", other, first)
	}
}

func BenchmarkRecover(b *testing.B) {
	for _, s := range []*shape{
		{extents: []int{64, 72}, periodic: make([]bool, 2), diagonal: 1},
		{extents: []int{16, 16, 18}, periodic: make([]bool, 3), diagonal: 3},
		{extents: []int{64, 64, 64}, periodic: make([]bool, 3), diagonal: 3},
	} {
		b.Run(fmt.Sprintf("grid=%s/diagonal=%d", &Grid{Extents: s.extents}, s.diagonal), func(b *testing.B) {
			g := s.graph(1)
			b.ResetTimer()
			for b.Loop() {
				recovered(b, g)
			}
		})
	}
}
