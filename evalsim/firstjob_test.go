package evalsim_test

import (
	"context"
	"testing"

	"remap/evalsim"
)

// What the jobs see of a run, each put first in turn, adds up to the run; of
// one job it is the run itself.
func TestFirstJob(t *testing.T) {
	top, jobs := twoJobs(t)
	ctx, o := context.Background(), evalsim.DefaultOptions()
	results, err := evalsim.Repeat(ctx, top, jobs, o, 6, 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	whole, first := evalsim.Summarize(results), evalsim.Summarize(evalsim.FirstJob(results))
	alone := evalsim.SummarizeJobs(results)[0]
	if first.ElapsedNS != alone.ElapsedNS || first.Packets != alone.Packets ||
		first.CongestedHopFraction != alone.CongestedHopFraction ||
		first.ElapsedNS > whole.ElapsedNS || first.PacketHops >= whole.PacketHops || first.Repeats != 6 {
		t.Errorf("first job %+v, by job %+v, whole %+v", first, alone, whole)
	}
	for i, r := range evalsim.FirstJob(results) {
		// What is left of the crossings is the other job's, one host link a packet.
		if left := results[i].PacketHops - r.PacketHops; left != r.Jobs[1].PortHops+r.Jobs[1].Packets {
			t.Errorf("repeat %d: the other job crosses %d links, its counts say %+v", i, left, r.Jobs[1])
		}
	}
	one, err := evalsim.Repeat(ctx, top, jobs[:1], o, 1, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	if evalsim.FirstJob(one)[0] != one[0] {
		t.Error("the result of one job is not itself")
	}
}
