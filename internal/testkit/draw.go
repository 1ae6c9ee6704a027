package testkit

import (
	"pgregory.net/rapid"

	"remap/commgraph"
	"remap/mapping"
	"remap/topology"
)

// Graph draws any small graph with weights from 1 to 20.
func Graph(t *rapid.T, vertices int) *commgraph.Graph {
	var flows []commgraph.Flow
	if vertices > 1 {
		for range rapid.IntRange(0, 3*vertices).Draw(t, "edges") {
			flows = append(flows, commgraph.Flow{
				From:  rapid.Int32Range(0, int32(vertices-1)).Draw(t, "from"),
				To:    rapid.Int32Range(0, int32(vertices-1)).Draw(t, "to"),
				Bytes: rapid.Int64Range(1, 20).Draw(t, "bytes"),
			})
		}
	}
	traffic, err := commgraph.NewTraffic(vertices, flows, false)
	if err != nil {
		t.Fatal(err)
	}
	return traffic.Graph()
}

// Problem draws a job on any hosts of the machine that spec names, with any start
// and any limit of moves.
func Problem(t *rapid.T, spec string) *mapping.Problem {
	machine, err := topology.Parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	hosts := rapid.Permutation(mapping.Identity(machine.Hosts())).Draw(t, "hosts")
	a := &mapping.Allocation{Hosts: hosts[:rapid.IntRange(1, len(hosts)).Draw(t, "used")]}
	if rapid.Bool().Draw(t, "slots") {
		a.Slots = rapid.SliceOfN(rapid.Int32Range(1, 3), len(a.Hosts), len(a.Hosts)).Draw(t, "each")
	}
	p := &mapping.Problem{Machine: machine, Allocation: a}
	p.Graph = Graph(t, rapid.IntRange(0, a.SlotCount()).Draw(t, "ranks"))
	if rapid.Bool().Draw(t, "started") {
		p.Start = rapid.Permutation(mapping.Identity(a.SlotCount())).Draw(t, "start")[:p.Ranks()]
	}
	p.MaxMoves = rapid.IntRange(0, 8).Draw(t, "moves")
	return p
}

// Fix draws which ranks of the problem are fixed, to any slots.
func Fix(t *rapid.T, p *mapping.Problem) {
	slots := rapid.Permutation(mapping.Identity(p.Allocation.SlotCount())).Draw(t, "fixed slots")
	p.Fixed = make([]int32, p.Ranks())
	for r := range p.Fixed {
		p.Fixed[r] = -1
		if rapid.Bool().Draw(t, "fixed") {
			p.Fixed[r] = slots[r]
		}
	}
}

// PricedSpecs are machines whose layouts differ in form once links have prices.
var PricedSpecs = []string{
	"fattree:nodes-per-leaf=3,leaves-per-pod=2,pods=2,aggs-per-pod=1,cores=2",
	"torus:3x2x2", "torus:3x2,hosts=3",
	"dragonfly:routers=2,hosts=2,global=2,groups=3",
}

// Price draws prices of links: those of hosts from one set of values, the others
// from another, so that leaf switches with one price and with several both occur.
func Price(t *rapid.T, p *mapping.Problem) {
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
