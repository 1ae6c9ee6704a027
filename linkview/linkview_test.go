package linkview_test

import (
	"context"
	"math"
	"testing"

	"remap/counters"
	"remap/evalsim"
	"remap/linkview"
	"remap/sampling"
	"remap/topology"
	"remap/workload"
)

// Samples and exact counts of one run agree: estimates are near the counts, and unknown on the links
// that leave hosts.
func TestViewsAgree(t *testing.T) {
	machine, err := topology.Parse("fattree:nodes-per-leaf=8,leaves-per-pod=4,pods=1,aggs-per-pod=2,cores=0")
	if err != nil {
		t.Fatal(err)
	}
	program, err := workload.ParsePattern("alltoall:32,bytes=100000")
	if err != nil {
		t.Fatal(err)
	}
	o := evalsim.DefaultOptions()
	o.Sampling = sampling.Reservoirs
	hosts := make([]int32, 32)
	for i := range hosts {
		hosts[i] = int32(i)
	}
	jobs := []evalsim.Job{{Program: program, Hosts: hosts}}
	results, err := evalsim.Repeat(context.Background(), machine, jobs, o, 2, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	var tables []*sampling.Table
	var counts [][]evalsim.LinkStats
	seconds, bytes, packets := 0.0, 0.0, 0.0
	for _, r := range results {
		tables, counts = append(tables, r.Samples[0], nil), append(counts, r.Links)
		seconds += r.Makespan / 1e9
		packets += float64(r.Packets)
	}
	exact := linkview.FromCounts(machine, counts, seconds)
	for i, l := range exact.Links {
		if machine.IsHost(machine.Links[i].From) {
			bytes += l.Bytes
		}
	}
	sampled := linkview.FromSamples(machine, tables, bytes/packets, seconds)
	for i := range machine.Links {
		s, e := sampled.Links[i], exact.Links[i]
		if machine.IsHost(machine.Links[i].From) {
			if !math.IsNaN(s.Bytes) || !math.IsNaN(e.Congested.Value) || e.Bytes == 0 {
				t.Fatalf("link %d leaves a host: %+v, exact %+v", i, s, e)
			}
			continue
		}
		if !s.Sampled || math.Abs(s.Bytes/e.Bytes-1) > 0.25 || math.Abs(s.Congested.Value-e.Congested.Value) > 0.3 {
			t.Errorf("link %d: %+v, exact %+v", i, s, e)
		}
		if use := exact.Use(machine, int32(i)); use < 0 || use > 1.001 {
			t.Errorf("link %d: use %g", i, use)
		}
	}
}

// A packet counts as congested when it joins a queue and is counted when it is sent, so a simulation that
// stops on the way has more of the first. No more than all packets were congested.
func TestCongestedAtMostAll(t *testing.T) {
	machine, err := topology.Parse("torus:3")
	if err != nil {
		t.Fatal(err)
	}
	counts := make([]evalsim.LinkStats, len(machine.Links))
	for i := range counts {
		counts[i].Packets, counts[i].Congested = 100, 101
	}
	for i, l := range linkview.FromCounts(machine, [][]evalsim.LinkStats{counts}, 1).Links {
		if !machine.IsHost(machine.Links[i].From) && l.Congested.Value != 1 {
			t.Fatalf("link %d: %+v", i, l)
		}
	}
}

// Counters say rates and shares of time; what they do not know is not a number.
func TestFromCounters(t *testing.T) {
	machine, err := topology.Parse("torus:3")
	if err != nil {
		t.Fatal(err)
	}
	n := len(machine.Links)
	c := &counters.Links{Rate: make([]float64, n), Congested: make([]float64, n), Known: make([]bool, n)}
	c.Rate[2], c.Congested[2], c.Known[2] = 5e8, 0.25, true
	v := linkview.FromCounters(machine, c)
	if v.BytesPerSecond(2) != 5e8 || v.Links[2].Congested.Low != 0.25 || !v.Links[2].Sampled {
		t.Errorf("%+v", v.Links[2])
	}
	if l := v.Links[3]; !math.IsNaN(l.Bytes) || !math.IsNaN(l.Congested.Value) || l.Sampled {
		t.Errorf("not known: %+v", l)
	}
}
