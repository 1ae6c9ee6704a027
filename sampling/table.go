package sampling

import "math"

// Table is what receivers have concluded about every link, merged over all of
// them (Taffet 2018, algorithm 4). Index = link.
//
// A received packet that crossed l ports and whose reservoir holds link e adds
// l to the weighted count of e: an unbiased estimate of the packets that
// crossed e. The same draw adds l(l-1) to its variance, whose expectation is
// N(l-1), the variance of section 3.3, whatever mix of path lengths there is.
type Table struct {
	Links []Entry // length links
}

// Entry is one link's weighted counts.
type Entry struct {
	Packets           int64 // estimate of packets that crossed the link
	PacketsVariance   int64 // unbiased estimate of its variance
	Congested         int64 // estimate of packets that found the link congested
	CongestedVariance int64
}

// NewTable is empty, for links numbered 0..links-1.
func NewTable(links int) *Table { return &Table{Links: make([]Entry, links)} }

// Reset empties the table.
func (t *Table) Reset() { clear(t.Links) }

// Receive takes a delivered packet's header (Taffet 2018, algorithm 4).
func (t *Table) Receive(h *Header) {
	if n := int64(h.HopCount); n > 0 {
		e := &t.Links[h.HopLink]
		e.Packets += n
		e.PacketsVariance += n * (n - 1)
	}
	if n := int64(h.CongestedCount); n > 0 {
		e := &t.Links[h.CongestedLink]
		e.Congested += n
		e.CongestedVariance += n * (n - 1)
	}
}

// Merge adds another receiver's table of the same links.
func (t *Table) Merge(other *Table) {
	for i := range other.Links {
		e, o := &t.Links[i], &other.Links[i]
		e.Packets += o.Packets
		e.PacketsVariance += o.PacketsVariance
		e.Congested += o.Congested
		e.CongestedVariance += o.CongestedVariance
	}
}

// Estimate is a value with its 95 % interval.
type Estimate struct{ Value, Low, High float64 }

// normal95 is the two-sided 95 % quantile of the normal distribution.
const normal95 = 1.959963984540054

// PacketsEstimate is the number of packets that crossed the link.
func (e *Entry) PacketsEstimate() Estimate {
	return around(float64(e.Packets), math.Sqrt(float64(e.PacketsVariance)), math.Inf(1))
}

// CongestedEstimate is the number of packets that found the link congested.
func (e *Entry) CongestedEstimate() Estimate {
	return around(float64(e.Congested), math.Sqrt(float64(e.CongestedVariance)), math.Inf(1))
}

// Fraction is the link's congested fraction F = congested / packets, 0 when no
// packet was sampled on it. Its variance is the first-order expansion of
// section 3.3, F^2 (Var[C]/C^2 + Var[W]/W^2), which needs more than a handful
// of congested samples; value and interval lie in 0..1. Without any congested
// sample the upper limit is the rule of three: of M congested packets on paths
// with l congested ports none is kept with probability exp(-M/l), which is
// below 5 % for M > 3l; l is taken as the mean path length.
func (e *Entry) Fraction() Estimate {
	if e.Packets == 0 {
		return Estimate{}
	}
	w, c := float64(e.Packets), float64(e.Congested)
	if c == 0 {
		length := 1 + float64(e.PacketsVariance)/w
		return Estimate{High: min(1, 3*length/w)}
	}
	f := c / w
	deviation := f * math.Sqrt(float64(e.CongestedVariance)/(c*c)+float64(e.PacketsVariance)/(w*w))
	return around(min(f, 1), deviation, 1)
}

func around(value, deviation, top float64) Estimate {
	return Estimate{Value: value, Low: max(0, value-normal95*deviation), High: min(top, value+normal95*deviation)}
}
