package commgraph

import (
	"testing"

	"pgregory.net/rapid"
)

func TestStats(t *testing.T) {
	flows := []Flow{
		{0, 0, 100, 1},               // self
		{0, 1, 30, 3}, {1, 0, 10, 2}, // 20 of 40 bytes come back
		{1, 2, 60, 1}, // one way
		{4, 0, 0, 9},  // messages without bytes: no pair
	}
	traffic, err := NewTraffic(5, flows, true)
	if err != nil {
		t.Fatal(err)
	}
	want := Stats{Ranks: 5, Entries: 5, Pairs: 2, Bytes: 100, SelfBytes: 100, Messages: 15,
		MinDegree: 0, MeanDegree: 0.8, MaxDegree: 2, Components: 3, Symmetry: 0.2}
	if got := traffic.Stats(); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got, want := (&Traffic{Offsets: []int32{0}}).Stats(), (Stats{Messages: -1, Symmetry: 1}); got != want {
		t.Errorf("without ranks %+v, want %+v", got, want)
	}
}

func TestStatsProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		traffic := drawTraffic(t, rapid.Bool().Draw(t, "counted"))
		s := traffic.Stats()
		if s.Bytes+s.SelfBytes != traffic.TotalBytes() || s.Bytes != traffic.Graph().TotalWeight() {
			t.Fatalf("%+v of %d bytes", s, traffic.TotalBytes())
		}
		if s.MinDegree > s.MaxDegree || float64(s.MinDegree) > s.MeanDegree || s.MeanDegree > float64(s.MaxDegree) {
			t.Fatalf("degrees %+v", s)
		}
		if s.Symmetry < 0 || s.Symmetry > 1 || s.MeanDegree*float64(s.Ranks) < 2*float64(s.Pairs)-1e-9 {
			t.Fatalf("%+v", s)
		}
		// A merge of a graph's halves differs by a byte a pair at most.
		if m := traffic.Graph().Traffic().Stats(); m.Symmetry < 1-float64(m.Pairs)/max(1, float64(m.Bytes))-1e-12 {
			t.Fatalf("symmetric traffic: %+v", m)
		}
	})
}

func TestMultiply(t *testing.T) {
	traffic, err := NewTraffic(2, []Flow{{0, 1, 3, 5}, {1, 1, 4, 1}}, true)
	if err != nil {
		t.Fatal(err)
	}
	got, err := traffic.Multiply(1000)
	if err != nil {
		t.Fatal(err)
	}
	mustCheck(t, got)
	same(t, "times 1000", got, &Traffic{Offsets: []int32{0, 1, 2}, Destinations: []int32{1, 1},
		Bytes: []int64{3000, 4000}, Messages: []int64{5, 1}})
	if traffic.Bytes[0] != 3 {
		t.Error("the original changed")
	}
	for _, unit := range []int64{0, -1, MaxTotal, 1 << 62} {
		if _, err := traffic.Multiply(unit); err == nil {
			t.Errorf("times %d: no error", unit)
		}
	}
}
