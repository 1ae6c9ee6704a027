package benchmarks

import (
	"math"
	"slices"
	"testing"

	"remap/internal/testkit/tier"
)

// accuracySigmas is how many standard errors a mean over runs may be off.
const accuracySigmas = 4.5

// inARow tells whether hashes see identities that count up, where packets are not
// independent, as the formulas take them: over 64 identities in a row the hashes of
// most links of a path cancel, which takes up to 1/l off the variance of paths of l
// hops, and those of links that look alike in the low six bits add up. The latter
// evens out over links but for a share of the mean square. The identities of evalsim
// have both in every block, but of other links in each: it evens out for every link.
func (x *measured) inARow() bool { return x.variant.Hashed() && x.row.counting }

const (
	inARowLess = 0.5
	inARowMore = 0.15
)

// check holds means over runs against the formulas, and coverage against 95 %.
func (x *measured) check(t *testing.T) {
	t.Helper()
	for _, c := range []struct {
		name  string
		runs  []runMeans
		links []int32
	}{{"busiest links", x.busy, x.busiest}, {"used links", x.all, x.used}} {
		want := x.expected(c.links)
		near := func(what string, of func(runMeans) float64, less, more float64) {
			t.Helper()
			got, want := over(c.runs, of), of(want)
			if error := accuracySigmas*got.error + 1e-9; got.mean < want-less-error || got.mean > want+more+error {
				t.Errorf("%v, %s: %s %g +- %g, want %g", x.row, c.name, what, got.mean, got.error, want)
			}
		}
		less, more := 0., 0.
		if x.inARow() {
			less, more = inARowLess, inARowMore
		}
		near("bias of W", func(r runMeans) float64 { return r.w }, 0, 0)
		near("bias of C", func(r runMeans) float64 { return r.c }, 0, 0)
		near("mean square error of W", func(r runMeans) float64 { return r.squareW }, less*want.squareW,
			more*want.squareW)
		if x.known(c.links) {
			// The next terms of a ratio's expansion are up to 9 times its relative variance.
			next := 9 * want.squareW
			near("bias of F", func(r runMeans) float64 { return r.f }, next*want.squareW, next*want.squareW)
			near("mean square error of F", func(r runMeans) float64 { return r.squareF }, (less+next)*want.squareF,
				(more+next)*want.squareF)
		}
		x.checkCoverage(t, c.name, c.links, want)
	}
}

// checkCoverage holds 95 % intervals to 93 to 97 %, mean over links; intervals do not
// know of identities in a row and cover more there. Where counters at their limit bias
// a count, which no interval knows of either, nothing is asked.
func (x *measured) checkCoverage(t *testing.T, name string, links []int32, want runMeans) {
	t.Helper()
	biased := [3]bool{math.Abs(want.w) > 1e-9, math.Abs(want.c) > 1e-9, math.Abs(want.w)+math.Abs(want.c) > 1e-9}
	for i, what := range []string{"N", "M", "F"} {
		some, _ := x.judged(i, links)
		if len(some) == 0 || biased[i] {
			continue
		}
		if covered := x.coverage(some)[i]; covered < 0.93 || covered > 0.97 && !x.inARow() {
			t.Errorf("%v, %s: 95 %% intervals of %s cover %.4f on %d links", x.row, name, what, covered, len(some))
		}
	}
}

// checkReach holds the measured number of packets to the predicted one.
func (x *measured) checkReach(t *testing.T, r reached) {
	t.Helper()
	if math.IsInf(r.predicted, 1) || r.predicted == 1 {
		return
	}
	less, more := 0., 0.
	if x.inARow() {
		less, more = inARowLess*r.predicted, inARowMore*r.predicted
	}
	if error := accuracySigmas * r.packets.error; r.packets.mean < r.predicted-less-error ||
		r.packets.mean > r.predicted+more+error {
		t.Errorf("%v: %g +- %g packets leave 10 %%, want %g", x.row, r.packets.mean, r.packets.error, r.predicted)
	}
}

// accuracyTests are what TestAccuracy holds to the formulas; in the quick tier only
// the first, with fewer runs.
var accuracyTests = []struct {
	traffic accuracyCase
	rows    []accuracyRow
	long    []accuracyRow
}{
	{accuracyCase{topology: "dragonfly:groups=3,routers=2,hosts=2,global=1", pattern: "uniform:12,rounds=10"},
		[]accuracyRow{{variant: "full"}, {variant: "one-bit"}, {variant: "one-reservoir", unrelated: true},
			{variant: "full,counter=2", corrected: true}, {variant: "bloom:16"}},
		[]accuracyRow{{variant: "one-bit", unrelated: true}, {variant: "one-reservoir,hash=whole"},
			{variant: "full,counter=2"}, {variant: "n=2"}, {variant: "one-bit", counting: true}, {variant: "one-bit," +
				"unpruned"}, {variant: "one-bit,hash=hmult", unrelated: true}, {variant: "one-reservoir,counter=4"},
			{variant: "one-bit,counter=2", corrected: true}, {variant: "full,drawn=8"},
			{variant: "full", chance: "feedback"}, {variant: "full", chance: "rings"}, {variant: "bloom:32"}}},
	{accuracyCase{topology: "torus:8x3", pattern: "uniform:24,rounds=4"}, nil,
		[]accuracyRow{{variant: "full"}, {variant: "one-reservoir," +
			"counter=2", corrected: true, unrelated: true}, {variant: "full,counter=2", corrected: true},
			{variant: "n=3"}}},
	{accuracyCase{topology: "fattree:nodes-per-leaf=4,leaves-per-pod=3,pods=2,aggs-per-pod=2," +
		"cores=2", pattern: "uniform:24,rounds=4"}, nil,
		[]accuracyRow{{variant: "full"}, {variant: "one-bit"}, {variant: "one-reservoir"},
			{variant: "one-reservoir,drawn=8"}, {variant: "full,counter=2"}}},
}

// TestAccuracy holds ways to sample to the formulas: bias, errors, the coverage of
// intervals and the packets that 10 % take.
func TestAccuracy(t *testing.T) {
	runs, long := tier.Cases(1000, 1000, 2000), tier.IsLong()
	for _, c := range accuracyTests {
		rows := c.rows[:min(len(c.rows), tier.Cases(2, 5, 5))]
		if long {
			rows = slices.Concat(rows, c.long)
		}
		if len(rows) == 0 {
			continue
		}
		t.Run(c.traffic.topology, func(t *testing.T) {
			m := c.traffic.simulate(t)
			t.Log(m)
			for _, row := range rows {
				x := measure(t, m, row, runs)
				x.check(t)
				x.checkReach(t, x.reach(t, 2e5))
			}
		})
	}
}
