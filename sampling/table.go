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
	Variant Variant
	// Links: length links.
	Links    []Entry
	Received Totals
}

// Entry is one link's weighted counts. Sums of whole numbers stay exact below 2^53.
type Entry struct {
	// Packets is the estimate of the packets that crossed the link. With hashes and filters it
	// can be negative.
	Packets float64

	// PacketsVariance is the unbiased estimate of the variance of Packets.
	PacketsVariance float64

	// Congested is the estimate of the packets that found the link congested.
	Congested float64

	// CongestedVariance is the unbiased estimate of the variance of Congested.
	CongestedVariance float64

	// Covariance is the unbiased estimate of the covariance of Packets and Congested.
	Covariance float64
}

// Totals are counts over all received packets, from their headers.
type Totals struct {
	// Packets is the number of packets.
	Packets int64 `json:"packets"`

	// Hops is the sum of hop counters, HopsSquared the sum of their squares.
	Hops        int64 `json:"hops"`
	HopsSquared int64 `json:"hops_squared"`

	// CongestedPackets is the number of packets with a congested hop, under OneReservoir with a
	// congested sample.
	CongestedPackets int64 `json:"congested_packets"`

	// CongestedHops is the sum of congested counters, under OneReservoir of the hop counters of
	// congested samples. CongestedSquared is the sum of their squares.
	CongestedHops    int64 `json:"congested_hops"`
	CongestedSquared int64 `json:"congested_squared"`

	// Full is the number of packets under Bloom whose filter of crossed links said nothing
	// (BloomFilter.Terms).
	Full int64 `json:"full,omitempty"`

	// Excess and the next three are by how much corrected weights of samples exceed the
	// counters, see Receiver.Correct: samples represent counters and excess together. Excess is
	// to be added to Hops, ExcessSquared to HopsSquared. Under OneReservoir CongestedExcess is
	// to be added to CongestedHops, and CongestedExcessSquared to CongestedSquared.
	Excess                 int64 `json:"excess,omitempty"`
	ExcessSquared          int64 `json:"excess_squared,omitempty"`
	CongestedExcess        int64 `json:"congested_excess,omitempty"`
	CongestedExcessSquared int64 `json:"congested_excess_squared,omitempty"`
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
