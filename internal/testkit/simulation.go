// Package testkit is what tests of several packages share: drawn graphs, prices of links and
// mapping problems, small networks, programs and simulations, and comparisons. Only tests import it.
package testkit

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	"remap/evalsim"
	"remap/sampling"
	"remap/simfiles"
	"remap/topology"
	"remap/workload"
)

// Network is the topology of a spec.
func Network(t testing.TB, spec string) *topology.Topology {
	t.Helper()
	top, err := topology.Parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	return top
}

// Failed is a network without some of its links.
func Failed(t testing.TB, top *topology.Topology, links ...string) *topology.Topology {
	t.Helper()
	left, err := topology.Degrade(top, links, nil)
	if err != nil {
		t.Fatal(err)
	}
	return left
}

// SwitchLink is the number, as text, of the count-th link between two switches.
func SwitchLink(top *topology.Topology, count int) string {
	for l := range top.Links {
		if !top.IsHost(top.Links[l].From) && !top.IsHost(top.Links[l].To) {
			if count--; count < 0 {
				return fmt.Sprint(l)
			}
		}
	}
	return ""
}

// Program has the listed sends {source, destination, bytes}, each rank its own in order.
func Program(ranks int, sends ...[3]int) *workload.Program {
	p := &workload.Program{Offsets: make([]int32, ranks+1), VolumeScale: 1}
	for r := range ranks {
		for _, s := range sends {
			if s[0] == r {
				p.Ops = append(p.Ops, workload.Op{Peer: int32(s[1]), Bytes: int64(s[2])})
			}
		}
		p.Offsets[r+1] = int32(len(p.Ops))
	}
	return p
}

// Identity places rank i on host i.
func Identity(ranks int) []int32 {
	hosts := make([]int32, ranks)
	for i := range hosts {
		hosts[i] = int32(i)
	}
	return hosts
}

// TwoJobs are a stencil and a random pattern that share a small fat tree.
func TwoJobs(t testing.TB) (*topology.Topology, []evalsim.Job) {
	t.Helper()
	top := Network(t, "fattree:nodes-per-leaf=4,leaves-per-pod=2,pods=2,aggs-per-pod=1,cores=1")
	jobs := make([]evalsim.Job, 2)
	for i, spec := range []string{"stencil2d:4x2,bytes=262144,rounds=2",
		"uniform:8,bytes=262144,rounds=3,seed=2"} {
		p, err := workload.ParsePattern(spec)
		if err != nil {
			t.Fatal(err)
		}
		jobs[i].Program = p
		for r := range p.Ranks() {
			jobs[i].Hosts = append(jobs[i].Hosts, int32(2*r+i))
		}
	}
	return top, jobs
}

// Phased gives the operations of p the phases in turn, and five tags in turn.
func Phased(p *workload.Program, phases ...string) *workload.Program {
	p.Phases = phases
	for i := range p.Ops {
		p.Ops[i].Phase = uint8(i % max(1, len(phases)))
		p.Ops[i].Tag = uint16(i % 5)
	}
	return p
}

// Measured simulates TwoJobs five times with every measurement on. Deliveries are by repeat.
func Measured(t testing.TB, v sampling.Variant, workers int) (*topology.Topology, []evalsim.Job,
	[]*evalsim.Result, [][]evalsim.Delivery) {
	t.Helper()
	top, jobs := TwoJobs(t)
	jobs[0].Program = Phased(jobs[0].Program, "east", "west", "turn")
	o := evalsim.DefaultOptions()
	o.Latencies, o.ByPhase, o.ByTag, o.ByCallSite, o.SliceLength, o.Sampling = true, true, true, true, 40_000, v
	s, err := evalsim.New(top, jobs, o)
	if err != nil {
		t.Fatal(err)
	}
	deliveries := make([][]evalsim.Delivery, 5)
	last := 0
	take := func(repeat int, some []evalsim.Delivery) error {
		if repeat < last {
			t.Errorf("repeat %d after %d", repeat, last)
		}
		last = repeat
		deliveries[repeat] = append(deliveries[repeat], some...)
		return nil
	}
	results, err := s.RepeatDelivered(context.Background(), 0, len(deliveries), workers, nil, take)
	if err != nil {
		t.Fatal(err)
	}
	return top, jobs, results, deliveries
}

// Near reports a value that is not within a tolerance of what is wanted.
func Near(t testing.TB, what string, got, want, tolerance float64) {
	t.Helper()
	if math.Abs(got-want) > tolerance {
		t.Errorf("%s: %g, want %g within %g", what, got, want, tolerance)
	}
}

// SameTables compares two tables up to the rounding of sums in another order.
func SameTables(t testing.TB, got, want *sampling.Table) {
	t.Helper()
	if got.Variant != want.Variant || got.Received != want.Received {
		t.Fatalf("received %+v, want %+v", got.Received, want.Received)
	}
	for i := range want.Links {
		g, w := got.Links[i], want.Links[i]
		for _, pair := range [][2]float64{{g.Packets, w.Packets}, {g.PacketsVariance, w.PacketsVariance},
			{g.Congested, w.Congested}, {g.CongestedVariance, w.CongestedVariance}, {g.Covariance, w.Covariance}} {
			if math.Abs(pair[0]-pair[1]) > 1e-9*(1+math.Abs(pair[1])) {
				t.Fatalf("link %d: %+v, want %+v", i, g, w)
			}
		}
	}
}

// LinksFile is the links file of some repeats of jobs, as simulate writes it.
func LinksFile(t testing.TB, top *topology.Topology, jobs []evalsim.Job, o evalsim.Options,
	repeats int) string {
	t.Helper()
	results, err := evalsim.Repeat(context.Background(), top, jobs, o, repeats, runtime.GOMAXPROCS(0), nil)
	if err != nil {
		t.Fatal(err)
	}
	var file strings.Builder
	if err := simfiles.WriteLinks(&file, top, results, simfiles.LinksOptions{}); err != nil {
		t.Fatal(err)
	}
	return file.String()
}
