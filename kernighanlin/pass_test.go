package kernighanlin

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"remap/internal/testkit"
)

func drawPair(t *rapid.T) *Pair {
	n := rapid.IntRange(0, 24).Draw(t, "vertices")
	g := testkit.Graph(t, n)
	p := &Pair{Offsets: g.Offsets, Neighbors: g.Neighbors, Weights: g.Weights}
	p.Side = rapid.SliceOfN(rapid.Uint8Range(0, 1), n, n).Draw(t, "side")
	if rapid.Bool().Draw(t, "biased") {
		p.Bias = rapid.SliceOfN(rapid.Int64Range(-30, 30), n, n).Draw(t, "bias")
	}
	if rapid.Bool().Draw(t, "weighted") {
		p.VertexWeights = rapid.SliceOfN(rapid.Int32Range(1, 4), n, n).Draw(t, "weights")
	}
	return p
}

func TestGainsEqualRecomputedCosts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPair(t)
		var s Passes
		s.begin(p, Limits{Target: p.weightOfSide0(), Passes: 1})
		s.fill()
		for _, i := range rapid.SliceOf(rapid.IntRange(0, max(0, len(p.Side)-1))).Draw(t, "moves") {
			if len(p.Side) == 0 {
				return
			}
			before := p.Cost()
			gain := s.gain[i]
			s.locked[i] = true
			s.move(int32(i))
			if after := p.Cost(); before-after != gain {
				t.Fatalf("vertex %d: gain %d, the cost fell by %d", i, gain, before-after)
			}
		}
	})
}

func TestImproveReportsWhatItDid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPair(t)
		limits := Limits{
			Target:    p.weightOfSide0() + rapid.Int64Range(-3, 3).Draw(t, "off"),
			Tolerance: rapid.Int64Range(0, 2).Draw(t, "tolerance"),
			Passes:    rapid.IntRange(0, 5).Draw(t, "passes"),
			Fruitless: rapid.IntRange(0, 30).Draw(t, "fruitless"),
		}
		limits.Slack = limits.Tolerance + rapid.Int64Range(0, 4).Draw(t, "slack")
		excess := func() int64 { return max(0, abs(p.weightOfSide0()-limits.Target)-limits.Tolerance) }
		costBefore, excessBefore := p.Cost(), excess()
		var s Passes
		gain := s.Improve(p, limits)
		if costBefore-p.Cost() != gain {
			t.Fatalf("gain %d, the cost fell from %d to %d", gain, costBefore, p.Cost())
		}
		if excess() > excessBefore || excess() == excessBefore && gain < 0 {
			t.Fatalf("gain %d, excess from %d to %d", gain, excessBefore, excess())
		}
	})
}

// TestSwapsKeepSizes: with slack 1 and the target met, sides keep their sizes.
func TestSwapsKeepSizes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPair(t)
		p.VertexWeights = nil
		size := p.weightOfSide0()
		before := p.Cost()
		var s Passes
		s.Improve(p, Limits{Target: size, Slack: 1, Passes: 4, Fruitless: 50})
		if p.weightOfSide0() != size || p.Cost() > before {
			t.Fatalf("size %d became %d, cost %d became %d", size, p.weightOfSide0(), before, p.Cost())
		}
	})
}

// TestQueuesAgree: lists, buckets and heaps give the vertices by falling gain,
// of equal gains what changed last, whatever was done to them before.
func TestQueuesAgree(t *testing.T) {
	q := make([]queue, 3) // used again and again, as passes use them
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 40).Draw(t, "vertices")
		unit := int64(1) << rapid.IntRange(0, 40).Draw(t, "shift")
		most := rapid.SampledFrom([]int64{2, 5, 100, 5000}).Draw(t, "most")
		scale, ok := newGainScale(uint64(most*unit), uint64(most*unit|unit))
		if !ok {
			t.Fatal("no buckets for few gains")
		}
		place := make([][]int32, len(q))
		for f := range q {
			q[f].reset(form(f), scale, make([]link, n))
			place[f] = slices.Repeat([]int32{-1}, n)
		}
		in := map[int32]item{} // what the queues should hold
		for stamp := range int32(rapid.IntRange(0, 80).Draw(t, "steps")) {
			if len(in) > 0 && rapid.IntRange(0, 3).Draw(t, "take out") == 0 {
				popAll(t, q, place, in)
				continue
			}
			x := item{unit * rapid.Int64Range(-most, most).Draw(t, "gain"), stamp,
				rapid.Int32Range(0, int32(n-1)).Draw(t, "vertex")}
			in[x.vertex] = x
			for f := range q {
				q[f].set(x, place[f])
			}
		}
		if rapid.Bool().Draw(t, "to the end") {
			for len(in) > 0 {
				popAll(t, q, place, in)
			}
			for f := range q {
				if !q[f].empty() {
					t.Fatalf("form %d is not empty", f)
				}
			}
		}
	})
}

// popAll takes the best vertex out of all queues.
func popAll(t *rapid.T, q []queue, place [][]int32, in map[int32]item) {
	var best item
	first := true
	for _, x := range in {
		if first || x.before(best) {
			best, first = x, false
		}
	}
	for f := range q {
		if got := q[f].pop(place[f]); got != best.vertex || place[f][got] >= 0 {
			t.Fatalf("form %d gives vertex %d, want %d of gain %d", f, got, best.vertex, best.gain)
		}
	}
	delete(in, best.vertex)
}

// TestFormsChangeNothing: passes with buckets and with heaps end alike.
func TestFormsChangeNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPair(t)
		start := slices.Clone(p.Side)
		limits := Limits{Target: p.weightOfSide0(), Slack: rapid.Int64Range(1, 5).Draw(t, "slack"), Passes: 1,
			Fruitless: 50}
		var want []uint8
		for f := list; f <= heap; f++ {
			copy(p.Side, start)
			var s Passes
			s.begin(p, limits)
			if f == bucketed {
				s.scale, _ = newGainScale(1<<14, 1) // above 24 vertices x 3 x 20 + 30
				s.links = make([]link, len(p.Side))
			}
			s.form = f
			s.pass()
			if f == list {
				want = slices.Clone(p.Side)
			} else if !slices.Equal(p.Side, want) {
				t.Fatalf("form %d: sides %v, want %v", f, p.Side, want)
			}
		}
	})
}

// TestGainsBeyondBuckets: the scale takes what fits and refuses what does not.
func TestGainsBeyondBuckets(t *testing.T) {
	for _, c := range []struct {
		reach, common uint64
		ok            bool
	}{
		{0, 0, true}, {3 << 50, 1 << 50, true}, {3<<50 + 1, 1<<50 + 1, false},
		{mostBuckets/2 - 1, 1, true}, {mostBuckets / 2, 1, false}, {mostBuckets / 2, 2, true},
		{1<<63 - 1, 1, false},
	} {
		if scale, ok := newGainScale(c.reach, c.common); ok != c.ok {
			t.Errorf("reach %d with bits %b: %v with %d buckets", c.reach, c.common, ok, scale.size())
		}
	}
}

// TestUnitPairsReachAnyTarget: whatever the sides, one pass meets the target.
func TestUnitPairsReachAnyTarget(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPair(t)
		p.VertexWeights = nil
		target := rapid.Int64Range(0, int64(len(p.Side))).Draw(t, "target")
		var s Passes
		s.Improve(p, Limits{Target: target, Slack: rapid.Int64Range(1, 6).Draw(t, "slack"), Passes: 1,
			Fruitless: rapid.IntRange(0, 9).Draw(t, "fruitless")})
		if got := p.weightOfSide0(); got != target {
			t.Fatalf("%d vertices on side 0, want %d", got, target)
		}
	})
}
