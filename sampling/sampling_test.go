package sampling_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"

	"remap/internal/testkit/tier"
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

// Mean and variance of the congested fraction by the thesis's expansions (Taffet
// 2018, section 3.3), of third and of first order. The variance's next terms are
// up to 9 (l-1)/N of it, here 2 %.
func TestFractionMoments(t *testing.T) {
	tier.Long(t, "means over thousands of runs: two seconds")
	t.Parallel()
	const runs, n, m, length, congested = 4000, 2000, 500, 5, 2
	var f, square series
	ratio := float64(m) / n
	for run := range runs {
		random := sampling.NewRandom(uint64(run) + 1e6)
		table := sampling.NewTable(sampling.Reservoirs, length)
		send(table, m, length, congested, &random)
		send(table, n-m, length, 0, &random)
		value := table.Fraction(0).Value
		f.add(value)
		square.add((value - ratio) * (value - ratio))
	}
	wantMean := ratio + m*(length-1)/math.Pow(n, 2) - m*(length-1)*(length-2)/math.Pow(n, 3)
	wantVariance := ratio * ratio * (float64(congested-1)/m + float64(length-1)/n)
	f.is(t, "mean", wantMean)
	if allowed := sigmas*math.Sqrt(square.variance()/runs) +
		9*(length-1)/float64(n)*wantVariance; math.Abs(square.mean()-wantVariance) > allowed {
		t.Errorf("variance %g, want %g +- %g", square.mean(), wantVariance, allowed)
	}
}

func TestMergeAddsReceivers(t *testing.T) {
	random := sampling.NewRandom(3)
	a, b, both := sampling.NewTable(sampling.Reservoirs, 4), sampling.NewTable(sampling.Reservoirs, 4),
		sampling.NewTable(sampling.Reservoirs, 4)
	send(a, 100, 4, 2, &random)
	send(b, 50, 3, 1, &random)
	both.Merge(a)
	both.Merge(b)
	for i := range both.Links {
		if both.Links[i].Packets != a.Links[i].Packets+b.Links[i].Packets ||
			both.Links[i].CongestedVariance != a.Links[i].CongestedVariance+b.Links[i].CongestedVariance {
			t.Errorf("link %d: %+v", i, both.Links[i])
		}
	}
	both.Reset()
	if both.Links[0] != (sampling.Entry{}) {
		t.Error("reset leaves counts")
	}
}

// Counters saturate instead of starting over.
func TestCountersSaturate(t *testing.T) {
	random := sampling.NewRandom(1)
	var h sampling.Header
	device := sampling.NewSwitch(sampling.Reservoirs, 2, &random)
	for range 1000 {
		device.Cross(&h, 0, 1, true)
	}
	if h.HopCount != 255 || h.CongestedCount != 255 {
		t.Errorf("counts %d and %d after 1000 hops", h.HopCount, h.CongestedCount)
	}
}

// Estimates stay within what is possible, in order, whatever a table holds.
func TestEstimatesInBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := parse(t, rapid.SampledFrom([]string{"off", "full", "n=3", "one-bit", "one-reservoir",
			"one-reservoir,hash=whole", "bloom:16", "bloom:64"}).Draw(t, "variant"))
		number := rapid.OneOf(rapid.Just(0.), rapid.Float64Range(-1e6, 1e6),
			rapid.Map(rapid.IntRange(-9, 9), func(x int) float64 { return float64(x) }))
		table := sampling.NewTable(v, 1)
		for _, x := range []*float64{&table.Links[0].Packets, &table.Links[0].PacketsVariance,
			&table.Links[0].Congested, &table.Links[0].CongestedVariance, &table.Links[0].Covariance} {
			*x = number.Draw(t, "count")
		}
		r := &table.Received
		for _, x := range []*int64{&r.Packets, &r.Hops, &r.HopsSquared, &r.CongestedPackets, &r.CongestedHops,
			&r.CongestedSquared} {
			*x = rapid.Int64Range(0, 1000).Draw(t, "received")
		}
		if f := table.Fraction(0); !(0 <= f.Low && f.Low <= f.High && f.High <= 1 && 0 <= f.Value && f.Value <= 1) {
			t.Fatalf("fraction %+v", f)
		}
		most := math.Inf(1)
		if r.Packets > 0 {
			most = float64(r.Packets)
		}
		for _, e := range []sampling.Estimate{table.PacketsEstimate(0), table.CongestedEstimate(0)} {
			if !(0 <= e.Low && e.Low <= e.High && e.High <= most) {
				t.Fatalf("estimate %+v of at most %g", e, most)
			}
		}
		if x := table.LessBiased(0); !(0 <= x && x <= 1) {
			t.Fatalf("fraction %g", x)
		}
	})
}

// What is known without sampling is known exactly: links on paths of one hop, a
// reservoir that is as large as the path, packets with one congested hop, and
// that nothing was congested.
func TestExactly(t *testing.T) {
	exactly := func(what string, e sampling.Estimate, want float64) {
		t.Helper()
		if e != (sampling.Estimate{Value: want, Low: want, High: want}) {
			t.Errorf("%s: %+v, want %g", what, e, want)
		}
	}
	single := &traffic{links: 2}
	for i := range 100 {
		single.ways = append(single.ways, []crossing{{int32(i % 2), i < 20}})
	}
	for _, name := range []string{"full", "one-reservoir,hash=whole", "n=4"} {
		table := single.run(parse(t, name), 1)
		exactly(name+": N", table.PacketsEstimate(0), 50)
		exactly(name+": M", table.CongestedEstimate(0), 10)
		exactly(name+": F", table.Fraction(0), 0.2)
	}
	some := twoLinks(100, 0.3)
	table := some.run(parse(t, "n=5"), 1)
	exactly("n=5: N", table.PacketsEstimate(0), 100)
	exactly("n=5: F", table.Fraction(0), 0.3)
	exactly("n=5: M of a link that is not congested", table.CongestedEstimate(2), 0)
	for i := range some.ways {
		some.ways[i][1].congested = false
	}
	exactly("one congested hop", some.run(sampling.Reservoirs, 1).CongestedEstimate(0), 30)
	for i := range some.ways {
		some.ways[i][0].congested = false
	}
	for _, name := range []string{"full", "one-bit", "bloom:32", "n=2"} {
		exactly(name+": F without congestion", some.run(parse(t, name), 1).Fraction(0), 0)
	}
	if f := sampling.NewTable(sampling.Reservoirs, 1).Fraction(0); f != (sampling.Estimate{High: 1}) {
		t.Errorf("fraction of an unused link is %+v", f)
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
	if x, limit := stat.ChiSquare(count, expected),
		(distuv.ChiSquared{K: cells - 1}).Quantile(1-1e-6); x > limit {
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
	if expected := packets * (1 - math.Pow(255./256,
		45)); math.Abs(float64(late)-expected) > 6*math.Sqrt(expected) {
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
