package mapping

import (
	"math"
	"testing"

	"remap/commgraph"
	"remap/topology"
)

// TestCapacityClosedForm: one message over two leaf switches and one link up and
// one down. Its path has three switches; the busiest rank needs all its time on
// each of the four links, so each adds one; at half the rate free, 2^8.
func TestCapacityClosedForm(t *testing.T) {
	machine, err := topology.Parse("fattree:nodes-per-leaf=2,leaves-per-pod=2,pods=1,aggs-per-pod=1,cores=0")
	if err != nil {
		t.Fatal(err)
	}
	const bytes = 1000
	traffic, err := commgraph.NewTraffic(2, []commgraph.Flow{{From: 0, To: 1, Bytes: bytes}}, false)
	if err != nil {
		t.Fatal(err)
	}
	p := &Problem{Graph: traffic.Graph(), Traffic: traffic, Machine: machine,
		Allocation: &Allocation{Hosts: Identity(4)}, Objective: Capacity}
	far, near := Mapping{0, 2}, Mapping{0, 1}
	check := func(what string, m Mapping, want float64) {
		t.Helper()
		if err := p.Check(); err != nil {
			t.Fatal(err)
		}
		if got := p.Cost(m); math.Abs(got-want) > 1e-6*want {
			t.Errorf("%s: %g, want %g", what, got, want)
		}
	}
	if got, want := p.CapacitySeconds(), bytes/machine.Links[0].BytesPerSecond; got != want {
		t.Errorf("%g s, want %g", got, want)
	}
	check("over the top", far, bytes*(3+4))
	check("on one leaf switch", near, bytes*(1+2))
	p.LinkFree = make([]float64, len(machine.Links))
	for l := range p.LinkFree {
		p.LinkFree[l] = 1
		if link := machine.Links[l]; !machine.IsHost(link.From) && !machine.IsHost(link.To) {
			p.LinkFree[l] = 0.5
		}
	}
	check("half of the links between switches is free", far, bytes*(3+2+2*256))
	p.LinkSeconds = 2 * p.CapacitySeconds()
	check("twice the time", far, bytes*(3+2+2.0/256))
	p.LinkSeconds = 0
	p.Traffic = nil // half each way: half the time and half the bytes on every link, twice the links
	check("no directions known", near, bytes*(1+2*2*0.5))
	p.LinkCost = make([]float64, len(machine.Links))
	for l := range p.LinkCost {
		p.LinkCost[l] = 3
	}
	check("equal prices", near, bytes*(1+2*2*0.5))
}
