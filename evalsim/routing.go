package evalsim

import (
	"math"
	"math/bits"

	"remap/sampling"
)

// route picks the output link and channel of a packet at a switch.
func (s *simulator) route(at, p int32, pk *packet) (link, id int32) {
	to := pk.to &^ lastPacket
	if at == to {
		link = s.messages[pk.message].toLink
		return link, link * s.virtual
	}
	g := s.groups[s.routes.Group(at, to)]
	if g.count == 1 {
		link = g.first
	} else {
		link = s.choose(at, g, pk)
	}
	return link, link*s.virtual + int32(g.virtual)
}

// choose picks one of several candidate links.
func (s *simulator) choose(at int32, g group, pk *packet) int32 {
	first, n := g.first, uint32(g.count)
	var scattered []int32
	if g.count < 0 {
		n = uint32(-g.count)
		scattered = s.scattered[first : first+int32(n)]
	}
	var k uint32
	switch s.options.Routing {
	case Adaptive:
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
		if s.load[b] < s.load[a] {
			k = other
		}
	case RandomPacket:
		k = s.random.Below(n)
	case FlowHash:
		hash := sampling.NewRandom(s.seed ^ uint64(s.messages[pk.message].flow)<<32 ^ uint64(at))
		k = hash.Below(n)
	default:
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
// Most ports are at rest most of the time: a random probe that finds one is
// already uniform among those at rest, and spares the scan, which takes two
// passes without branches: the least load, then the set of those that have it.
func (s *simulator) leastLoaded(first int32, n uint32) int32 {
	loads := s.load[first : first+int32(n)]
	if probe := s.random.Below(n); loads[probe] == 0 {
		return first + int32(probe)
	}
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

// leastOfScattered takes the link of the least key: its load, then chance, then
// its place.
func (s *simulator) leastOfScattered(links []int32) int32 {
	chance := s.random.Uint32()
	least := uint64(math.MaxUint64)
	for i, link := range links {
		h := (uint32(i)*0x9e3779b1 ^ chance) * 0x85ebca6b
		least = min(least, uint64(s.load[link])<<32|uint64(h)&^0xffff|uint64(i))
	}
	return links[least&0xffff]
}
