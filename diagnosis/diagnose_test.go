package diagnosis_test

import (
	"context"
	"fmt"
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"remap/diagnosis"
	"remap/evalsim"
	"remap/linkview"
	"remap/sampling"
	"remap/topology"
	"remap/workload"
)

// seen simulates jobs on two leaf switches of 8 hosts with two links up, and gives what the first job's
// packets tell, and the administrator's view.
func seen(t *testing.T, jobs ...evalsim.Job) (in *diagnosis.Input, all *linkview.View) {
	t.Helper()
	machine, err := topology.Parse("fattree:nodes-per-leaf=8,leaves-per-pod=4,pods=1,aggs-per-pod=2,cores=0")
	if err != nil {
		t.Fatal(err)
	}
	o := evalsim.DefaultOptions()
	o.Sampling = sampling.Reservoirs
	first, err := evalsim.Run(context.Background(), machine, jobs, o.Unsampled())
	if err != nil {
		t.Fatal(err)
	}
	o.SliceLength = time.Duration(first.Makespan/16) + 1
	r, err := evalsim.Run(context.Background(), machine, jobs, o)
	if err != nil {
		t.Fatal(err)
	}
	seconds := r.Elapsed[0] / 1e9
	traffic, err := jobs[0].Program.Traffic()
	if err != nil {
		t.Fatal(err)
	}
	rate := machine.Links[0].BytesPerSecond
	in = &diagnosis.Input{Machine: machine, Traffic: traffic, Hosts: jobs[0].Hosts,
		Own: linkview.FromSamples(machine, []*sampling.Table{r.Samples[0]}, 4096, seconds),
		Bounds: diagnosis.Bounds{
			Injection: workload.InjectionBound(jobs[0].Program, rate, rate).Seconds() / seconds}}
	for _, p := range r.Parts {
		if p.Job == 0 {
			in.Slices = append(in.Slices, linkview.FromSamples(machine, []*sampling.Table{p.Samples}, 4096,
				o.SliceLength.Seconds()))
		}
	}
	all = linkview.FromSamples(machine, []*sampling.Table{r.Administrator()}, 4096, r.Makespan/1e9)
	return in, all
}

func hosts(numbers ...int32) []int32 { return numbers }

// crossing is 8 ranks of leaf switch 0 that send to 8 of leaf switch 1: 8 hosts share 2 links.
func crossing(t *testing.T) evalsim.Job {
	j := evalsim.Job{Program: &workload.Program{Offsets: []int32{0}, VolumeScale: 1}}
	for r := range int32(16) {
		if r < 8 {
			j.Program.Ops = append(j.Program.Ops, workload.Op{Kind: workload.Send, Peer: r + 8, Bytes: 1 << 20})
		}
		j.Program.Offsets = append(j.Program.Offsets, int32(len(j.Program.Ops)))
		j.Hosts = append(j.Hosts, r)
	}
	return j
}

// The three causes and none, each as its definition makes it.
func TestCausesByDefinition(t *testing.T) {
	small := evalsim.Job{Program: program(t, "ring:2,bytes=4194304"), Hosts: hosts(0, 8)}
	crowd := evalsim.Job{Program: program(t, "ring:12,bytes=262144"), Endless: true,
		Hosts: hosts(1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14)}
	for _, c := range []struct {
		name string
		jobs []evalsim.Job
		want diagnosis.Cause
		root func(machine *topology.Topology, l *topology.Link) bool
	}{
		{"gather", []evalsim.Job{{Program: gather(6, 1<<20), Hosts: hosts(0, 1, 2, 8, 9, 16)}}, diagnosis.ByPattern,
			func(_ *topology.Topology, l *topology.Link) bool { return l.To == 16 }},
		{"crossing", []evalsim.Job{crossing(t)}, diagnosis.ByMapping,
			func(m *topology.Topology, l *topology.Link) bool { return m.NodeName(l.From) == "leaf0" }},
		{"crowd", []evalsim.Job{small, crowd}, diagnosis.ByOthers,
			func(m *topology.Topology, l *topology.Link) bool { return !m.IsHost(l.To) }},
		{"alone", []evalsim.Job{small}, diagnosis.None, nil},
	} {
		in, _ := seen(t, c.jobs...)
		v := diagnosis.Diagnose(in)
		if v.Cause != c.want {
			t.Errorf("%s: %+v", c.name, v)
			continue
		}
		if c.root == nil {
			if len(v.Roots) > 0 {
				t.Errorf("%s: roots %+v", c.name, v.Roots)
			}
			continue
		}
		if l := &in.Machine.Links[v.Roots[0].Link]; !c.root(in.Machine, l) {
			t.Errorf("%s: the first root is %s to %s", c.name, in.Machine.NodeName(l.From), in.Machine.NodeName(l.To))
		}
	}
}

// What no other mapping relieves is the pattern's fault, though its root is inside the network.
func TestNoReliefIsThePattern(t *testing.T) {
	in, _ := seen(t, crossing(t))
	in.Bounds.Interior, in.Bounds.Least = 0.98, 0.98
	if v := diagnosis.Diagnose(in); v.Cause != diagnosis.ByPattern {
		t.Errorf("%+v", v)
	}
	in.Bounds.Least = 0.3
	if v := diagnosis.Diagnose(in); v.Cause != diagnosis.ByMapping {
		t.Errorf("%+v", v)
	}
}

// The administrator sees whose bytes fill the links.
func TestAdministratorView(t *testing.T) {
	small := evalsim.Job{Program: program(t, "ring:2,bytes=4194304"), Hosts: hosts(0, 8)}
	crowd := evalsim.Job{Program: program(t, "ring:12,bytes=262144"), Endless: true,
		Hosts: hosts(1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14)}
	in, all := seen(t, small, crowd)
	in.All, in.Slices = all, nil
	v := diagnosis.Diagnose(in)
	if v.Cause != diagnosis.ByOthers || len(v.Roots) == 0 || !(v.Roots[0].All > 2*v.Roots[0].Own) {
		t.Errorf("%+v", v)
	}
	in, all = seen(t, crossing(t))
	in.All, in.Slices = all, nil
	if v := diagnosis.Diagnose(in); v.Cause != diagnosis.ByMapping ||
		math.Abs(v.Roots[0].All/v.Roots[0].Own-1) > 1e-9 {
		t.Errorf("%+v", v)
	}
}

// drawView is what a job might see on a small network, right or wrong.
func drawView(t *rapid.T, machine *topology.Topology) *linkview.View {
	v := &linkview.View{Seconds: rapid.Float64Range(1e-6, 10).Draw(t, "seconds"),
		Links: make([]linkview.Link, len(machine.Links))}
	for i := range v.Links {
		l := &v.Links[i]
		if machine.IsHost(machine.Links[i].From) {
			*l = linkview.Link{Bytes: math.NaN(), Packets: math.NaN(), Low: math.NaN(),
				Congested: sampling.Estimate{Value: math.NaN(), Low: math.NaN(), High: math.NaN()}}
			continue
		}
		l.Packets = rapid.Float64Range(-10, 1e5).Draw(t, "packets")
		l.Bytes = l.Packets * 4096
		l.Low = l.Packets / 2
		l.Sampled = l.Low > 0
		f := rapid.Float64Range(0, 1).Draw(t, "fraction")
		l.Congested = sampling.Estimate{Value: f, Low: f / 2, High: 1}
	}
	return v
}

// Of any view: shares are from 0 to 1 and sum to 1, waits of roots sum to at most 1, factors are at least
// 1, None stands alone, and the same time and bytes in other units give the same verdict.
func TestVerdictOfAnyView(t *testing.T) {
	for _, spec := range []string{"torus:4x4", "dragonfly:groups=5,routers=2,hosts=2,global=2",
		"fattree:nodes-per-leaf=4,leaves-per-pod=4,pods=1,aggs-per-pod=2,cores=0"} {
		machine, err := topology.Parse(spec)
		if err != nil {
			t.Fatal(err)
		}
		rapid.Check(t, func(t *rapid.T) {
			in := &diagnosis.Input{Machine: machine, Own: drawView(t, machine)}
			if rapid.Bool().Draw(t, "bounds") {
				in.Bounds.Injection = rapid.Float64Range(0.001, 2).Draw(t, "injection")
				in.Bounds.Least = rapid.Float64Range(0, 2).Draw(t, "least")
			}
			if rapid.Bool().Draw(t, "administrator") {
				in.All = drawView(t, machine)
			}
			v := diagnosis.Diagnose(in)
			checkVerdict(t, v)
			text := fmt.Sprintf("%+v", v)
			for _, view := range []*linkview.View{in.Own, in.All} {
				if view != nil {
					view.Seconds *= 4
					for i := range view.Links {
						view.Links[i].Bytes *= 4
					}
				}
			}
			if again := fmt.Sprintf("%+v", diagnosis.Diagnose(in)); again != text {
				t.Fatalf("four times the bytes in four times the time: %s, before %s", again, text)
			}
		})
	}
}

func checkVerdict(t *rapid.T, v *diagnosis.Verdict) {
	sum, waits := 0.0, 0.0
	for cause, share := range v.Shares {
		if sum += share; !(share >= 0 && share <= 1+1e-9) {
			t.Fatalf("%s has the share %g", cause, share)
		}
		if share > v.Shares[v.Cause] {
			t.Fatalf("%s is heavier than %s: %v", cause, v.Cause, v.Shares)
		}
	}
	for i, r := range v.Roots {
		if waits += r.Waits; i > 0 && r.Waits > v.Roots[i-1].Waits || !(r.Waits > 0) {
			t.Fatalf("roots %+v", v.Roots)
		}
	}
	if math.Abs(sum-1) > 1e-9 || waits > 1+1e-9 {
		t.Fatalf("shares %v, waits sum to %g", v.Shares, waits)
	}
	for _, f := range v.Factors {
		if !(f >= 1) {
			t.Fatalf("factors %v", v.Factors)
		}
	}
	if (v.Shares[diagnosis.None] == 1) != (v.Cause == diagnosis.None) {
		t.Fatalf("%+v", v)
	}
}
