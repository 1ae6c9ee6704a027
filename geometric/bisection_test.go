package geometric

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"remap/commgraph"
	"remap/mapping"
	"remap/tiling"
)

// Moving all places, or turning any dimension round, costs nothing: lengths
// and orders along the dimensions are all that counts, and both ends are tried.
func TestReflectionAndTranslation(t *testing.T) {
	s := RecursiveCoordinateBisection()
	rapid.Check(t, func(t *rapid.T) {
		p := drawProblem(t, false)
		c := p.Coordinates
		apart(c)
		want := p.Cost(mustMap(t, s, p))
		moved := *p
		moved.Coordinates = &commgraph.Coordinates{Dimensions: c.Dimensions, Values: slices.Clone(c.Values)}
		for k := range c.Dimensions {
			shift := rapid.Int32Range(0, 100).Draw(t, "shift")
			turned := rapid.Bool().Draw(t, "turned")
			top := int32(c.Extents()[k] - 1)
			for i := k; i < len(c.Values); i += c.Dimensions {
				if turned {
					moved.Coordinates.Values[i] = top - moved.Coordinates.Values[i]
				}
				moved.Coordinates.Values[i] += shift
			}
		}
		if got := p.Cost(mustMap(t, s, &moved)); got != want {
			t.Fatalf("cost %v, before %v", got, want)
		}
	})
}

// apart gives every rank a place of its own: ranks at one place are told apart
// by their numbers only, which a reflection does not turn round.
func apart(c *commgraph.Coordinates) {
	n := int32(c.Ranks())
	for r := range n {
		c.Values[int(r)*c.Dimensions] = c.Values[int(r)*c.Dimensions]*n + r
	}
}

// Other numbers for the ranks change no cost, twice the weights no mapping.
func TestRelabelAndDouble(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawProblem(t, false)
		apart(p.Coordinates)
		d, n := p.Coordinates.Dimensions, p.Ranks()
		number := rapid.Permutation(mapping.Identity(n)).Draw(t, "numbers")
		other := *p
		other.Coordinates = &commgraph.Coordinates{Dimensions: d, Values: make([]int32, n*d)}
		for r, v := range number {
			copy(other.Coordinates.Values[int(v)*d:int(v+1)*d], p.Coordinates.Of(int32(r)))
		}
		other.Graph = renumbered(t, p.Graph, number, 1)
		twice := *p
		twice.Graph = renumbered(t, p.Graph, mapping.Identity(n), 2)
		for _, s := range both() {
			m := mustMap(t, s, p)
			if was, now := p.Cost(m), other.Cost(mustMap(t, s, &other)); was != now {
				t.Fatalf("%s: cost %v, renumbered %v", s.Name, was, now)
			}
			if again := mustMap(t, s, &twice); !slices.Equal(m, again) {
				t.Fatalf("%s: twice the weights give another mapping", s.Name)
			}
		}
	})
}

// renumbered is a graph whose vertex v is number[v], weights times factor.
func renumbered(t fataler, g *commgraph.Graph, number []int32, factor int64) *commgraph.Graph {
	t.Helper()
	var flows []commgraph.Flow
	for v := range int32(g.Vertices()) {
		first, end := g.Row(v)
		for e := first; e < end; e++ {
			if u := g.Neighbors[e]; u < v {
				flows = append(flows, commgraph.Flow{From: number[v], To: number[u], Bytes: factor * g.Weights[e]})
			}
		}
	}
	traffic, err := commgraph.NewTraffic(g.Vertices(), flows, false)
	if err != nil {
		t.Fatal(err)
	}
	return traffic.Graph()
}

// A grid on a mesh or torus of its shape, dimensions in any order: every pair
// of neighbours is one link apart, which is least.
func TestGridOnItsOwnShape(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		extents := rapid.SliceOfNDistinct(rapid.SampledFrom([]int{2, 3, 4, 5, 6, 8}), 1, 3, rapid.ID).Draw(t,
			"extents")
		text := make([]string, len(extents))
		for k, n := range rapid.Permutation(extents).Draw(t, "of the machine") {
			text[k] = fmt.Sprint(n)
		}
		kind := rapid.SampledFrom([]string{"mesh:", "torus:"}).Draw(t, "kind")
		machine := mustMachine(t, kind+strings.Join(text, "x"))
		p := &mapping.Problem{Graph: gridGraph(t, extents), Grid: extents, Machine: machine,
			Allocation: &mapping.Allocation{Hosts: mapping.Identity(machine.Hosts())}}
		if length := average(p, mustMap(t, RecursiveCoordinateBisection(), p)); length != 2 {
			t.Fatalf("%v on %s: path length %v, want 2", extents, machine.Name, length)
		}
	})
}

// gridGraph joins neighbours along the dimensions.
func gridGraph(t fataler, extents []int) *commgraph.Graph {
	t.Helper()
	ranks := 1
	for _, n := range extents {
		ranks *= n
	}
	var flows []commgraph.Flow
	stride := 1
	for _, n := range extents {
		for v := range ranks {
			if v/stride%n < n-1 {
				flows = append(flows, commgraph.Flow{From: int32(v), To: int32(v + stride), Bytes: 1})
			}
		}
		stride *= n
	}
	traffic, err := commgraph.NewTraffic(ranks, flows, false)
	if err != nil {
		t.Fatal(err)
	}
	return traffic.Graph()
}

// A chain folds into cubes of 2 a side as a Gray code: one link a step.
func TestChainInACube(t *testing.T) {
	for _, machine := range []string{"mesh:2x2", "mesh:2x2x2", "mesh:2x2x2x2x2", "torus:2x2x2x2"} {
		hosts := mustMachine(t, machine).Hosts()
		p := job(t, machine, fmt.Sprintf("ring:%d", hosts))
		p.Graph = gridGraph(t, []int{hosts})
		if length := average(p, mustMap(t, RecursiveCoordinateBisection(), p)); length != 2 {
			t.Errorf("%s: path length %v, want 2", machine, length)
		}
	}
}

// Where boxes divide the grid rcb finds the tiles that tiling searches for; on
// the grid of the 2018 thesis they are best possible (1.3947).
func TestNearTiling(t *testing.T) {
	for _, c := range []struct {
		machine, pattern string
		most             float64 // times tiling's path length
	}{
		{"tapered", "stencil2d:64x72", 1},
		{"tapered", "stencil3d27:16x16x18", 1.008},
		{"fattree:nodes-per-leaf=8,leaves-per-pod=8,pods=8,aggs-per-pod=2,cores=2", "stencil3d7:8x8x8", 1},
		{"fattree:nodes-per-leaf=6,leaves-per-pod=5,pods=4,aggs-per-pod=2,cores=2", "stencil2d:12x10", 1.04},
	} {
		p := job(t, c.machine, c.pattern)
		got := average(p, mustMap(t, RecursiveCoordinateBisection(), p))
		want := average(p, mustMap(t, tiling.Strategy(tiling.AllLevels), p))
		if got > want*c.most+1e-9 {
			t.Errorf("%s on %s: path length %.4f, tiling %.4f", c.pattern, c.machine, got, want)
		}
	}
}

// Scattered points on a tree: far better than chance, and bisection no worse
// than the curve by much.
func TestScatteredPoints(t *testing.T) {
	const n, near = 1152, 40
	chance := rand.New(rand.NewPCG(1, 2))
	c := &commgraph.Coordinates{Dimensions: 2, Values: make([]int32, 2*n)}
	for i := range c.Values {
		c.Values[i] = chance.Int32N(1000)
	}
	var flows []commgraph.Flow
	for u := range int32(n) {
		for v := range u {
			a, b := c.Of(u), c.Of(v)
			if (a[0]-b[0])*(a[0]-b[0])+(a[1]-b[1])*(a[1]-b[1]) < near*near {
				flows = append(flows, commgraph.Flow{From: u, To: v, Bytes: 1})
			}
		}
	}
	traffic, err := commgraph.NewTraffic(n, flows, false)
	if err != nil {
		t.Fatal(err)
	}
	p := job(t, "fattree:nodes-per-leaf=16,leaves-per-pod=12,pods=6,aggs-per-pod=2,"+
		"cores=2", fmt.Sprintf("ring:%d", n))
	p.Graph, p.Coordinates = traffic.Graph(), c
	bisected, curve := average(p, mustMap(t, RecursiveCoordinateBisection(), p)),
		average(p, mustMap(t, Hilbert(), p))
	random := average(p, mustMap(t, mapping.RandomStrategy(), p))
	t.Logf("path length: rcb %.4f, hilbert %.4f, random %.4f", bisected, curve, random)
	if bisected > 0.6*random || curve > 0.65*random || bisected > 1.03*curve {
		t.Errorf("path length: rcb %.4f, hilbert %.4f, random %.4f", bisected, curve, random)
	}
}

func TestLargestFactor(t *testing.T) {
	for n, want := range map[int]int{2: 2, 3: 3, 4: 2, 12: 3, 17: 17, 49: 7, 64: 2, 90: 5, 97 * 96: 97} {
		if got := largestFactor(n); got != want {
			t.Errorf("largest prime factor of %d: %d, want %d", n, got, want)
		}
	}
}
