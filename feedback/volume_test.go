package feedback_test

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	"remap/commgraph"
	"remap/evalsim"
	"remap/exchange"
	"remap/feedback"
	"remap/internal/testkit/tier"
	"remap/launcher"
	"remap/mapping"
	"remap/partition"
	"remap/sampling"
	"remap/topology"
	"remap/workload"
)

// irregular is recorded traffic of so many ranks: times whole multiples of messages of
// 64 KiB to some partners each, drawn at random.
func irregular(t *testing.T, ranks int, times int64) *commgraph.Traffic {
	t.Helper()
	random := sampling.NewRandom(5)
	var flows []commgraph.Flow
	for r := range int32(ranks) {
		for range 6 {
			count := times * int64(1+random.Below(4))
			if to := int32(random.Below(uint32(ranks))); to != r {
				flows = append(flows, commgraph.Flow{From: r, To: to, Bytes: count << 16, Messages: count})
			}
		}
	}
	traffic, err := commgraph.NewTraffic(ranks, flows, true)
	if err != nil {
		t.Fatal(err)
	}
	return traffic
}

// The same simulated traffic is mapped the same whether it is described as it is or as a 64th of a
// recorded profile of 64 times the volume, since loads of the same volume are compared.
func TestScaleDoesNotMatter(t *testing.T) {
	tier.Long(t, "searches of two seconds")
	machine, err := topology.Parse("fattree:nodes-per-leaf=8,leaves-per-pod=6,pods=1,aggs-per-pod=4,cores=0")
	if err != nil {
		t.Fatal(err)
	}
	const ranks = 32
	own := &mapping.Allocation{Hosts: mapping.Identity(ranks)}
	others, err := workload.ParsePattern("ring:16,rounds=4")
	if err != nil {
		t.Fatal(err)
	}
	background := evalsim.Job{Program: others, Endless: true}
	for h := range int32(16) {
		background.Hosts = append(background.Hosts, ranks+h)
	}
	program, err := workload.Recorded(irregular(t, ranks, 1), workload.DefaultRecordedOptions())
	if err != nil {
		t.Fatal(err)
	}
	files := map[int64][]byte{}
	var times [2][]int64
	for i, scale := range []int64{1, 64} {
		traffic := irregular(t, ranks, scale)
		p := *program
		p.VolumeScale = 1 / float64(scale)
		s := feedback.DefaultSettings()
		s.Problem = &mapping.Problem{Graph: traffic.Graph(), Traffic: traffic, Machine: machine,
			Allocation: own, Seed: 1}
		s.Traffic = traffic
		s.Strategies = []mapping.Strategy{mapping.RandomStrategy(), partition.Bisection()}
		refine := exchange.Strategy()
		s.Refine, s.Rounds, s.Repeats, s.ValidationRepeats = &refine, 3, 2, 6
		o := evalsim.DefaultOptions()
		simulated, err := p.Traffic()
		if err != nil {
			t.Fatal(err)
		}
		s.Evaluate = feedback.FlowsOf(feedback.Simulator(machine, own, &p, o, 1, background), simulated,
			traffic)
		r, err := feedback.Optimize(context.Background(), s)
		if err != nil {
			t.Fatal(err)
		}
		var file bytes.Buffer
		if err := launcher.Write(&file, "csv", machine, own, r.Best.Mapping); err != nil {
			t.Fatal(err)
		}
		files[scale] = file.Bytes()
		for _, c := range r.Candidates {
			times[i] = append(times[i], c.Summary.ElapsedNS/scale)
			file.WriteString(c.Strategy + c.Model)
			if err := launcher.Write(&file, "csv", machine, own, c.Mapping); err != nil {
				t.Fatal(err)
			}
		}
		files[scale] = file.Bytes()
	}
	if !bytes.Equal(files[1], files[64]) {
		t.Errorf("the search made other mappings of 64 times the volume; times in ns, of one:\n%v\n%v",
			times[0], times[1])
	}
}

// TestOneVolume: traffic of another volume than the graph's is refused.
func TestOneVolume(t *testing.T) {
	s := settings(t)
	half := *s.Traffic
	half.Bytes = slices.Clone(half.Bytes)
	for i := range half.Bytes {
		half.Bytes[i] /= 2
	}
	s.Traffic = &half
	if _, err := feedback.Optimize(context.Background(), s); err == nil ||
		!strings.Contains(err.Error(), "full volume") {
		t.Errorf("half the volume: error %v", err)
	}
}

// TestFlowsOf: flows go to the entries of the other traffic, of which some have none.
func TestFlowsOf(t *testing.T) {
	traffic := func(flows ...commgraph.Flow) *commgraph.Traffic {
		made, err := commgraph.NewTraffic(3, flows, false)
		if err != nil {
			t.Fatal(err)
		}
		return made
	}
	simulated := traffic(commgraph.Flow{From: 0, To: 1, Bytes: 1}, commgraph.Flow{From: 2, To: 0, Bytes: 1})
	full := traffic(commgraph.Flow{From: 0, To: 0, Bytes: 9}, commgraph.Flow{From: 0, To: 1, Bytes: 64},
		commgraph.Flow{From: 1, To: 2, Bytes: 64}, commgraph.Flow{From: 2, To: 0, Bytes: 64})
	result := &evalsim.Result{Makespan: 5, Flows: [][]evalsim.FlowStats{{{Packets: 1}, {Packets: 2}}}}
	evaluate := func(context.Context, mapping.Mapping, int, int) (*feedback.Evaluation, error) {
		return &feedback.Evaluation{Results: []*evalsim.Result{result}}, nil
	}
	e, err := feedback.FlowsOf(evaluate, simulated, full)(context.Background(), nil, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	var packets []int64
	for _, f := range e.Flows() {
		packets = append(packets, f.Packets)
	}
	if !slices.Equal(packets, []int64{0, 1, 0, 2}) || e.Times()[0] != 5 || len(result.Flows[0]) != 2 {
		t.Errorf("packets %v, want those of 0 to 1 and of 2 to 0", packets)
	}
}
