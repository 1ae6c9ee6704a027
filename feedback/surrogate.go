package feedback

import (
	"math"

	"remap/mapping"
)

// surrogateCost ranks mappings before any of them is simulated. It is the expected slowdown, as a
// mean with a power over links, times a power of bytes times path length, since every packet may
// meet others at every switch. Only the order of two values has a meaning.
func (s *search) surrogateCost(k *feedbackState, m mapping.Mapping) float64 {
	p := s.Problem
	path := float64(mapping.PathBytes(p.Machine, p.Allocation, p.Graph, m))
	return s.slowdown(k, m, surrogatePower) * math.Pow(path, surrogatePath)
}

// slowdown is how many times longer the job is expected to take under a mapping than the busiest
// host's own link needs. For each link it adds what the job's bytes need to what others would send
// meanwhile, as if all shared the link in turn.
//
// The slowest link decides. But the largest of many estimates has the largest error too, so a power
// mean over bytes stands for it.
func (s *search) slowdown(k *feedbackState, m mapping.Mapping, power float64) float64 {
	p := s.Problem
	sum, total := 0.0, 0.0
	for l, seconds := range p.Routing.LinkLoads(p.Machine, p.Allocation, s.Traffic, m) {
		if seconds == 0 {
			continue
		}
		link := &p.Machine.Links[l]
		share := seconds / k.seconds
		if !p.Machine.IsHost(link.From) && !p.Machine.IsHost(link.To) {
			share += k.demand[l]
		}
		bytes := seconds * link.BytesPerSecond
		sum += bytes * math.Pow(share, power)
		total += bytes
	}
	if total == 0 {
		return 0
	}
	return math.Pow(sum/total, 1/power)
}
