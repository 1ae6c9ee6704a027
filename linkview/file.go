package linkview

import (
	"math"

	"remap/counters"
	"remap/sampling"
	"remap/topology"
)

// FromLinksFile is the view of the job whose samples a links file holds (its est_ columns). packetBytes
// is the mean size of a packet. The file does not tell of how many seconds it is.
func FromLinksFile(t *topology.Topology, s *counters.Samples, packetBytes float64) *View {
	v := &View{Links: make([]Link, len(t.Links)), Seconds: unknown}
	for i := range v.Links {
		l := &v.Links[i]
		*l = Link{Bytes: unknown, Packets: unknown, Congested: notSeen}
		if t.IsHost(t.Links[i].From) {
			continue
		}
		l.Bytes, l.Packets, l.Sampled = s.Packets[i]*packetBytes, s.Packets[i], s.Known[i]
		if s.Known[i] && s.Packets[i] > 0 {
			share := math.Min(1, math.Max(0, s.Congested[i]/s.Packets[i]))
			l.Congested = sampling.Estimate{Value: share, Low: share, High: share}
		}
	}
	return v
}
