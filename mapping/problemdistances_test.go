package mapping

import (
	"testing"

	"pgregory.net/rapid"

	"remap/commgraph"
)

// TestPathCost: it is the sum over pairs, at equal prices the unpriced one, and
// does not change when ranks get other numbers.
func TestPathCost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		machine, a, traffic, m := drawJob(t)
		g := traffic.Graph()
		p := &Problem{Graph: g, Machine: machine, Allocation: a, LinkCost: ones(len(machine.Links), 0.25)}
		if got, want := p.PathCost(m), DistanceScale*PathBytes(machine, a, g, m); got != want {
			t.Fatalf("equal prices: %d, want %d", got, want)
		}
		p.LinkCost = drawPrices(t, machine)
		d := mustDistances(t, machine, p.LinkCost)
		var want int64
		hosts := m.Hosts(a)
		for u := range int32(g.Vertices()) {
			first, end := g.Row(u)
			for i := first; i < end; i++ {
				if v := g.Neighbors[i]; v < u {
					want += g.Weights[i] * d.Between(hosts[u], hosts[v])
				}
			}
		}
		if got := p.PathCost(m); got != want || p.Cost(m) != float64(want) {
			t.Fatalf("cost %d and %g, want %d", got, p.Cost(m), want)
		}
		number := rapid.Permutation(Identity(len(m))).Draw(t, "numbers")
		var flows []commgraph.Flow
		renamed := make(Mapping, len(m))
		for r := range int32(len(m)) {
			renamed[number[r]] = m[r]
			first, end := traffic.Row(r)
			for i := first; i < end; i++ {
				flows = append(flows, commgraph.Flow{From: number[r], To: number[traffic.Destinations[i]],
					Bytes: traffic.Bytes[i]})
			}
		}
		again, err := commgraph.NewTraffic(len(m), flows, false)
		if err != nil {
			t.Fatal(err)
		}
		p.Graph = again.Graph()
		if got := p.PathCost(renamed); got != want {
			t.Fatalf("cost %d after renumbering, %d before", got, want)
		}
	})
}

// TestSharedDistances: copies of a problem have them, other prices do not.
func TestSharedDistances(t *testing.T) {
	machine := mustNetwork(t, "torus:4x3")
	p := &Problem{Graph: mustTraffic(t, "stencil2d:4x3").Graph(), Machine: machine,
		Allocation: allHosts(machine), LinkCost: ones(len(machine.Links), 1)}
	if err := p.ShareDistances(); err != nil {
		t.Fatal(err)
	}
	first, _ := p.Distances()
	other := *p
	if d, _ := other.Distances(); d != first {
		t.Error("a copy of the problem computes the distances again")
	}
	other.LinkCost = drawnPrices(len(machine.Links))
	if d, _ := other.Distances(); d == first || d.Between(0, 5) == first.Between(0, 5) {
		t.Error("other prices have the same distances")
	}
}

// TestSameBothWays: networks said to be so are; of those routed by table the
// cost of a path is the mean of both directions.
func TestSameBothWays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		machine := failSome(t, drawPriced(t))
		a, b := drawHosts(t, machine)
		there, back := machine.PathLength(a, b), machine.PathLength(b, a)
		if SameBothWays(machine) && there != back {
			t.Fatalf("%s: %d switches from host %d to %d, %d back", machine.Name, there, a, b, back)
		}
		traffic, err := commgraph.NewTraffic(2, []commgraph.Flow{{From: 0, To: 1, Bytes: 2}}, false)
		if err != nil {
			t.Fatal(err)
		}
		if a != b {
			if got := PathBytes(machine, allHosts(machine), traffic.Graph(), Mapping{a, b}); got != int64(there+back) {
				t.Fatalf("%s: 2 bytes over %d and %d switches cost %d", machine.Name, there, back, got)
			}
		}
	})
	machine, differ := irregular(), 0
	for a := range int32(machine.Hosts()) {
		for b := range a {
			if machine.PathLength(a, b) != machine.PathLength(b, a) {
				differ++
			}
		}
	}
	if differ == 0 {
		t.Error("no path differed from the way back: the mean of both was not tested")
	}
}
