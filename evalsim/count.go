package evalsim

// linkCount is what a link has done up to some time, its channels summed.
type linkCount struct {
	bytes, packets, congested int64
	stalled                   int64   // ps
	area                      float64 // queued bytes x ps
	peak                      int64   // most bytes waiting at a time, since the end of the last complete slice
}

// counts reads a link's counters.
func (s *simulator) counts(link int32) linkCount {
	channels := s.channels[link*s.virtual : (link+1)*s.virtual]
	n := linkCount{peak: int64(channels[0].peak)}
	for i := range channels {
		c := &channels[i]
		n.packets += int64(c.packets)
		n.congested += int64(s.found[int(link*s.virtual)+i])
		n.area += c.area
	}
	n.bytes = n.packets*int64(s.full) - s.short[link]
	n.stalled = s.stalled[link]
	return n
}

// minus is what was done between two times; the peak is the later one's.
func (n linkCount) minus(before *linkCount) linkCount {
	n.bytes -= before.bytes
	n.packets -= before.packets
	n.congested -= before.congested
	n.stalled -= before.stalled
	n.area -= before.area
	return n
}

// stats are counts over a time in ps.
func (s *simulator) stats(link int32, n *linkCount, span float64) LinkStats {
	perByte := float64(s.classes[s.channels[link*s.virtual].class].perByte) / fixedPoint
	return LinkStats{Bytes: n.bytes, Packets: n.packets, Congested: n.congested, QueueMax: n.peak,
		Busy:      min(1, float64(n.bytes)*perByte/span),
		Stalled:   min(1, float64(n.stalled)/span),
		QueueMean: n.area / span}
}
