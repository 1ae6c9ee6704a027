package sampling_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"remap/sampling"
)

// send lets packets cross links 0..length-1, the first `congested` of which are congested.
func send(table *sampling.Table, packets, length, congested int, random *sampling.Random) {
	v := sampling.Reservoirs
	device, receiver := sampling.NewSwitch(v, length, random), sampling.NewReceiver(v, length, nil, 0)
	var p sampling.Packet
	for range packets {
		p.Reset(v)
		for link := range length {
			device.Cross(&p.Header, 0, int32(link), link < congested)
		}
		receiver.Receive(table, &p)
	}
}

// A reservoir keeps each of l hops with probability 1/l: chi-square with l-1
// degrees of freedom, at a level of one in a million.
func TestReservoirUniform(t *testing.T) {
	random := sampling.NewRandom(7)
	const packets = 200000
	for _, length := range []int{1, 2, 3, 5, 11, 40} {
		kept := make([]float64, length)
		expected := make([]float64, length)
		var h sampling.Header
		device := sampling.NewSwitch(sampling.Reservoirs, length, &random)
		for range packets {
			h.Reset(sampling.Reservoirs)
			for link := range length {
				device.Cross(&h, 0, int32(link), true)
			}
			if h.HopLink < 0 || int(h.HopCount) != length || int(h.CongestedCount) != length {
				t.Fatalf("header %+v after %d hops", h, length)
			}
			kept[h.CongestedLink]++
		}
		for i := range expected {
			expected[i] = packets / float64(length)
		}
		if length == 1 {
			continue
		}
		limit := distuv.ChiSquared{K: float64(length - 1)}.Quantile(1 - 1e-6)
		if x := stat.ChiSquare(kept, expected); x > limit {
			t.Errorf("%d hops: chi-square %g above %g", length, x, limit)
		}
	}
}

// E[W] = N and Var[W] = N(l-1) (Taffet 2018, section 3.3), and the table's
// own estimate of the variance has that expectation.
func TestWeightedCountMoments(t *testing.T) {
	const runs, packets, length = 3000, 400, 5
	var w, variance []float64
	for run := range runs {
		random := sampling.NewRandom(uint64(run))
		table := sampling.NewTable(sampling.Reservoirs, length)
		send(table, packets, length, 0, &random)
		w = append(w, float64(table.Links[2].Packets))
		variance = append(variance, float64(table.Links[2].PacketsVariance))
	}
	theory := float64(packets * (length - 1))
	mean, deviation := stat.MeanStdDev(w, nil)
	if math.Abs(mean-packets) > 5*math.Sqrt(theory/runs) {
		t.Errorf("mean %g, want %d", mean, packets)
	}
	if ratio := deviation * deviation / theory; math.Abs(ratio-1) > 5*math.Sqrt(2./runs) {
		t.Errorf("variance is %g of N(l-1)", ratio)
	}
	if ratio := stat.Mean(variance, nil) / theory; math.Abs(ratio-1) > 0.02 {
		t.Errorf("estimated variance is %g of N(l-1)", ratio)
	}
}

// Mean and variance of the congested fraction by the thesis's expansions, and
// the coverage of its 95 % interval.
func TestFractionMoments(t *testing.T) {
	const runs, n, m, length, congested = 4000, 2000, 500, 5, 2
	var f []float64
	covered := 0
	for run := range runs {
		random := sampling.NewRandom(uint64(run) + 1e6)
		table := sampling.NewTable(sampling.Reservoirs, length)
		send(table, m, length, congested, &random)
		send(table, n-m, length, 0, &random)
		e := table.Fraction(0)
		f = append(f, e.Value)
		if e.Low <= float64(m)/n && float64(m)/n <= e.High {
			covered++
		}
	}
	mean, deviation := stat.MeanStdDev(f, nil)
	ratio := float64(m) / n
	wantMean := ratio + m*(length-1)/math.Pow(n, 2) - m*(length-1)*(length-2)/math.Pow(n, 3)
	wantVariance := ratio * ratio * (float64(congested-1)/m + float64(length-1)/n)
	if math.Abs(mean-wantMean) > 5*math.Sqrt(wantVariance/runs) {
		t.Errorf("mean %g, want %g", mean, wantMean)
	}
	if q := deviation * deviation / wantVariance; math.Abs(q-1) > 0.12 {
		t.Errorf("variance is %g of the expansion's", q)
	}
	if c := float64(covered) / runs; c < 0.93 || c > 0.97 {
		t.Errorf("the 95 %% interval covers %g", c)
	}
}

func TestMergeAddsReceivers(t *testing.T) {
	random := sampling.NewRandom(3)
	a, b, both := sampling.NewTable(sampling.Reservoirs, 4), sampling.NewTable(sampling.Reservoirs, 4), sampling.NewTable(sampling.Reservoirs, 4)
	send(a, 100, 4, 2, &random)
	send(b, 50, 3, 1, &random)
	both.Merge(a)
	both.Merge(b)
	for i := range both.Links {
		if both.Links[i].Packets != a.Links[i].Packets+b.Links[i].Packets || both.Links[i].CongestedVariance != a.Links[i].CongestedVariance+b.Links[i].CongestedVariance {
			t.Errorf("link %d: %+v", i, both.Links[i])
		}
	}
	both.Reset()
	if both.Links[0] != (sampling.Entry{}) {
		t.Error("reset leaves counts")
	}
}

// Counters saturate instead of starting over, and an empty link has fraction 0.
func TestBounds(t *testing.T) {
	random := sampling.NewRandom(1)
	var h sampling.Header
	device := sampling.NewSwitch(sampling.Reservoirs, 2, &random)
	for range 1000 {
		device.Cross(&h, 0, 1, true)
	}
	if h.HopCount != 255 || h.CongestedCount != 255 {
		t.Errorf("counts %d and %d after 1000 hops", h.HopCount, h.CongestedCount)
	}
	table := sampling.NewTable(sampling.Reservoirs, 1)
	if f := table.Fraction(0); f.Value != 0 || f.Low != 0 {
		t.Errorf("fraction of an unused link is %+v", f)
	}
	table.Links[0] = sampling.Entry{Packets: 4, Congested: 9, PacketsVariance: 12, CongestedVariance: 3}
	if f := table.Fraction(0); f.Value > 1 || f.High > 1 || f.Low < 0 {
		t.Errorf("fraction leaves 0..1: %+v", f)
	}
}

func TestRandomUniform(t *testing.T) {
	random := sampling.NewRandom(99)
	const draws, cells = 600000, 24
	count, expected := make([]float64, cells), make([]float64, cells)
	for range draws {
		count[random.Below(cells)]++
	}
	for i := range expected {
		expected[i] = draws / cells
	}
	if x, limit := stat.ChiSquare(count, expected), (distuv.ChiSquared{K: cells - 1}).Quantile(1-1e-6); x > limit {
		t.Errorf("chi-square %g above %g", x, limit)
	}
}

// Beyond the counter's 255 hops every further hop still replaces the sample
// with probability 1/256, not always.
func TestLongPathsKeepSampling(t *testing.T) {
	random := sampling.NewRandom(5)
	const packets, length = 20000, 300
	last, late := 0, 0
	device := sampling.NewSwitch(sampling.Reservoirs, length, &random)
	for range packets {
		var h sampling.Header
		for link := range length {
			device.Cross(&h, 0, int32(link), false)
		}
		if h.HopLink == length-1 {
			last++
		}
		if h.HopLink >= 255 {
			late++
		}
	}
	if expected := packets / 256.; math.Abs(float64(last)-expected) > 6*math.Sqrt(expected) {
		t.Errorf("the last of %d hops is kept %d times, want about %.0f", length, last, expected)
	}
	// 45 hops beyond the 255th, each replacing with probability 1/256.
	if expected := packets * (1 - math.Pow(255./256, 45)); math.Abs(float64(late)-expected) > 6*math.Sqrt(expected) {
		t.Errorf("hops beyond the 255th are kept %d times, want about %.0f", late, expected)
	}
}

// Without a congested sample the fraction is 0 with an upper limit that holds:
// rare congestion escapes the samples of few packets.
func TestFractionWithoutCongestedSample(t *testing.T) {
	const runs, n, m, length = 4000, 60, 3, 5
	none, covered := 0, 0
	for run := range runs {
		random := sampling.NewRandom(uint64(run) + 5e6)
		table := sampling.NewTable(sampling.Reservoirs, length)
		send(table, m, length, length, &random)
		send(table, n-m, length, 0, &random)
		e := &table.Links[0]
		if e.Congested > 0 || e.Packets == 0 {
			continue
		}
		none++
		f := table.Fraction(0)
		if f.Value != 0 || f.Low != 0 {
			t.Fatalf("fraction %+v without a congested sample", f)
		}
		if float64(m)/n <= f.High {
			covered++
		}
	}
	if none < 1000 || float64(covered)/float64(none) < 0.95 {
		t.Errorf("the limit holds in %d of %d runs", covered, none)
	}
}
