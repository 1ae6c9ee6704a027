package diagnosis_test

import (
	"context"
	"testing"

	"remap/diagnosis"
	"remap/evalsim"
	"remap/sampling"
	"remap/topology"
	"remap/workload"
)

// suspects simulates jobs on two leaf switches of 8 hosts with one link between
// them and concludes from the samples of the first.
func suspects(t *testing.T, jobs ...evalsim.Job) (*topology.Topology, []diagnosis.Suspect) {
	t.Helper()
	machine, err := topology.Parse("fattree:nodes-per-leaf=8,leaves-per-pod=2,pods=1,aggs-per-pod=1,cores=0")
	if err != nil {
		t.Fatal(err)
	}
	results, err := evalsim.Repeat(context.Background(), machine, jobs, evalsim.DefaultOptions(), 6, 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	return machine, diagnosis.Suspects(machine, results, 0, 4096)
}

func program(t *testing.T, spec string) *workload.Program {
	t.Helper()
	p, err := workload.ParsePattern(spec)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// gather sends from all ranks to the last one.
func gather(ranks int32, bytes int64) *workload.Program {
	p := &workload.Program{Offsets: []int32{0}, VolumeScale: 1}
	for r := range ranks {
		if r < ranks-1 {
			p.Ops = append(p.Ops, workload.Op{Kind: workload.Send, Peer: ranks - 1, Bytes: bytes})
		}
		p.Offsets = append(p.Offsets, int32(len(p.Ops)))
	}
	return p
}

// A job that congests links by itself fills them; one that suffers from another
// does not. What it sends over any link is never more than the link's rate.
func TestSuspects(t *testing.T) {
	own := evalsim.Job{Program: gather(6, 1<<20), Hosts: []int32{0, 1, 2, 3, 8, 9}}
	machine, found := suspects(t, own)
	if len(found) == 0 || found[0].Use < 0.9 {
		t.Fatalf("a gather of 5 MB: %+v", found)
	}
	if to := machine.Links[found[0].Link].To; to != 9 {
		t.Errorf("the most used suspect leads to node %d, not to the receiver", to)
	}
	// Two ranks send a message across while six others keep the link between the leaves busy.
	ring := evalsim.Job{Program: program(t, "ring:2,bytes=262144"), Hosts: []int32{0, 8}}
	other := evalsim.Job{Program: program(t, "ring:12,rounds=4,"+
		"bytes=262144"), Hosts: []int32{1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14}}
	_, found = suspects(t, ring, other)
	if len(found) == 0 || found[0].Use > 0.4 {
		t.Errorf("beside a busy job: %+v", found)
	}
	for i, s := range found {
		if s.Congested.Low <= diagnosis.SuspectFraction || s.Use > 1.1 || i > 0 && s.Use > found[i-1].Use {
			t.Errorf("suspect %d: %+v", i, s)
		}
	}
	if _, found = suspects(t, ring); len(found) > 0 {
		t.Errorf("a ring of two alone: %+v", found)
	}
}

// Links are judged by the lower end of their interval, the job by its own
// samples and its own time, repeats together.
func TestSuspectsByHand(t *testing.T) {
	machine, err := topology.Parse("torus:4,gbps=8")
	if err != nil {
		t.Fatal(err)
	}
	result := func(own, other sampling.Entry) *evalsim.Result {
		r := &evalsim.Result{Elapsed: []float64{9e9, 1e9},
			Samples: []*sampling.Table{sampling.NewTable(sampling.Reservoirs, len(machine.Links)),
				sampling.NewTable(sampling.Reservoirs, len(machine.Links))}}
		r.Samples[1].Links[5], r.Samples[0].Links[5] = own, other
		return r
	}
	sure := sampling.Entry{Packets: 10000, PacketsVariance: 100, Congested: 5000, CongestedVariance: 100}
	unsure := sampling.Entry{Packets: 20, PacketsVariance: 100, Congested: 5, CongestedVariance: 100}
	for _, entry := range []sampling.Entry{sure, unsure} {
		table := result(entry, entry).Samples[0]
		if f := table.Fraction(5); f.Value <= diagnosis.SuspectFraction ||
			(f.Low > diagnosis.SuspectFraction) != (entry == sure) {
			t.Fatalf("%+v is no case for this test: %+v", entry, f)
		}
	}
	found := diagnosis.Suspects(machine, []*evalsim.Result{result(sure, unsure), result(sure, unsure)}, 1, 1000)
	// 2 x 10000 packets of 1000 bytes in 2 x 1 s, on a link of 1e9 bytes a second.
	if len(found) != 1 || found[0].Link != 5 || found[0].BytesPerSecond != 1e7 || found[0].Use != 0.01 {
		t.Errorf("%+v, want link 5 with 1e7 B/s", found)
	}
	if found := diagnosis.Suspects(machine, []*evalsim.Result{result(unsure, sure)}, 1, 1000); len(found) != 0 {
		t.Errorf("%+v on few samples", found)
	}
}
