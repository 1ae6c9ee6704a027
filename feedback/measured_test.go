package feedback

import (
	"context"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"remap/counters"
	"remap/evalsim"
	"remap/mapping"
	"remap/topology"
	"remap/workload"
)

// ran is a job of a pattern on all hosts of a network, under a mapping.
type ran struct {
	machine    *topology.Topology
	allocation *mapping.Allocation
	program    *workload.Program
	mapping    mapping.Mapping
	// length links: seconds for the job's bytes
	loads []float64
}

func newRan(t interface{ Fatal(...any) }, spec, pattern string, m mapping.Mapping) *ran {
	r := &ran{mapping: m, allocation: &mapping.Allocation{}}
	var err error
	if r.machine, err = topology.Parse(spec); err != nil {
		t.Fatal(err)
	}
	if r.program, err = workload.ParsePattern(pattern); err != nil {
		t.Fatal(err)
	}
	for h := range int32(r.machine.Hosts()) {
		r.allocation.Hosts = append(r.allocation.Hosts, h)
	}
	if r.mapping == nil {
		r.mapping = mapping.Identity(r.program.Ranks())
	}
	traffic, err := r.program.Traffic()
	if err != nil {
		t.Fatal(err)
	}
	r.loads = mapping.LinkLoads(r.machine, r.allocation, traffic, r.mapping)
	return r
}

// measured is what counters say when the job is sent `factor` times a second
// beside others.
func (r *ran) measured(factor float64, foreign []float64) *counters.Links {
	n := len(r.loads)
	links := &counters.Links{Rate: make([]float64, n), Congested: make([]float64, n), Known: make([]bool, n)}
	for l, load := range r.loads {
		links.Rate[l], links.Known[l] = (factor*load+foreign[l])*r.machine.Links[l].BytesPerSecond, true
	}
	return links
}

func (r *ran) apart(t interface{ Fatal(...any) }, links *counters.Links,
	alone *evalsim.Result) *MeasuredNetwork {
	traffic, err := r.program.Traffic()
	if err != nil {
		t.Fatal(err)
	}
	return NewMeasuredNetwork(r.machine, r.allocation, traffic, r.mapping, links, alone)
}

const leafTree = "fattree:nodes-per-leaf=4,leaves-per-pod=4,pods=1,aggs-per-pod=2,cores=0,leaf-links=2"

// Others' traffic beside the job's is found, whatever the mapping, the network and the time that
// the job took.
func TestNewMeasuredFindsForeign(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec := rapid.SampledFrom([]string{leafTree, "torus:4x4",
			"dragonfly:groups=3,routers=2,hosts=3,global=1"}).Draw(t, "network")
		factor := rapid.Float64Range(0.01, 1e4).Draw(t, "factor")
		r := newRan(t, spec, "uniform:12,rounds=3,seed=5", nil)
		slots := make([]int, len(r.allocation.Hosts))
		for i := range slots {
			slots[i] = i
		}
		for i, s := range rapid.Permutation(slots).Draw(t, "slots")[:12] {
			r.mapping[i] = int32(s)
		}
		r = newRan(t, spec, "uniform:12,rounds=3,seed=5", r.mapping)
		foreign := make([]float64, len(r.loads))
		for l := range foreign {
			if link := &r.machine.Links[l]; !r.machine.IsHost(link.From) && !r.machine.IsHost(link.To) {
				foreign[l] = rapid.Float64Range(0, 0.9).Draw(t, "foreign")
			}
		}
		m := r.apart(t, r.measured(factor, foreign), nil)
		if math.Abs(m.Factor-factor) > 1e-9*factor || m.Alike+m.Idle != 0 || m.Hosts == 0 {
			t.Fatalf("factor %g, found %g by %d links", factor, m.Factor, m.Hosts)
		}
		for l := range foreign {
			if math.Abs(m.Foreign[l]-foreign[l]) > 1e-9*(1+factor*r.loads[l]) {
				t.Fatalf("link %d: foreign %g, found %g", l, foreign[l], m.Foreign[l])
			}
		}
	})
}

// Where routes of the real network do not divide equally, the foreign traffic of
// links that are used alike is right in sum.
func TestNewMeasuredUnequalRoutes(t *testing.T) {
	r := newRan(t, leafTree, "uniform:16,rounds=3", nil)
	n := len(r.loads)
	links := r.measured(10, make([]float64, n))
	classes := alike(r.machine)
	for l := range n { // all of a class on its first link
		first := slices.Index(classes, classes[l])
		if l != first {
			links.Rate[first] += links.Rate[l]
			links.Rate[l] = 0
		}
	}
	for l, foreign := range r.apart(t, links, nil).Foreign {
		if foreign > 1e-9 {
			t.Errorf("link %d: own traffic is taken for %g of others", l, foreign)
		}
	}
}

// A link that was not measured is taken as the others of its class, or as idle. Where the job's own
// links were not measured, all traffic is foreign.
func TestNewMeasuredUnknown(t *testing.T) {
	r := newRan(t, leafTree, "uniform:16,rounds=3", nil)
	foreign := make([]float64, len(r.loads))
	up := -1
	for l := range foreign {
		link := &r.machine.Links[l]
		if r.machine.IsHost(link.From) || r.machine.IsHost(link.To) {
			continue
		}
		foreign[l] = 0.5
		if up < 0 {
			up = l
		}
	}
	links := r.measured(7, foreign)
	links.Known[up] = false
	if m := r.apart(t, links, nil); math.Abs(m.Foreign[up]-0.5) > 1e-9 || m.Alike != 1 || m.Idle != 0 {
		t.Errorf("an unmeasured link has %g, %d alike, %d idle", m.Foreign[up], m.Alike, m.Idle)
	}
	for l := range links.Known {
		links.Known[l] = l == up
	}
	m := r.apart(t, links, nil)
	all := links.Rate[up] / r.machine.Links[up].BytesPerSecond
	if m.Factor != 0 || m.Hosts != 0 || math.Abs(m.Foreign[up]-all) > 1e-12 || m.Idle == 0 || m.Alike == 0 {
		t.Errorf("without hosts: %+v", m)
	}
	if m.Busiest() < 0 || m.Foreign[m.Busiest()] != slices.Max(m.Foreign) {
		t.Errorf("busiest %d", m.Busiest())
	}
}

// Stalls count as those of others, except for the stalls that the job has alone while it sends.
func TestNewMeasuredStalls(t *testing.T) {
	r := newRan(t, leafTree, "uniform:16,rounds=3", nil)
	n := len(r.loads)
	links := r.measured(100, make([]float64, n))
	// half of the time
	alone := &evalsim.Result{Makespan: 5e6, VolumeScale: 1, Links: make([]evalsim.LinkStats, n)}
	for l := range n {
		links.Congested[l] = 0.3
		alone.Links[l].Stalled = 0.4
	}
	m := r.apart(t, links, alone)
	for l := range n {
		if math.Abs(m.Foreign[l]-0.1) > 1e-9 {
			t.Fatalf("link %d: %g of others", l, m.Foreign[l])
		}
	}
	left, err := m.Throttled(r.machine)
	if err != nil {
		t.Fatal(err)
	}
	for l := range n {
		want := 0.9 * r.machine.Links[l].BytesPerSecond
		if math.Abs(left.Links[l].BytesPerSecond-want) > 1e-6*want {
			t.Fatalf("link %d has %g left", l, left.Links[l].BytesPerSecond)
		}
	}
}

// The loop sees others as they were measured, and the congestion of the mapping
// that ran; other mappings' congestion is the simulator's.
func TestSetView(t *testing.T) {
	r := newRan(t, leafTree, "uniform:16,rounds=3", nil)
	foreign := make([]float64, len(r.loads))
	foreign[len(foreign)-1] = 0.25
	links := r.measured(1, foreign)
	for l := range links.Congested {
		links.Congested[l] = 0.75
	}
	m := r.apart(t, links, nil)
	simulate := Simulator(r.machine, r.allocation, r.program, evalsim.DefaultOptions(), 1)
	s := Settings{Evaluate: simulate, EvaluateFiner: simulate}
	m.SetView(&s, r.mapping)
	other := slices.Clone(r.mapping)
	slices.Reverse(other)
	for i, x := range []mapping.Mapping{r.mapping, other, r.mapping, other} {
		evaluate := s.Evaluate
		if i >= 2 { // a closer look sees the measurement too
			evaluate = s.EvaluateFiner
		}
		e, err := evaluate(context.Background(), x, 0, 1)
		if err != nil {
			t.Fatal(err)
		}
		plain, seen := ExactView(r.machine, e), s.View(r.machine, e)
		if !slices.Equal(seen.Foreign, m.Foreign) || !slices.Equal(seen.Own, plain.Own) ||
			!slices.Equal(seen.Packets, plain.Packets) {
			t.Error("the view is not that of the simulator with the measured share of others")
		}
		for l := range seen.Congested {
			want := plain.Congested[l]
			if slices.Equal(x, r.mapping) {
				want = max(want, 0.75*plain.Packets[l])
			}
			if seen.Congested[l] != want {
				t.Fatalf("link %d: %g congested packets, want %g", l, seen.Congested[l], want)
			}
		}
	}
}
