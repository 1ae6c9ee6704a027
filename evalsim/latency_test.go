package evalsim

import (
	"math"
	"math/bits"
	"reflect"
	"slices"
	"testing"
	"unsafe"

	"pgregory.net/rapid"

	"remap/sampling"
)

// What the event loop touches a packet or a message at a time keeps its size.
func TestSizesOfRecords(t *testing.T) {
	if size := unsafe.Sizeof(message{}); size != 64 {
		t.Errorf("a message takes %d bytes, a cache line has 64", size)
	}
	if size := unsafe.Sizeof(Delivery{}); size > 64 {
		t.Errorf("a delivery takes %d bytes, more than a cache line", size)
	}
	if size := unsafe.Sizeof(linkCount{}) + unsafe.Sizeof(LinkStats{}); size != countBytes {
		t.Errorf("a link in a slice takes %d bytes, %d are reckoned with", size, countBytes)
	}
	if size := unsafe.Sizeof(sampling.Entry{}); size != entryBytes {
		t.Errorf("a link in a table takes %d bytes, %d are reckoned with", size, entryBytes)
	}
}

// Percentiles are those of the sorted values, to the histogram's precision;
// counts, means and maxima are exact, and merging is adding one after the other.
func TestLatencySummaries(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type message struct{ bytes, ns int64 }
		messages := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) message {
			return message{rapid.Int64Range(0, 5).Draw(t, "bytes") << rapid.IntRange(0, 40).Draw(t, "shift"),
				rapid.Int64Range(1, 1000).Draw(t, "ns") * rapid.SampledFrom([]int64{1, 997, 1e6}).Draw(t, "unit")}
		}), 1, 300).Draw(t, "messages")
		var all, first, second Latencies
		classes := map[int][]int64{}
		for i, m := range messages {
			all.add(m.bytes, m.ns)
			[]*Latencies{&first, &second}[i%2].add(m.bytes, m.ns)
			class := bits.Len64(uint64(m.bytes))
			classes[class] = append(classes[class], m.ns)
		}
		first.Merge(&second)
		summaries := all.Summaries()
		if merged := first.Summaries(); !reflect.DeepEqual(merged, summaries) {
			t.Fatalf("merged %+v, at once %+v", merged, summaries)
		}
		if len(summaries) != len(classes) {
			t.Fatalf("%d classes, want %d", len(summaries), len(classes))
		}
		least := int64(-1)
		for _, s := range summaries {
			if s.FromBytes <= least || s.ToBytes < s.FromBytes {
				t.Fatalf("class %d..%d after %d", s.FromBytes, s.ToBytes, least)
			}
			least = s.ToBytes
			checkLatencies(t, s, classes[bits.Len64(uint64(s.FromBytes))])
		}
	})
}

func checkLatencies(t *rapid.T, s LatencySummary, values []int64) {
	slices.Sort(values)
	sum := 0.0
	for _, v := range values {
		sum += float64(v)
	}
	n := len(values)
	if s.Messages != int64(n) || s.MaxNS != values[n-1] || math.Abs(s.MeanNS-sum/float64(n)) > 1e-9*s.MeanNS {
		t.Fatalf("%+v of %d values up to %d with sum %g", s, n, values[n-1], sum)
	}
	last := int64(0)
	for _, p := range []struct {
		percent float64
		got     int64
	}{{50, s.P50NS}, {90, s.P90NS}, {99, s.P99NS}, {99.9, s.P999NS}, {100, s.MaxNS}} {
		rank := min(n, max(1, int(p.percent/100*float64(n)+0.5)))
		exact := values[rank-1]
		if p.got < exact || float64(p.got) > float64(exact)*1.001 || p.got < last {
			t.Fatalf("percentile %g: %d, exactly %d, the one before %d", p.percent, p.got, exact, last)
		}
		last = p.got
	}
}

// Longer than the histogram reaches is the longest it has; the rest stays exact.
func TestLongestLatency(t *testing.T) {
	var l Latencies
	l.add(1, mostRecorded*4)
	s := l.Summaries()[0]
	if s.MaxNS != mostRecorded*4 || s.MeanNS != mostRecorded*4 || float64(s.P50NS) < mostRecorded ||
		float64(s.P50NS) > 1.001*mostRecorded {
		t.Errorf("%+v", s)
	}
}
