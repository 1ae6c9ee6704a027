package geometric

import (
	"math/rand/v2"
	"testing"

	"remap/commgraph"
	"remap/mapping"
)

// Ranks that talk to all whose numbers differ in one bit are a hypercube: on a
// torus of fours, each ring a square, every pair is one link apart.
func TestCurvesOnHypercube(t *testing.T) {
	for _, c := range []struct {
		machine string
		bits    int
		want    float64
	}{{"torus:4x4x4", 6, 2}, {"torus:4x4", 4, 2}, {"mesh:2x2x2", 3, 2}, {"torus:2x2x2x2x2", 5, 2},
		{"torus:4x2x4", 5, 2}, {"mesh:4x4", 4, 2.5}} {
		var flows []commgraph.Flow
		for r := range int32(1) << c.bits {
			for b := range c.bits {
				flows = append(flows, commgraph.Flow{From: r, To: r ^ 1<<b, Bytes: 1})
			}
		}
		traffic, err := commgraph.NewTraffic(1<<c.bits, flows, false)
		if err != nil {
			t.Fatal(err)
		}
		machine := mustMachine(t, c.machine)
		p := &mapping.Problem{Graph: traffic.Graph(), Machine: machine,
			Allocation: &mapping.Allocation{Hosts: mapping.Identity(machine.Hosts())}}
		if length := average(p, mustMap(t, Curves(), p)); length != c.want {
			t.Errorf("%s: path length %v, want %v", c.machine, length, c.want)
		}
	}
}

// Chains follow a curve, one link a step, and on other networks the hierarchy,
// whatever order the hosts are in.
func TestCurvesOfChains(t *testing.T) {
	for machine, want := range map[string]float64{
		"mesh:8x8": 2, "torus:4x4x4": 2, "mesh:2x2x2x2": 2,
		"fattree:nodes-per-leaf=4,leaves-per-pod=4,pods=4,aggs-per-pod=2,cores=2": (48*1 + 12*3 + 3*5) / 63.0,
	} {
		p := job(t, machine, "ring:4")
		hosts := p.Machine.Hosts()
		p.Graph, p.Grid = gridGraph(t, []int{hosts}), nil
		rand.New(rand.NewPCG(3, 4)).Shuffle(hosts, func(i, j int) {
			h := p.Allocation.Hosts
			h[i], h[j] = h[j], h[i]
		})
		if length := average(p, mustMap(t, Curves(), p)); length != want {
			t.Errorf("%s: path length %v, want %v", machine, length, want)
		}
	}
}
