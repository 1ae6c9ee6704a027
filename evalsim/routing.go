package evalsim

import (
	"math"
	"math/bits"

	"remap/sampling"
)

// choose picks one of a group's links.
func (s *simulator) choose(at int32, g group, pk *packet) int32 {
	if g.count >= 0 {
		return s.pick(at, g.first, uint32(g.count), nil, pk)
	}
	count := uint32(-int32(g.count))
	return s.pick(at, 0, count, s.scattered[g.first:g.first+int32(count)], pk)
}

// pick chooses one of n candidates: the links from first on or, if there are
// any, the scattered ones.
func (s *simulator) pick(at, first int32, n uint32, scattered []int32, pk *packet) int32 {
	var k uint32
	switch s.options.Routing {
	default:
		if scattered == nil {
			return s.leastLoaded(first, n)
		}
		return s.leastOfScattered(scattered)
	case TwoChoices:
		k = s.random.Below(n)
		other := s.random.Below(n)
		a, b := first+int32(k), first+int32(other)
		if scattered != nil {
			a, b = scattered[k], scattered[other]
		}
		if s.load.levels[b] < s.load.levels[a] {
			k = other
		}
	case RandomPacket:
		k = s.random.Below(n)
	case FlowHash:
		hash := sampling.NewRandom(s.seed ^ uint64(s.messages[pk.message].flow)<<32 ^ uint64(at))
		k = hash.Below(n)
	case Static:
		host := uint32(s.topology.Links[s.messages[pk.message].toLink].To)
		if s.routes.StaticDivisor != nil {
			host /= uint32(s.routes.StaticDivisor[at])
		}
		k = host % n
	}
	if scattered != nil {
		return scattered[k]
	}
	return first + int32(k)
}

// leastLoaded is uniform among the least loaded of n <= 64 links from first on.
func (s *simulator) leastLoaded(first int32, n uint32) int32 {
	ties := s.load.least(first, n)
	if ties&(ties-1) == 0 {
		return first + int32(bits.TrailingZeros64(ties))
	}
	return first + selected(ties, s.random.Below(uint32(bits.OnesCount64(ties))))
}

// selected is the position of the set bit number k, from 0: a binary search
// over counts of bits, which has no branches to mispredict.
func selected(set uint64, k uint32) (position int32) {
	for half := int32(32); half > 0; half /= 2 {
		low := set & (1<<(half&63) - 1)
		below := uint32(bits.OnesCount64(low))
		next, rest, move := low, k, int32(0)
		if k >= below {
			next, rest, move = set>>(half&63), k-below, half
		}
		set, k, position = next, rest, position+move
	}
	return position
}

// leastOfScattered takes the link of the least key: its load, then chance, then
// its place.
func (s *simulator) leastOfScattered(links []int32) int32 {
	chance := s.random.Uint32()
	least := uint64(math.MaxUint64)
	for i, link := range links {
		h := (uint32(i)*0x9e3779b1 ^ chance) * 0x85ebca6b
		least = min(least, uint64(s.load.levels[link])<<32|uint64(h)&^0xffff|uint64(i))
	}
	return links[least&0xffff]
}
