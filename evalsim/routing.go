package evalsim

import (
	"encoding/binary"
	"math"
	"math/bits"

	"remap/sampling"
)

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
		if s.load.levels[b] < s.load.levels[a] {
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

// loads is how much is queued or being sent on every link: half packets, at
// most 127, so that eight links can be compared at once.
type loads struct {
	levels []byte  // length links + 64
	bytes  []int32 // length links: what levels are made from, when a link has several channels; else nil
	full   int32
	shift  uint // bytes to levels
}

func newLoads(links, virtual int, full int32) loads {
	l := loads{levels: make([]byte, links+64), full: full, shift: uint(max(0, bits.Len32(uint32(full))-2))}
	if virtual > 1 {
		l.bytes = make([]int32, links)
	}
	return l
}

func (l *loads) reset() {
	clear(l.levels)
	clear(l.bytes)
}

// bound counts a packet that will be queued, until queued counts it exactly.
func (l *loads) bound(link, size int32) {
	l.levels[link] = min(127, l.levels[link]+byte(size>>(l.shift&31)))
}

// queued counts a packet that has been queued on a channel of a link.
func (l *loads) queued(link int32, c *channel, size int32) {
	if l.bytes != nil {
		l.bytes[link] += size
		l.set(link, l.bytes[link])
		return
	}
	l.set(link, c.queued+l.full&^(c.flight>>31))
}

// landed takes a packet off a link.
func (l *loads) landed(link int32, shared *channel, pk *packet, s *simulator) {
	left := shared.queued
	if l.bytes != nil {
		l.bytes[link] -= s.size(pk)
		left = l.bytes[link]
	}
	l.set(link, left)
}

func (l *loads) set(link, bytes int32) {
	l.levels[link] = byte(min(127, (bytes+1<<(l.shift&31)-1)>>(l.shift&31)))
}

const (
	laneHigh = 0x8080808080808080 // the highest bit of eight lanes
	laneLow  = 0x0101010101010101
	// laneGather moves the lowest bits of eight lanes next to each other, from bit 56 on.
	laneGather = 0x0102040810204080
)

// lower is the lower one of each of eight lanes.
func lower(a, b uint64) uint64 {
	greater := ((a | laneHigh) - b) & laneHigh
	mask := greater - greater>>7 | greater
	return b&mask | a&^mask
}

// least is the set of those of n <= 64 links from first on whose level is the
// least, as bits: two passes, eight links at a time, without branches.
func (l *loads) least(first int32, n uint32) uint64 {
	at := l.levels[first : first+64]
	minimum := uint64(laneHigh - laneLow)
	left := n
	for rest := at; left >= 8 && len(rest) >= 8; left, rest = left-8, rest[8:] {
		minimum = lower(binary.LittleEndian.Uint64(rest), minimum)
	}
	if left > 0 {
		beyond := ^uint64(0) << (8 * left & 63) &^ laneHigh
		minimum = lower(binary.LittleEndian.Uint64(at[n-left:])|beyond, minimum)
	}
	minimum = lower(minimum>>32, minimum)
	minimum = lower(minimum>>16, minimum)
	minimum = lower(minimum>>8, minimum)
	same, ties, shift := minimum&0xff*laneLow, uint64(0), uint32(0)
	for rest := at; shift < n && len(rest) >= 8; shift, rest = shift+8, rest[8:] {
		equal := (laneHigh - (binary.LittleEndian.Uint64(rest) ^ same)) & laneHigh >> 7
		ties |= equal * laneGather >> 56 << (shift & 63)
	}
	return ties & (^uint64(0) >> (-n & 63))
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
