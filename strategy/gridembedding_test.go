package strategy

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"remap/commgraph"
	"remap/mapping"
)

// relabelled is the graph with its vertices renamed at random.
func relabelled(t testing.TB, g *commgraph.Graph) *commgraph.Graph {
	t.Helper()
	name := rand.New(rand.NewPCG(9, 10)).Perm(g.Vertices())
	var flows []commgraph.Flow
	for v := range int32(g.Vertices()) {
		first, end := g.Row(v)
		for e := first; e < end; e++ {
			if u := g.Neighbors[e]; u > v {
				flows = append(flows, commgraph.Flow{From: int32(name[v]), To: int32(name[u]), Bytes: g.Weights[e]})
			}
		}
	}
	return graphOf(t, g.Vertices(), flows...)
}

// A grid on a network of its shape: every neighbour is one cable away, or on the
// same switch, whatever the labels and the order of the dimensions.
func TestGridOnNetworkOfItsShape(t *testing.T) {
	for _, c := range []struct {
		pattern, network string
		want             float64 // average path length
	}{
		{"stencil3d7:4x5x6", "torus:6x4x5", 2},
		{"stencil3d7:5x4x3", "mesh:3x4x5", 2},
		{"stencil2d:8x9", "mesh:9x8", 2},
		{"stencil2d:8x9", "mesh:9x4,hosts=2", 2 - float64(4*9)/float64(7*9+8*8)}, // pairs share a switch
	} {
		traffic, _ := mustTraffic(t, c.pattern)
		machine := mustNetwork(t, c.network)
		p := &mapping.Problem{Graph: relabelled(t, traffic.Graph()), Machine: machine,
			Allocation: &mapping.Allocation{Hosts: mapping.Identity(machine.Hosts())}}
		for _, s := range []mapping.Strategy{gridEmbedding().Strategy, best(effort{trials: 1})} {
			m, err := s.Map(context.Background(), p)
			if err != nil {
				t.Errorf("%s on %s: %v", c.pattern, c.network, err)
				continue
			}
			if err := m.Check(p.Ranks()); err != nil {
				t.Error(err)
			}
			got := float64(pathBytes(p, m)) / float64(p.Graph.TotalWeight())
			if got > c.want+1e-9 {
				t.Errorf("%s on %s by %s: average path length %.4f, want %.4f", c.pattern, c.network, s.Name, got, c.want)
			}
		}
	}
}

func TestCongruentRefuses(t *testing.T) {
	for pattern, network := range map[string]string{
		"stencil2d:8x9":    "mesh:6x12",
		"stencil2d:4x9":    "mesh:9x8", // half of it
		"stencil3d7:4x3x6": "mesh:9x8",
		"uniform:72":       "mesh:9x8",
		"stencil2d:6x8":    "fattree:nodes-per-leaf=4,leaves-per-pod=3,pods=4,aggs-per-pod=2,cores=2",
	} {
		traffic, grid := mustTraffic(t, pattern)
		machine := mustNetwork(t, network)
		p := &mapping.Problem{Graph: traffic.Graph(), Grid: grid, Machine: machine,
			Allocation: &mapping.Allocation{Hosts: mapping.Identity(machine.Hosts())}}
		if m, err := gridEmbedding().Map(context.Background(), p); err == nil || m != nil ||
			pattern != "uniform:72" && !errors.Is(err, errNoEmbedding) {
			t.Errorf("%s on %s: %v", pattern, network, err)
		}
	}
}
