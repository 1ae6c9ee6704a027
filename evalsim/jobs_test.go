package evalsim_test

import (
	"context"
	"testing"

	"remap/evalsim"
)

// Every packet and every crossing is one job's; a job alone is the whole; the
// last job ends the run.
func TestJobsSumToTheWhole(t *testing.T) {
	top, jobs := twoJobs(t)
	for _, some := range [][]evalsim.Job{jobs, jobs[:1], jobs[1:]} {
		results, err := evalsim.Repeat(context.Background(), top, some, evalsim.DefaultOptions(), 7, 2, nil)
		if err != nil {
			t.Fatal(err)
		}
		var packets int64
		whole := evalsim.Summarize(results)
		summaries := evalsim.SummarizeJobs(results, "first")
		for i, s := range summaries {
			packets += s.Packets
			if s.ElapsedNSLow == nil || *s.ElapsedNSLow > s.ElapsedNS || *s.ElapsedNSHigh < s.ElapsedNS ||
				s.ElapsedNS > whole.ElapsedNS {
				t.Errorf("job %d: %d ns in %v..%v, all jobs %d ns", i, s.ElapsedNS, s.ElapsedNSLow, s.ElapsedNSHigh,
					whole.ElapsedNS)
			}
			if s.Packets != 7*some[i].Program.Packets(4096) {
				t.Errorf("job %d: %d packets, its program has %d a repeat", i, s.Packets, some[i].Program.Packets(4096))
			}
		}
		if len(summaries) != len(some) || summaries[0].Name != "first" || packets != whole.Packets {
			t.Errorf("%d jobs, %q first, %d of %d packets", len(summaries), summaries[0].Name, packets, whole.Packets)
		}
		for _, r := range results {
			var sum evalsim.JobStats
			for _, j := range r.Jobs {
				sum.Packets += j.Packets
				sum.PortHops += j.PortHops
				sum.Congested += j.Congested
			}
			if want := (evalsim.JobStats{Packets: r.Packets, PortHops: r.PortHops,
				Congested: r.Congested}); sum != want {
				t.Errorf("jobs sum to %+v, whole is %+v", sum, want)
			}
			if sum.Congested == 0 && len(some) > 1 {
				t.Error("the case has no congestion, and tests less than it should")
			}
		}
	}
}
