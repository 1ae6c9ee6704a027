package partition

import (
	"math"
	"math/rand/v2"
	"testing"

	"remap/commgraph"
	"remap/mapping"
	"remap/topology"
)

func build(t testing.TB, vertices int, flows []commgraph.Flow) *commgraph.Graph {
	traffic, err := commgraph.NewTraffic(vertices, flows, false)
	if err != nil {
		t.Fatal(err)
	}
	return traffic.Graph()
}

// grid is a width x height stencil, rank = y*width + x.
func grid(t testing.TB, width, height int) *commgraph.Graph {
	var flows []commgraph.Flow
	for v := range int32(width * height) {
		if int(v)%width+1 < width {
			flows = append(flows, commgraph.Flow{From: v, To: v + 1, Bytes: 1})
		}
		if int(v)+width < width*height {
			flows = append(flows, commgraph.Flow{From: v, To: v + int32(width), Bytes: 1})
		}
	}
	return build(t, width*height, flows)
}

// geometric joins random points of the unit square within a radius for a mean
// degree of about 14, weights 1 to 10.
func geometric(t testing.TB, n int) *commgraph.Graph {
	chance := rand.New(rand.NewPCG(1, uint64(n)))
	x, y := make([]float64, n), make([]float64, n)
	for v := range n {
		x[v], y[v] = chance.Float64(), chance.Float64()
	}
	radius := math.Sqrt(14 / (float64(n) * math.Pi))
	var flows []commgraph.Flow
	for u := range n {
		for v := range u {
			if math.Hypot(x[u]-x[v], y[u]-y[v]) <= radius {
				flows = append(flows, commgraph.Flow{From: int32(u), To: int32(v), Bytes: 1 + chance.Int64N(10)})
			}
		}
	}
	return build(t, n, flows)
}

// powerLaw attaches every vertex to four earlier ones, by their degree.
func powerLaw(t testing.TB, n int) *commgraph.Graph {
	chance := rand.New(rand.NewPCG(2, uint64(n)))
	var flows []commgraph.Flow
	ends := []int32{0}
	for v := int32(1); v < int32(n); v++ {
		for range min(4, v) {
			u := ends[chance.IntN(len(ends))]
			flows = append(flows, commgraph.Flow{From: v, To: u, Bytes: 1 + chance.Int64N(100)})
			ends = append(ends, u, v)
		}
	}
	return build(t, n, flows)
}

func star(t testing.TB, n int) *commgraph.Graph {
	var flows []commgraph.Flow
	for v := int32(1); v < int32(n); v++ {
		flows = append(flows, commgraph.Flow{From: 0, To: v, Bytes: int64(v)})
	}
	return build(t, n, flows)
}

func complete(t testing.TB, n int) *commgraph.Graph {
	var flows []commgraph.Flow
	for v := range int32(n) {
		for u := range v {
			flows = append(flows, commgraph.Flow{From: v, To: u, Bytes: 1})
		}
	}
	return build(t, n, flows)
}

// scattered is many small rings and some vertices alone.
func scattered(t testing.TB, n int) *commgraph.Graph {
	var flows []commgraph.Flow
	for v := range int32(n) {
		if ring := v / 5 * 5; v%7 != 0 && ring+4 < int32(n) {
			flows = append(flows, commgraph.Flow{From: v, To: ring + (v+1)%5, Bytes: 3})
		}
	}
	return build(t, n, flows)
}

type namedGraph struct {
	name  string
	graph *commgraph.Graph
}

// sharedGraphs are those every strategy must handle, n vertices each or near.
func sharedGraphs(t testing.TB, n int) []namedGraph {
	side := int(math.Sqrt(float64(n)))
	return []namedGraph{
		{"none", build(t, 0, nil)},
		{"one", build(t, 1, nil)},
		{"empty", build(t, n, nil)},
		{"path", grid(t, n, 1)},
		{"grid", grid(t, side, n/side)},
		{"geometric", geometric(t, n)},
		{"powerlaw", powerLaw(t, n)},
		{"star", star(t, n)},
		{"scattered", scattered(t, n)},
		{"complete", complete(t, min(n, 40))},
	}
}

// relabelled renames vertex v to name[v].
func relabelled(t testing.TB, g *commgraph.Graph, name []int) *commgraph.Graph {
	var flows []commgraph.Flow
	for u := range int32(g.Vertices()) {
		first, end := g.Row(u)
		for i := first; i < end; i++ {
			if v := g.Neighbors[i]; u < v {
				flows = append(flows, commgraph.Flow{From: int32(name[u]), To: int32(name[v]), Bytes: g.Weights[i]})
			}
		}
	}
	return build(t, g.Vertices(), flows)
}

func machineOf(t testing.TB, spec string) *topology.Topology {
	machine, err := topology.Parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	return machine
}

func everyHost(machine *topology.Topology) *mapping.Allocation {
	return &mapping.Allocation{Hosts: mapping.Identity(machine.Hosts())}
}

// averages gives the path length and the share of weight between leaf switches.
func averages(p *mapping.Problem, m mapping.Mapping) (length, cutShare float64) {
	hosts := m.Hosts(p.Allocation)
	for u := range int32(p.Graph.Vertices()) {
		first, end := p.Graph.Row(u)
		for i := first; i < end; i++ {
			if v := p.Graph.Neighbors[i]; v < u && p.Machine.LeafSwitch(hosts[u]) != p.Machine.LeafSwitch(hosts[v]) {
				cutShare += float64(p.Graph.Weights[i])
			}
		}
	}
	total := float64(max(1, p.Graph.TotalWeight()))
	return float64(mapping.PathBytes(p.Machine, p.Allocation, p.Graph, m)) / total, cutShare / total
}
