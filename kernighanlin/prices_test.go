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
)

// TestPricedStrategy: never worse than its start under the prices, all limits
// kept; what the refiner gains is what a recount says.
func TestPricedStrategy(t *testing.T) {
	for _, spec := range testkit.PricedSpecs {
		rapid.Check(t, func(t *rapid.T) {
			p := testkit.Problem(t, spec)
			testkit.Price(t, p)
			if rapid.Bool().Draw(t, "some fixed") {
				testkit.Fix(t, p)
			}
			start, err := p.Settle(p.StartMapping())
			if err != nil {
				return
			}
			m, err := Strategy().Map(context.Background(), p)
			if err != nil {
				t.Fatal(err)
			}
			checkFixed(t, p, m)
			if p.PathCost(m) > p.PathCost(start) {
				t.Fatalf("cost %d, of the start %d", p.PathCost(m), p.PathCost(start))
			}
			layout := placement.NewLayout(p, nil)
			r := NewRefiner(p.Graph, layout.Metric, layout.Assign(start))
			if before := r.assign.Cost(r.graph, r.metric); before != p.PathCost(start) {
				t.Fatalf("the metric says %d, the distances %d", before, p.PathCost(start))
			}
			gain, err := r.Incremental(context.Background(), DefaultOptions)
			if err != nil {
				t.Fatal(err)
			}
			if after := r.assign.Cost(r.graph, r.metric); p.PathCost(start)-after != gain || gain < 0 {
				t.Fatalf("gain %d, the cost went from %d to %d", gain, p.PathCost(start), after)
			}
		})
	}
}

// TestEqualPricesChangeNothing: on a fat tree kl does the same whatever all
// links cost.
func TestEqualPricesChangeNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		machine := parse(nilTB{}, testkit.PricedSpecs[0])
		p := &mapping.Problem{Machine: machine, Allocation: everyHost(machine)}
		if rapid.Bool().Draw(t, "slots") {
			p.Allocation.Slots = rapid.SliceOfN(rapid.Int32Range(1, 3), 12, 12).Draw(t, "each")
		}
		slots := p.Allocation.SlotCount()
		p.Graph = testkit.Graph(t, rapid.IntRange(0, slots).Draw(t, "ranks"))
		p.Start = rapid.Permutation(mapping.Identity(slots)).Draw(t, "start")[:p.Ranks()]
		want, err := Strategy().Map(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		p.LinkCost = slices.Repeat([]float64{2.5}, len(p.Machine.Links))
		got, err := Strategy().Map(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%v at equal prices, %v without", got, want)
		}
	})
}

// TestTalkersLeaveDearLinks: two pairs of ranks sit two by two on four leaves;
// the pair that talks more should not cross the dear uplink of leaf 0.
func TestTalkersLeaveDearLinks(t *testing.T) {
	machine := parse(t, "fattree:nodes-per-leaf=1,leaves-per-pod=4,pods=1,aggs-per-pod=1,cores=1")
	traffic, err := commgraph.NewTraffic(4, []commgraph.Flow{{From: 0, To: 1, Bytes: 100},
		{From: 2, To: 3, Bytes: 1}, {From: 0, To: 2, Bytes: 1}, {From: 1, To: 3, Bytes: 1}}, false)
	if err != nil {
		t.Fatal(err)
	}
	p := &mapping.Problem{Graph: traffic.Graph(), Machine: machine, Allocation: everyHost(machine),
		LinkCost: slices.Repeat([]float64{1}, len(machine.Links))}
	for l := range machine.Links {
		if link := &machine.Links[l]; link.From == machine.NodeOf(0) || link.To == machine.NodeOf(0) {
			p.LinkCost[l] = 5
		}
	}
	m, err := Strategy().Map(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	if m[0] == 0 || m[1] == 0 {
		t.Errorf("mapping %v has a rank that sends 100 bytes behind the dear link", m)
	}
}
