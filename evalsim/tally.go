package evalsim

// tallyJobs counts the logged deliveries by job. Only runs of several jobs need
// it: the packets of one job are all there are.
func (s *simulator) tallyJobs() {
	for i := range s.log {
		d := &s.log[i]
		t := &s.tally[d.table]
		t.Packets++
		t.PortHops += int64(d.hop & countMask)
		t.Congested += int64(d.congested & countMask)
	}
}

// jobStats are the counts by job, of a result whose sums are known.
func (s *simulator) jobStats(r *Result) []JobStats {
	if len(s.jobs) == 1 {
		return []JobStats{{Packets: r.Packets, PortHops: r.PortHops, Congested: r.Congested}}
	}
	return append([]JobStats(nil), s.tally...)
}
