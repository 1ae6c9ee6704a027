package mapping

import (
	"context"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"remap/commgraph"
)

// The costs from their definitions, over the folded graph.
func TestEvaluateAgainstDefinitions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		machine, a, traffic, m := drawJob(t)
		previous := drawMapping(t, len(m), a.SlotCount())
		got := mustEvaluate(t, machine, a, traffic, m, previous)
		g, hosts := traffic.Graph(), m.Hosts(a)
		var switches, hops, cut float64
		for u := range int32(g.Vertices()) {
			first, end := g.Row(u)
			for i := first; i < end; i++ {
				if u > g.Neighbors[i] || hosts[u] == hosts[g.Neighbors[i]] {
					continue
				}
				links := bySearch(machine, machine.LeafSwitch(hosts[u]))[machine.LeafSwitch(hosts[g.Neighbors[i]])]
				weight := float64(g.Weights[i])
				switches += weight * float64(links+1)
				hops += weight * float64(links)
				if links > 0 {
					cut += weight
				}
			}
		}
		total := math.Max(1, float64(g.TotalWeight()))
		movedRanks := 0
		for r := range hosts {
			if hosts[r] != previous.Hosts(a)[r] {
				movedRanks++
			}
		}
		want := Costs{Ranks: len(m), AvgPathLength: switches / total, HopBytes: int64(hops),
			CutFraction:    cut / total,
			MaxLinkSeconds: got.MaxLinkSeconds, MovedRanks: movedRanks}
		if got != want {
			t.Fatalf("got %+v, want %+v", got, want)
		}
		if float64(PathBytes(machine, a, g, m)) != switches {
			t.Fatalf("%d path bytes, want %g", PathBytes(machine, a, g, m), switches)
		}
	})
}

// Renaming the ranks, in the traffic and in the mapping, changes no cost.
func TestEvaluateIgnoresRankNames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		machine, a, traffic, m := drawJob(t)
		name := rapid.Permutation(Identity(len(m))).Draw(t, "names")
		var flows []commgraph.Flow
		for r := range int32(len(m)) {
			first, end := traffic.Row(r)
			for i := first; i < end; i++ {
				flows = append(flows, commgraph.Flow{From: name[r], To: name[traffic.Destinations[i]],
					Bytes: traffic.Bytes[i]})
			}
		}
		renamed, err := commgraph.NewTraffic(len(m), flows, false)
		if err != nil {
			t.Fatal(err)
		}
		moved := make(Mapping, len(m))
		for r, s := range m {
			moved[name[r]] = s
		}
		x := mustEvaluate(t, machine, a, traffic, m, m)
		y := mustEvaluate(t, machine, a, renamed, moved, moved)
		if math.Abs(x.MaxLinkSeconds-y.MaxLinkSeconds) > 1e-12*x.MaxLinkSeconds {
			t.Fatalf("worst link %g and %g", x.MaxLinkSeconds, y.MaxLinkSeconds)
		}
		if y.MaxLinkSeconds = x.MaxLinkSeconds; x != y {
			t.Fatalf("%+v became %+v", x, y)
		}
	})
}

func TestEvaluateWithoutBytes(t *testing.T) {
	machine := mustNetwork(t, "torus:2x2")
	for ranks := range 5 {
		flows := []commgraph.Flow{{From: 0, To: 0, Bytes: 99}}
		if ranks == 0 {
			flows = nil
		}
		traffic, err := commgraph.NewTraffic(ranks, flows, false)
		if err != nil {
			t.Fatal(err)
		}
		if got := mustEvaluate(t, machine, allHosts(machine), traffic, Identity(ranks),
			nil); got != (Costs{Ranks: ranks}) {
			t.Errorf("%d ranks without traffic between them: %+v", ranks, got)
		}
	}
}

func TestEvaluateRefuses(t *testing.T) {
	machine := mustNetwork(t, "torus:2x2")
	traffic := mustTraffic(t, "ring:4")
	for _, c := range []struct {
		m, previous Mapping
		want        string
	}{
		{Mapping{0, 1, 2}, nil, "3 ranks, the traffic 4"},
		{Mapping{0, 1, 2, 4}, nil, "slot 4 of 4"},
		{Mapping{0, 1, 2, 2}, nil, "slot 2 holds"},
		{Mapping{0, 1, 2, 3}, Mapping{0}, "previous mapping has 1 ranks"},
		{Mapping{0, 1, 2, 3}, Mapping{0, 0, 1, 2}, "previous mapping: slot 0"},
	} {
		if _, err := Evaluate(machine, allHosts(machine), traffic, c.m, c.previous); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%v after %v: %v, want an error with %q", c.m, c.previous, err, c.want)
		}
	}
}

// The 64x72 stencil on the tapered network: row major exactly, and random
// placement within four standard errors of its expected 4.654.
func TestStencilFigures(t *testing.T) {
	machine := mustNetwork(t, "tapered")
	traffic := mustTraffic(t, "stencil2d:64x72")
	a := allHosts(machine)
	row := mustEvaluate(t, machine, a, traffic, Identity(4608), nil)
	if math.Abs(row.AvgPathLength-2.08722) > 5e-6 || math.Abs(row.CutFraction-0.50837) > 5e-6 {
		t.Errorf("row major: %+v, want 2.08722 and a cut of 0.50837", row)
	}
	if row.HopBytes != int64(math.Round((row.AvgPathLength-1)*2*9080*131072)) {
		t.Errorf("row major: %d hop bytes", row.HopBytes)
	}
	p := &Problem{Graph: traffic.Graph(), Machine: machine, Allocation: a}
	const seeds = 20
	var sum, squares float64
	for seed := range uint64(seeds) {
		p.Seed = seed
		m, err := RandomStrategy().Map(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		length := float64(PathBytes(machine, a, p.Graph, m)) / float64(p.Graph.TotalWeight())
		sum, squares = sum+length, squares+length*length
	}
	mean := sum / seeds
	spread := math.Sqrt((squares/seeds - mean*mean) / (seeds - 1))
	if math.Abs(mean-4.654) > 4*spread+5e-4 || spread > 0.005 {
		t.Errorf("random: mean of %d seeds %.4f +- %.4f, want 4.654", seeds, mean, spread)
	}
}

// Every rank is held by its slot, all other slots by none; and a mapping with
// some ranks on other hosts has moved so many.
func TestHoldersAndMoves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		machine, a, traffic, m := drawJob(t)
		held := 0
		for s, r := range m.Holders(a.SlotCount()) {
			if r >= 0 {
				held++
				if m[r] != int32(s) {
					t.Fatalf("slot %d holds rank %d, which is on slot %d", s, r, m[r])
				}
			}
		}
		if held != len(m) {
			t.Fatalf("%d slots hold %d ranks", held, len(m))
		}
		p := &Problem{Graph: traffic.Graph(), Machine: machine, Allocation: a,
			Start: drawMapping(t, len(m), a.SlotCount())}
		want, hosts := 0, a.HostOfSlot()
		for r := range m {
			if hosts[m[r]] != hosts[p.Start[r]] {
				want++
			}
		}
		if got := p.Moves(m); got != want || p.Moves(p.Start) != 0 {
			t.Fatalf("%d ranks moved, want %d", got, want)
		}
	})
}
