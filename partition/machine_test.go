package partition

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"remap/commgraph"
	"remap/mapping"
	"remap/placement"
	"remap/topology"
)

// nets are machines of all kinds.
var nets = []string{
	"torus:5x4x3", "torus:8x2", "torus:3x3,hosts=3", "mesh:7x5", "hyperx:4x3x2,hosts=2",
	"dragonfly:groups=5,routers=4,hosts=2,global=1", "fattree:nodes-per-leaf=4,leaves-per-pod=3,pods=2," +
		"aggs-per-pod=2,cores=2",
}

// someProblem draws a machine, an allocation of some of its hosts with uneven
// slots, and a graph of as many ranks as slots or fewer.
func someProblem(t *rapid.T) *mapping.Problem {
	machine, err := topology.Parse(rapid.SampledFrom(nets).Draw(t, "machine"))
	if err != nil {
		t.Fatal(err)
	}
	chance := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "chance"), 1))
	a := &mapping.Allocation{}
	for _, h := range chance.Perm(machine.Hosts())[:1+chance.IntN(machine.Hosts())] {
		a.Hosts = append(a.Hosts, int32(h))
		a.Slots = append(a.Slots, 1+chance.Int32N(3))
	}
	ranks := 1 + chance.IntN(a.SlotCount())
	var flows []commgraph.Flow
	for range 4 * ranks {
		flows = append(flows, commgraph.Flow{From: chance.Int32N(int32(ranks)), To: chance.Int32N(int32(ranks)),
			Bytes: 1 + chance.Int64N(50)})
	}
	traffic, err := commgraph.NewTraffic(ranks, flows, false)
	if err != nil {
		t.Fatal(err)
	}
	return &mapping.Problem{Graph: traffic.Graph(), Machine: machine, Allocation: a, Seed: chance.Uint64()}
}

// Every node of a machine is its two halves; leaves are single blocks, each once.
func TestMachineIsATreeOfBlocks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := someProblem(t)
		l := placement.NewLayout(p, nil)
		m := newMachine(p, l, rapid.Uint64Range(0, 3).Draw(t, "variant"), p.Graph.TotalWeight())
		leaves := 0
		for i, n := range m.nodes {
			switch {
			case n.child == 0 && n.end-n.first != 1:
				t.Fatalf("leaf %d has %d blocks", i, n.end-n.first)
			case n.child == 0:
				leaves++
				if m.leaf[m.order[n.first]] != int32(i) {
					t.Fatalf("block %d is not at its leaf", m.order[n.first])
				}
			default:
				a, b := m.nodes[n.child], m.nodes[n.child+1]
				if a.first != n.first || a.end != b.first || b.end != n.end || a.first == a.end || b.first == b.end {
					t.Fatalf("%v is split into %v and %v", n, a, b)
				}
				if m.parent[n.child] != int32(i) || m.parent[n.child+1] != int32(i) {
					t.Fatal("children do not know their parent")
				}
			}
		}
		blocks := slices.Sorted(slices.Values(m.order))
		if leaves != l.Blocks() || !slices.Equal(blocks, mapping.Identity(l.Blocks())) {
			t.Fatalf("%d leaves of %d blocks", leaves, l.Blocks())
		}
	})
}

// The exact means of grids are what all pairs of blocks give.
func TestGridMeansAreMeansOfAllPairs(t *testing.T) {
	for _, spec := range []string{"torus:7x4x3", "mesh:6x5", "torus:4x4,hosts=2", "torus:9"} {
		machine := machineOf(t, spec)
		p := &mapping.Problem{Graph: build(t, 1, nil), Machine: machine, Allocation: everyHost(machine)}
		l := placement.NewLayout(p, nil)
		for variant := range uint64(2) { // by rings, and by lines
			checkMeans(t, l, newMachine(p, l, variant, 1))
		}
	}
}

func checkMeans(t *testing.T, l *placement.Layout, m *machine) {
	if m.grid == nil {
		t.Fatal("no tables for a grid")
	}
	tables := 0
	for a := range int32(len(m.nodes)) {
		if m.grid.table[a] >= 0 {
			tables++
		}
		for b := range int32(len(m.nodes)) {
			x, y := m.nodes[a], m.nodes[b]
			if x.first < y.end && y.first < x.end && a != b {
				continue // one holds the other
			}
			var sum, pairs int64
			for _, from := range m.order[x.first:x.end] {
				for _, to := range m.order[y.first:y.end] {
					if pairs++; m.splitter.policy.lines && from != to {
						sum += m.grid.between(from, to)
					} else {
						sum += l.Metric.Between(from, to)
					}
				}
			}
			want := (sum*m.scale + pairs/2) / pairs
			if got := m.between(a, b, 1<<20); got != want {
				t.Fatalf("nodes %v and %v: mean %d/%d, by all pairs %d", x, y, got, m.scale, want)
			}
		}
	}
	if tables == 0 {
		t.Error("no node has a table")
	}
}

// Grids are cut across, and dragonflies between groups.
func TestFirstSplits(t *testing.T) {
	for _, test := range []struct {
		spec string
		half []int32 // hosts of the first half, variant 0
	}{
		{"mesh:4x2", []int32{0, 1, 4, 5}},
		{"mesh:2x3", []int32{0, 1}},
		{"hyperx:2x2", []int32{0, 2}},
		{"dragonfly:groups=2,routers=2,hosts=2,global=1", []int32{0, 1, 2, 3}},
	} {
		machine := machineOf(t, test.spec)
		p := &mapping.Problem{Graph: build(t, 1, nil), Machine: machine, Allocation: everyHost(machine)}
		l := placement.NewLayout(p, nil)
		m := newMachine(p, l, 0, 1)
		var hosts []int32
		for _, b := range m.order[:m.nodes[1].end] {
			hosts = append(hosts, l.Slots[l.First[b]:l.First[b+1]]...) // one slot a host
		}
		if slices.Sort(hosts); !slices.Equal(hosts, test.half) {
			t.Errorf("%s: first half %v, want %v", test.spec, hosts, test.half)
		}
	}
}

// By distance alone, the two ends of a dumbbell are told apart.
func TestSplitByDistance(t *testing.T) {
	machine := machineOf(t, "dragonfly:groups=2,routers=6,hosts=1,global=1")
	chance := rand.New(rand.NewPCG(4, 4))
	a := everyHost(machine)
	chance.Shuffle(len(a.Hosts), func(i, j int) { a.Hosts[i], a.Hosts[j] = a.Hosts[j], a.Hosts[i] })
	p := &mapping.Problem{Graph: build(t, 1, nil), Machine: machine, Allocation: a}
	l := placement.NewLayout(p, nil)
	s := newBlockSplitter(p, l, 0)
	s.distances = true
	blocks := mapping.Identity(l.Blocks())
	half := s.split(blocks)
	group := func(b int32) int32 { return a.Hosts[l.Slots[l.First[b]]] / 6 }
	for i, b := range blocks {
		if (group(b) == group(blocks[0])) != (i < half) {
			t.Fatalf("blocks %v are cut at %d", blocks, half)
		}
	}
}

// A shuffled periodic stencil finds back onto its own torus nearly everywhere,
// and random graphs get shorter paths than under identity and random mappings.
func TestTorusMappings(t *testing.T) {
	machine := machineOf(t, "torus:6x6x6")
	name := rand.New(rand.NewPCG(8, 8)).Perm(216)
	var flows []commgraph.Flow
	for v := range name {
		for _, stride := range []int{1, 6, 36} {
			next := v + stride
			if v/stride%6 == 5 {
				next -= 6 * stride
			}
			flows = append(flows, commgraph.Flow{From: int32(name[v]), To: int32(name[next]), Bytes: 1})
		}
	}
	for _, test := range []struct {
		namedGraph
		most float64
	}{
		{namedGraph{"stencil", build(t, 216, flows)}, 2.2},
		{namedGraph{"geometric", relabelled(t, geometric(t, 216), name)}, 3.3},
		{namedGraph{"powerlaw", relabelled(t, powerLaw(t, 216), name)}, 4.2},
	} {
		p := &mapping.Problem{Graph: test.graph, Machine: machine, Allocation: everyHost(machine), Seed: 1}
		m, err := Multisection().Map(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		length, _ := averages(p, m)
		random, _ := averages(p, name32(name))
		identity, _ := averages(p, mapping.Identity(216))
		if length > test.most || length > 0.95*random || length > 0.95*identity {
			t.Errorf("%s: average path length %.4f, want at most %.1f; random has %.4f, identity "+
				"%.4f", test.name, length, test.most, random, identity)
		}
		if length < 2 {
			t.Errorf("%s: average path length %.4f on a torus of one host a switch", test.name, length)
		}
	}
}

// Decisions compare weights with weights, on any machine.
func TestDoubledWeightsChangeNothingOnMachines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := someProblem(t)
		doubled := *p
		doubled.Graph = &commgraph.Graph{Offsets: p.Graph.Offsets, Neighbors: p.Graph.Neighbors}
		for _, w := range p.Graph.Weights {
			doubled.Graph.Weights = append(doubled.Graph.Weights, 2*w)
		}
		for _, s := range []mapping.Strategy{Bisection(), Fast()} {
			one, err := s.Map(context.Background(), p)
			if err != nil {
				t.Fatal(err)
			}
			two, err := s.Map(context.Background(), &doubled)
			if err != nil || !slices.Equal(one, two) {
				t.Fatalf("%s on %s: %v, with doubled weights %v: %v", s.Name, p.Machine.Name, one, two, err)
			}
		}
	})
}

// Prices of links count: one end of a line is so dear to reach that the rank
// that talks least must go there, where without prices either end would do.
func TestPricesCount(t *testing.T) {
	machine := machineOf(t, "mesh:4")
	p := &mapping.Problem{Machine: machine, Allocation: everyHost(machine),
		LinkCost: make([]float64, len(machine.Links))}
	p.Graph = build(t, 4, []commgraph.Flow{{From: 0, To: 1, Bytes: 10}, {From: 0, To: 2, Bytes: 10},
		{From: 1, To: 2, Bytes: 10}, {From: 0, To: 3, Bytes: 1}})
	for l := range p.LinkCost {
		p.LinkCost[l] = 1
		if from, to := machine.NodeName(machine.Links[l].From),
			machine.NodeName(machine.Links[l].To); from == "s0" && to == "s1" || from == "s1" && to == "s0" {
			p.LinkCost[l] = 1000
		}
	}
	for p.Seed = range 8 {
		m, err := Multisection().Map(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		if m[3] != 0 {
			t.Errorf("seed %d: mapping %v, want rank 3 behind the dear link", p.Seed, m)
		}
	}
}

func name32(perm []int) mapping.Mapping {
	m := make(mapping.Mapping, len(perm))
	for i, x := range perm {
		m[i] = int32(x)
	}
	return m
}
