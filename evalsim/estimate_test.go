package evalsim_test

import (
	"context"
	"math"
	"testing"

	"remap/evalsim"
	"remap/workload"
)

// What receivers conclude from their samples agrees with the exact counters
// within the error the samples' own variance predicts: over all well-sampled
// links and many seeds, standardized errors have mean 0 and variance 1, and
// 95 % intervals cover.
func TestSamplesAgreeWithCounters(t *testing.T) {
	top := network(t, "fattree:nodes-per-leaf=16,leaves-per-pod=6,pods=4,aggs-per-pod=8,cores=8")
	p, err := workload.ParsePattern("uniform:384,bytes=131072,rounds=10")
	if err != nil {
		t.Fatal(err)
	}
	const repeats = 40
	results, err := evalsim.Repeat(context.Background(), top, []evalsim.Job{{Program: p, Hosts: identity(384)}}, evalsim.DefaultOptions(), repeats, 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	var n, sum, squares, covered float64
	for _, r := range results {
		for i := range r.Links {
			exact, e := &r.Links[i], &r.Samples[0].Links[i]
			if top.IsHost(top.Links[i].From) {
				if e.Packets != 0 {
					t.Fatal("an injection link was sampled")
				}
				continue
			}
			// The expansion needs counts well above 0 and a path longer than one
			// hop; a link with every packet congested has no error to speak of.
			if exact.Congested < 400 || e.PacketsVariance == 0 || e.CongestedVariance == 0 {
				continue
			}
			truth := float64(exact.Congested) / float64(exact.Packets)
			f := r.Samples[0].Fraction(int32(i))
			// Unclamped: near 1 the clamp hides half of the errors.
			raw := e.Congested / e.Packets
			deviation := raw * math.Sqrt(e.CongestedVariance/math.Pow(e.Congested, 2)+e.PacketsVariance/math.Pow(e.Packets, 2))
			z := (raw - truth) / deviation
			n++
			sum += z
			squares += z * z
			if f.Low <= truth && truth <= f.High {
				covered++
			}
		}
	}
	t.Logf("%.0f links: mean %.3f, variance %.3f, coverage %.3f", n, sum/n, squares/n, covered/n)
	if n < 1000 {
		t.Fatalf("only %g links are congested enough to judge", n)
	}
	if math.Abs(sum/n) > 0.15 || squares/n < 0.85 || squares/n > 1.15 || covered/n < 0.93 || covered/n > 0.975 {
		t.Errorf("standardized errors: mean %g, variance %g, coverage %g over %g links", sum/n, squares/n, covered/n, n)
	}
}
