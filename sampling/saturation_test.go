package sampling_test

import (
	"math"
	"testing"

	"remap/sampling"

	"remap/internal/testkit/tier"
)

// A counter of 2 bits on a path of 5 hops (Taffet 2018, section 5.6).
func TestSaturationOfThesis(t *testing.T) {
	v := variant(t, "full,counter=2")
	for i, want := range []float64{9. / 16, 9. / 16, 9. / 16, 9. / 16, 12. / 16} {
		if got := v.ExpectedWeight(i+1, 5); !near(got, want) {
			t.Errorf("hop %d of 5 weighs %g, want %g", i+1, got, want)
		}
	}
}

// What switches keep with counters that are too short, over all draws, is what
// the closed form says; and so is what receivers make of it.
func TestSaturationClosedForm(t *testing.T) {
	for _, text := range []string{"full,counter=1", "full,counter=2", "full,counter=3", "one-reservoir," +
		"hash=whole,counter=2",
		"n=2,counter=2", "n=3,counter=2", "n=3,counter=3", "full,drawn=4", "full,counter=8"} {
		v := variant(t, text)
		for length := 1; length <= 8; length++ {
			if length == 8 && v.Limit() > 7 {
				continue // takes long
			}
			links := []int32{0, 1, 2, 3, 4, 5, 6, 7}[:length]
			probabilities := make([]float64, length)
			source := &relay{}
			device := sampling.NewSwitch(v, 8, source)
			var p sampling.Packet
			all(func(c sampling.Chooser) {
				source.Chooser = c
				travel(v, device, &p, route{links, 0}, c)
			}, func(probability float64) {
				reservoir := p.Hops
				if v.Slots == 1 {
					reservoir = []int32{p.HopLink}
				}
				for _, link := range reservoir {
					probabilities[link] += probability
				}
			})
			sum := 0.
			for i, m := range exactMoments(v, links, route{links, 0}, nil) {
				if got := v.Kept(i+1, length); !near(got, probabilities[i]) {
					t.Errorf("%s: hop %d of %d kept with %g, closed form %g", text, i+1, length, probabilities[i], got)
				}
				if want := v.ExpectedWeight(i+1, length); !near(m.w, want) {
					t.Errorf("%s: hop %d of %d weighs %g, closed form %g", text, i+1, length, m.w, want)
				}
				sum += v.Kept(i+1, length)
			}
			if want := float64(min(v.Slots, length)); !near(sum, want) {
				t.Errorf("%s: %g of %d hops kept, want %g", text, sum, length, want)
			}
		}
	}
}

// inOrder is for a network where links in this order are all paths' hops, the
// rest at the second hop of others.
func inOrder(links []int32, length int) sampling.Positions {
	return func(_, _, link int32) (int, int) {
		for i, l := range links[:length] {
			if l == link {
				return i + 1, length
			}
		}
		return 2, length
	}
}

// Corrected counts of hops are without bias, with the variance and the covariance
// that follow from the probabilities to be kept, and with estimates of these
// without bias. One reservoir's congested counts too; a congested reservoir's only
// while its counter holds.
func TestCorrectedMoments(t *testing.T) {
	tier.Long(t, "corrected counts: half a second")
	t.Parallel()
	for _, text := range []string{"full,counter=1", "full,counter=2", "n=2,counter=2", "n=3,counter=2",
		"one-reservoir,hash=whole,counter=2",
		"one-reservoir,counter=2", "one-bit,counter=2", "one-reservoir,counter=1"} {
		v := variant(t, text)
		count := 7
		if v.Kind == sampling.OneBit {
			count = 6
		}
		links := independent(v, count)
		for length := int(v.Limit()); length < count; length++ {
			for _, congested := range []uint{0, 0b1, 0b110, 0b111, 0b101001, 0b11111} {
				congested &= 1<<length - 1
				r := route{links[:length], congested}
				if v.Kind == sampling.OneBit && r.found() > 4 {
					continue
				}
				for i, m := range exactMoments(v, links, r, inOrder(links, length)) {
					checkCorrected(t, text, v, r, i, m)
				}
			}
		}
	}
}

// checkCorrected holds the moments of candidate i, from 0, of a route against
// theory.
func checkCorrected(t *testing.T, text string, v sampling.Variant, r route, i int, m moments) {
	t.Helper()
	length, w, c := len(r.links), 0., 0.
	place := 2 // where links that are not on the route are on others
	if i < length {
		place, w, c = i+1, 1, float64(r.congested>>i&1)
	}
	if !v.Hashed() && w == 0 {
		return
	}
	weight, foundKept := 1/v.Kept(place, length), 0.
	for k := range length {
		foundKept += float64(r.congested>>k&1) * v.Kept(k+1, length)
	}
	g := r.found()
	varW, varC, covariance := weight-1, c*(weight-1), c*(weight-1)
	exactC := v.Kind == sampling.OneReservoir || g <= int(v.Limit())
	switch {
	case v.Kind == sampling.OneReservoir && v.Hashed():
		varW, varC = weight*weight-w, weight*weight*foundKept-c
		covariance = varC
	case v.Kind == sampling.OneBit:
		varW, varC, covariance = weight*weight-w, float64(g*g)-c, weight*foundKept-c
	case v.Kind == sampling.Full:
		varC, covariance = c*(float64(g)/float64(min(max(1, g), v.Slots))-1), 0
	}
	if !exactC {
		if c > 0 {
			among := 1
			for k := range i {
				among += int(r.congested >> k & 1)
			}
			c = v.ExpectedWeight(among, g)
		}
		if !near(m.c, c) {
			t.Errorf("%s: %d of %d congested, hop %d: congested weight %g, want %g", text, g, length, i+1, m.c, c)
		}
		varC, covariance = m.cc-m.c*m.c, m.wc-m.w*m.c
		m.varC, m.common = varC, covariance
	}
	if !near(m.w, w) || !near(m.c, c) || !near(m.ww-m.w*m.w, varW) || !near(m.cc-m.c*m.c, varC) ||
		!near(m.wc-m.w*m.c, covariance) {
		t.Errorf("%s: %d hops, congested %b, candidate %d: %+v, want means %g %g, variances %g %g, "+
			"covariance %g", text, length, r.congested, i+1, m, w, c, varW, varC, covariance)
	}
	if !near(m.varW, varW) || !near(m.varC, varC) || !near(m.common, covariance) {
		t.Errorf("%s: %d hops, congested %b, candidate %d: estimates %g %g %g of variances %g %g, "+
			"covariance %g", text, length, r.congested, i+1, m.varW, m.varC, m.common, varW, varC, covariance)
	}
}

// With more congested hops than the counter holds, the first and the last of
// them weigh between the bounds that the text names.
func TestCongestedSaturationBounds(t *testing.T) {
	for _, bits := range []string{"1", "2", "3", "4"} {
		v := variant(t, "full,counter="+bits)
		most := int(v.Limit()) + 1
		for k := 1; k <= most; k++ {
			if w := v.ExpectedWeight(k, most); !near(w, 1-1/float64(most)) {
				t.Errorf("%s bits: hop %d of %d weighs %g", bits, k, most, w)
			}
		}
		for g := most + 1; g < 3*most; g++ {
			last := 0.
			for k := 1; k <= g; k++ {
				w := v.ExpectedWeight(k, g)
				if w < last || w > 1 {
					t.Errorf("%s bits: hop %d of %d weighs %g, the one before %g", bits, k, g, w, last)
				}
				last = w
			}
			if first := v.ExpectedWeight(1, g); !near(first,
				float64(most-1)/float64(most)*math.Pow(1-1/float64(most), float64(g-most))) {
				t.Errorf("%s bits: the first of %d weighs %g", bits, g, first)
			}
		}
	}
}

// A counter that is not at its limit, links whose place is not fixed, and places
// that contradict the counter leave everything as it is.
func TestNothingToCorrect(t *testing.T) {
	for _, text := range []string{"full,counter=2", "n=2,counter=2", "one-reservoir,hash=whole," +
		"counter=2", "one-reservoir,counter=2", "one-bit,counter=2"} {
		v := variant(t, text)
		links := independent(v, 6)
		for _, length := range []int{2, 5} {
			r := route{links[:length], 0b11}
			plain := exactMoments(v, links, r, nil)
			for name, positions := range map[string]sampling.Positions{
				"open":  func(_, _, _ int32) (int, int) { return 0, 0 },
				"short": func(_, _, _ int32) (int, int) { return 1, 2 },
				"out":   func(_, _, _ int32) (int, int) { return 7, 5 },
			} {
				for i, m := range exactMoments(v, links, r, positions) {
					if !near(m.w, plain[i].w) || !near(m.c, plain[i].c) || !near(m.varW, plain[i].varW) {
						t.Errorf("%s, %d hops, %s: candidate %d has %+v, uncorrected %+v", text, length, name, i, m, plain[i])
					}
				}
			}
		}
	}
}

// Intervals of corrected counts cover, of links without a sample too: how much a
// missing sample would weigh is known from other samples' weights, not from
// counters, which say much less.
func TestCoverageOfCorrectedCounts(t *testing.T) {
	t.Parallel()
	const runs, length, packets = 2000, 5, 40
	t.Log("| sampling, counts corrected | N covered, by hop | F covered, by hop |\n|---|---|---|")
	for _, text := range []string{"full,counter=1", "full,counter=2", "n=2,counter=2", "one-reservoir," +
		"hash=whole,counter=1", "one-reservoir,hash=whole,counter=2"} {
		v := variant(t, text)
		random := sampling.NewRandom(5)
		device := sampling.NewSwitch(v, 2*length, &random)
		receiver := sampling.NewReceiver(v, 2*length, nil, 1)
		receiver.Correct(func(source, _, link int32) (int, int) { return int(link-source*length) + 1, length })
		var counts, fractions [length]float64
		table := sampling.NewTable(v, 2*length)
		for range runs {
			table.Reset()
			for i := range int32(packets) {
				p := sampling.Packet{Source: i & 1}
				p.Reset(v)
				for hop := range int32(length) {
					device.Cross(&p.Header, 0, p.Source*length+hop, i >= 4)
				}
				receiver.Receive(table, &p)
			}
			for i := range counts {
				counts[i] += covers(table.PacketsEstimate(int32(i)), packets/2) / runs
				fractions[i] += covers(table.Fraction(int32(i)), (packets-4.)/packets) / runs
			}
		}
		t.Logf("| %s | %.3f | %.3f |", text, counts, fractions)
		for i := range counts {
			if counts[i] < 0.9 || v.Kind == sampling.OneReservoir && fractions[i] < 0.9 {
				t.Errorf("%s, hop %d: N covered in %.3f of runs, F in %.3f", text, i+1, counts[i], fractions[i])
			}
		}
	}
}
