package mapping

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"remap/commgraph"
)

// flowTraffic is one flow of ranks, of so many bytes.
func flowTraffic(t fataler, ranks int, flows ...commgraph.Flow) *commgraph.Traffic {
	t.Helper()
	traffic, err := commgraph.NewTraffic(ranks, flows, false)
	if err != nil {
		t.Fatal(err)
	}
	return traffic
}

// TestPhasesClosedForm: two messages of one second each, over two leaf switches with
// one link up and one down. Side by side, each within a leaf switch, they have
// links of their own; over the top they share two. At once these take two
// seconds; in different phases each phase takes one, as it does side by side. A
// shared link is as full in either phase as with one message alone; at once it is
// twice as full, at 2^8 times the price a byte.
func TestPhasesClosedForm(t *testing.T) {
	machine := mustNetwork(t, "fattree:nodes-per-leaf=2,leaves-per-pod=2,pods=1,aggs-per-pod=1,cores=0")
	bytes := int64(machine.Links[0].BytesPerSecond)
	one, other := commgraph.Flow{From: 0, To: 2, Bytes: bytes}, commgraph.Flow{From: 1, To: 3, Bytes: bytes}
	both := flowTraffic(t, 4, one, other)
	atOnce := &Problem{Graph: both.Graph(), Traffic: both, Machine: machine, Allocation: allHosts(machine)}
	apart := *atOnce
	apart.Phases = []*commgraph.Traffic{flowTraffic(t, 4, one), flowTraffic(t, 4, other)}
	over, beside := Mapping{0, 1, 2, 3}, Mapping{0, 2, 1, 3}
	b := float64(bytes)
	for _, c := range []struct {
		what      string
		p         *Problem
		objective Objective
		m         Mapping
		want      float64
	}{
		{"at once", atOnce, LinkLoad, over, 2},
		{"at once", atOnce, LinkLoad, beside, 1},
		{"apart", &apart, LinkLoad, over, 1 + 1},
		{"apart", &apart, LinkLoad, beside, 1 + 1},
		{"at once", atOnce, Mixed, over, math.Sqrt(2 * 3 * b * 2)},
		{"apart", &apart, Mixed, over, math.Sqrt(2 * 3 * b * 2)},
		{"apart", &apart, Mixed, beside, math.Sqrt(2 * b * 2)},
		{"at once", atOnce, Capacity, over, 2*3*b + 4*b + 2*2*b*256},
		{"at once", atOnce, Capacity, beside, 2*b + 4*b},
		{"apart", &apart, Capacity, over, 2 * (3*b + 4*b)},
		{"apart", &apart, Capacity, beside, 2*b + 4*b},
	} {
		c.p.Objective = c.objective
		if err := c.p.Check(); err != nil {
			t.Fatal(err)
		}
		if got := c.p.Cost(c.m); math.Abs(got-c.want) > 1e-9*c.want {
			t.Errorf("%s, %s, %v: %g, want %g", c.objective, c.what, c.m, got, c.want)
		}
	}
}

// Phases that share a traffic out in fixed parts, some empty, cost what the whole
// does, with and without a limit of links.
func TestProportionalPhasesCostAsOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		machine, a, traffic, m := drawJob(t)
		parts := rapid.SliceOfN(rapid.Int64Range(0, 5), 1, 4).Draw(t, "parts")
		sum := int64(0)
		for _, n := range parts {
			sum += n
		}
		times := func(n int64) *commgraph.Traffic {
			some := *traffic
			some.Bytes = make([]int64, len(traffic.Bytes))
			for i, b := range traffic.Bytes {
				some.Bytes[i] = n * b
			}
			return &some
		}
		whole := &Problem{Traffic: times(sum), Machine: machine, Allocation: a,
			LinkSeconds: rapid.SampledFrom([]float64{0, 1e-7}).Draw(t, "limit")}
		whole.Graph = whole.Traffic.Graph()
		apart := *whole
		for _, n := range parts {
			apart.Phases = append(apart.Phases, times(n))
		}
		for _, o := range []Objective{PathLength, LinkLoad, Mixed, Capacity} {
			whole.Objective, apart.Objective = o, o
			if got, want := apart.Cost(m), whole.Cost(m); math.Abs(got-want) > 1e-9*want {
				t.Fatalf("%s: in parts of %v %g, whole %g", o, parts, got, want)
			}
		}
	})
}

// However a traffic is divided, the worst links need no less than at once, and what
// the phases need alone in sum; twice the weights double all costs, so that they
// keep the order of mappings; and the busiest ranks of the phases need at least
// the time of the busiest of all.
func TestPhasesBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		machine, a, traffic, m := drawJob(t)
		p := &Problem{Graph: traffic.Graph(), Traffic: traffic, Machine: machine, Allocation: a}
		count := rapid.IntRange(2, 4).Draw(t, "phases")
		for range count {
			part := *traffic
			part.Bytes = make([]int64, len(traffic.Bytes))
			p.Phases = append(p.Phases, &part)
		}
		for i, bytes := range traffic.Bytes {
			p.Phases[rapid.IntRange(0, count-1).Draw(t, "phase")].Bytes[i] = bytes
		}
		double := *p
		double.Graph, double.Traffic, double.Phases = twice(traffic).Graph(), twice(traffic), nil
		alone := 0.0
		for _, phase := range p.Phases {
			double.Phases = append(double.Phases, twice(phase))
			alone += (&Problem{Graph: p.Graph, Traffic: phase, Machine: machine, Allocation: a,
				Objective: LinkLoad}).Cost(m)
		}
		atOnce := *p
		atOnce.Phases, atOnce.Objective, p.Objective = nil, LinkLoad, LinkLoad
		if got := p.Cost(m); got < atOnce.Cost(m)*(1-1e-9) || math.Abs(got-alone) > 1e-9*alone {
			t.Fatalf("%g s apart, %g at once, %g alone", got, atOnce.Cost(m), alone)
		}
		seconds := 0.0
		for _, s := range p.PhaseSeconds() {
			seconds += s
		}
		if seconds < p.CapacitySeconds()*(1-1e-9) {
			t.Fatalf("busiest ranks of phases need %g s, that of all %g", seconds, p.CapacitySeconds())
		}
		for _, o := range []Objective{PathLength, LinkLoad, Mixed, Capacity} {
			p.Objective, double.Objective = o, o
			if one, two := p.Cost(m), double.Cost(m); math.Abs(two-2*one) > 1e-9*two {
				t.Fatalf("%s: %g, with twice the weights %g", o, one, two)
			}
		}
	})
}

func twice(traffic *commgraph.Traffic) *commgraph.Traffic {
	double := *traffic
	double.Bytes = make([]int64, len(traffic.Bytes))
	for i, bytes := range traffic.Bytes {
		double.Bytes[i] = 2 * bytes
	}
	return &double
}

// Phases of other ranks, or without the traffic they are parts of, fail the check.
func TestPhasesAreChecked(t *testing.T) {
	p := ringProblem(t, 8, 1)
	whole, small := p.Traffic, ringProblem(t, 7, 1).Traffic
	for _, c := range []struct {
		traffic *commgraph.Traffic
		phases  []*commgraph.Traffic
		reason  string
	}{
		{whole, nil, ""}, {whole, []*commgraph.Traffic{whole}, ""}, {nil, nil, ""},
		{whole, []*commgraph.Traffic{whole, small}, "phase 1 has 7 ranks, the graph 8"},
		{nil, []*commgraph.Traffic{whole}, "phases are given without the traffic"},
	} {
		p.Traffic, p.Phases = c.traffic, c.phases
		if err := p.Check(); (err == nil) != (c.reason == "") || err != nil &&
			!strings.Contains(err.Error(), c.reason) {
			t.Errorf("%v, want %q", err, c.reason)
		}
	}
}
