package sampling_test

import (
	"math"
	"testing"

	"remap/sampling"

	"remap/internal/testkit/tier"
)

// The interval of a normal estimate between two bounds covers 95 % exactly,
// wherever between them the truth is: integrated over the estimate in steps of
// 1/250 of its deviation. Hashed counts with much noise are such estimates; the
// variance then falls by nothing with N.
func TestUnifiedInterval(t *testing.T) {
	tier.Long(t, "intervals of many counts: half a second")
	t.Parallel()
	const deviation, step = 1e6, 4e-3
	table := sampling.NewTable(sampling.Variant{Kind: sampling.OneBit, Slots: 1, Counter: 8,
		Hash: sampling.Field}, 1)
	e := &table.Links[0]
	e.PacketsVariance = deviation * deviation
	for _, top := range []float64{0.5, 1, 3, 6, 20} {
		table.Received.Packets = int64(top * deviation)
		for _, share := range []float64{0, 0.01, 0.1, 0.3, 0.5, 0.8, 1} {
			truth, covered := share*top, 0.
			for x := truth - 7 + step/2; x < truth+7; x += step {
				e.Packets = x * deviation
				got := table.PacketsEstimate(0)
				if got.Low > got.High || got.Low < 0 || got.High > top*deviation {
					t.Fatalf("%+v", got)
				}
				if got.Low <= truth*deviation+1 && truth*deviation-1 <= got.High {
					covered += step * math.Exp(-(x-truth)*(x-truth)/2) / math.Sqrt(2*math.Pi)
				}
			}
			if math.Abs(covered-0.95) > 3e-3 {
				t.Errorf("truth %g of %g deviations: covered %.4f", truth, top, covered)
			}
		}
	}
	table.Received.Packets = 0 // no upper bound: table X of Feldman and Cousins (1998)
	for _, c := range []struct{ x, low, high float64 }{{0, 0, 1.96}, {1, 0, 2.96}, {5, 3.04, 6.96},
		{2, 0.355, 3.96}, {-1, 0, 1.10}, {-3, 0, 0.42}} {
		e.Packets = c.x * deviation
		got := table.PacketsEstimate(0)
		t.Logf("%g: %.3f to %.3f", c.x, got.Low/deviation, got.High/deviation)
		if math.Abs(got.Low/deviation-c.low) > 0.01 || math.Abs(got.High/deviation-c.high) > 0.01 {
			t.Errorf("estimate %g: %.3f to %.3f, want %g to %g", c.x, got.Low/deviation, got.High/deviation, c.low,
				c.high)
		}
	}
}
