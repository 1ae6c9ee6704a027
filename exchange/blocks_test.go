package exchange

import (
	"context"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"remap/commgraph"
	"remap/mapping"
	"remap/topology"
)

// Pricing a block leaves everything as it was. The gain that it sets is by how much the cost falls
// when the block moves.
func TestBlockGainIsDifferenceOfCosts(t *testing.T) {
	onEach(t, func(t *rapid.T, machine *topology.Topology) {
		p := drawProblem(t, machine)
		p.MaxMoves = rapid.IntRange(1, max(1, p.Ranks())).Draw(t, "moves")
		start := p.StartMapping()
		r := newLocalSearch(NewState(p, start), quick)
		for _, ranks := range r.blocks() {
			b := block{ranks: ranks, site: rapid.Int32Range(0, int32(r.sites.count()-1)).Draw(t, "site")}
			r.price(&b)
			if !slices.Equal(r.slotOf, start) || r.away != 0 || !near(r.Cost(), p.Cost(start)) {
				t.Fatalf("pricing has left %v (%d away, cost %g) of %v (cost %g)", r.slotOf, r.away, r.Cost(),
					start, p.Cost(start))
			}
			if b.gain <= 0 {
				continue
			}
			from := r.moveBlock(&b)
			if err := r.check(); err != nil || from == nil {
				t.Fatal(from, err)
			}
			moves := p.Moves(r.slotOf)
			if fell := p.Cost(start) - p.Cost(r.slotOf); moves > p.MaxMoves ||
				math.Abs(fell-b.gain*float64(moves)) > 1e-9*max(p.Cost(start), p.Cost(r.slotOf)) {
				t.Fatalf("%d ranks moved, the cost fell by %g, said to gain %g each", moves, fell, b.gain)
			}
			for i := len(ranks) - 1; i >= 0; i-- {
				r.Exchange(r.slotOf[ranks[i]], from[i])
			}
		}
	})
}

// Ranks that talk most to each other leave a leaf switch whose links others use. They go to the
// empty one together, with as many moves as they are; alone none of them would gain.
func TestBlocksLeaveLoadedLeaf(t *testing.T) {
	machine := mustNetwork(t, "fattree:nodes-per-leaf=4,leaves-per-pod=4,pods=1,aggs-per-pod=2,cores=0")
	p := &mapping.Problem{Machine: machine, Allocation: &mapping.Allocation{}, Objective: mapping.Capacity,
		Seed: 1}
	var flows []commgraph.Flow
	for r := range int32(12) {
		for i := range int32(3) {
			flows = append(flows, commgraph.Flow{From: r, To: r/4*4 + (r+i+1)%4, Bytes: 100000})
		}
		flows = append(flows, commgraph.Flow{From: r, To: (r + 4) % 12, Bytes: 50000})
	}
	var err error
	if p.Traffic, err = commgraph.NewTraffic(12, flows, false); err != nil {
		t.Fatal(err)
	}
	p.Graph = p.Traffic.Graph()
	p.LinkFree = make([]float64, len(machine.Links))
	for h := range int32(machine.Hosts()) {
		p.Allocation.Hosts = append(p.Allocation.Hosts, h)
	}
	for l := range machine.Links {
		p.LinkFree[l] = 1
		link := &machine.Links[l]
		if machine.IsHost(link.From) || machine.IsHost(link.To) {
			continue
		}
		if loaded := machine.LeafSwitch(4); machine.SwitchOf(link.From) == loaded ||
			machine.SwitchOf(link.To) == loaded {
			p.LinkFree[l] = 0.3
		}
	}
	for _, moves := range []int{4, 12} {
		p.MaxMoves = moves
		m, err := Refine(context.Background(), p, p.StartMapping(), DefaultOptions)
		if err != nil {
			t.Fatal(err)
		}
		stay := 0
		for _, slot := range m {
			if slot/4 == 1 {
				stay++
			}
		}
		if stay > 0 || p.Moves(m) > moves {
			t.Errorf("at most %d moves: %d ranks stay on the loaded leaf, and %d have moved: %v", moves,
				stay, p.Moves(m), m)
		}
	}
}
