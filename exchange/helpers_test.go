package exchange

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"remap/commgraph"
	"remap/mapping"
	"remap/topology"
	"remap/workload"
)

type fataler interface {
	Helper()
	Fatal(args ...any)
}

var _ fataler = (*testing.T)(nil)

func mustNetwork(t fataler, spec string) *topology.Topology {
	t.Helper()
	machine, err := topology.Parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	return machine
}

func mustDegrade(t fataler, spec string, failed, slowed []string) *topology.Topology {
	t.Helper()
	machine, err := topology.Degrade(mustNetwork(t, spec), failed, slowed)
	if err != nil {
		t.Fatal(err)
	}
	return machine
}

// Hosts a and b have a rail on each of two switches, c and d on one; two cables
// join the switches.
const twoRails = `Switch	5 "S-1"	# "left"
[1]	"H-a1"[1]	# "a one" lid 1 4xEDR
[2]	"H-b1"[1]	# "b one" lid 2 4xEDR
[5]	"H-d"[1]	# "d one" lid 9 4xEDR
[3]	"S-2"[3]	# "right" lid 3 4xEDR
[4]	"S-2"[4]	# "right" lid 3 4xEDR

Switch	5 "S-2"	# "right"
[1]	"H-a2"[1]	# "a two" lid 4 4xEDR
[2]	"H-b2"[1]	# "b two" lid 5 4xHDR
[5]	"H-c"[1]	# "c one" lid 6 4xEDR
[3]	"S-1"[3]	# "left" lid 7 4xEDR
[4]	"S-1"[4]	# "left" lid 7 4xEDR

Ca	1 "H-a1"	# "a one"
[1]	"S-1"[1]	# "left" lid 7 4xEDR
Ca	1 "H-b1"	# "b one"
[1]	"S-1"[2]	# "left" lid 7 4xEDR
Ca	1 "H-a2"	# "a two"
[1]	"S-2"[1]	# "right" lid 3 4xEDR
Ca	1 "H-b2"	# "b two"
[1]	"S-2"[2]	# "right" lid 3 4xHDR
Ca	1 "H-c"	# "c one"
[1]	"S-2"[5]	# "right" lid 3 4xEDR
Ca	1 "H-d"	# "d one"
[1]	"S-1"[5]	# "left" lid 7 4xEDR
`

// network is a machine that tests run on.
type network struct {
	name string
	make func(t fataler) *topology.Topology
}

func spec(text string) network {
	return network{text, func(t fataler) *topology.Topology { return mustNetwork(t, text) }}
}

// networks are of every kind that paths and loads treat in a way of their own.
func networks() []network {
	return []network{
		spec("fattree:nodes-per-leaf=3,leaves-per-pod=3,pods=2,aggs-per-pod=2,cores=4,up=4"),
		spec("fattree:nodes-per-leaf=2,leaves-per-pod=4,pods=1,aggs-per-pod=2,cores=0"),
		spec("xgft:down=2x3x2,up=1x2x2,parallel=1x2x1"),
		spec("xgft:down=2x2x2,up=2x1x2"),
		spec("torus:4x3x2,hosts=1"),
		spec("mesh:4x3,hosts=2"),
		spec("dragonfly:groups=5,routers=2,hosts=2,global=2"),
		spec("hyperx:3x3,hosts=2"),
		{"tree without a cable", func(t fataler) *topology.Topology {
			return mustDegrade(t, "fattree:nodes-per-leaf=2,leaves-per-pod=2,pods=2,aggs-per-pod=2,cores=2",
				[]string{"leaf0:pod0-agg1"}, nil)
		}},
		{"tree with a slow cable", func(t fataler) *topology.Topology {
			return mustDegrade(t, "fattree:nodes-per-leaf=2,leaves-per-pod=2,pods=2,aggs-per-pod=2,cores=2",
				nil, []string{"leaf0:pod0-agg1=0.5"})
		}},
		{"torus without a cable", func(t fataler) *topology.Topology {
			return mustDegrade(t, "torus:4x4", []string{"s0-0:s1-0"}, nil)
		}},
		{"rails", func(t fataler) *topology.Topology {
			machine, err := topology.ReadIBNetDiscover("two rails", strings.NewReader(twoRails))
			if err != nil {
				t.Fatal(err)
			}
			return machine
		}},
	}
}

// drawProblem draws a problem without constraints: some hosts, uneven slots
// or not, spare slots or not, traffic or only its graph, phases, shares of links.
func drawProblem(t *rapid.T, machine *topology.Topology) *mapping.Problem {
	order := rapid.Permutation(mapping.Identity(machine.Hosts())).Draw(t, "hosts")
	a := &mapping.Allocation{Hosts: order[:len(order)-rapid.IntRange(0, len(order)-1).Draw(t,
		"hosts left out")]}
	if rapid.Bool().Draw(t, "slots given") {
		a.Slots = rapid.SliceOfN(rapid.Int32Range(1, 3), len(a.Hosts), len(a.Hosts)).Draw(t, "slots")
	}
	ranks := a.SlotCount() - rapid.IntRange(0, a.SlotCount()).Draw(t, "spare slots")
	traffic := drawTraffic(t, ranks)
	p := &mapping.Problem{Graph: traffic.Graph(), Machine: machine, Allocation: a, Seed: 1}
	if rapid.Bool().Draw(t, "traffic known") {
		p.Traffic = traffic
		p.Phases = divided(traffic, rapid.IntRange(1, 4).Draw(t, "phases"),
			rapid.Uint64().Draw(t, "division"))
	}
	if rapid.Bool().Draw(t, "links shared") {
		p.LinkFree = rapid.SliceOfN(rapid.Float64Range(0.1, 1), len(machine.Links),
			len(machine.Links)).Draw(t, "free")
	}
	if rapid.Bool().Draw(t, "links priced") {
		p.LinkCost = rapid.SliceOfN(rapid.SampledFrom([]float64{0, 0.5, 1, 1, 1, 7}), len(machine.Links),
			len(machine.Links)).Draw(t, "prices")
	}
	p.Objective = mapping.Objective(rapid.IntRange(0, len(mapping.Objectives())-1).Draw(t, "objective"))
	p.Routing = rapid.SampledFrom([]mapping.RoutingModel{mapping.MinimalRouting, mapping.StaticRouting}).Draw(t,
		"routing")
	return p
}

func drawTraffic(t *rapid.T, ranks int) *commgraph.Traffic {
	var flows []commgraph.Flow
	if ranks > 0 {
		rank := rapid.Int32Range(0, int32(ranks-1))
		flows = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) commgraph.Flow {
			return commgraph.Flow{From: rank.Draw(t, "from"), To: rank.Draw(t, "to"),
				Bytes: rapid.Int64Range(0, 1000).Draw(t, "bytes")}
		}), 0, 40).Draw(t, "flows")
	}
	traffic, err := commgraph.NewTraffic(ranks, flows, false)
	if err != nil {
		t.Fatal(err)
	}
	return traffic
}

// divided gives every phase a share of every entry of a traffic, often nothing.
func divided(traffic *commgraph.Traffic, phases int, seed uint64) []*commgraph.Traffic {
	chance := rand.New(rand.NewPCG(seed, 2))
	list := make([]*commgraph.Traffic, phases)
	for i := range list {
		list[i] = &commgraph.Traffic{Offsets: traffic.Offsets, Destinations: traffic.Destinations,
			Bytes: make([]int64, len(traffic.Bytes))}
	}
	for e, bytes := range traffic.Bytes {
		for i := range list {
			part := chance.Int64N(bytes + 1)
			if i == phases-1 || chance.IntN(2) == 0 {
				part = bytes
			}
			list[i].Bytes[e] = part
			bytes -= part
		}
	}
	return list
}

func drawMapping(t *rapid.T, ranks, slots int) mapping.Mapping {
	return mapping.Mapping(rapid.Permutation(mapping.Identity(slots)).Draw(t, "slots taken"))[:ranks]
}

// constrain adds fixed ranks, a start mapping and a limit of moves.
func constrain(t *rapid.T, p *mapping.Problem) {
	slots := p.Allocation.SlotCount()
	if rapid.Bool().Draw(t, "start given") {
		p.Start = drawMapping(t, p.Ranks(), slots)
	}
	if rapid.Bool().Draw(t, "some fixed") {
		p.Fixed = drawMapping(t, p.Ranks(), slots)
		for r := range p.Fixed {
			if rapid.IntRange(0, 2).Draw(t, "free") > 0 {
				p.Fixed[r] = -1
			}
		}
	}
	p.MaxMoves = rapid.IntRange(0, p.Ranks()/2).Draw(t, "most moves")
}

func mustTraffic(t fataler, pattern string) *commgraph.Traffic {
	t.Helper()
	program, err := workload.ParsePattern(pattern)
	if err != nil {
		t.Fatal(err)
	}
	traffic, err := program.Traffic()
	if err != nil {
		t.Fatal(err)
	}
	return traffic
}

// patternProblem is a pattern on all hosts of a network.
func patternProblem(t fataler, network, pattern string) *mapping.Problem {
	t.Helper()
	traffic := mustTraffic(t, pattern)
	machine := mustNetwork(t, network)
	return &mapping.Problem{
		Graph: traffic.Graph(), Traffic: traffic, Machine: machine, Seed: 1,
		Allocation: &mapping.Allocation{Hosts: mapping.Identity(machine.Hosts())},
	}
}

// shuffled is a random mapping.
func shuffled(p *mapping.Problem, seed uint64) mapping.Mapping {
	slots := mapping.Identity(p.Allocation.SlotCount())
	chance := rand.New(rand.NewPCG(seed, 1))
	chance.Shuffle(len(slots), func(i, j int) { slots[i], slots[j] = slots[j], slots[i] })
	return slots[:p.Ranks()]
}

// onEach runs a property on every network.
func onEach(t *testing.T, property func(t *rapid.T, machine *topology.Topology)) {
	t.Helper()
	for i, n := range networks() {
		t.Run(fmt.Sprintf("%d %s", i, n.name), func(t *testing.T) {
			machine := n.make(t)
			rapid.Check(t, func(t *rapid.T) { property(t, machine) })
		})
	}
}
