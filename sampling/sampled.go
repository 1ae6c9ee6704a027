package sampling

// Sampled is what Receive does under Reservoirs, for callers that have the two links and
// counters at hand.
func (t *Table) Sampled(hop, congestedHop int32, hops, congested int64) {
	t.Received.count(hops, congested)
	t.sampled(hop, float64(hops), congestedHop, congested)
}

// SampledOnce is what Receive does under OneReservoir with whole links, for callers that have
// the link and the counter at hand. congested is 0 or 1.
func (t *Table) SampledOnce(hop int32, hops int64, congested uint32) {
	t.Received.count(hops, hops*int64(congested))
	t.Links[hop].sampledOnce(float64(hops), uint8(congested))
}
