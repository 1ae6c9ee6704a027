package kernighanlin

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"remap/commgraph"
)

// drawGraph makes any small graph with weights.
func drawGraph(t *rapid.T, vertices int) *commgraph.Graph {
	var flows []commgraph.Flow
	if vertices > 1 {
		for range rapid.IntRange(0, 3*vertices).Draw(t, "edges") {
			flows = append(flows, commgraph.Flow{
				From:  rapid.Int32Range(0, int32(vertices-1)).Draw(t, "from"),
				To:    rapid.Int32Range(0, int32(vertices-1)).Draw(t, "to"),
				Bytes: rapid.Int64Range(1, 20).Draw(t, "bytes"),
			})
		}
	}
	traffic, err := commgraph.NewTraffic(vertices, flows, false)
	if err != nil {
		t.Fatal(err)
	}
	return traffic.Graph()
}

func drawPair(t *rapid.T) *Pair {
	n := rapid.IntRange(0, 24).Draw(t, "vertices")
	g := drawGraph(t, n)
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
			if at := s.place[i]; at >= 0 {
				s.queues[p.Side[i]].remove(int(at), s.place)
			}
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

// TestQueueSorts: as a heap and as a list.
func TestQueueSorts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		gains := rapid.SliceOfN(rapid.Int64Range(-5, 5), 1, 40).Draw(t, "gains")
		place := make([]int32, len(gains))
		var q queue
		q.reset(rapid.Bool().Draw(t, "list"))
		stamp := int32(0)
		items := make([]item, len(gains))
		for v, g := range gains {
			items[v] = item{g, stamp, int32(v)}
			stamp++
			q.push(items[v], place)
		}
		for _, v := range rapid.SliceOf(rapid.IntRange(0, len(gains)-1)).Draw(t, "changes") {
			if place[v] < 0 {
				continue
			}
			if rapid.Bool().Draw(t, "asked") {
				q.top()
			}
			if rapid.Bool().Draw(t, "remove") {
				q.remove(int(place[v]), place)
				items[v].vertex = -1
				continue
			}
			items[v].gain, items[v].stamp = rapid.Int64Range(-5, 5).Draw(t, "gain"), stamp
			stamp++
			q.change(int(place[v]), items[v], place)
		}
		var got []item
		for len(q.items) > 0 {
			top := q.top()
			got = append(got, q.items[top])
			q.remove(top, place)
		}
		want := slices.DeleteFunc(items, func(i item) bool { return i.vertex < 0 })
		slices.SortFunc(want, func(i, j item) int {
			if i.before(j) {
				return -1
			}
			return 1
		})
		if !slices.Equal(got, want) {
			t.Fatalf("got %v, want %v", got, want)
		}
	})
}

// TestUnitPairsReachAnyTarget: whatever the sides, one pass meets the target.
func TestUnitPairsReachAnyTarget(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPair(t)
		p.VertexWeights = nil
		target := rapid.Int64Range(0, int64(len(p.Side))).Draw(t, "target")
		var s Passes
		s.Improve(p, Limits{Target: target, Slack: rapid.Int64Range(1, 6).Draw(t, "slack"), Passes: 1, Fruitless: rapid.IntRange(0, 9).Draw(t, "fruitless")})
		if got := p.weightOfSide0(); got != target {
			t.Fatalf("%d vertices on side 0, want %d", got, target)
		}
	})
}
