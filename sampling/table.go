package sampling

import "math"

// Table is what receivers have concluded about every link, merged over all of
// them (Taffet 2018, algorithms 4, 7 and 9). Index = link.
//
// Every received packet adds to some entries numbers whose expectation is 1 for
// a link it crossed and 0 for any other: that makes the counts unbiased. Beside
// them it adds what makes their variances known without bias, whatever mix of
// path lengths there is; see docs/sampling.md.
type Table struct {
	Variant  Variant
	Links    []Entry // length links
	Received Totals
}

// Entry is one link's weighted counts. Sums of whole numbers stay exact below
// 2^53.
type Entry struct {
	Packets           float64 // estimate of packets that crossed the link; with hashes and filters it can be negative
	PacketsVariance   float64 // unbiased estimate of its variance
	Congested         float64 // estimate of packets that found the link congested
	CongestedVariance float64
	Covariance        float64 // of Packets and Congested
}

// Totals are counts over all received packets, by what their headers say.
type Totals struct {
	Packets          int64 `json:"packets"`
	Hops             int64 `json:"hops"`              // sum of hop counters
	HopsSquared      int64 `json:"hops_squared"`      // sum of their squares
	CongestedPackets int64 `json:"congested_packets"` // packets with a congested hop; under OneReservoir with a congested sample
	CongestedHops    int64 `json:"congested_hops"`    // sum of congested counters; under OneReservoir of hop counters of congested samples
	CongestedSquared int64 `json:"congested_squared"` // sum of their squares
	Full             int64 `json:"full,omitempty"`    // Bloom: packets whose filter of crossed links said nothing (BloomFilter.Terms)

	// By how much corrected weights of samples exceed the counters, see
	// Receiver.Correct: what samples stand for is counters and excess together.
	Excess                 int64 `json:"excess,omitempty"`                   // to be added to Hops
	ExcessSquared          int64 `json:"excess_squared,omitempty"`           // to HopsSquared
	CongestedExcess        int64 `json:"congested_excess,omitempty"`         // OneReservoir: to CongestedHops
	CongestedExcessSquared int64 `json:"congested_excess_squared,omitempty"` // likewise to CongestedSquared
}

// NewTable is empty, for links 0..links-1.
func NewTable(v Variant, links int) *Table { return &Table{Variant: v, Links: make([]Entry, links)} }

// Reset empties the table.
func (t *Table) Reset() {
	clear(t.Links)
	t.Received = Totals{}
}

// Merge adds another receiver's table of the same links and variant.
func (t *Table) Merge(other *Table) {
	for i := range other.Links {
		t.Links[i].add(&other.Links[i])
	}
	t.Received.add(&other.Received)
}

func (e *Entry) add(o *Entry) {
	e.Packets += o.Packets
	e.PacketsVariance += o.PacketsVariance
	e.Congested += o.Congested
	e.CongestedVariance += o.CongestedVariance
	e.Covariance += o.Covariance
}

func (t *Totals) add(o *Totals) {
	t.Packets += o.Packets
	t.Hops += o.Hops
	t.HopsSquared += o.HopsSquared
	t.CongestedPackets += o.CongestedPackets
	t.CongestedHops += o.CongestedHops
	t.CongestedSquared += o.CongestedSquared
	t.Full += o.Full
	t.Excess += o.Excess
	t.ExcessSquared += o.ExcessSquared
	t.CongestedExcess += o.CongestedExcess
	t.CongestedExcessSquared += o.CongestedExcessSquared
}

// count counts a packet whose counters say so much.
func (t *Totals) count(hops, congested int64) {
	t.Packets++
	t.Hops += hops
	t.HopsSquared += hops * hops
	if congested > 0 {
		t.CongestedPackets++
		t.CongestedHops += congested
		t.CongestedSquared += congested * congested
	}
}

// exceed counts how much more than the limit that its counter shows a packet's
// samples weigh together, in whole packets; congested is 1 for a congested sample
// under OneReservoir.
func (t *Totals) exceed(limit int64, weight float64, congested uint8) {
	w := int64(math.Round(weight))
	more, squared := w-limit, w*w-limit*limit
	t.Excess += more
	t.ExcessSquared += squared
	t.CongestedExcess += more * int64(congested)
	t.CongestedExcessSquared += squared * int64(congested)
}
