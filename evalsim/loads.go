package evalsim

import (
	"encoding/binary"
	"math/bits"
)

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
