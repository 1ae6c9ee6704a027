package evalsim_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"remap/evalsim"
	"remap/internal/testkit/tier"
	"remap/sampling"
	"remap/workload"
)

// What receivers conclude from their samples agrees with the exact counters
// within the error the samples' own variance predicts, under every variant: over
// all well-sampled links and many seeds, standardized errors have mean 0 and
// variance 1, and 95 % intervals cover.
func TestSamplesAgreeWithCounters(t *testing.T) {
	t.Log("| sampling | estimate | links | mean error | variance | intervals that hold |\n" +
		"|---|---|---|---|---|---|")
	for _, text := range []string{"full", "one-bit", "n=2", "one-reservoir", "one-reservoir,hash=whole",
		"bloom:32"}[:tier.Cases(1, 6, 6)] {
		v, err := sampling.ParseVariant(text)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(text, func(t *testing.T) { samplesAgree(t, v) })
	}
}

// agreement gathers standardized errors and coverage.
type agreement struct{ links, sum, squares, covered float64 }

func (a *agreement) add(estimate, variance, expected float64, interval sampling.Estimate, truth float64) {
	z := (estimate - expected) / math.Sqrt(variance)
	a.links++
	a.sum += z
	a.squares += z * z
	if interval.Low <= truth && truth <= interval.High {
		a.covered++
	}
}

func (a *agreement) judge(t *testing.T, what string, normal bool) {
	t.Helper()
	mean, variance, covered := a.sum/a.links, a.squares/a.links, a.covered/a.links
	_, name, _ := strings.Cut(t.Name(), "/")
	t.Logf("| %s | %s | %.0f | %.3f | %.3f | %.3f |", name, what, a.links, mean, variance, covered)
	if a.links < 1000 {
		t.Fatalf("%s: only %g links can be judged", what, a.links)
	}
	if normal && (math.Abs(mean) > 0.15 || variance < 0.85 || variance > 1.15) || covered < 0.93 ||
		covered > 0.97 {
		t.Errorf("%s: standardized errors: mean %g, variance %g, coverage %g over %g "+
			"links", what, mean, variance, covered, a.links)
	}
}

func samplesAgree(t *testing.T, v sampling.Variant) {
	top := network(t, "fattree:nodes-per-leaf=8,leaves-per-pod=3,pods=2,aggs-per-pod=4,cores=4")
	p, err := workload.ParsePattern("uniform:48,bytes=131072,rounds=50")
	if err != nil {
		t.Fatal(err)
	}
	repeats := 20
	if v.Kind == sampling.Bloom {
		repeats = 14
	}
	repeats *= tier.Cases(1, 1, 4)
	o := evalsim.DefaultOptions()
	o.Sampling = v
	results, err := evalsim.Repeat(context.Background(), top,
		[]evalsim.Job{{Program: p, Hosts: identity(48)}}, o, repeats, 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	var packets, fractions agreement
	for _, r := range results {
		for i := range r.Links {
			exact, table := &r.Links[i], r.Samples[0]
			e := &table.Links[i]
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
			packets.add(e.Packets, e.PacketsVariance, float64(exact.Packets), table.PacketsEstimate(int32(i)),
				float64(exact.Packets))
			// Fieller's pivot: of a known fraction, the error and its variance.
			truth := float64(exact.Congested) / float64(exact.Packets)
			variance := e.CongestedVariance - 2*truth*e.Covariance + truth*truth*e.PacketsVariance
			// Hashes have all packets of the job as candidates. Where a link's own are
			// fewer than 4 deviations from 0, some seeds find no significant packets and
			// give F from 0 to 1, so the interval covers in up to 98.3 % of cases
			// (docs/sampling.md, F hashed, W not always significant).
			significant := !v.Hashed() || float64(exact.Packets) > 4*math.Sqrt(e.PacketsVariance)
			if variance > 0 && significant {
				fractions.add(e.Congested-truth*e.Packets, variance, 0, table.Fraction(int32(i)), truth)
			}
		}
	}
	packets.judge(t, "packets", true)
	// With one reservoir of whole links a fraction near 1 has few samples that say
	// no, and its variance is estimated from these: only the interval is normal.
	fractions.judge(t, "congested fraction", v.Kind != sampling.OneReservoir || v.Hashed())
}
