package partition

import (
	"context"
	"runtime"
	"slices"
	"testing"

	"remap/commgraph"
	"remap/internal/testkit/tier"
	"remap/mapping"
)

func presets() []mapping.Strategy { return []mapping.Strategy{Fast(), Default(), Strong()} }

func solved(t testing.TB, s mapping.Strategy, p *mapping.Problem) mapping.Mapping {
	t.Helper()
	m, err := s.Map(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Check(p.Allocation.SlotCount()); err != nil {
		t.Fatal(err)
	}
	return m
}

// TestCoresMakeNoDifference: one, two and four threads give the same bytes, and
// so does a graph whose weights are all doubled.
func TestCoresMakeNoDifference(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	machine := machineOf(t, "fattree:nodes-per-leaf=16,leaves-per-pod=16,pods=12,aggs-per-pod=1,cores=4")
	g := geometric(t, machine.Hosts())
	doubled := &commgraph.Graph{Offsets: g.Offsets, Neighbors: g.Neighbors}
	for _, w := range g.Weights {
		doubled.Weights = append(doubled.Weights, 2*w)
	}
	strategies := presets()
	if !tier.IsLong() {
		strategies = strategies[:1]
	}
	for _, s := range strategies {
		p := &mapping.Problem{Graph: g, Machine: machine, Allocation: everyHost(machine), Seed: 5}
		runtime.GOMAXPROCS(1)
		one := solved(t, s, p)
		runtime.GOMAXPROCS(4)
		if !slices.Equal(one, solved(t, s, p)) {
			t.Errorf("%s: another mapping on four threads", s.Name)
		}
		p.Graph = doubled
		if !slices.Equal(one, solved(t, s, p)) {
			t.Errorf("%s: another mapping for doubled weights", s.Name)
		}
	}
}

// TestEffortPays: over a few graphs and seeds every preset is better than the
// one before it.
func TestEffortPays(t *testing.T) {
	tier.Long(t, "mappings of thousands of ranks: a second and more")
	spec, seeds, tried := "fattree:nodes-per-leaf=16,leaves-per-pod=8,pods=2,aggs-per-pod=1,"+
		"cores=4", uint64(1), presets()[:2]
	if tier.IsLong() {
		tried = presets()
		spec, seeds = "fattree:nodes-per-leaf=16,leaves-per-pod=8,pods=6,aggs-per-pod=1,cores=4", 3
	}
	machine := machineOf(t, spec)
	n := machine.Hosts()
	sums := make([]float64, len(tried))
	for _, g := range []namedGraph{{"grid", grid(t, 16, n/16)}, {"geometric", geometric(t, n)},
		{"powerlaw", powerLaw(t, n)}} {
		p := &mapping.Problem{Graph: g.graph, Machine: machine, Allocation: everyHost(machine)}
		for i, s := range tried {
			for p.Seed = 1; p.Seed <= seeds; p.Seed++ {
				length, _ := averages(p, solved(t, s, p))
				sums[i] += length
			}
		}
	}
	t.Logf("path lengths of fast, default and strong: %.4f", sums)
	for i := range sums[1:] {
		if sums[i] <= sums[i+1] {
			t.Errorf("%s: path lengths of %.4f, %s has %.4f", tried[i+1].Name, sums[i+1], tried[i].Name, sums[i])
		}
	}
}

// TestOneStrategyTwoNames: multisection and default give the same bytes.
func TestOneStrategyTwoNames(t *testing.T) {
	machine := machineOf(t, machines[0])
	p := &mapping.Problem{Graph: geometric(t, 48), Machine: machine, Allocation: everyHost(machine), Seed: 4}
	if !slices.Equal(solved(t, Default(), p), solved(t, Multisection(), p)) {
		t.Error("multisection and default differ")
	}
}

// TestLargeGraphsGetLess: a preset hands large graphs to the next weaker one.
func TestLargeGraphsGetLess(t *testing.T) {
	large := &commgraph.Graph{Offsets: []int32{0, largeWork}, Neighbors: make([]int32, largeWork)}
	for _, test := range [][2]Preset{{StrongPreset, DefaultPreset}, {DefaultPreset, FastPreset},
		{FastPreset, FastPreset}} {
		if got := test[0].on(large); got != test[1] {
			t.Errorf("%s becomes %s", test[0].Name, got.Name)
		}
		if got := test[0].on(grid(t, 3, 3)); got != test[0] {
			t.Errorf("%s becomes %s on a small graph", test[0].Name, got.Name)
		}
	}
}
