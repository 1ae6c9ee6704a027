package evalsim

import (
	"math"
	"math/bits"

	"remap/sampling"
)

// choose picks one of a group's links, and its virtual channel.
func (s *simulator) choose(at int32, g group, pk *packet) (link, virtual int32) {
	if g.count >= 0 {
		return s.pick(at, g.first, uint32(g.count), nil, pk), int32(g.virtual)
	}
	if s.options.Routing == Static && s.tie(g) {
		k := g.first + s.tieInOrder(at, pk)
		return s.scattered[k], int32(s.scatteredVirtual[k])
	}
	links := s.scattered[g.first : g.first-int32(g.count)]
	link = s.pick(at, 0, uint32(len(links)), links, pk)
	if !s.tie(g) || link == links[0] {
		return link, int32(g.virtual)
	}
	return link, int32(s.scatteredVirtual[g.first+1])
}

// tieInOrder is which candidate of a tie, down or up, all packets from the switch
// that a packet came from take to the switch it is bound for.
func (s *simulator) tieInOrder(at int32, pk *packet) int32 {
	m, grid := &s.messages[pk.message], s.routes.Grid
	if grid.TieUp(s.topology.SwitchOf(s.topology.Links[m.link].To), m.to, grid.Differs(at, m.to)) {
		return 1
	}
	return 0
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
		k = s.routes.StaticIndex(at, s.topology.Links[s.messages[pk.message].toLink].To, n)
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
	sums := bitSums(ties)
	return first + selected(ties, sums, s.random.Below(uint32(sums>>56)))
}

// bitSums has in byte i how many bits of the bytes 0 to i of a set are set; the
// set has less than 256.
func bitSums(set uint64) uint64 {
	set -= set >> 1 & 0x5555555555555555
	set = set&0x3333333333333333 + set>>2&0x3333333333333333
	return (set + set>>4) & 0x0f0f0f0f0f0f0f0f * laneLow
}

// selected is the position of the set bit number k, from 0, of a set with its
// sums (Vigna 2008, broadword select): no branches to mispredict.
func selected(set, sums uint64, k uint32) int32 {
	after := (uint64(k)*laneLow | laneHigh) - sums&^laneHigh // a byte's highest bit: k lies in a later byte
	at := after & laneHigh >> 7 * laneLow >> 56 * 8 & 63
	k -= uint32(sums << 8 >> at & 0xff)
	return int32(at) + int32(bitInByte[set>>at&0xff][k&7])
}

// bitInByte is the position of set bit number k of a byte.
var bitInByte = func() (table [256][8]uint8) {
	for b := range table {
		k := 0
		for i := range 8 {
			if b>>i&1 == 1 {
				table[b][k] = uint8(i)
				k++
			}
		}
	}
	return table
}()

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
