package kernighanlin

import (
	"context"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"remap/commgraph"
	"remap/mapping"
)

// drawPrices prices links of hosts by one set of values and the others by
// another, so that leaves with one price and with several both come up.
func drawPrices(t *rapid.T, p *mapping.Problem) {
	ofHosts := rapid.SliceOfN(rapid.IntRange(0, 5), 1, 3).Draw(t, "prices of host links")
	between := rapid.SliceOfN(rapid.IntRange(0, 5), 1, 3).Draw(t, "prices between switches")
	p.LinkCost = make([]float64, len(p.Machine.Links))
	for l := range p.LinkCost {
		of, link := between, &p.Machine.Links[l]
		if p.Machine.IsHost(link.From) || p.Machine.IsHost(link.To) {
			of = ofHosts
		}
		p.LinkCost[l] = float64(rapid.SampledFrom(of).Draw(t, "price"))
	}
}

var pricedSpecs = []string{
	"fattree:nodes-per-leaf=3,leaves-per-pod=2,pods=2,aggs-per-pod=1,cores=2", "torus:3x2x2", "torus:3x2,hosts=3",
	"dragonfly:routers=2,hosts=2,global=2,groups=3",
}

// TestPricedLayoutIsExact: positions of one block are equally far from all
// others, and the metric is the distance under the prices.
func TestPricedLayoutIsExact(t *testing.T) {
	for _, spec := range pricedSpecs {
		rapid.Check(t, func(t *rapid.T) {
			p := drawProblem(t, spec)
			drawPrices(t, p)
			layout := NewLayout(p, nil)
			d, err := p.Distances()
			if err != nil {
				t.Fatal(err)
			}
			block := NewAssignment(layout.First, mapping.Identity(len(layout.Slots))).Block
			ofSlot := p.Allocation.HostOfSlot()
			for x, s := range layout.Slots {
				for y, u := range layout.Slots[:x] {
					if got, want := layout.Metric.Between(block[x], block[y]), d.Between(ofSlot[s], ofSlot[u]); got != want {
						t.Fatalf("slots %d and %d in blocks %d and %d: %d, want %d", s, u, block[x], block[y], got, want)
					}
				}
			}
			sorted := slices.Sorted(slices.Values(layout.Slots))
			if !slices.Equal(sorted, mapping.Identity(len(ofSlot))) {
				t.Fatalf("slots %v of %d", layout.Slots, len(ofSlot))
			}
		})
	}
}

// TestPricedStrategy: never worse than its start under the prices, all limits
// kept; what the refiner gains is what a recount says.
func TestPricedStrategy(t *testing.T) {
	for _, spec := range pricedSpecs {
		rapid.Check(t, func(t *rapid.T) {
			p := drawProblem(t, spec)
			drawPrices(t, p)
			if rapid.Bool().Draw(t, "some fixed") {
				drawFixed(t, p)
			}
			start, err := SettleFixed(p)
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
			layout := NewLayout(p, nil)
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
		machine := parse(nilTB{}, pricedSpecs[0])
		p := &mapping.Problem{Machine: machine, Allocation: everyHost(machine)}
		if rapid.Bool().Draw(t, "slots") {
			p.Allocation.Slots = rapid.SliceOfN(rapid.Int32Range(1, 3), 12, 12).Draw(t, "each")
		}
		slots := p.Allocation.SlotCount()
		p.Graph = drawGraph(t, rapid.IntRange(0, slots).Draw(t, "ranks"))
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

// TestSiblingsAreNear: the blocks of a place, at most mostSiblings, and no
// others.
func TestSiblingsAreNear(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		first, whole, place := []int32{0}, []int32{0}, []int{}
		for i := range rapid.IntRange(1, 4).Draw(t, "places") {
			for range rapid.IntRange(1, 150).Draw(t, "blocks") {
				first = append(first, first[len(first)-1]+rapid.Int32Range(1, 3).Draw(t, "size"))
				place = append(place, i)
			}
			whole = append(whole, first[len(first)-1])
		}
		n := near{}
		n.addSiblings(first, whole)
		for b := range place {
			in := 0
			for _, p := range place {
				if p == place[b] {
					in++
				}
			}
			siblings := n.of(int32(b))
			sorted := slices.Compact(slices.Clone(siblings))
			if len(sorted) != min(in-1, mostSiblings) || len(siblings) != len(sorted) || slices.Contains(siblings, int32(b)) {
				t.Fatalf("block %d of a place of %d has %d siblings", b, in, len(siblings))
			}
			for _, s := range siblings {
				if place[s] != place[b] {
					t.Fatalf("blocks %d and %d of places %d and %d", b, s, place[b], place[s])
				}
			}
		}
	})
}

// TestTalkersLeaveDearLinks: two pairs of ranks sit two by two on four leaves;
// the pair that talks more should not cross the dear uplink of leaf 0.
func TestTalkersLeaveDearLinks(t *testing.T) {
	machine := parse(t, "fattree:nodes-per-leaf=1,leaves-per-pod=4,pods=1,aggs-per-pod=1,cores=1")
	traffic, err := commgraph.NewTraffic(4, []commgraph.Flow{{From: 0, To: 1, Bytes: 100}, {From: 2, To: 3, Bytes: 1}, {From: 0, To: 2, Bytes: 1}, {From: 1, To: 3, Bytes: 1}}, false)
	if err != nil {
		t.Fatal(err)
	}
	p := &mapping.Problem{Graph: traffic.Graph(), Machine: machine, Allocation: everyHost(machine), LinkCost: slices.Repeat([]float64{1}, len(machine.Links))}
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
