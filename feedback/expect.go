package feedback

import (
	"math"

	"remap/mapping"
)

// yardstick ranks mappings before any of them is simulated: the slowdown that is
// expected, with a mean of some power over links, times some power of bytes times
// path length, for every packet may meet others at every switch. Only the order
// of two says anything.
type yardstick struct{ links, path float64 }

// Where others fill few links those decide, and hard finds them: its order is that
// of simulated times. Where others are everywhere and change with every repeat,
// what is known of single links is mostly noise, and soft errs less.
var (
	hard = yardstick{links: 32, path: 0.25}
	soft = yardstick{links: 8, path: 1}
)

// expected is the yardstick's value of a mapping.
func (s *search) expected(y yardstick, k *knowledge, m mapping.Mapping) float64 {
	p := s.Problem
	path := float64(mapping.PathBytes(p.Machine, p.Allocation, p.Graph, m))
	return s.slowdown(k, m, y.links) * math.Pow(path, y.path)
}

// slowdown is how many times longer than the busiest host's own link needs the
// job is expected to take under a mapping, before it is simulated: what links need
// for the job's bytes and for what others would send over them meanwhile, as if
// all shared them in turn. The longest link rules, but the longest of estimates is
// one of errors too, so that a power mean over bytes stands for it.
func (s *search) slowdown(k *knowledge, m mapping.Mapping, power float64) float64 {
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
