package sampling_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"remap/internal/testkit/tier"
	"remap/sampling"
)

// sigmas is how many standard errors a mean may be off: beyond 5, one in 1.7
// million is by chance.
const sigmas = 5

// expected are what docs/sampling.md says of a link: expectations of W and C, their
// variances and covariance.
type expected struct{ n, m, varW, varC, cov float64 }

func (t *traffic) expected(v sampling.Variant, link int32) expected {
	x := expected{n: float64(t.n[link]), m: float64(t.m[link])}
	for _, way := range t.ways {
		l, g := float64(len(way)), 0.
		for _, c := range way {
			if c.congested {
				g++
			}
		}
		kept, keptCongested := min(l, float64(v.Slots)), min(max(1, g), float64(v.Slots))
		switch {
		case v.Kind == sampling.OneBit:
			x.varW, x.varC, x.cov = x.varW+l*l, x.varC+g*g, x.cov+g
		case v.Hashed():
			x.varW, x.varC, x.cov = x.varW+l*l, x.varC+l*g, x.cov+l*g
		}
		for _, c := range way {
			if c.link != link {
				continue
			}
			here := 0.
			if c.congested {
				here = 1
			}
			switch {
			case v.Hashed():
				x.varW, x.varC, x.cov = x.varW-1, x.varC-here, x.cov-here
			case v.Kind == sampling.OneReservoir:
				x.varW, x.varC, x.cov = x.varW+l-1, x.varC+here*(l-1), x.cov+here*(l-1)
			default:
				x.varW, x.varC = x.varW+l/kept-1, x.varC+here*(g/keptCongested-1)
			}
		}
	}
	return x
}

// series is the sums of a number over runs.
type series struct{ count, sum, squares float64 }

func (s *series) add(x float64) {
	s.count++
	s.sum += x
	s.squares += x * x
}

func (s *series) mean() float64     { return s.sum / s.count }
func (s *series) variance() float64 { return s.squares/s.count - s.mean()*s.mean() }

// is checks the mean against what it must be, in standard errors.
func (s *series) is(t *testing.T, what string, want float64) {
	t.Helper()
	if allowed := sigmas*math.Sqrt(s.variance()/s.count) +
		1e-9*(1+math.Abs(want)); math.Abs(s.mean()-want) > allowed {
		t.Errorf("%s: mean %g, want %g +- %g", what, s.mean(), want, allowed)
	}
}

// Counts are unbiased, their variances and covariance are those derived, and the
// columns beside the counts are unbiased estimates of them, for paths of two
// lengths and links with any share of packets and of congestion.
func TestMoments(t *testing.T) {
	tier.Long(t, "moments of all variants: a second")
	t.Parallel()
	some, runs := fixedTraffic(150), 3000
	for _, name := range []string{"full", "n=2", "one-reservoir," +
		"hash=whole", "one-bit", "one-reservoir", "one-bit,hash=crc"} {
		v := parse(t, name)
		type sums struct{ w, c, ww, cc, wc, varW, varC, cov series }
		links := make([]sums, some.links)
		for run := range runs {
			table := some.run(v, uint64(run)+9e9)
			for i, e := range table.Links {
				s, n, m := &links[i], float64(some.n[i]), float64(some.m[i])
				s.w.add(e.Packets)
				s.c.add(e.Congested)
				s.ww.add((e.Packets - n) * (e.Packets - n))
				s.cc.add((e.Congested - m) * (e.Congested - m))
				s.wc.add((e.Packets - n) * (e.Congested - m))
				s.varW.add(e.PacketsVariance)
				s.varC.add(e.CongestedVariance)
				s.cov.add(e.Covariance)
			}
		}
		for i := range links {
			s, x := &links[i], some.expected(v, int32(i))
			if math.Max(x.n, x.m) < 10 && !v.Hashed() { // too few samples for their squares to be about normal
				continue
			}
			what := fmt.Sprintf("%s, link %d", name, i)
			s.w.is(t, what+": W", x.n)
			s.c.is(t, what+": C", x.m)
			s.ww.is(t, what+": variance of W", x.varW)
			s.wc.is(t, what+": covariance", x.cov)
			s.varW.is(t, what+": estimated variance of W", x.varW)
			s.cov.is(t, what+": estimated covariance", x.cov)
			if x.m >= 10 || v.Hashed() {
				s.cc.is(t, what+": variance of C", x.varC)
				s.varC.is(t, what+": estimated variance of C", x.varC)
			}
		}
	}
}

// fewHops is the law of the counts of a link that n packets cross, all there are,
// on paths of five hops: m of them find it and one more congested. It is drawn by
// what reservoirs hold, TestMoments compares the like with receivers.
type fewHops struct {
	variant sampling.Variant
	n, m    int
	random  *rand.Rand
}

const fewLength, fewCongested = 5, 2

// count is how many of n events of a probability happen.
func (f *fewHops) count(n int, p float64) int {
	if n == 0 {
		return 0
	}
	return int(distuv.Binomial{N: float64(n), P: p, Src: f.random}.Rand())
}

// signs is a sum of n signs of either kind.
func (f *fewHops) signs(n int) int { return 2*f.count(n, 0.5) - n }

// draw is a table of one link.
func (f *fewHops) draw() *sampling.Table {
	const l, g = fewLength, fewCongested
	// The hop reservoir holds the link, the other congested link or none of them.
	this := f.count(f.m, 1./l)
	other := f.count(f.m-this, 1./(l-1))
	rest := f.count(f.n-f.m, 1./l) // of the packets that were not congested
	w, c := this+rest, this        // in samples
	one, hashed := f.variant.Kind == sampling.OneReservoir, f.variant.Hashed()
	switch {
	case one && hashed:
		c += f.signs(other)
		w = c + rest + f.signs(f.n-f.m-rest) + f.signs(f.m-this-other)
	case hashed:
		// The congested one holds this link or the other: signs agree if both hold the same.
		same := f.count(other, 1./g) // hop: other, congested: other
		agree := f.signs(same)
		w += agree + f.signs(other-same) + f.signs(f.n-f.m-rest) + f.signs(f.m-this-other)
		held := f.count(this, 1./g) + other - same + f.count(f.m-this-other, 1./g)
		c = held + agree + f.signs(f.m-held-same)
	case !one:
		c = f.count(f.m, 1./g)
	}
	weight := float64(g)
	if one {
		weight = l
	}
	e := sampling.Entry{Packets: float64(l * w), PacketsVariance: float64(l * (l - 1) * w),
		Congested: weight * float64(c), CongestedVariance: weight * (weight - 1) * float64(c)}
	if one {
		e.Covariance = e.CongestedVariance
	}
	if hashed {
		e.PacketsVariance = float64(l*l*f.n) - e.Packets
		e.CongestedVariance = float64(g*g*f.m) - e.Congested
		e.Covariance = float64(g*f.m) - e.Congested
		if one {
			e.CongestedVariance = float64(l*g*f.m) - e.Congested
			e.Covariance = e.CongestedVariance
		}
	}
	table := sampling.NewTable(f.variant, 1)
	table.Links[0] = e
	return table
}

// expected is the closed form.
func (f *fewHops) expected() expected {
	const l, g = fewLength, fewCongested
	n, m := float64(f.n), float64(f.m)
	switch {
	case f.variant.Kind == sampling.OneBit:
		return expected{n, m, n*l*l - n, m*g*g - m, m*g - m}
	case f.variant.Hashed():
		return expected{n, m, n*l*l - n, m*g*l - m, m*g*l - m}
	case f.variant.Kind == sampling.OneReservoir:
		return expected{n, m, n * (l - 1), m * (l - 1), m * (l - 1)}
	}
	return expected{n, m, n * (l - 1), m * (g - 1), 0}
}

// The congested fraction with one reservoir and with two: its variance and, of
// second order, its bias are those of docs/sampling.md, LessBiased takes that bias
// away, and one reservoir is the better from F = (l-g) / (2(l-1)) = 3/8 on.
//
// The expansions leave out terms smaller by order = Var(W)/N^2, here 1/400: of the
// variance of a ratio of normal numbers by up to 9 orders of itself, of the bias
// by as many.
func TestFractionOfOneReservoir(t *testing.T) {
	tier.Long(t, "means over thousands of runs: two seconds")
	t.Parallel()
	const runs = 20000
	for _, pair := range [][2]string{{"full", "one-reservoir,hash=whole"}, {"one-bit", "one-reservoir"}} {
		for _, f := range []float64{0.1, 0.3, 0.45, 0.8} {
			var variances [2]float64
			for i, name := range pair {
				law := &fewHops{parse(t, name), 1600, int(1600 * f), rand.New(rand.NewPCG(uint64(i), 7))}
				if law.variant.Hashed() {
					law.n, law.m = 10000, int(10000*f)
				}
				variances[i] = checkFraction(t, name, law, runs)
			}
			threshold := float64(fewLength-fewCongested) / (2 * (fewLength - 1))
			if (f > threshold) != (variances[1] < variances[0]) {
				t.Errorf("%v, F = %g: variances %g", pair, f, variances)
			}
		}
	}
}

// checkFraction compares runs with the expansions and returns the variance.
func checkFraction(t *testing.T, name string, law *fewHops, runs int) float64 {
	t.Helper()
	x := law.expected()
	truth, order := x.m/x.n, x.varW/(x.n*x.n)
	want := (x.varC - 2*truth*x.cov + truth*truth*x.varW) / (x.n * x.n)
	bias := (truth*x.varW - x.cov) / (x.n * x.n)
	var plain, better, square series
	for range runs {
		table := law.draw()
		e := table.Links[0]
		f := e.Congested / e.Packets
		plain.add(f)
		better.add(table.LessBiased(0))
		square.add((f - truth) * (f - truth))
	}
	t.Logf("%s, F = %.2f: mean %.5f, bias of second order %.5f, LessBiased %.5f; variance %.3e, expansion "+
		"%.3e", name, truth, plain.mean(), bias, better.mean(), plain.variance(), want)
	allowed := sigmas*math.Sqrt(plain.variance()/float64(runs)) + 9*order*math.Abs(bias)
	if math.Abs(plain.mean()-bias-truth) > allowed || math.Abs(better.mean()-truth) > allowed {
		t.Errorf("%s, F = %g: mean %g less bias %g, LessBiased %g; allowed "+
			"are %g", name, truth, plain.mean(), bias, better.mean(), allowed)
	}
	if ratio := square.mean() / want; math.Abs(
		ratio-1,
	) > sigmas*math.Sqrt(
		square.variance()/float64(runs),
	)/want+9*order {
		t.Errorf("%s, F = %g: the variance is %g of the expansion's", name, truth, ratio)
	}
	return plain.variance()
}

// Identities that count up, of packets on one path, are better than independent
// ones under the field's hash: over 64 and more in a row the other links of the
// path cancel, which takes l-1 from the variance of every packet that crossed the
// link and l from that of any other (docs/sampling.md). The columns beside the
// counts do not know of it, so intervals are wider than they must be.
func TestIdentitiesInARow(t *testing.T) {
	tier.Long(t, "means over thousands of runs: two seconds")
	t.Parallel()
	crossed, other := onePath(t, func(random *sampling.Random) func(i uint32) uint32 {
		first := random.Uint32() &^ 63
		return func(i uint32) uint32 { return first + i }
	})
	crossed.is(t, "variance for every packet, of links crossed", onePathHops*onePathHops-onePathHops)
	other.is(t, "of other links", onePathHops*onePathHops-onePathHops)
}

// Identities of blocks drawn at random have the variance of independent ones: any two
// of these links look alike to one block of 64.
func TestIdentitiesOfDrawnBlocks(t *testing.T) {
	t.Parallel()
	crossed, other := onePath(t, func(random *sampling.Random) func(i uint32) uint32 {
		identities, number := sampling.NewIdentities(uint64(random.Uint32())), uint32(0)
		return func(uint32) uint32 { return identities.Next(&number) }
	})
	crossed.is(t, "variance for every packet, of links crossed", onePathHops*onePathHops-1)
	other.is(t, "of other links", onePathHops*onePathHops)
}

const onePathHops = 5

// onePath is the squared error for every packet, of links crossed and of others, when
// 1024 packets of one-bit take one path.
func onePath(t *testing.T, start func(*sampling.Random) func(i uint32) uint32) (crossed, other series) {
	const packets, links, runs = 1024, 12, 3000
	v := parse(t, "one-bit")
	paths := func(_, _ int32) []sampling.Range { return []sampling.Range{{First: 0, Count: links}} }
	for run := range runs {
		random := sampling.NewRandom(uint64(run))
		device, receiver := sampling.NewSwitch(v, links, &random), sampling.NewReceiver(v, links, paths, 1)
		table := sampling.NewTable(v, links)
		identity := start(&random)
		var p sampling.Packet
		for i := range uint32(packets) {
			p.Reset(v)
			p.ID = identity(i)
			for link := range int32(onePathHops) {
				device.Cross(&p.Header, p.ID, link, false)
			}
			receiver.Receive(table, &p)
		}
		receiver.Flush()
		for link, e := range table.Links {
			n, into := 0., &other
			if link < onePathHops {
				n, into = packets, &crossed
			}
			into.add((e.Packets - n) * (e.Packets - n) / packets)
		}
	}
	return crossed, other
}
