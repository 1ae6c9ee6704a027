// Package diagnosis draws conclusions from what packets have measured.
package diagnosis

import (
	"slices"

	"remap/evalsim"
	"remap/sampling"
	"remap/topology"
)

// Suspect is a link that a job's own packets found congested.
type Suspect struct {
	Link int32
	// Congested: fraction of the job's packets that found it congested.
	Congested sampling.Estimate
	// BytesPerSecond: the job's own traffic on it, over the job's time.
	BytesPerSecond float64
	// Use: the same as a share of the link's rate.
	Use float64
}

// Suspects lists the links that the samples of one job alone show as
// congested, the most used by the job first. Samples of all repeats count
// together; packetBytes is the mean size of the job's packets.
//
// A congested link at the root of a congestion tree is fully used (Taffet 2018,
// theorem 4.2). So when the job's own traffic uses the suspects for a small part
// only, there must be traffic that it cannot see: other jobs are the cause, not
// the mapping. That is a conclusion for a job that knows nothing of the others.
func Suspects(t *topology.Topology, results []*evalsim.Result, job int, packetBytes float64) []Suspect {
	var pooled *sampling.Table
	seconds := 0.0
	for _, r := range results {
		if job < len(r.Samples) {
			if pooled == nil {
				pooled = sampling.NewTable(r.Samples[job].Variant, len(t.Links))
			}
			pooled.Merge(r.Samples[job])
			seconds += r.Elapsed[job] / 1e9
		}
	}
	if pooled == nil {
		return nil
	}
	var found []Suspect
	for i := range pooled.Links {
		congested := pooled.Fraction(int32(i))
		if congested.Low <= SuspectFraction || seconds <= 0 {
			continue
		}
		rate := pooled.Bandwidth(int32(i), packetBytes, seconds).Value
		found = append(found, Suspect{int32(i), congested, rate, rate / t.Links[i].BytesPerSecond})
	}
	slices.SortStableFunc(found, func(a, b Suspect) int {
		switch {
		case a.Use > b.Use:
			return -1
		case a.Use < b.Use:
			return 1
		}
		return 0
	})
	return found
}
