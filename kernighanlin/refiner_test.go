package kernighanlin

import (
	"context"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"remap/commgraph"
	"remap/internal/testkit"
	"remap/mapping"
	"remap/placement"
	"remap/topology"
)

// drawRefiner makes any small assignment under any symmetric metric.
func drawRefiner(t *rapid.T) *Refiner {
	blocks := rapid.IntRange(1, 5).Draw(t, "blocks")
	first := []int32{0}
	for b := range blocks {
		first = append(first, first[b]+rapid.Int32Range(1, 6).Draw(t, "size"))
	}
	positions := int(first[blocks])
	ranks := rapid.IntRange(0, positions).Draw(t, "ranks") // the others are idle
	members := rapid.Permutation(mapping.Identity(positions)).Draw(t, "members")
	inside := rapid.Uint16Range(0, 2).Draw(t, "inside")
	matrix := make([]uint16, blocks*blocks)
	for a := range blocks {
		matrix[a*blocks+a] = inside
		for b := range a {
			length := rapid.Uint16Range(0, 7).Draw(t, "length")
			matrix[a*blocks+b], matrix[b*blocks+a] = length, length
		}
	}
	metric := placement.NewMatrixMetric(matrix, blocks, int64(inside))
	return NewRefiner(testkit.Graph(t, ranks), metric, placement.NewAssignment(first, members))
}

func TestRefinerGainsEqualRecomputedCosts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawRefiner(t)
		a := rapid.Int32Range(0, int32(r.assign.Blocks()-1)).Draw(t, "a")
		b := rapid.Int32Range(0, int32(r.assign.Blocks()-1)).Draw(t, "b")
		if a == b {
			return
		}
		before := r.assign.Cost(r.graph, r.metric)
		gain := r.Improve(a, b, Limits{Slack: rapid.Int64Range(1, 5).Draw(t, "slack"), Passes: 3, Fruitless: 20})
		after := r.assign.Cost(r.graph, r.metric)
		if gain < 0 || before-after != gain {
			t.Fatalf("gain %d, the cost went from %d to %d", gain, before, after)
		}
		if err := r.assign.Check(); err != nil {
			t.Fatal(err)
		}
	})
}

func TestIncrementalKeepsTheBudget(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawRefiner(t)
		home := slices.Clone(r.assign.Block)
		budget := rapid.IntRange(0, 6).Draw(t, "budget")
		r.Home, r.Budget = home, budget
		before := r.assign.Cost(r.graph, r.metric)
		options := DefaultOptions
		options.ExpensiveFirst = rapid.Bool().Draw(t, "expensive first")
		gain, err := r.Incremental(context.Background(), options)
		if err != nil {
			t.Fatal(err)
		}
		if after := r.assign.Cost(r.graph, r.metric); before-after != gain || gain < 0 {
			t.Fatalf("gain %d, the cost went from %d to %d", gain, before, after)
		}
		away := 0
		for v := range r.graph.Vertices() {
			if r.assign.Block[v] != home[v] {
				away++
			}
		}
		if away > budget || r.Budget != budget-away {
			t.Fatalf("%d vertices left home, the budget was %d, %d are left of it", away, budget, r.Budget)
		}
	})
}

// TestIncrementalIsOptimalOnTwoCliques: two cliques dealt over two blocks come apart.
func TestIncrementalIsOptimalOnTwoCliques(t *testing.T) {
	var flows []commgraph.Flow
	for u := range int32(16) {
		for v := range u {
			if u%2 == v%2 {
				flows = append(flows, commgraph.Flow{From: u, To: v, Bytes: 3})
			}
		}
	}
	traffic, err := commgraph.NewTraffic(16, flows, false)
	if err != nil {
		t.Fatal(err)
	}
	assign := placement.NewAssignment([]int32{0, 8, 16}, mapping.Identity(16))
	r := NewRefiner(traffic.Graph(), placement.CutMetric(2), assign)
	if _, err := r.Incremental(context.Background(), DefaultOptions); err != nil {
		t.Fatal(err)
	}
	if cost := assign.Cost(r.graph, r.metric); cost != 0 {
		t.Errorf("cut %d between two cliques", cost)
	}
}

func parse(t testing.TB, spec string) *topology.Topology {
	machine, err := topology.Parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	return machine
}

func everyHost(machine *topology.Topology) *mapping.Allocation {
	return &mapping.Allocation{Hosts: mapping.Identity(machine.Hosts())}
}
