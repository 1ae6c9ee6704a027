package feedback

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"remap/commgraph"
	"remap/counters"
	"remap/evalsim"
	"remap/mapping"
	"remap/topology"
	"remap/workload"
)

const (
	foreignTree  = "fattree:nodes-per-leaf=4,leaves-per-pod=6,pods=1,aggs-per-pod=2,cores=0"
	foreignTorus = "torus:4x4x4"
)

// fatal is what ends a test, of testing or of rapid.
type fatal interface{ Fatal(...any) }

// measuredOf is what counters tell of traffic between hosts, rank r on host hosts[r], whose
// bytes pass once a second.
func measuredOf(t fatal, machine *topology.Topology, hosts []int32, flows []commgraph.Flow) *MeasuredNetwork {
	traffic, err := commgraph.NewTraffic(len(hosts), flows, true)
	if err != nil {
		t.Fatal(err)
	}
	n := len(machine.Links)
	m := &MeasuredNetwork{Own: make([]float64, n), Congested: make([]float64, n), Known: make([]bool, n)}
	a := &mapping.Allocation{Hosts: hosts}
	m.Carried = mapping.LinkLoads(machine, a, traffic, mapping.Identity(len(hosts)))
	for l := range m.Known {
		m.Known[l] = true
	}
	return m
}

// everySecond is the hosts with odd numbers, and those with even ones.
func everySecond(machine *topology.Topology) (odd, even []int32) {
	for h := range int32(machine.Hosts()) {
		if h%2 == 1 {
			odd = append(odd, h)
		} else {
			even = append(even, h)
		}
	}
	return odd, even
}

func parsed(t fatal, spec string) *topology.Topology {
	machine, err := topology.Parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	return machine
}

// Rates between leaves add up to what hosts and links between switches were measured
// to carry, whatever the traffic; and they grow with it.
func TestForeignMatrixKeepsSums(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		networks := []string{foreignTree, foreignTorus, "hyperx:4x4,hosts=2"}
		machine := parsed(t, rapid.SampledFrom(networks).Draw(t, "network"))
		odd, even := everySecond(machine)
		var flows, twice []commgraph.Flow
		for i := range odd {
			for range rapid.IntRange(1, 3).Draw(t, "receivers") {
				to := rapid.IntRange(0, len(odd)-1).Draw(t, "to")
				bytes := rapid.Int64Range(1e8, 1e9).Draw(t, "bytes")
				flows = append(flows, commgraph.Flow{From: int32(i), To: int32(to), Bytes: bytes})
				twice = append(twice, commgraph.Flow{From: int32(i), To: int32(to), Bytes: 2 * bytes})
			}
		}
		m := measuredOf(t, machine, odd, flows)
		x := newForeignMatrix(machine, even, m, true)
		if x == nil {
			return // no host sends to another
		}
		if a, b := total(x.rates), total(x.sends); math.Abs(a-b) > 1e-6*b {
			t.Fatalf("%g bytes a second between leaves, hosts send %g", a, b)
		}
		off, sum := 0.0, 0.0
		for _, c := range append(x.ends(), x.links...) {
			off, sum = off+math.Abs(c.of(x.rates)-c.sum), sum+c.sum
		}
		if off > 0.05*sum {
			t.Fatalf("sums differ by %.3f of what was measured", off/sum)
		}
		y := newForeignMatrix(machine, even, measuredOf(t, machine, odd, twice), true)
		mean := total(y.sends) / float64(len(y.sends)) // a leaf alone may send nothing
		for p := range x.rates {
			if math.Abs(y.rates[p]-2*x.rates[p]) > 1e-6*mean {
				t.Fatalf("rate %g, of twice the traffic %g", x.rates[p], y.rates[p])
			}
		}
	})
}

// Streams of hosts, each to one receiver and at a rate of its own, are found again from
// sums alone; so are their bytes on every link.
func TestForeignStreamsAreFound(t *testing.T) {
	for _, spec := range []string{foreignTree, foreignTorus} {
		machine := parsed(t, spec)
		odd, even := everySecond(machine)
		order := rand.New(rand.NewPCG(3, 4)).Perm(len(odd))
		var flows []commgraph.Flow
		for k, i := range order {
			share := 0.1 + 0.9*float64(k)/float64(len(order))
			to := int32(order[(k+1)%len(order)])
			flows = append(flows, commgraph.Flow{From: int32(i), To: to, Bytes: int64(1e10 * share)})
		}
		m := measuredOf(t, machine, odd, flows)
		x := newForeignMatrix(machine, even, m, true)
		found := x.streams(rand.New(rand.NewPCG(1, 1)))
		x.refine(found, x.links)
		var again []commgraph.Flow
		for i, list := range found {
			for _, f := range list {
				from, to := slices.Index(odd, x.hosts[i]), slices.Index(odd, x.hosts[f.to])
				again = append(again, commgraph.Flow{From: int32(from), To: int32(to), Bytes: int64(f.rate)})
			}
		}
		off, sum := 0.0, 0.0
		carried := measuredOf(t, machine, odd, again).Carried
		for l := range carried {
			off, sum = off+math.Abs(carried[l]-m.Carried[l]), sum+m.Carried[l]
		}
		t.Logf("%s: bytes on links differ by %.4f", spec, off/sum)
		if len(again) != len(odd) || off > 0.15*sum {
			t.Errorf("%s: %d streams of %d hosts, bytes on links differ by %.3f", spec, len(again), len(odd),
				off/sum)
		}
	}
}

// Refinement never makes the sums worse, and does not change what hosts send and receive.
func TestRefineImproves(t *testing.T) {
	machine := parsed(t, foreignTorus)
	odd, even := everySecond(machine)
	var flows []commgraph.Flow
	for i := range odd {
		flows = append(flows, commgraph.Flow{From: int32(i), To: int32((i*7 + 3) % len(odd)), Bytes: 5e9})
	}
	x := newForeignMatrix(machine, even, measuredOf(t, machine, odd, flows), true)
	list := make([][]flow, len(x.hosts))
	in := make([]int, len(x.hosts))
	for i := range list {
		list[i] = []flow{{int32((i + 1) % len(list)), 5e9}}
	}
	gap := func() (sum float64) {
		rates := make([]float64, len(x.rates))
		for i := range list {
			rates[int(x.leafOf[i])*len(x.leaves)+int(x.leafOf[list[i][0].to])] += list[i][0].rate
		}
		for _, c := range x.links {
			sum += (c.of(rates) - c.sum) * (c.of(rates) - c.sum)
		}
		return sum
	}
	before := gap()
	x.refine(list, x.links)
	if after := gap(); after > before/4 {
		t.Errorf("the squared differences of sums were %g, are %g", before, after)
	}
	for i := range list {
		in[list[i][0].to]++
		if list[i][0].to == int32(i) {
			t.Errorf("host %d sends to itself", i)
		}
	}
	if slices.Max(in) != 1 {
		t.Errorf("receivers of %v streams", in)
	}
}

// Traffic that is found from the counters of a run has the effect beside that run that the real
// traffic had. A network without other hosts has none.
func TestFindOthers(t *testing.T) {
	machine := parsed(t, foreignTree)
	odd, even := everySecond(machine)
	program, err := workload.ParsePattern("uniform:12,rounds=8")
	if err != nil {
		t.Fatal(err)
	}
	traffic, err := program.Traffic()
	if err != nil {
		t.Fatal(err)
	}
	ring, err := workload.ParsePattern("ring:12")
	if err != nil {
		t.Fatal(err)
	}
	r := &MeasuredRun{Machine: machine, Allocation: &mapping.Allocation{Hosts: even}, Program: program,
		Workers:  2,
		Previous: mapping.Identity(12), Options: evalsim.DefaultOptions(), Routing: mapping.MinimalRouting}
	r.Options.Steps, r.Options.Sampling = 0, evalsim.Options{}.Sampling
	find := func(background ...evalsim.Job) *Others {
		jobs := append([]evalsim.Job{{Program: program, Hosts: even}}, background...)
		results, err := evalsim.Repeat(context.Background(), machine, jobs, r.Options, 1, 1, nil)
		if err != nil {
			t.Fatal(err)
		}
		links := countersOf(machine, results[0])
		m := NewMeasuredNetwork(machine, r.Allocation, traffic, r.Previous, links, nil)
		o, err := m.FindOthers(context.Background(), r)
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	if o := find(); o != nil {
		t.Errorf("others are found where there are none: %+v", o.Name)
	}
	o := find(evalsim.Job{Program: ring, Hosts: odd, Endless: true})
	if o == nil || o.Name != "streams" || o.Hosts != 12 || o.Bytes > 0.1 || math.Abs(o.Time-1) > 0.15 {
		t.Fatalf("a ring beside the job: %+v", o)
	}
	simulate := o.Simulator(r, r.Options)
	whole, err := simulate(context.Background(), r.Previous, 3, 6)
	if err != nil {
		t.Fatal(err)
	}
	for i, time := range whole.Times() { // repeats are the same, asked for alone
		one, err := simulate(context.Background(), r.Previous, 3+i, 1)
		if err != nil {
			t.Fatal(err)
		}
		if one.Times()[0] != time {
			t.Errorf("repeat %d takes %g ns alone, %g among others", 3+i, one.Times()[0], time)
		}
	}
}

// countersOf is what ports count in a simulation.
func countersOf(machine *topology.Topology, r *evalsim.Result) *counters.Links {
	links := &counters.Links{}
	for l := range machine.Links {
		links.Rate = append(links.Rate, r.Links[l].Busy*machine.Links[l].BytesPerSecond)
		links.Congested = append(links.Congested, r.Links[l].Stalled)
		links.Known = append(links.Known, true)
	}
	return links
}
