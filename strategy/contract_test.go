package strategy

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"testing"
	"time"

	"remap/commgraph"
	"remap/geometric"
	"remap/internal/testkit"
	"remap/internal/testkit/tier"
	"remap/mapping"
	"remap/tiling"
	"remap/topology"
	"remap/workload"
)

// specs are the strategies under the contract: the table, and some chains.
func specs() []string {
	list := []string{"tiling:levels=1", "rcm+kl", "random+kl", "fast+kl", "kl+cyclic"}
	for _, s := range Table() {
		list = append(list, s.Name)
	}
	return list
}

// quickSpecs are those without the strategies that take long and do nothing that
// others do not.
func quickSpecs() []string {
	return slices.DeleteFunc(specs(), func(spec string) bool { return spec == "strong" || spec == "default" })
}

func mustNetwork(t testing.TB, spec string) *topology.Topology {
	t.Helper()
	machine, err := topology.Parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	return machine
}

func mustTraffic(t testing.TB, pattern string) (*commgraph.Traffic, []int) {
	t.Helper()
	program, err := workload.ParsePattern(pattern)
	if err != nil {
		t.Fatal(err)
	}
	traffic, err := program.Traffic()
	if err != nil {
		t.Fatal(err)
	}
	return traffic, program.Grid
}

func graphOf(t testing.TB, ranks int, flows ...commgraph.Flow) *commgraph.Graph {
	t.Helper()
	traffic, err := commgraph.NewTraffic(ranks, flows, false)
	if err != nil {
		t.Fatal(err)
	}
	return traffic.Graph()
}

// graphs is the shared set that every strategy must cope with.
func graphs(t testing.TB) map[string]*mapping.Problem {
	set := map[string]*mapping.Problem{}
	for _, pattern := range []string{"stencil2d:6x8", "stencil3d27:4x3x4", "ring:48", "alltoall:12",
		"uniform:40", "stencil2d:1x1", "stencil2d:2x1"} {
		traffic, grid := mustTraffic(t, pattern)
		set[pattern] = &mapping.Problem{Graph: traffic.Graph(), Grid: grid}
	}
	set["no ranks"] = &mapping.Problem{Graph: graphOf(t, 0)}
	set["one rank"] = &mapping.Problem{Graph: graphOf(t, 1, commgraph.Flow{Bytes: 9})}
	set["silent"] = &mapping.Problem{Graph: graphOf(t, 37)}
	var pairs, star []commgraph.Flow
	for r := range int32(20) {
		pairs = append(pairs, commgraph.Flow{From: 2 * r, To: 2*r + 1, Bytes: 1 + int64(r)})
		star = append(star, commgraph.Flow{From: 25, To: r, Bytes: 5})
	}
	set["pairs and lonely ranks"] = &mapping.Problem{Graph: graphOf(t, 45, pairs...)}
	set["star"] = &mapping.Problem{Graph: graphOf(t, 30, star...)}
	chance := rand.New(rand.NewPCG(1, 2))
	var heavy []commgraph.Flow
	for range 150 {
		heavy = append(heavy, commgraph.Flow{From: chance.Int32N(33), To: chance.Int32N(33),
			Bytes: int64(1) << chance.IntN(40)})
	}
	set["heavy and light"] = &mapping.Problem{Graph: graphOf(t, 33, heavy...)}
	return set
}

// allocate puts hosts and slots on a problem: some exactly filled, with spare,
// uneven, in odd order. Those too small for the ranks are left out.
func allocations(t testing.TB, ranks int) map[string]*mapping.Problem {
	fat := mustNetwork(t, "fattree:nodes-per-leaf=4,leaves-per-pod=3,pods=4,aggs-per-pod=2,cores=2") // 48 hosts
	torus := mustNetwork(t, "torus:4x4x3,hosts=1")                                                   // 48 hosts
	odd := mapping.Identity(48)
	rand.New(rand.NewPCG(3, 4)).Shuffle(48, func(i, j int) { odd[i], odd[j] = odd[j], odd[i] })
	uneven := make([]int32, 20)
	for i := range uneven {
		uneven[i] = int32(1 + i*i%4)
	}
	all := map[string]*mapping.Problem{
		"whole fat tree":      {Machine: fat, Allocation: &mapping.Allocation{Hosts: mapping.Identity(48)}},
		"whole torus":         {Machine: torus, Allocation: &mapping.Allocation{Hosts: mapping.Identity(48)}},
		"odd order":           {Machine: fat, Allocation: &mapping.Allocation{Hosts: odd}},
		"exact, odd":          {Machine: fat, Allocation: &mapping.Allocation{Hosts: odd[:min(48, ranks)]}},
		"uneven slots":        {Machine: fat, Allocation: &mapping.Allocation{Hosts: odd[:20], Slots: uneven}},
		"uneven slots, torus": {Machine: torus, Allocation: &mapping.Allocation{Hosts: odd[:20], Slots: uneven}},
		"one host": {Machine: fat, Allocation: &mapping.Allocation{Hosts: []int32{7},
			Slots: []int32{48}}},
		"one leaf, many slots": {Machine: fat, Allocation: &mapping.Allocation{Hosts: []int32{3, 1, 0, 2},
			Slots: []int32{12, 12, 12, 12}}},
		"no hosts": {Machine: fat, Allocation: &mapping.Allocation{}},
	}
	for name, p := range all {
		if p.Allocation.SlotCount() < ranks {
			delete(all, name)
		}
	}
	return all
}

// problems is every graph on every allocation.
func problems(t testing.TB) map[string]*mapping.Problem {
	set := map[string]*mapping.Problem{}
	for name, g := range graphs(t) {
		for where, p := range allocations(t, g.Ranks()) {
			p.Graph, p.Grid, p.Seed = g.Graph, g.Grid, 11
			if err := p.Check(); err != nil {
				t.Fatalf("%s on %s: %v", name, where, err)
			}
			set[name+" on "+where] = p
		}
	}
	return set
}

// someProblems is a thirtieth of them, and in the long tier a quarter.
func someProblems(t testing.TB) map[string]*mapping.Problem {
	set := problems(t)
	for i, name := range slices.Sorted(maps.Keys(set)) {
		if i%tier.Cases(30, 4, 4) != 0 {
			delete(set, name)
		}
	}
	return set
}

// mayRefuse tells errors that a strategy is allowed to answer with.
func mayRefuse(err error) bool {
	var misfit *tiling.Misfit
	return errors.As(err, &misfit) || errors.Is(err, geometric.ErrNoCoordinates) ||
		errors.Is(err, tiling.ErrNoGrid) || errors.Is(err, tiling.ErrNoLevels)
}

// print shows everything a strategy could change.
func print(p *mapping.Problem) []byte {
	return fmt.Appendf(nil, "%v %v %v %v %v %v %v %v %v %v", *p.Graph, p.Traffic, p.Coordinates, p.Grid,
		*p.Allocation, p.Start, p.Fixed, p.LinkCost, p.LinkFree, p.Machine.Links)
}

// The contract of every strategy: a valid result, the same bytes for the same
// seed, the input as it was; the seed and the order of the runs do not matter
// to those that use no chance, but validity does for all.
func TestContract(t *testing.T) {
	set := problems(t)
	for _, spec := range specs() {
		s, err := Parse(spec)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(spec, func(t *testing.T) {
			refused, set := 0, set
			// slow
			if !tier.IsLong() || slices.Contains([]string{"best", "strong", "default", "multisection"}, spec) &&
				!tier.IsExperiments() {
				set = someProblems(t)
			}
			for name, p := range set {
				before := print(p)
				m, err := s.Map(context.Background(), p)
				if mayRefuse(err) {
					refused++
					continue
				}
				if err != nil {
					t.Errorf("%s: %v", name, err)
					continue
				}
				if err := m.Check(p.Allocation.SlotCount()); err != nil || len(m) != p.Ranks() || m == nil {
					t.Errorf("%s: %v for %d ranks: %v", name, m, p.Ranks(), err)
				}
				if again, err := s.Map(context.Background(), p); err != nil || !slices.Equal(again, m) {
					t.Errorf("%s: a second run gives %v, %v; the first %v", name, again, err, m)
				}
				if !bytes.Equal(before, print(p)) {
					t.Errorf("%s: the problem was changed", name)
				}
			}
			if refused == len(set) {
				t.Errorf("refuses all %d problems", len(set))
			}
		})
	}
}

// Refiners start anywhere and never make the sum of bytes times path length worse.
func TestRefinersDoNotWorsen(t *testing.T) {
	chance := rand.New(rand.NewPCG(5, 6))
	kl, err := Parse("kl")
	if err != nil {
		t.Fatal(err)
	}
	for name, p := range problems(t) {
		start := mapping.Identity(p.Allocation.SlotCount())
		chance.Shuffle(len(start), func(i, j int) { start[i], start[j] = start[j], start[i] })
		p.Start = start[:p.Ranks()]
		m, err := kl.Map(context.Background(), p)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		before, after := mapping.PathBytes(p.Machine, p.Allocation, p.Graph, p.Start),
			mapping.PathBytes(p.Machine, p.Allocation, p.Graph, m)
		if after > before {
			t.Errorf("%s: from %d to %d", name, before, after)
		}
	}
}

// With a limit of moves a strategy keeps to it.
func TestLimitOfMoves(t *testing.T) {
	for _, spec := range quickSpecs() {
		s, err := Parse(spec)
		if err != nil {
			t.Fatal(err)
		}
		for name, p := range someProblems(t) {
			p.MaxMoves = 3
			if m, err := s.Map(context.Background(), p); err != nil && !mayRefuse(err) || err == nil &&
				p.CheckMoves(m) != nil {
				t.Errorf("%s, %s: %v, %v", spec, name, err, p.CheckMoves(m))
			}
		}
	}
}

// Fixed ranks stay.
func TestFixedRanks(t *testing.T) {
	for _, spec := range quickSpecs() {
		s, err := Parse(spec)
		if err != nil {
			t.Fatal(err)
		}
		for name, p := range someProblems(t) {
			p.Fixed = make([]int32, p.Ranks())
			for r := range p.Fixed {
				p.Fixed[r] = -1
				if r%3 == 0 {
					p.Fixed[r] = int32(p.Allocation.SlotCount() - 1 - r/3)
				}
			}
			m, err := s.Map(context.Background(), p)
			if mayRefuse(err) {
				continue
			}
			if err != nil {
				t.Fatalf("%s, %s: %v", spec, name, err)
			}
			for r, slot := range p.Fixed {
				if slot >= 0 && m[r] != slot {
					t.Errorf("%s, %s: rank %d is fixed to slot %d but sits on %d", spec, name, r, slot, m[r])
				}
			}
		}
	}
}

// A cancelled context ends every strategy with its error, at once.
func TestCancelled(t *testing.T) {
	traffic, grid := mustTraffic(t, "stencil2d:64x72")
	machine := mustNetwork(t, "tapered")
	p := &mapping.Problem{Graph: traffic.Graph(), Grid: grid, Machine: machine,
		Allocation: &mapping.Allocation{Hosts: mapping.Identity(4608)}}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, spec := range specs() {
		s, err := Parse(spec)
		if err != nil {
			t.Fatal(err)
		}
		begin := testkit.UserTime()
		m, err := s.Map(ctx, p)
		if err == nil && (len(m) != 4608 || m.Check(4608) != nil) || err != nil &&
			!errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", spec, err)
		}
		if spent := testkit.UserTime() - begin; spent > 5*time.Second {
			t.Errorf("%s takes %v after its context ended", spec, spent)
		}
	}
}

// A chain hands on its results: sorting a random start out by kl is the same as
// giving kl that start, and one link after identity is the link alone.
func TestChains(t *testing.T) {
	run := func(spec string, p *mapping.Problem) mapping.Mapping {
		t.Helper()
		s, err := Parse(spec)
		if err != nil {
			t.Fatal(err)
		}
		m, err := s.Map(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	for name, p := range problems(t) {
		if !slices.Equal(run("identity+kl", p), run("kl", p)) {
			t.Errorf("%s: identity+kl is not kl", name)
		}
		chained := run("random+kl", p)
		p.Start = run("random", p)
		if !slices.Equal(chained, run("kl", p)) {
			t.Errorf("%s: random+kl is not kl from random", name)
		}
	}
}

// The stencil of the 2018 thesis (Taffet), table 4.1: average path lengths.
func TestStencilOfTheThesis(t *testing.T) {
	traffic, grid := mustTraffic(t, "stencil2d:64x72")
	machine := mustNetwork(t, "tapered")
	p := &mapping.Problem{Graph: traffic.Graph(), Grid: grid, Machine: machine,
		Allocation: &mapping.Allocation{Hosts: mapping.Identity(4608)}, Seed: 1}
	limits := map[string][2]float64{
		"identity":        {2.08721, 2.08723},
		"random":          {4.63, 4.68},
		"rcm":             {2.96605, 2.96655},
		"tiling":          {1.394705, 1.394720},
		"tiling:levels=1": {1.42114, 1.42116},
		"best":            {1.394705, 1.394720}, // no mapping is better
	}
	if tier.IsLong() {
		limits["kl"] = [2]float64{1.3947, 1.75}
		limits["bisection"] = [2]float64{1.3947, 1.50}
		limits["multisection"] = [2]float64{1.3947, 1.45}
	}
	for spec, limit := range limits {
		s, err := Parse(spec)
		if err != nil {
			t.Fatal(err)
		}
		m, err := s.Map(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		costs, err := mapping.Evaluate(machine, p.Allocation, traffic, m, nil)
		if err != nil {
			t.Fatal(err)
		}
		if costs.AvgPathLength < limit[0] || costs.AvgPathLength > limit[1] {
			t.Errorf("%s: average path length %.6f, want %v", spec, costs.AvgPathLength, limit)
		}
	}
}

// A strategy reads Start exactly when it says so: the loop relies on it.
func TestRefineTellsWhoReadsStart(t *testing.T) {
	tier.Long(t, "every strategy twice: 2 s")
	var problem *mapping.Problem
	set := problems(t)
	for _, name := range slices.Sorted(maps.Keys(set)) {
		if p := set[name]; p.Ranks() >= 16 && p.Start == nil && len(p.Machine.Levels) > 1 && p.Graph.Edges() > 20 {
			t.Logf("on %s", name)
			problem = p
			break
		}
	}
	if problem == nil {
		t.Fatal("no problem fits")
	}
	for _, spec := range append(specs(), "rcm+kl", "kl+kl") {
		s, err := Parse(spec)
		if err != nil {
			t.Fatal(err)
		}
		plain, err := s.Map(context.Background(), problem)
		if err != nil {
			continue
		}
		changed := *problem
		if changed.Start, err = mapping.RandomStrategy().Map(context.Background(), problem); err != nil {
			t.Fatal(err)
		}
		shuffled, err := s.Map(context.Background(), &changed)
		if err != nil {
			t.Fatalf("%s: %v", spec, err)
		}
		if !s.Refine && !slices.Equal(plain, shuffled) {
			t.Errorf("%s does not refine, yet its result depends on Start", spec)
		}
		if (spec == "kl" || spec == "kl+kl") && (!s.Refine || slices.Equal(plain, shuffled)) {
			t.Errorf("%s: Refine is %v, results from two starts "+
				"equal: %v", spec, s.Refine, slices.Equal(plain, shuffled))
		}
	}
}
