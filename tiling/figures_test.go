package tiling

import (
	"context"
	"math"
	"testing"

	"remap/commgraph"
	"remap/mapping"
	"remap/topology"
	"remap/workload"
)

// job is a pattern on a network.
func job(t testing.TB, network, pattern string) (*mapping.Problem, *commgraph.Traffic) {
	t.Helper()
	machine, err := topology.Parse(network)
	if err != nil {
		t.Fatal(err)
	}
	program, err := workload.ParsePattern(pattern)
	if err != nil {
		t.Fatal(err)
	}
	traffic, err := program.Traffic()
	if err != nil {
		t.Fatal(err)
	}
	hosts := make([]int32, machine.Hosts())
	for h := range hosts {
		hosts[h] = int32(h)
	}
	return &mapping.Problem{Graph: traffic.Graph(), Grid: program.Grid, Machine: machine,
		Allocation: &mapping.Allocation{Hosts: hosts}, Seed: 1}, traffic
}

func evaluate(t testing.TB, p *mapping.Problem, traffic *commgraph.Traffic, m mapping.Mapping) mapping.Costs {
	t.Helper()
	costs, err := mapping.Evaluate(p.Machine, p.Allocation, traffic, m, nil)
	if err != nil {
		t.Fatal(err)
	}
	return costs
}

// near tells whether a figure is the expected one to the digits printed.
func near(got, want, digit float64) bool { return math.Abs(got-want) <= digit/2 }

// The four ways to tile one level, and two levels, of table 4.1 in the thesis;
// its 1.433 is the first, its 1.374 for two levels is below the bound that the
// perimeters of 32 and 768 cells set.
func TestStencilFiguresOfTheThesis(t *testing.T) {
	p, traffic := job(t, "tapered", "stencil2d:64x72")
	places := mapping.NewPlaces(p.Machine, p.Allocation, nil)
	row, column := []int{0, 1}, []int{1, 0}
	for _, c := range []struct {
		name   string
		shapes [][]int
		axes   []int
		want   float64
	}{
		{"4 wide 8 tall, column order", [][]int{{4, 8}}, column, 1.43348},
		{"4 wide 8 tall, row order", [][]int{{4, 8}}, row, 1.42643},
		{"8 wide 4 tall, column order", [][]int{{8, 4}}, column, 1.43700},
		{"8 wide 4 tall, row order", [][]int{{8, 4}}, row, 1.42115},
		{"pods of 32x24 in tiles of 8x4", [][]int{{8, 4}, {32, 24}}, row, 1.39471},
		{"row major", nil, row, 2.08722},
	} {
		costs := evaluate(t, p, traffic, Place(places, Order(p.Grid, c.shapes, c.axes)))
		if !near(costs.AvgPathLength, c.want, 1e-5) {
			t.Errorf("%s: average path length %.6f, want %.5f", c.name, costs.AvgPathLength, c.want)
		}
		if c.shapes != nil && !near(costs.CutFraction, 0.17533, 1e-5) {
			t.Errorf("%s: cut fraction %.6f, want 0.17533", c.name, costs.CutFraction)
		}
	}
}

func TestStrategiesReachTheFigures(t *testing.T) {
	p, traffic := job(t, "tapered", "stencil2d:64x72")
	for levels, want := range map[int]float64{AllLevels: 1.39471, 2: 1.39471, 1: 1.42115} {
		m, err := Strategy(levels).Map(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		if costs := evaluate(t, p, traffic, m); !near(costs.AvgPathLength, want, 1e-5) {
			t.Errorf("%d levels: average path length %.6f, want %.5f", levels, costs.AvgPathLength, want)
		}
	}
}
