package evalsim

import (
	"math/bits"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Latencies are the times messages between hosts took, from the send to the
// arrival of the last byte, by power-of-two size class, in histograms of 3
// significant digits (Tene's high dynamic range histogram).
type Latencies struct {
	classes [65]*latencyClass // index = bits of the size; nil = no message
}

type latencyClass struct {
	histogram *hdrhistogram.Histogram // ns
	sum       float64                 // ns
	most      int64                   // ns
}

// mostRecorded is what the histograms can hold, 18 minutes in ns; longer ones
// count as that in percentiles, but not in mean and maximum.
const mostRecorded = 1 << 40

// add takes a message's size and its time in ns.
func (l *Latencies) add(bytes, ns int64) {
	class := l.class(bits.Len64(uint64(bytes)))
	// Values from 0 to the limit cannot be refused.
	_ = class.histogram.RecordValue(min(max(0, ns), mostRecorded))
	class.sum += float64(ns)
	class.most = max(class.most, ns)
}

func (l *Latencies) class(i int) *latencyClass {
	if l.classes[i] == nil {
		l.classes[i] = &latencyClass{histogram: hdrhistogram.New(1, mostRecorded, 3)}
	}
	return l.classes[i]
}

// Merge adds others, such as those of further repeats.
func (l *Latencies) Merge(other *Latencies) {
	for i, o := range other.classes {
		if o == nil {
			continue
		}
		class := l.class(i)
		class.histogram.Merge(o.histogram)
		class.sum += o.sum
		class.most = max(class.most, o.most)
	}
}

// LatencySummary is the distribution of the latencies of one size class of messages.
// Percentiles are of nearest rank, exact to 0.1 %; mean and maximum are exact.
type LatencySummary struct {
	// FromBytes and ToBytes are the smallest and the largest size of the class.
	FromBytes int64 `json:"from_bytes"`
	ToBytes   int64 `json:"to_bytes"`

	// Messages is the number of messages, summed over repeats.
	Messages int64 `json:"messages"`

	MeanNS float64 `json:"mean_ns"`
	P50NS  int64   `json:"p50_ns"`
	P90NS  int64   `json:"p90_ns"`
	P99NS  int64   `json:"p99_ns"`
	P999NS int64   `json:"p99_9_ns"`
	MaxNS  int64   `json:"max_ns"`
}

// Summaries are the classes that have messages, smallest first.
func (l *Latencies) Summaries() []LatencySummary {
	summaries := []LatencySummary{}
	for i, c := range l.classes {
		if c == nil {
			continue
		}
		s := LatencySummary{Messages: c.histogram.TotalCount(), MaxNS: c.most}
		if i > 0 {
			s.FromBytes, s.ToBytes = 1<<(i-1), 1<<i-1
		}
		s.MeanNS = c.sum / float64(s.Messages)
		for _, p := range []struct {
			to      *int64
			percent float64
		}{{&s.P50NS, 50}, {&s.P90NS, 90}, {&s.P99NS, 99}, {&s.P999NS, 99.9}} {
			// The histogram answers with the top of a bucket.
			*p.to = min(c.most, c.histogram.ValueAtPercentile(p.percent))
		}
		summaries = append(summaries, s)
	}
	return summaries
}

// SummarizeLatencies merges the latencies of repeats. Repeats without Options.Latencies add
// nothing.
func SummarizeLatencies(results []*Result) []LatencySummary {
	var whole Latencies
	for _, r := range results {
		if r.Latencies != nil {
			whole.Merge(r.Latencies)
		}
	}
	return whole.Summaries()
}
