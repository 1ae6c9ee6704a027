package sampling

// Sampled is what Receive does under Reservoirs, for callers that have the two
// links and counters at hand.
func (t *Table) Sampled(hop, congestedHop int32, hops, congested int64) {
	t.Received.count(hops, congested)
	t.sampled(hop, float64(hops), congestedHop, congested)
}
