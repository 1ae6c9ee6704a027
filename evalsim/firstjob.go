package evalsim

// FirstJob is results as the first job has seen them: Makespan is its time,
// and Packets, PacketHops, PortHops and Congested count its packets alone, so
// that Summarize tells about that job. Fields by job, by link and Events stay
// those of all jobs. Results of one job are returned as they are; others are
// copied, and their slices shared.
func FirstJob(results []*Result) []*Result {
	seen := make([]*Result, len(results))
	for i, r := range results {
		if len(r.Jobs) < 2 {
			seen[i] = r
			continue
		}
		first, j := *r, r.Jobs[0]
		first.Makespan = r.Elapsed[0]
		if len(r.Full) > 0 {
			first.FullMakespan = r.Full[0]
		}
		first.Packets, first.PortHops, first.Congested = j.Packets, j.PortHops, j.Congested
		first.PacketHops = j.PortHops + j.Packets // the link out of its host has no switch port
		seen[i] = &first
	}
	return seen
}
