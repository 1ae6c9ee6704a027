package evalsim_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"remap/evalsim"
	"remap/internal/testkit/tier"
	"remap/mapping"
	"remap/sampling"
	"remap/workload"
)

// scattered are hosts in random order.
func scattered(n int) []int32 {
	hosts, random := mapping.Identity(n), sampling.NewRandom(3)
	for i := n - 1; i > 0; i-- {
		j := random.Below(uint32(i + 1))
		hosts[i], hosts[j] = hosts[j], hosts[i]
	}
	return hosts
}

// TestFullVolumeTimes: times of scaled programs are those of the full volume: the
// interval of a few repeats holds the median that the full volume has, for
// repetitions and sizes, on a tree and a torus, with little and much in the way.
func TestFullVolumeTimes(t *testing.T) {
	tier.Long(t, "whole volumes: 2 s")
	o := evalsim.DefaultOptions()
	o.Sampling = sampling.Variant{}
	const tree = "fattree:nodes-per-leaf=8,leaves-per-pod=8,pods=1,aggs-per-pod=4,cores=0"
	for _, shape := range []string{"torus:4x4x4", tree}[:tier.Cases(1, 2, 2)] {
		for _, pattern := range []string{"stencil3d7:4x4x4,rounds=64,bytes=65536,wait=true",
			"stencil2d:8x8,rounds=64", "stencil2d:8x8,bytes=6291456", "alltoall:64,bytes=262144",
			"allreduce:64,bytes=524288,rounds=16"}[:tier.Cases(1, 5, 5)] {
			whole, err := workload.ParsePattern(pattern)
			if err != nil {
				t.Fatal(err)
			}
			scaled, _ := workload.Scale(whole, o.PacketBytes, whole.Packets(o.PacketBytes)*3/10)
			if scaled.VolumeScale > 0.31 || scaled.Smaller == nil {
				t.Fatalf("%s: scale %g", pattern, scaled.VolumeScale)
			}
			for name, hosts := range map[string][]int32{"identity": mapping.Identity(64), "random": scattered(64)} {
				at := func(p *workload.Program, repeats int) evalsim.Summary {
					jobs := []evalsim.Job{{Program: p, Hosts: hosts}}
					results, err := evalsim.Repeat(context.Background(), network(t, shape), jobs, o, repeats, 2, nil)
					if err != nil {
						t.Fatal(err)
					}
					return evalsim.Summarize(results)
				}
				full, told := at(whole, 2), at(scaled, 6)
				if full.VolumeError != 0 || told.VolumeError <= 0 || told.VolumeScale != scaled.VolumeScale {
					t.Errorf("%s: errors %g and %g, scale %g", pattern, full.VolumeError, told.VolumeError, told.VolumeScale)
				}
				if full.ElapsedNS < *told.ElapsedNSLow || full.ElapsedNS > *told.ElapsedNSHigh {
					t.Errorf("%s, %s: full %d, told %d [%d, %d]", pattern, name, full.ElapsedNS,
						told.ElapsedNS, *told.ElapsedNSLow, *told.ElapsedNSHigh)
				}
			}
		}
	}
}

// TestLatencyIsNoVolume: a time that is a constant and a rate is told exactly; in
// proportion it would be too long.
func TestLatencyIsNoVolume(t *testing.T) {
	p, err := workload.ParsePattern("ring:8,rounds=64,bytes=4096")
	if err != nil {
		t.Fatal(err)
	}
	o := evalsim.DefaultOptions()
	scaled, _ := workload.Scale(p, o.PacketBytes, 8*16)
	hosts := []evalsim.Job{{Program: p, Hosts: mapping.Identity(8)}}
	full, err := evalsim.Run(context.Background(), network(t, "torus:8"), hosts, o)
	if err != nil {
		t.Fatal(err)
	}
	hosts[0].Program = scaled
	told, err := evalsim.Run(context.Background(), network(t, "torus:8"), hosts, o)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(told.FullTime()/full.Makespan-1) > 1e-9 || told.Makespan*4 < full.Makespan*1.01 {
		t.Errorf("full %g, told %g, simulated %g at scale %g", full.Makespan, told.FullTime(), told.Makespan,
			told.VolumeScale)
	}
}

// TestFullVolumeOfJobs: every job's time is of its own full volume; an endless
// one's as long as the first job's.
func TestFullVolumeOfJobs(t *testing.T) {
	o := evalsim.DefaultOptions()
	own, err := workload.ParsePattern("stencil2d:4x4,rounds=40")
	if err != nil {
		t.Fatal(err)
	}
	other, err := workload.ParsePattern("ring:8,rounds=90")
	if err != nil {
		t.Fatal(err)
	}
	scaled, _ := workload.Scale(own, o.PacketBytes, own.Packets(o.PacketBytes)/4)
	rest := workload.ScaleTo(other, scaled)
	place := func(first int) []int32 { return slices.Clone(mapping.Identity(32)[first:]) }
	play := func(a, b *workload.Program) *evalsim.Result {
		jobs := []evalsim.Job{{Program: a, Hosts: place(0)[:16]}, {Program: b, Hosts: place(16)[:8]},
			{Program: other, Hosts: place(24), Endless: true}}
		r, err := evalsim.Run(context.Background(), network(t, "torus:4x8"), jobs, o)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	full, told := play(own, other), play(scaled, rest)
	for j := range 3 {
		if got, want := told.Full[j], full.Elapsed[j]; math.Abs(got/want-1) > 0.03 {
			t.Errorf("job %d: told %g, it is %g", j, got, want)
		}
		if full.Full[j] != full.Elapsed[j] || full.FullError[j] != 0 {
			t.Errorf("job %d at full volume: %g of %g, error %g", j, full.Full[j], full.Elapsed[j], full.FullError[j])
		}
	}
	if first := evalsim.FirstJob([]*evalsim.Result{told})[0]; first.FullTime() != told.Full[0] {
		t.Errorf("the first job's time is %g, not %g", first.FullTime(), told.Full[0])
	}
}

// TestUnsettled: what overlaps or changes its order is told, and what does not is not.
func TestUnsettled(t *testing.T) {
	summary := func(full, large, small float64) evalsim.Summary {
		r := &evalsim.Result{Makespan: large, Elapsed: []float64{large}, StepTime: []float64{large},
			VolumeScale: 0.5, Full: []float64{full},
			FullMakespan: full, FullError: []float64{0.01}, Small: []float64{small}}
		return evalsim.Summarize(slices.Repeat([]*evalsim.Result{r}, 6))
	}
	whole := evalsim.Summarize([]*evalsim.Result{{Makespan: 10, VolumeScale: 1}})
	for _, c := range []struct {
		a, b evalsim.Summary
		want string
	}{
		{summary(1000, 500, 250), summary(1100, 550, 275), ""},
		{summary(1000, 500, 250), summary(1010, 505, 253), "intervals overlap"},
		{summary(1000, 500, 280), summary(1100, 550, 275), "order differs between volumes"},
		{summary(1000, 560, 250), summary(1100, 550, 275), "order differs between volumes"},
		{summary(1000, 500, 250), summary(1000, 500, 250), ""},
		{whole, whole, ""},
	} {
		for _, got := range []string{c.a.Unsettled(&c.b), c.b.Unsettled(&c.a)} {
			if got != c.want {
				t.Errorf("%d and %d: %q, want %q", c.a.ElapsedNS, c.b.ElapsedNS, got, c.want)
			}
		}
	}
}
