package evalsim

import (
	"encoding/binary"
	"math/bits"
)

// loads is how much is queued or being sent on every link, in 7 bits, so that
// eight links can be compared at once: half packets up to 31, from there on
// sixteen steps for every doubling, up to a thousand packets.
type loads struct {
	levels []byte  // length links + 64
	bytes  []int32 // length links: what levels are made from, when a link has several channels; else nil
	ports  []port  // length links, when a link has several channels; else nil
	full   int32
	scale  uint64 // half packets of a byte, in 2^-32; a packet counts as the next lower power of two
}

// port is what waits at the output port of a link with several channels.
type port struct {
	begun  int64 // ps: when the packet sent last begins
	queued int32 // bytes in the queues of all channels
	last   int32 // bytes of the packet sent last
}

// join counts a packet into a port, and gives the bytes that wait there when it is ready.
func (p *port) join(bytes int32, ready int64) int32 {
	p.queued += bytes
	if p.begun > ready {
		return p.queued + p.last
	}
	return p.queued
}

func newLoads(links, virtual int, full int32) loads {
	l := loads{levels: make([]byte, links+64), full: full, scale: 1 << (34 - bits.Len32(uint32(full)))}
	if virtual > 1 {
		l.bytes, l.ports = make([]int32, links), make([]port, links)
	}
	return l
}

func (l *loads) reset() {
	clear(l.levels)
	clear(l.bytes)
	clear(l.ports)
}

// bound counts a packet that will be queued, until queued counts it exactly.
func (l *loads) bound(link, size int32) {
	level, more := l.levels[link], byte(uint64(size)*l.scale>>32)
	if level >= exactLevels {
		more = 1
	}
	l.levels[link] = min(127, level+more)
}

// queued counts a packet that has been queued on a link with several channels.
func (l *loads) queued(link, size int32) {
	l.bytes[link] += size
	l.set(link, l.bytes[link])
}

// sending is what a link with one channel is sending.
func (l *loads) sending(c *channel) int32 {
	if c.isBusy() {
		return l.full
	}
	return 0
}

// landed takes a packet off a link: it has landed there or, apart, has left.
func (l *loads) landed(link int32, shared *channel, pk *packet, s *simulator) {
	left := shared.queued
	if l.bytes != nil {
		l.bytes[link] -= s.size(pk)
		left = l.bytes[link]
	}
	l.set(link, left)
}

func (l *loads) set(link, bytes int32) {
	l.levels[link] = levelOf[min((uint64(bytes)*l.scale+1<<32-1)>>32, uint64(len(levelOf)-1))]
}

// exactLevels are the levels that count half packets one by one.
const exactLevels = 32

// levelOf is the level of a number of half packets: itself, or five bits of it
// and how many are left out.
var levelOf = func() (levels [2048]byte) {
	for halves := range levels {
		left := max(0, bits.Len(uint(halves))-5)
		levels[halves] = byte(min(127, 16*left+halves>>left))
	}
	return levels
}()

const (
	laneHigh = 0x8080808080808080 // the highest bit of eight lanes
	laneLow  = 0x0101010101010101
	// laneGather moves the lowest bits of eight lanes next to each other, from bit 56 on.
	laneGather = 0x0102040810204080
)

// lower is the lower one of each of eight lanes, all below 128.
func lower(a, b uint64) uint64 {
	greater := ((a | laneHigh) - b) & laneHigh
	return a ^ (a^b)&(greater-greater>>7)
}

// beyond32 fills the lanes after the first n of 32.
var beyond32 = func() (masks [33][4]uint64) {
	for n := range masks {
		for lane := n; lane < 32; lane++ {
			masks[n][lane/8] |= 0x7f << (lane % 8 * 8)
		}
	}
	return masks
}()

// least is the set of those of n <= 64 links from first on whose level is the
// least, as bits: eight links at a time, without branches; 32 without a loop.
func (l *loads) least(first int32, n uint32) uint64 {
	at := (*[64]byte)(l.levels[first:])
	if n > 32 {
		return least64(at, n)
	}
	mask := &beyond32[n]
	a, b := binary.LittleEndian.Uint64(at[0:])|mask[0], binary.LittleEndian.Uint64(at[8:])|mask[1]
	c, d := binary.LittleEndian.Uint64(at[16:])|mask[2], binary.LittleEndian.Uint64(at[24:])|mask[3]
	same := lowest(lower(lower(a, b), lower(c, d))) * laneLow
	return (equal(a, same) | equal(b, same)<<8 | equal(c, same)<<16 | equal(d, same)<<24) & (1<<n - 1)
}

func least64(at *[64]byte, n uint32) uint64 {
	minimum := uint64(laneHigh - laneLow)
	for i := uint32(0); i < n; i += 8 {
		w := binary.LittleEndian.Uint64(at[i&56:])
		if left := n - i; left < 8 {
			w |= ^uint64(0) << (8 * left) &^ laneHigh
		}
		minimum = lower(w, minimum)
	}
	same, ties := lowest(minimum)*laneLow, uint64(0)
	for i := uint32(0); i < n; i += 8 {
		ties |= equal(binary.LittleEndian.Uint64(at[i&56:]), same) << (i & 63)
	}
	return ties & (^uint64(0) >> (-n & 63))
}

// lowest is the lowest of eight lanes.
func lowest(lanes uint64) uint64 {
	lanes = lower(lanes>>32, lanes)
	lanes = lower(lanes>>16, lanes)
	return lower(lanes>>8, lanes) & 0xff
}

// equal is the set of lanes that are equal, as eight bits.
func equal(a, b uint64) uint64 {
	return (laneHigh - (a ^ b)) & laneHigh >> 7 * laneGather >> 56
}
