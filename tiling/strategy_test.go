package tiling

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"remap/commgraph"
	"remap/mapping"
	"remap/stencil"
)

const small = "fattree:nodes-per-leaf=4,leaves-per-pod=4,pods=4,aggs-per-pod=2,cores=2" // 64 hosts

func mustMap(t *testing.T, p *mapping.Problem, levels int) mapping.Mapping {
	t.Helper()
	m, err := Strategy(levels).Map(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Check(p.Allocation.SlotCount()); err != nil || len(m) != p.Ranks() {
		t.Fatalf("%d ranks of %d: %v", len(m), p.Ranks(), err)
	}
	return m
}

// The costs depend on which hosts share a switch, not on the order in which
// the hosts are listed, as long as places come in the same order.
func TestShuffledHostsWithinPodsCostTheSame(t *testing.T) {
	p, traffic := job(t, small, "stencil2d:8x8")
	want := evaluate(t, p, traffic, mustMap(t, p, AllLevels))
	chance := rand.New(rand.NewPCG(7, 7))
	for range 20 {
		chance.Shuffle(len(p.Allocation.Hosts), func(i, j int) {
			h := p.Allocation.Hosts
			h[i], h[j] = h[j], h[i]
		})
		got := evaluate(t, p, traffic, mustMap(t, p, AllLevels))
		if got.HopBytes != want.HopBytes || got.CutFraction != want.CutFraction {
			t.Fatalf("hosts %v: %+v, want the costs %+v", p.Allocation.Hosts, got, want)
		}
	}
}

// A third dimension and hosts of several slots nest like any other level.
func TestHostsOfSeveralSlots(t *testing.T) {
	p, traffic := job(t, small, "stencil3d7:8x8x8")
	p.Allocation.Slots = slices.Repeat([]int32{8}, 64)
	if err := p.Check(); err != nil {
		t.Fatal(err)
	}
	costs := evaluate(t, p, traffic, mustMap(t, p, AllLevels))
	// Leaving a host costs one switch, leaving a leaf or a pod two more each.
	l := Plain(p.Grid)
	host, leaf, pod := l.Cut([]int{2, 2, 2}), l.Cut([]int{4, 4, 2}), l.Cut([]int{8, 4, 4})
	pairs := 3 * 7 * 8 * 8
	if want := (host + 2*leaf + 2*pod) / float64(pairs); !near(costs.AvgPathLength, want, 1e-9) {
		t.Errorf("average path length %v, want %v", costs.AvgPathLength, want)
	}
}

// With slots to spare, whole pods stay empty.
func TestSpareSlotsStayWholePlaces(t *testing.T) {
	p, _ := job(t, small, "stencil2d:8x4")
	m := mustMap(t, p, AllLevels)
	pods := map[int32]int{}
	for _, h := range m.Hosts(p.Allocation) {
		pods[p.Machine.Levels[1].Group[h]]++
	}
	if len(pods) != 2 {
		t.Errorf("32 ranks on pods of 16 use %d pods: %v", len(pods), pods)
	}
}

// cutOf is the traffic between different leaf switches.
func cutOf(p *mapping.Problem, m mapping.Mapping) (cut int64) {
	hosts := m.Hosts(p.Allocation)
	for u := range int32(p.Ranks()) {
		first, end := p.Graph.Row(u)
		for i := first; i < end; i++ {
			if p.Machine.LeafSwitch(hosts[u]) != p.Machine.LeafSwitch(hosts[p.Graph.Neighbors[i]]) {
				cut += p.Graph.Weights[i]
			}
		}
	}
	return cut / 2
}

// Places of unequal sizes, and extents that nothing divides, are filled
// exactly, and cut less than rows of the grid do.
func TestUnequalPlaces(t *testing.T) {
	for _, c := range []struct {
		pattern string
		hosts   []int32
		slots   []int32
	}{
		// leaves of 4, 2, 4, 4, 2
		{"stencil2d:4x4", []int32{0, 1, 2, 3, 4, 5, 8, 9, 10, 11, 16, 17, 18, 19, 20, 21}, nil},
		{"stencil2d:8x8", []int32{0, 1, 4, 5, 8}, []int32{12, 13, 13, 13, 13}},
		{"stencil2d:7x13", mapping.Identity(30), append(slices.Repeat([]int32{3}, 29), 4)},
		{"stencil3d27:7x5x5", mapping.Identity(25), slices.Repeat([]int32{7}, 25)},
		{"stencil3d7:11x5x3", []int32{0, 9, 1, 8, 2, 5, 40}, []int32{50, 3, 17, 29, 40, 20, 6}},
	} {
		p, _ := job(t, small, c.pattern)
		p.Allocation.Hosts, p.Allocation.Slots = c.hosts, c.slots
		if err := p.Check(); err != nil {
			t.Fatal(err)
		}
		got, rows := cutOf(p, mustMap(t, p, AllLevels)), cutOf(p, mapping.Identity(p.Ranks()))
		if got >= rows {
			t.Errorf("%s on %d hosts: cuts %d, rows cut %d", c.pattern, len(c.hosts), got, rows)
		}
	}
}

// The bare graph is enough: with its labels shuffled, and no word of a grid, the
// costs are those of the grid named.
func TestGridFromTheGraph(t *testing.T) {
	for network, patterns := range map[string][]string{
		small:               {"stencil2d:8x8", "stencil3d7:4x4x4", "stencil3d27:4x4x4", "stencil2d:5x9", "ring:64"},
		"torus:4x4x4":       {"stencil3d7:4x4x4"},
		"torus:6x6,hosts=2": {"stencil2d:8x9"},
	} {
		for _, pattern := range patterns {
			p, _ := job(t, network, pattern)
			if p.Grid == nil {
				p.Grid = []int{p.Ranks()}
			}
			want := mapping.PathBytes(p.Machine, p.Allocation, p.Graph, mustMap(t, p, AllLevels))
			p.Graph, p.Grid = relabelled(p.Graph, 4), nil
			if got := mapping.PathBytes(p.Machine, p.Allocation, p.Graph, mustMap(t, p, AllLevels)); got != want {
				t.Errorf("%s on %s: %d path bytes from the bare graph, %d with its grid", pattern, network, got, want)
			}
		}
	}
}

// relabelled renames the vertices of a graph at random.
func relabelled(g *commgraph.Graph, seed uint64) *commgraph.Graph {
	n := g.Vertices()
	name := rand.New(rand.NewPCG(seed, seed)).Perm(n)
	var flows []commgraph.Flow
	for u := range int32(n) {
		first, end := g.Row(u)
		for i := first; i < end; i++ {
			if v := g.Neighbors[i]; u < v {
				flows = append(flows, commgraph.Flow{From: int32(name[u]), To: int32(name[v]), Bytes: g.Weights[i]})
			}
		}
	}
	traffic, err := commgraph.NewTraffic(n, flows, false)
	if err != nil {
		panic(err)
	}
	return traffic.Graph()
}

// star is a graph of one vertex that talks to all others.
func star(n int) *commgraph.Graph {
	g := &commgraph.Graph{Offsets: []int32{0}}
	for v := range int32(n) {
		if v == 0 {
			for w := int32(1); w < int32(n); w++ {
				g.Neighbors = append(g.Neighbors, w)
			}
		} else {
			g.Neighbors = append(g.Neighbors, 0)
		}
		g.Offsets = append(g.Offsets, int32(len(g.Neighbors)))
	}
	g.Weights = slices.Repeat([]int64{1}, len(g.Neighbors))
	return g
}

func TestRefusals(t *testing.T) {
	refuse := func(change func(p *mapping.Problem), is error, text string) {
		t.Helper()
		p, _ := job(t, small, "stencil2d:8x8")
		change(p)
		_, err := Strategy(AllLevels).Map(context.Background(), p)
		if err == nil || is != nil && !errors.Is(err, is) || !strings.Contains(err.Error(), text) {
			t.Errorf("got %v, want an error with %q", err, text)
		}
	}
	refuse(func(p *mapping.Problem) { p.Grid, p.Graph = nil, star(64) }, ErrNoGrid, "process grid")
	refuse(func(p *mapping.Problem) { p.Grid, p.Graph = nil, star(64) }, stencil.ErrNone, "neighbours")
	refuse(func(p *mapping.Problem) { p.Grid = []int{64}; p.Fixed = slices.Repeat([]int32{5}, 64) },
		ErrFixed, "fixed")
	refuse(func(p *mapping.Problem) { p.Machine.Levels = nil }, ErrNoLevels, "groups of hosts")
	p, _ := job(t, small, "stencil2d:8x8")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Strategy(AllLevels).Map(ctx, p); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func BenchmarkTiling(b *testing.B) {
	const large = "fattree:nodes-per-leaf=32,leaves-per-pod=64,pods=128,aggs-per-pod=16,cores=256"
	for _, c := range [][2]string{
		{"tapered", "stencil2d:64x72"}, {"tapered", "stencil3d27:16x16x18"}, {"tapered", "stencil3d27:17x16x16"},
		{large, "stencil3d27:64x64x64"}, {large, "stencil3d27:63x61x67"},
	} {
		for _, bare := range []bool{false, true} {
			b.Run(fmt.Sprintf("pattern=%s/bare=%t", c[1], bare), func(b *testing.B) {
				p, _ := job(b, c[0], c[1])
				if bare {
					p.Graph, p.Grid = relabelled(p.Graph, 1), nil
				}
				var m mapping.Mapping
				for b.Loop() {
					var err error
					if m, err = Strategy(AllLevels).Map(context.Background(), p); err != nil {
						b.Fatal(err)
					}
				}
				bytes := mapping.PathBytes(p.Machine, p.Allocation, p.Graph, m)
				b.ReportMetric(float64(bytes)/float64(p.Graph.TotalWeight()), "path-length")
				if bound, err := LowerBound(p); err == nil {
					b.ReportMetric(100*bound.Above(bytes), "%-above-bound")
				}
			})
		}
	}
}
