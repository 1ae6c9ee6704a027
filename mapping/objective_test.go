package mapping

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"remap/commgraph"
	"remap/input"
)

// Names are read back, and any other is refused with all that are known.
func TestParseObjective(t *testing.T) {
	for _, name := range Objectives() {
		o, err := ParseObjective(name)
		if err != nil || o.String() != name {
			t.Errorf("%s is read as %v (%v)", name, o, err)
		}
	}
	_, err := ParseObjective("hops")
	if wrong := new(input.Error); !errors.As(err, &wrong) || !strings.Contains(wrong.Hint, "link-load") {
		t.Errorf("an unknown objective gives %v", err)
	}
}

// ringProblem is a ring of n ranks, each sending bytes to both neighbours, on
// a ring of n switches.
func ringProblem(t fataler, n int, bytes int64) *Problem {
	var flows []commgraph.Flow
	for r := range n {
		flows = append(flows,
			commgraph.Flow{From: int32(r), To: int32((r + 1) % n), Bytes: bytes},
			commgraph.Flow{From: int32((r + 1) % n), To: int32(r), Bytes: bytes})
	}
	traffic, err := commgraph.NewTraffic(n, flows, false)
	if err != nil {
		t.Fatal(err)
	}
	machine := mustNetwork(t, fmt.Sprintf("torus:%d", n))
	return &Problem{Graph: traffic.Graph(), Traffic: traffic, Machine: machine, Allocation: allHosts(machine)}
}

// A ring on a ring: every edge has 2 x bytes over 2 switches, every link
// between switches carries bytes, every host's own links twice that. Every
// second rank on the other half of an even ring of n: edges have n/2 links, and
// at every switch the bytes divide over both ways round.
func TestCostOfRings(t *testing.T) {
	const bytes = 12_500 // 1 µs on a link of 100 Gbit/s
	for _, n := range []int{4, 8, 64} {
		p := ringProblem(t, n, bytes)
		near := Identity(n)
		path, load := float64(n*2*bytes*2), 2e-6
		for objective, want := range map[Objective]float64{PathLength: path, LinkLoad: load,
			Mixed: math.Sqrt(path * load)} {
			p.Objective = objective
			if got := p.Cost(near); math.Abs(got-want) > 1e-9*want {
				t.Errorf("ring of %d in order: %s is %g, want %g", n, objective, got, want)
			}
		}
		// Rank r on switch r/2, odd ones half way round: r to r+1 are n/2 links
		// apart or one less.
		far := make(Mapping, n)
		for r := range far {
			far[r] = int32(r / 2)
			if r%2 == 1 {
				far[r] += int32(n / 2)
			}
		}
		links := n/2*(n/2) + (n/2-1)*(n/2-1) + 1 // of all edges, the last from n-1 to 0
		p.Objective = PathLength
		if got, want := p.Cost(far), float64(2*bytes*(links+n)); got != want {
			t.Errorf("ring of %d dealt to halves: path length %g, want %g", n, got, want)
		}
	}
}

// Twice the weights keep the order of any two mappings, under every objective.
func TestTwiceTheWeightsKeepTheOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		machine, a, traffic, m := drawJob(t)
		other := drawMapping(t, len(m), a.SlotCount())
		p := &Problem{Graph: traffic.Graph(), Machine: machine, Allocation: a}
		double := &Problem{Graph: traffic.Graph(), Machine: machine, Allocation: a}
		for i := range double.Graph.Weights {
			double.Graph.Weights[i] *= 2
		}
		if rapid.Bool().Draw(t, "traffic known") {
			p.Traffic = traffic
			twice := *traffic
			twice.Bytes = make([]int64, len(traffic.Bytes))
			for i, b := range traffic.Bytes {
				twice.Bytes[i] = 2 * b
			}
			double.Traffic = &twice
		}
		for _, o := range []Objective{PathLength, LinkLoad, Mixed, Capacity} {
			p.Objective, double.Objective = o, o
			if math.Abs(double.Cost(m)-2*p.Cost(m)) > 1e-9*double.Cost(m) ||
				(p.Cost(m) < p.Cost(other)) != (double.Cost(m) < double.Cost(other)) {
				t.Fatalf("%s: %g and %g, with twice the weights %g "+
					"and %g", o, p.Cost(m), p.Cost(other), double.Cost(m), double.Cost(other))
			}
		}
	})
}

// Without traffic half of every edge's weight goes each way: the same as
// traffic that does so.
func TestLinkLoadWithoutTraffic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		machine, a, traffic, m := drawJob(t)
		g := traffic.Graph()
		for i := range g.Weights {
			g.Weights[i] *= 2 // so that they can be halved
		}
		without := &Problem{Graph: g, Machine: machine, Allocation: a, Objective: LinkLoad}
		with := *without
		with.Traffic = g.Traffic()
		if got, want := without.Cost(m), with.Cost(m); math.Abs(got-want) > 1e-9*want {
			t.Fatalf("the worst link takes %g s from edges, %g s from their halves each way", got, want)
		}
	})
}

// A share of every link's rate alike makes every link as much slower; less on
// one link makes the worst link no faster; and links that nothing crosses may
// have no rate left.
func TestLinkFree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		machine, a, traffic, m := drawJob(t)
		p := &Problem{Graph: traffic.Graph(), Traffic: traffic, Machine: machine, Allocation: a,
			Objective: LinkLoad}
		whole := p.Cost(m)
		share := rapid.Float64Range(0.01, 1).Draw(t, "share")
		p.LinkFree = make([]float64, len(machine.Links))
		for l := range p.LinkFree {
			p.LinkFree[l] = share
		}
		if got, want := p.Cost(m), whole/share; math.Abs(got-want) > 1e-9*want {
			t.Fatalf("with %g of all links left: %g s, want %g", share, got, want)
		}
		loads := LinkLoads(machine, a, traffic, m)
		for l := range p.LinkFree {
			p.LinkFree[l] = 1
			if loads[l] == 0 {
				p.LinkFree[l] = 0
			}
		}
		one := rapid.IntRange(0, len(loads)-1).Draw(t, "link")
		if loads[one] > 0 {
			p.LinkFree[one] = share
		}
		if got, want := p.Cost(m), max(whole, loads[one]/share); math.Abs(got-want) > 1e-9*want {
			t.Fatalf("with %g of link %d left: %g s, want %g", share, one, got, want)
		}
	})
}

// Shares of rates that do not fit the links, or are none, fail the problem's check.
func TestLinkFreeIsChecked(t *testing.T) {
	p := ringProblem(t, 8, 1)
	links := len(p.Machine.Links)
	for _, c := range []struct {
		free   []float64
		reason string
	}{
		{nil, ""}, {ones(links, 0.5), ""}, {ones(links, 0), ""}, {ones(links, 2), ""},
		{ones(links-1, 1), "shares of rates for"}, {[]float64{}, "0 shares of rates for"},
		{ones(links, -1), "leave -1 of link 0"}, {ones(links, math.NaN()), "leave NaN of " +
			"link 0"}, {ones(links, math.Inf(1)), "leave +Inf of link 0"},
	} {
		p.LinkFree = c.free
		if err := p.Check(); (err == nil) != (c.reason == "") || err != nil &&
			!strings.Contains(err.Error(), c.reason) {
			t.Errorf("%v, want %q", err, c.reason)
		}
	}
}
