package mapping

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"remap/topology"
)

// bySearch is the number of links between each switch and switch `to`, by
// breadth-first search over the links alone.
func bySearch(machine *topology.Topology, to int32) []int {
	distance := make([]int, machine.Switches())
	for s := range distance {
		distance[s] = -1
	}
	distance[to] = 0
	for queue := []int32{to}; len(queue) > 0; queue = queue[1:] {
		for _, l := range machine.Links {
			if machine.IsHost(l.From) || machine.IsHost(l.To) || machine.SwitchOf(l.From) != queue[0] {
				continue
			}
			if s := machine.SwitchOf(l.To); distance[s] < 0 {
				distance[s] = distance[queue[0]] + 1
				queue = append(queue, s)
			}
		}
	}
	return distance
}

// follow carries one message on from a switch, splitting it by recursion.
func follow(machine *topology.Topology, loads []float64, distance []int, at int32, bytes float64) {
	if distance[at] == 0 {
		return
	}
	var next []int
	for i, l := range machine.Links {
		if !machine.IsHost(l.From) && !machine.IsHost(l.To) && machine.SwitchOf(l.From) == at &&
			distance[machine.SwitchOf(l.To)] == distance[at]-1 {
			next = append(next, i)
		}
	}
	if machine.Routes.Grid != nil {
		next = inFirstDimension(machine, next)
	}
	for _, i := range next {
		loads[i] += bytes / float64(len(next))
		follow(machine, loads, distance, machine.SwitchOf(machine.Links[i].To), bytes/float64(len(next)))
	}
}

// inFirstDimension keeps those of a grid switch's links that change the first
// coordinate that any of them changes: dimension order.
func inFirstDimension(machine *topology.Topology, links []int) (kept []int) {
	g := machine.Routes.Grid
	first := g.Dimensions
	for _, l := range links {
		switch k := g.Differs(machine.SwitchOf(machine.Links[l].From), machine.SwitchOf(machine.Links[l].To)); {
		case k < first:
			first, kept = k, []int{l}
		case k == first:
			kept = append(kept, l)
		}
	}
	return kept
}

// The aggregated loads equal those of every message followed on its own.
func TestLinkLoadsAgainstSingleMessages(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		machine, a, traffic, m := drawJob(t)
		hosts := m.Hosts(a)
		want := make([]float64, len(machine.Links))
		for r := range int32(len(m)) {
			first, end := traffic.Row(r)
			for i := first; i < end; i++ {
				from, to := hosts[r], hosts[traffic.Destinations[i]]
				if from == to {
					continue
				}
				bytes := float64(traffic.Bytes[i])
				for l, link := range machine.Links {
					if link.From == from || link.To == to && machine.IsHost(link.To) {
						want[l] += bytes // these networks have one rail a host
					}
				}
				follow(machine, want, bySearch(machine, machine.LeafSwitch(to)), machine.LeafSwitch(from), bytes)
			}
		}
		for l, seconds := range LinkLoads(machine, a, traffic, m) {
			if bytes := seconds * machine.Links[l].BytesPerSecond; math.Abs(bytes-want[l]) > 1e-6 {
				t.Fatalf("link %s to %s carries %g bytes, followed one by one %g",
					machine.NodeName(machine.Links[l].From), machine.NodeName(machine.Links[l].To), bytes, want[l])
			}
		}
	})
}

// All bytes on all links are bytes times links on the path, hosts' included;
// and load is linear: twice the bytes, twice the seconds.
func TestLinkLoadsAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		machine, a, traffic, m := drawJob(t)
		hosts := m.Hosts(a)
		var want, got float64
		for r := range int32(len(m)) {
			first, end := traffic.Row(r)
			for i := first; i < end; i++ {
				if h, to := hosts[r], hosts[traffic.Destinations[i]]; h != to {
					want += float64(traffic.Bytes[i]) * float64(machine.PathLength(h, to)+1)
				}
			}
		}
		once := LinkLoads(machine, a, traffic, m)
		for l, seconds := range once {
			got += seconds * machine.Links[l].BytesPerSecond
		}
		if math.Abs(got-want) > 1e-6*max(1, want) {
			t.Fatalf("links carry %g bytes, paths need %g", got, want)
		}
		for i := range traffic.Bytes {
			traffic.Bytes[i] *= 2
		}
		for l, seconds := range LinkLoads(machine, a, traffic, m) {
			if seconds != 2*once[l] {
				t.Fatalf("link %d: %g s for twice the bytes of %g s", l, seconds, once[l])
			}
		}
	})
}

// Row major on the tapered network: every leaf sends 32 messages up, 32 down
// and one sideways over its 16 up-links; that link is the worst.
func TestWorstLinkOfRowMajor(t *testing.T) {
	machine := mustNetwork(t, "tapered")
	costs := mustEvaluate(t, machine, allHosts(machine), mustTraffic(t, "stencil2d:64x72"), Identity(4608), nil)
	if want := 65 * 131072.0 / 16 / 12.5e9; math.Abs(costs.MaxLinkSeconds-want) > 1e-12 {
		t.Errorf("%g s, want %g", costs.MaxLinkSeconds, want)
	}
}

// Everybody to everybody on a torus of side 4: the mean distance is 1 in each
// dimension, so 64 x 64 x 3 messages spread evenly over 6 x 64 links, 32 each.
// The hosts' own links, with 63 messages each, are the worst.
func TestLoadsOfSymmetricTorus(t *testing.T) {
	machine := mustNetwork(t, "torus:4x4x4")
	const second = 1000 / 12.5e9 // of a message
	loads := LinkLoads(machine, allHosts(machine), mustTraffic(t, "alltoall:64,bytes=1000"), Identity(64))
	for l, seconds := range loads {
		want := 32 * second
		if machine.IsHost(machine.Links[l].From) || machine.IsHost(machine.Links[l].To) {
			want = 63 * second
		}
		if math.Abs(seconds-want) > 1e-15 {
			t.Fatalf("link %d takes %g s, want %g", l, seconds, want)
		}
	}
}

func benchmarkEvaluate(b *testing.B, network, pattern string, s Strategy) {
	machine := mustNetwork(b, network)
	traffic := mustTraffic(b, pattern)
	a := allHosts(machine)
	m, err := s.Map(b.Context(), &Problem{Graph: traffic.Graph(), Machine: machine, Allocation: a, Seed: 1})
	if err != nil {
		b.Fatal(err)
	}
	var costs Costs
	for b.Loop() {
		costs = mustEvaluate(b, machine, a, traffic, m, nil)
	}
	b.ReportMetric(costs.AvgPathLength, "path-length")
	b.ReportMetric(1e6*costs.MaxLinkSeconds, "worst-link-us")
}

func BenchmarkEvaluate(b *testing.B) {
	for _, c := range []struct{ name, network, pattern string }{
		{"ranks=4608/topology=tapered/pattern=stencil2d", "tapered", "stencil2d:64x72"},
		{"ranks=13824/topology=torus24/pattern=stencil3d7", "torus:24x24x24", "stencil3d7:24x24x24"},
	} {
		for _, s := range []Strategy{IdentityStrategy(), RandomStrategy()} {
			b.Run(c.name+"/strategy="+s.Name, func(b *testing.B) { benchmarkEvaluate(b, c.network, c.pattern, s) })
		}
	}
}
