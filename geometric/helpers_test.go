package geometric

import (
	"context"
	"fmt"

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

func mustMachine(t fataler, spec string) *topology.Topology {
	t.Helper()
	machine, err := topology.Parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	return machine
}

func mustMap(t fataler, s mapping.Strategy, p *mapping.Problem) mapping.Mapping {
	t.Helper()
	m, err := s.Map(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Check(p.Allocation.SlotCount()); err != nil || len(m) != p.Ranks() || m == nil {
		t.Fatal(s.Name, len(m), "ranks of", p.Ranks(), err)
	}
	return m
}

// job is a pattern on every host of a machine, its grid known.
func job(t fataler, machine, pattern string) *mapping.Problem {
	t.Helper()
	program, err := workload.ParsePattern(pattern)
	if err != nil {
		t.Fatal(err)
	}
	traffic, err := program.Traffic()
	if err != nil {
		t.Fatal(err)
	}
	p := &mapping.Problem{Graph: traffic.Graph(), Grid: program.Grid, Machine: mustMachine(t, machine)}
	if p.Grid == nil {
		p.Grid = []int{p.Ranks()}
	}
	p.Allocation = &mapping.Allocation{Hosts: mapping.Identity(p.Machine.Hosts())}
	return p
}

// average is the cost of a mapping as a path length.
func average(p *mapping.Problem, m mapping.Mapping) float64 {
	return p.Cost(m) / float64(p.Graph.TotalWeight())
}

var machines = []string{
	"fattree:nodes-per-leaf=3,leaves-per-pod=4,pods=2,aggs-per-pod=2,cores=2",
	"fattree:nodes-per-leaf=5,leaves-per-pod=5,pods=1,aggs-per-pod=1,cores=0",
	"torus:4x3x2", "torus:5x5", "torus:3x2,hosts=4", "mesh:6x4", "mesh:7", "dragonfly:groups=5,routers=2," +
		"hosts=2,global=2", "hyperx:3x3,hosts=2",
}

// drawProblem draws ranks at any places, some without one where missing says
// so, on some hosts of any machine.
func drawProblem(t *rapid.T, missing bool) *mapping.Problem {
	machine := mustMachine(t, rapid.SampledFrom(machines).Draw(t, "machine"))
	order := rapid.Permutation(mapping.Identity(machine.Hosts())).Draw(t, "hosts")
	a := &mapping.Allocation{Hosts: order[:rapid.IntRange(1, len(order)).Draw(t, "host count")]}
	if rapid.Bool().Draw(t, "uneven") {
		a.Slots = rapid.SliceOfN(rapid.Int32Range(1, 4), len(a.Hosts), len(a.Hosts)).Draw(t, "slots")
	}
	slots := a.SlotCount()
	ranks := rapid.IntRange(max(1, slots/2), slots).Draw(t, "ranks")
	p := &mapping.Problem{Graph: drawGraph(t, ranks), Machine: machine, Allocation: a}
	dims := rapid.IntRange(1, 3).Draw(t, "dimensions")
	high := rapid.SampledFrom([]int32{2, 10, 1000}).Draw(t, "side")
	p.Coordinates = &commgraph.Coordinates{Dimensions: dims,
		Values: rapid.SliceOfN(rapid.Int32Range(0, high), ranks*dims, ranks*dims).Draw(t, "places")}
	if missing {
		for _, r := range rapid.SliceOfN(rapid.IntRange(1, max(1, ranks-1)), 0, ranks).Draw(t, "without a place") {
			for k := range dims {
				if r < ranks {
					p.Coordinates.Values[r*dims+k] = -1
				}
			}
		}
	}
	return p
}

func drawGraph(t *rapid.T, ranks int) *commgraph.Graph {
	rank := rapid.Int32Range(0, int32(ranks-1))
	flows := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) commgraph.Flow {
		return commgraph.Flow{From: rank.Draw(t, "from"), To: rank.Draw(t, "to"),
			Bytes: rapid.Int64Range(1, 1000).Draw(t, "bytes")}
	}), 0, 60).Draw(t, "flows")
	traffic, err := commgraph.NewTraffic(ranks, flows, false)
	if err != nil {
		t.Fatal(fmt.Sprint(err))
	}
	return traffic.Graph()
}
