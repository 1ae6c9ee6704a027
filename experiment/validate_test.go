package experiment

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// Ranks and correlations of small lists, by hand.
func TestSpearman(t *testing.T) {
	for _, c := range []struct {
		x, y []float64
		want float64
	}{
		{[]float64{1, 2, 3, 4}, []float64{10, 20, 30, 40}, 1},
		{[]float64{1, 2, 3, 4}, []float64{4, 3, 2, 1}, -1},
		{[]float64{1, 2, 3, 4, 5}, []float64{2, 1, 4, 3, 5}, 0.8}, // 1 - 6*4/(5*24)
		{[]float64{1, 2, 2, 3}, []float64{1, 2, 3, 4}, 0.94868329805},
		{[]float64{5, 5, 5}, []float64{1, 2, 3}, 0},
		{[]float64{5}, []float64{1}, 1},
	} {
		if got := Spearman(c.x, c.y); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%v, %v: %g, want %g", c.x, c.y, got, c.want)
		}
	}
}

// run is a mapping with launches of these times.
func run(name string, simulated float64, launches ...float64) Run {
	r := Run{Mapping: name, SimulatedSeconds: simulated, Launches: launches}
	r.MeasuredSeconds, r.Low, r.High = medianInterval(launches)
	return r
}

// What the best prediction costs, by hand.
func TestAgree(t *testing.T) {
	a := Agree([]Run{run("a", 1, 2.2, 2.2), run("b", 1.1, 2, 2), run("c", 2, 5, 5)})
	if a.Chosen != "a" || a.Fastest != "b" || math.Abs(a.RegretPercent-10) > 1e-9 {
		t.Errorf("regret %+v", a)
	}
	if a.Noise != 0 || a.Pairs != 3 || a.Ordered != 2 || a.Spearman != 0.5 || *a.SpearmanBeyondNoise != 0.5 {
		t.Errorf("without noise: %+v", a)
	}
	if math.Abs(a.Ratio-2.2) > 1e-9 || math.Abs(a.RatioLow-2/1.1) > 1e-9 || math.Abs(a.RatioHigh-2.5) > 1e-9 {
		t.Errorf("ratio %+v", a)
	}
	// The same with launches so far apart that a and b cannot be told apart.
	a = Agree([]Run{run("a", 1, 1.9, 2.5), run("b", 1.1, 1.8, 2.2), run("c", 2, 5, 6)})
	if a.Pairs != 2 || a.Ordered != 2 || *a.SpearmanBeyondNoise != 1 {
		t.Errorf("with noise: %+v", a)
	}
	// Where nothing can be told apart, nothing is said.
	a = Agree([]Run{run("a", 1, 1, 9), run("b", 2, 1.1, 9)})
	if a.Pairs != 0 || a.SpearmanBeyondNoise != nil {
		t.Errorf("all noise: %+v", a)
	}
}

// Predictions that are right but for a factor are perfect, whatever the times, and those that are
// upside down the contrary; no factor of time changes what is said.
func TestAgreeIsOfOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		times := rapid.SliceOfNDistinct(rapid.Float64Range(0.1, 10), 2, 8, rapid.ID[float64]).Draw(t, "times")
		factor := rapid.Float64Range(0.5, 2).Draw(t, "factor")
		var right, wrong []Run
		for _, v := range times {
			right = append(right, run("", v*factor, v))
			wrong = append(wrong, run("", 1/v, v))
		}
		if a := Agree(right); a.Spearman < 1-1e-9 || a.RegretPercent != 0 || a.Ordered != a.Pairs {
			t.Fatalf("right: %+v", a)
		}
		if a := Agree(wrong); a.Spearman > -1+1e-9 || a.Ordered != 0 {
			t.Fatalf("wrong: %+v", a)
		}
	})
}

// The noise covers the difference of two mappings of one speed in about 95 of 100 cases.
func TestNoise(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 1))
	for launches := 2; launches <= 10; launches++ {
		const trials, spread = 1000, 0.05
		beyond := 0
		for range trials {
			var runs []Run
			for range 6 {
				var l []float64
				for range launches {
					l = append(l, math.Exp(spread*random.NormFloat64()))
				}
				runs = append(runs, run("", 1, l...))
			}
			if math.Abs(math.Log(runs[0].MeasuredSeconds/runs[1].MeasuredSeconds)) > math.Log1p(noise(runs)) {
				beyond++
			}
		}
		if share := float64(beyond) / trials; share < 0.025 || share > 0.085 { // 0.05 and four errors
			t.Errorf("%d launches: %.3f of differences by chance are beyond the noise", launches, share)
		}
	}
}

// A regret of fresh launches replaces that of the launches that chose the fastest, and is not below 0.
func TestConfirm(t *testing.T) {
	a := Agreement{RegretPercent: 18}
	a.Confirm(&Run{MeasuredSeconds: 1.02}, &Run{MeasuredSeconds: 1})
	if !a.Confirmed || math.Abs(a.RegretPercent-2) > 1e-9 {
		t.Errorf("%+v", a)
	}
	if a.Confirm(&Run{MeasuredSeconds: 0.9}, &Run{MeasuredSeconds: 1}); a.RegretPercent != 0 {
		t.Errorf("%+v", a)
	}
}
