package evalsim

import (
	"math"
	"math/bits"

	"remap/sampling"
)

// choose picks the output channel of a packet at a switch.
func (s *simulator) choose(at int32, pk *packet) int32 {
	to := s.origin[pk.toLink]
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
		hash := sampling.NewRandom(s.seed ^ uint64(pk.flow)<<32 ^ uint64(at))
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
	n := len(candidates)
	probe := candidates[s.random.Below(uint32(n))]
	if s.load[probe] == 0 {
		return probe
	}
	first := candidates[0]
	if n > 64 || candidates[n-1] != first+int32(n)-1 {
		return s.leastOfScattered(candidates)
	}
	// Consecutive channels, as all up-links of a switch are: two passes without
	// branches, the least load and then the set of those that have it.
	loads := s.load[first : first+int32(n)]
	least := loads[0]
	for _, l := range loads {
		least = min(least, l)
	}
	ties := uint64(0)
	for i, l := range loads {
		with := ties | 1<<(i&63)
		if l == least {
			ties = with
		}
	}
	for skip := s.random.Below(uint32(bits.OnesCount64(ties))); skip > 0; skip-- {
		ties &= ties - 1
	}
	return first + int32(bits.TrailingZeros64(ties))
}

// leastOfScattered takes the candidate of the least key: its load, then chance,
// then its number.
func (s *simulator) leastOfScattered(candidates []int32) int32 {
	chance := s.random.Uint32()
	least := uint64(math.MaxUint64)
	for i, c := range candidates {
		h := (uint32(i)*0x9e3779b1 ^ chance) * 0x85ebca6b
		least = min(least, uint64(s.load[c])<<32|uint64(h)&^0xffff|uint64(i))
	}
	return candidates[least&0xffff]
}
