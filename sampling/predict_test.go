package sampling_test

import (
	"math"
	"testing"

	"remap/internal/testkit/tier"
	"remap/sampling"
)

// flow is packets of several senders to several receivers, of paths of 1 to 6
// hops over 20 links with different congestion; they may cross links of theirs
// that none of them does.
type flow struct {
	source, destination int32
	packets             int
	route
}

var mixed = []flow{
	{0, 1, 12, route{[]int32{0, 4, 7}, 0b010}},
	{0, 1, 8, route{[]int32{0, 5, 7}, 0}},
	{0, 2, 10, route{[]int32{0, 4, 8, 12, 15}, 0b01010}},
	{3, 2, 15, route{[]int32{1, 6, 8, 15}, 0b1101}},
	{3, 1, 5, route{[]int32{1}, 0b1}},
	{4, 5, 15, route{[]int32{2, 4, 9, 13, 16, 18}, 0b111110}},
	{4, 5, 5, route{[]int32{2, 4, 9, 13, 16, 18}, 0b000010}},
}

const mixedLinks = 20

func mixedPaths(source, destination int32) []sampling.Range {
	if source == 4 {
		return []sampling.Range{{First: 2, Count: 1}, {First: 4, Count: 16}}
	}
	return []sampling.Range{{First: 0, Count: 2}, {First: 4, Count: 5}, {First: 12, Count: 1},
		{First: 15, Count: 1}}
}

// observed are sums of what is seen of one quantity over runs, whose expectation
// is known.
type observed struct{ n, sum, squares float64 }

func (o *observed) add(x float64) {
	o.n++
	o.sum += x
	o.squares += x * x
}

// off is by how many standard errors the mean is off.
func (o *observed) off(expected float64) float64 {
	mean := o.sum / o.n
	variance := max(o.squares/o.n-mean*mean, 0)
	if math.Abs(mean-expected) < 1e-9*(1+math.Abs(expected)) {
		return 0
	}
	return math.Abs(mean-expected) / math.Sqrt(variance/o.n)
}

// The counts that several receivers of mixed packets add up are without bias, and
// their deviations, covariance and the deviation of their quotient are those
// predicted; so are the estimated variances on average. Means of 2000 runs must lie
// within 5.5 standard errors: of some 1500 comparisons, one in ten thousand such
// tests would fail by chance.
func TestPredictions(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"full", "n=2", "n=4", "one-bit", "one-reservoir", "one-reservoir," +
		"counter=3", "one-reservoir,hash=whole",
		"full,drawn=6", "one-bit,drawn=6", "one-reservoir,drawn=7", "bloom:32", "bloom:16", "one-bit,hash=crc"} {
		t.Run(text, func(t *testing.T) {
			v := variant(t, text)
			truths := sampling.NewTruths(v, mixedLinks, mixedPaths)
			for _, m := range mixed {
				congested := make([]bool, len(m.links))
				for i := range congested {
					congested[i] = m.congested>>i&1 == 1
				}
				truths.Add(int64(m.packets), m.source, m.destination, m.links, congested)
			}
			simulate(t, v, truths.Sums())
		})
	}
}

type linkObserved struct{ w, c, ww, cc, wc, varW, varC, common observed }

func simulate(t *testing.T, v sampling.Variant, truths []sampling.Truth) {
	runs := 2000
	if tier.IsLong() {
		runs = 10000
	}
	random := sampling.NewRandom(11)
	device := sampling.NewSwitch(v, mixedLinks, &random)
	receivers, tables := map[int32]*sampling.Receiver{}, map[int32]*sampling.Table{}
	for _, m := range mixed {
		receivers[m.destination] = sampling.NewReceiver(v, mixedLinks, mixedPaths, 4)
		tables[m.destination] = sampling.NewTable(v, mixedLinks)
	}
	seen := make([]linkObserved, mixedLinks)
	whole := sampling.NewTable(v, mixedLinks)
	var p sampling.Packet
	for range runs {
		whole.Reset()
		for _, m := range mixed {
			p.Source, p.Destination = m.source, m.destination
			for range m.packets {
				p.ID = random.Uint32()
				travel(v, device, &p, m.route, &random)
				receivers[m.destination].Receive(tables[m.destination], &p)
			}
		}
		for _, destination := range []int32{1, 2, 5} {
			receivers[destination].Flush()
			whole.Merge(tables[destination])
			tables[destination].Reset()
		}
		for i := range seen {
			seen[i].add(&whole.Links[i], &truths[i])
		}
	}
	for i := range seen {
		seen[i].check(t, i, sampling.Predict(v, truths[i]), &truths[i])
	}
}

func (o *linkObserved) add(e *sampling.Entry, truth *sampling.Truth) {
	w, c := e.Packets-truth.Packets, e.Congested-truth.Congested
	o.w.add(w)
	o.c.add(c)
	o.ww.add(w * w)
	o.cc.add(c * c)
	o.wc.add(w * c)
	o.varW.add(e.PacketsVariance)
	o.varC.add(e.CongestedVariance)
	o.common.add(e.Covariance)
}

func (o *linkObserved) check(t *testing.T, link int, p sampling.Prediction, truth *sampling.Truth) {
	t.Helper()
	varW, varC := p.PacketsDeviation*p.PacketsDeviation, p.CongestedDeviation*p.CongestedDeviation
	for _, c := range []struct {
		name     string
		seen     *observed
		expected float64
	}{
		{"error of packets", &o.w, 0}, {"error of congested", &o.c, 0},
		{"variance of packets", &o.ww, varW}, {"variance of " +
			"congested", &o.cc, varC}, {"covariance", &o.wc, p.Covariance},
		{"estimated variance of packets", &o.varW, varW}, {"estimated variance of " +
			"congested", &o.varC, varC}, {"estimated covariance", &o.common, p.Covariance},
	} {
		if off := c.seen.off(c.expected); off > 5.5 {
			t.Errorf("link %d: %s %g on average, want %g: %g standard "+
				"errors off", link, c.name, c.seen.sum/c.seen.n, c.expected, off)
		}
	}
	if truth.Packets > 0 {
		f := truth.Congested / truth.Packets
		want := (varC - 2*f*p.Covariance + f*f*varW) / (truth.Packets * truth.Packets)
		if !near(p.FractionDeviation*p.FractionDeviation, want) {
			t.Errorf("link %d: fraction's deviation %g, want the root of %g", link, p.FractionDeviation, want)
		}
	}
}

// The quotient of the counts has the predicted deviation when there are packets
// enough for the first order to do.
func TestPredictedFraction(t *testing.T) {
	tier.Long(t, "means over thousands of runs: two seconds")
	t.Parallel()
	const runs, packets = 2000, 3000
	r := route{[]int32{0, 1, 2, 3}, 0b0110}
	for _, text := range []string{"full", "n=2", "one-reservoir," +
		"hash=whole", "one-reservoir", "one-bit", "bloom:32"} {
		v := variant(t, text)
		random := sampling.NewRandom(21)
		device := sampling.NewSwitch(v, 6, &random)
		paths := func(_, _ int32) []sampling.Range { return []sampling.Range{{First: 0, Count: 6}} }
		receiver, table := sampling.NewReceiver(v, 6, paths, 0), sampling.NewTable(v, 6)
		truths := sampling.NewTruths(v, 6, paths)
		truths.Add(packets/3, 0, 0, r.links, []bool{false, true, true, false})
		truths.Add(packets-packets/3, 0, 0, r.links, make([]bool, 4))
		prediction := sampling.Predict(v, truths.Sums()[1])
		var squares observed
		var p sampling.Packet
		for range runs / 10 {
			table.Reset()
			for i := range packets {
				p.ID = random.Uint32()
				way := r
				if i >= packets/3 {
					way.congested = 0
				}
				travel(v, device, &p, way, &random)
				receiver.Receive(table, &p)
			}
			receiver.Flush()
			e := table.Links[1]
			d := e.Congested/e.Packets - 1./3
			squares.add(d * d)
		}
		if off := squares.off(prediction.FractionDeviation * prediction.FractionDeviation); off > 5 {
			t.Errorf("%s: deviation %g, predicted %g", text, math.Sqrt(squares.sum/squares.n),
				prediction.FractionDeviation)
		}
	}
}

// Ten times as many packets, and a tenth of the variance of the relative error.
func TestTimes(t *testing.T) {
	v := variant(t, "full")
	r := route{[]int32{0, 1, 2, 3, 4}, 0}
	truths := sampling.NewTruths(v, 5, nil)
	truths.Add(100, 0, 0, r.links, make([]bool, 5))
	one := sampling.Predict(v, truths.Sums()[2])
	if times := sampling.Times(one.PacketsDeviation, 100, 0.01); !near(times*100, 40000) {
		t.Errorf("1 %% takes %g packets, want 10000 (l-1) (Taffet 2018, section 3.3)", times*100)
	}
	truths.Add(39900, 0, 0, r.links, make([]bool, 5))
	many := sampling.Predict(v, truths.Sums()[2])
	if !near(many.PacketsDeviation/40000, 0.01) {
		t.Errorf("40000 packets leave %g", many.PacketsDeviation/40000)
	}
}
