package sampling_test

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"remap/sampling"

	"remap/internal/testkit/tier"
)

func feedback(t *testing.T, size, ticks int, seed uint32) *sampling.FeedbackRegister {
	t.Helper()
	r, err := sampling.NewFeedbackRegister(size, ticks, seed)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// primes are the prime divisors of a number.
func primes(n uint64) []uint64 {
	var p []uint64
	for d := uint64(2); d*d <= n; d++ {
		for i := 0; n%d == 0; i++ {
			if n /= d; i == 0 {
				p = append(p, d)
			}
		}
	}
	if n > 1 {
		p = append(p, n)
	}
	return p
}

// linear is a linear map of bit vectors by what it does to every unit vector.
type linear [32]uint32

func (m *linear) of(v uint32) uint32 {
	out := uint32(0)
	for i := range m {
		out ^= m[i] & -(v >> i & 1)
	}
	return out
}

func (m *linear) power(n uint64, size int) linear {
	var result linear
	square := *m
	for i := range size {
		result[i] = 1 << i
	}
	for ; n > 0; n >>= 1 {
		var next linear
		for i := range size {
			if n&1 == 1 {
				result[i] = square.of(result[i])
			}
			next[i] = square.of(square[i])
		}
		square = next
	}
	return result
}

// A register comes back to its state after 2^b-1 ticks, and for no prime divisor
// p after (2^b-1)/p: so the period is 2^b-1, and no state is 0. The thresholds
// are as near to 1/n as whole numbers can be.
func TestFeedbackPeriods(t *testing.T) {
	for size := sampling.MinFeedbackBits; size <= sampling.MaxFeedbackBits; size++ {
		var step, identity linear
		for i := range size {
			step[i], identity[i] = feedback(t, size, 1, 1<<i).Next(), 1<<i
		}
		period := uint64(1)<<size - 1
		if uint64(feedback(t, size, 1, 0).Period()) != period || feedback(t, size, 0, 0).StateBits() != size {
			t.Errorf("%d bits: another period or size is told", size)
		}
		if step.power(period, size) != identity {
			t.Errorf("%d bits: 2^%d-1 ticks do not come back", size, size)
		}
		for _, p := range primes(period) {
			if step.power(period/p, size) == identity {
				t.Errorf("%d bits: comes back after (2^%d-1)/%d ticks", size, size, p)
			}
		}
	}
	for _, size := range []int{7, 33} {
		if _, err := sampling.NewFeedbackRegister(size, 0, 1); err == nil {
			t.Errorf("%d bits: no error", size)
		}
	}
	if _, err := sampling.NewFeedbackRegister(16, -1, 1); err == nil {
		t.Error("-1 ticks: no error")
	}
}

// Over a period, whatever the ticks between draws, 0 comes with a probability
// within 1/(2(2^b-1)) of 1/n (Taffet 2018, section 5.9), every other number within
// 1/(2^b-1).
func TestFeedbackThresholds(t *testing.T) {
	for _, size := range []int{8, 9, 12, 14} {
		for _, ticks := range []int{0, 1, 3} {
			for _, n := range []uint32{1, 2, 3, 5, 7, 10, 100, 255, 256} {
				r := feedback(t, size, ticks, 77)
				counts := make([]float64, n)
				for range r.Period() {
					counts[r.Below(n)]++
				}
				period, bound := float64(r.Period()), 1.
				for i, c := range counts {
					if i == 0 {
						bound = 0.5
					} else {
						bound = 1
					}
					if math.Abs(c-period/float64(n)) > bound {
						t.Errorf("%d bits, %d ticks: %d of %d comes %g times in %g", size, ticks, i, n, c, period)
					}
				}
			}
		}
	}
}

// Draws one tick apart depend on each other: after a 0 another is as likely as
// 1/2. Draws as many ticks apart as there are bits do not.
func TestFeedbackDrawsApart(t *testing.T) {
	const n = 8
	again := func(ticks int) float64 {
		r := feedback(t, 16, ticks, 5)
		zeros, pairs, last := 0., 0., false
		for range r.Period() {
			zero := r.Below(n) == 0
			if zero {
				zeros++
			}
			if zero && last {
				pairs++
			}
			last = zero
		}
		return pairs / zeros
	}
	if p := again(1); math.Abs(p-0.5) > 0.01 {
		t.Errorf("one tick apart another 0 has probability %g, want 1/2", p)
	}
	if p := again(0); math.Abs(p-1./n) > 0.01 {
		t.Errorf("16 ticks apart another 0 has probability %g, want 1/%d", p, n)
	}
}

// kept counts which of the hops of a path is kept, if every switch on it has its
// own chance.
func kept(packets, length int, chance func(hop int) sampling.Chooser) []float64 {
	switches := make([]*sampling.Switch, length)
	for i := range switches {
		switches[i] = sampling.NewSwitch(sampling.Reservoirs, length, chance(i))
	}
	counts := make([]float64, length)
	for range packets {
		var h sampling.Header
		for i, s := range switches {
			s.Cross(&h, 0, int32(i), false)
		}
		counts[h.HopLink]++
	}
	return counts
}

// uniform is the chi-square of counts that should be equal over what it stays
// below with probability 1 - 1e-6.
func uniform(counts []float64) float64 {
	expected := make([]float64, len(counts))
	for i := range expected {
		for _, c := range counts {
			expected[i] += c / float64(len(counts))
		}
	}
	return stat.ChiSquare(counts, expected) / distuv.ChiSquared{K: float64(len(counts) - 1)}.Quantile(1-1e-6)
}

// Reservoirs are uniform samples with registers in the switches in place of ideal
// chance, if they begin at unrelated places: equal ones stay equal.
func TestFeedbackReservoirs(t *testing.T) {
	tier.Long(t, "reservoirs by registers: half a second")
	t.Parallel()
	for _, size := range []int{16, 24, 32} {
		for _, length := range []int{2, 3, 5, 7} {
			for _, related := range []bool{false, true} {
				random := sampling.NewRandom(uint64(size))
				counts := kept(60000, length, func(int) sampling.Chooser {
					if related {
						return feedback(t, size, 0, 0xcafe)
					}
					return feedback(t, size, 0, random.Uint32())
				})
				if fair := uniform(counts) < 1; fair == (related && length > 2) {
					t.Errorf("%d bits, %d hops, related %t: %v", size, length, related, counts)
				}
			}
		}
	}
}

// Packets whose spacing has a divisor in common with the size of a ring always
// find it in the same few places; with none in common each ring is read fairly,
// but rings of 2 and 4 bits still go together. Jitter mends both.
func TestRings(t *testing.T) {
	for _, c := range []struct {
		ticks, jitter uint32
		length        int
		fair          bool
	}{
		{6, 0, 3, false}, {4, 0, 2, false}, {35, 0, 5, false},
		{7, 0, 2, true}, {7, 0, 3, true}, {7, 0, 4, false},
		{6, 11, 3, true}, {4, 11, 2, true}, {35, 11, 5, true}, {7, 11, 4, true}, {1, 11, 7, true},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			unfair := 0
			for seed := range uint64(8) {
				counts := kept(40000, c.length, func(hop int) sampling.Chooser {
					return sampling.NewRings(8, c.ticks, c.jitter, seed*100+uint64(hop))
				})
				if uniform(counts) > 1 {
					unfair++
				}
			}
			if c.fair && unfair > 0 || !c.fair && unfair == 0 {
				t.Errorf("%d of 8 are not uniform", unfair)
			}
		})
	}
}

// Without jitter of its own the rings are driven from outside: a common divisor
// of spacing and size freezes a ring, times that vary free it.
func TestRingsAdvance(t *testing.T) {
	for _, jitter := range []uint32{0, 9} {
		rings := sampling.NewRings(8, 0, 0, 1)
		random := sampling.NewRandom(3)
		var counts [5]float64
		for range 20000 {
			counts[rings.Below(5)]++
			rings.Advance(uint64(25 + random.Below(jitter+1)))
		}
		if frozen := uniform(counts[:]) > 1; frozen != (jitter == 0) {
			t.Errorf("jitter %d: %v", jitter, counts)
		}
	}
	if bits := sampling.NewRings(8, 1, 0, 0).StateBits(); bits != 2+3+4+5+6+7+8 {
		t.Errorf("rings to 8 keep %d bits", bits)
	}
}

// Two reservoirs that draw at one time from the same rings hold the same link
// whenever both count alike; ticks between the draws part them.
func TestRingsReadTwice(t *testing.T) {
	const packets, length = 20000, 4
	for _, ticks := range []uint32{0, 1} {
		random, same := sampling.NewRandom(6), 0.
		rings := sampling.NewRings(8, ticks, 20*ticks, 1)
		device := sampling.NewSwitch(sampling.Reservoirs, length, rings)
		for range packets {
			var h sampling.Header
			for i := range int32(length) {
				device.Cross(&h, 0, i, true)
				rings.Advance(uint64(random.Below(100)))
			}
			if h.HopLink == h.CongestedLink {
				same++
			}
		}
		want := packets / float64(length)
		if ticks == 0 {
			want = packets
		}
		if math.Abs(same-want) > 5.5*math.Sqrt(want) {
			t.Errorf("%d ticks between draws: reservoirs agree %g times, want %g", ticks, same, want)
		}
	}
}

// Reservoirs of several links take their places from the same sources.
func TestGeneratorsFillSlots(t *testing.T) {
	v := variant(t, "n=2,counter=3")
	const length, packets = 5, 40000
	for name, chance := range map[string]sampling.Chooser{
		"feedback": feedback(t, 24, 0, 9), "rings": sampling.NewRings(8, 3, 23, 4),
	} {
		device := sampling.NewSwitch(v, length, chance)
		counts := make([]float64, length)
		for range packets {
			var h sampling.Header
			for i := range int32(length) {
				device.Cross(&h, 0, i, false)
			}
			for _, link := range h.Hops {
				counts[link]++
			}
		}
		for i, c := range counts {
			const p = 2. / length
			if z := (c - packets*p) / math.Sqrt(packets*p*(1-p)); math.Abs(z) > 5.5 {
				t.Errorf("%s: hop %d is kept %g times, %g deviations off", name, i, c, z)
			}
		}
	}
}

func BenchmarkChooser(b *testing.B) {
	register, err := sampling.NewFeedbackRegister(16, 0, 1)
	if err != nil {
		b.Fatal(err)
	}
	random := sampling.NewRandom(1)
	for name, c := range map[string]sampling.Chooser{"pcg": &random, "feedback": register,
		"rings": sampling.NewRings(16, 5, 20, 1)} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				c.Below(5)
			}
		})
	}
}
