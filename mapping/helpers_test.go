package mapping

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"remap/commgraph"
	"remap/topology"
	"remap/workload"
)

type fataler interface {
	Helper()
	Fatal(args ...any)
}

func mustNetwork(t fataler, spec string) *topology.Topology {
	t.Helper()
	machine, err := topology.Parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	return machine
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

// allHosts is the allocation of every host in order.
func allHosts(machine *topology.Topology) *Allocation {
	return &Allocation{Hosts: Identity(machine.Hosts())}
}

// drawNetwork draws a small network of any kind.
func drawNetwork(t *rapid.T) *topology.Topology {
	number := func(low, high int, name string) int { return rapid.IntRange(low, high).Draw(t, name) }
	switch number(0, 2, "kind") {
	case 0:
		groups := number(1, 3, "groups")
		each := number(1, 2, "cores per group")
		return mustNetwork(t, fmt.Sprintf("fattree:nodes-per-leaf=%d,leaves-per-pod=%d,pods=%d,aggs-per-pod=%d,"+
			"cores=%d,up=%d,leaf-links=%d",
			number(1, 3, "hosts"), number(1, 3, "leaves"), number(2, 3, "pods"), groups, groups*each,
			each*number(1, 2, "parallel"), number(1, 2, "leaf links")))
	case 1:
		return mustNetwork(t, fmt.Sprintf("torus:%dx%dx%d,hosts=%d,double=%t",
			number(1, 5, "x"), number(1, 4, "y"), number(1, 3, "z"), number(1, 2, "hosts"),
			rapid.Bool().Draw(t, "double")))
	}
	return mustNetwork(t, fmt.Sprintf("mesh:%dx%d,hosts=%d", number(1, 5, "x"), number(1, 4, "y"),
		number(1, 2, "hosts")))
}

// drawAllocation draws some hosts in any order with one to three slots each.
func drawAllocation(t *rapid.T, machine *topology.Topology) *Allocation {
	order := rapid.Permutation(Identity(machine.Hosts())).Draw(t, "hosts")
	a := &Allocation{Hosts: order[:rapid.IntRange(1, len(order)).Draw(t, "host count")]}
	if rapid.Bool().Draw(t, "slots given") {
		a.Slots = rapid.SliceOfN(rapid.Int32Range(1, 3), len(a.Hosts), len(a.Hosts)).Draw(t, "slots")
	}
	return a
}

// drawTraffic draws sparse traffic, self traffic and empty messages included.
func drawTraffic(t *rapid.T, ranks int) *commgraph.Traffic {
	var flows []commgraph.Flow
	if ranks > 0 {
		rank := rapid.Int32Range(0, int32(ranks-1))
		flows = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) commgraph.Flow {
			return commgraph.Flow{From: rank.Draw(t, "from"), To: rank.Draw(t, "to"),
				Bytes: rapid.Int64Range(0, 1000).Draw(t, "bytes")}
		}), 0, 30).Draw(t, "flows")
	}
	traffic, err := commgraph.NewTraffic(ranks, flows, false)
	if err != nil {
		t.Fatal(err)
	}
	return traffic
}

// drawMapping draws any valid mapping.
func drawMapping(t *rapid.T, ranks, slots int) Mapping {
	return Mapping(rapid.Permutation(Identity(slots)).Draw(t, "slots taken"))[:ranks]
}

// drawJob draws everything that costs depend on.
func drawJob(t *rapid.T) (*topology.Topology, *Allocation, *commgraph.Traffic, Mapping) {
	machine := drawNetwork(t)
	a := drawAllocation(t, machine)
	slots := a.SlotCount()
	ranks := rapid.IntRange(0, slots).Draw(t, "ranks")
	return machine, a, drawTraffic(t, ranks), drawMapping(t, ranks, slots)
}

func mustEvaluate(t fataler, machine *topology.Topology, a *Allocation, traffic *commgraph.Traffic, m,
	previous Mapping) Costs {
	t.Helper()
	costs, err := Evaluate(machine, a, traffic, m, previous)
	if err != nil {
		t.Fatal(err)
	}
	return costs
}

var _ fataler = (*testing.T)(nil)
