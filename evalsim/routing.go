package evalsim

import (
	"math"

	"remap/sampling"
)

// choose picks the output channel of a packet at a switch.
func (s *simulator) choose(at int32, pk *packet) int32 {
	to := s.leaf[pk.toLink]
	if at == to {
		return pk.toLink * s.virtual
	}
	candidates := s.routes.Candidates(at, to)
	n := uint32(len(candidates))
	if n == 1 {
		return candidates[0]
	}
	switch s.options.Routing {
	case Adaptive:
		return s.leastLoaded(candidates)
	case TwoChoices:
		a, b := candidates[s.random.Below(n)], candidates[s.random.Below(n)]
		if s.load[b] < s.load[a] {
			return b
		}
		return a
	case RandomPacket:
		return candidates[s.random.Below(n)]
	case FlowHash:
		hash := sampling.NewRandom(uint64(pk.flow)<<32 | uint64(at))
		return candidates[hash.Below(n)]
	}
	host := uint32(s.topology.Links[pk.toLink].To)
	if s.routes.StaticDivisor != nil {
		host /= uint32(s.routes.StaticDivisor[at])
	}
	return candidates[host%n]
}

// leastLoaded is uniform among the least loaded candidates. Most ports are at
// rest most of the time: a random probe that finds one is already uniform
// among those at rest, and spares the scan.
func (s *simulator) leastLoaded(candidates []int32) int32 {
	n := uint32(len(candidates))
	probe := candidates[s.random.Below(n)]
	if s.load[probe] == 0 {
		return probe
	}
	// No branches: they would be mispredicted. A key is the load, then chance,
	// then the candidate's number, so that the least key is the answer.
	chance := s.random.Uint32()
	least := uint64(math.MaxUint64)
	for i, c := range candidates {
		h := (uint32(i)*0x9e3779b1 ^ chance) * 0x85ebca6b
		least = min(least, uint64(s.load[c])<<32|uint64(h)&^0xffff|uint64(i))
	}
	return candidates[least&0xffff]
}
