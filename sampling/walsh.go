package sampling

import "math/bits"

// With a linear hash the sums over packets that decoding needs are Walsh-Hadamard
// transforms: link d with mask m gains
//
//	W_d = sum over packets of l (-1)^(bit + parity(id AND m))
//
// so packets of one sender and receiver whose identities differ only in their
// low six bits are first added up by identity, A[id] = sum of l (-1)^bit, and
// one transform of A gives W_d for all 64 possible low bits of m at once. A
// link then costs one look-up for up to 64 packets instead of one test each.
//
// Sums of counts of hops and of congested ones stay below 2^15, and both kinds
// are transformed at once as h + c 2^16.

const (
	blockBits    = 6
	blockPackets = 1 << blockBits
	blockMost    = 127 // packets of a block, so that sums of counts fit in 16 bits
)

// Block is collected packets of one sender and receiver. The zero value is empty.
type Block struct {
	table               *Table
	source, destination int32
	base                uint32 // identities are base..base+63
	packets             int32  // 0 = free
	used                uint32 // when a packet was added last
	corrected           bool   // their counters were at the limit: see decodeCorrected
	hops, found         int32  // sums of hops and of congested
	squares             int32  // sum of hops^2
	foundSquares        int32  // sum of congested^2
	common              int32  // sum of what makes the covariance
	sums                [blockPackets]int32
}

// Marked is a delivered packet of a hashed variant, with the table it belongs to.
type Marked struct {
	Table                    *Table
	ID                       uint32
	Source, Destination      int32
	HopCount, CongestedCount uint8
	HopBit, CongestedBit     uint8
}

// blocks are collected packets, found by their sender, receiver and identities:
// in one of the places of a set, like lines in a cache. When all are taken the
// one not used for longest is decoded.
type blocks struct {
	tags   []uint64 // 0 = free
	clock  uint32
	places []Block
}

// blockWays are the places of a set, whose tags fill a cache line.
const blockWays = 8

func newBlocks(flows int) *blocks {
	count := blockWays << min(12, max(2, bits.Len(uint(max(1, flows)-1))-2))
	return &blocks{tags: make([]uint64, count), places: make([]Block, count)}
}

// tagOf names the block of a packet.
func tagOf(source, destination int32, id uint32, corrected bool) uint64 {
	tag := uint64(id>>blockBits)*0x9e3779b97f4a7c15 ^ uint64(uint32(source))*0xbf58476d1ce4e5b9 ^ uint64(uint32(destination))*0x94d049bb133111eb
	if corrected {
		tag = ^tag
	}
	return tag | 1
}

// set is where the places of a tag begin.
func (b *blocks) set(tag uint64) int {
	return int(tag>>32) & (len(b.tags)/blockWays - 1) * blockWays
}

// look gives the place of a tag, -1 if it has none, without a branch that the
// processor could guess wrong.
func (b *blocks) look(tag uint64) int32 {
	first := b.set(tag)
	place := int32(-1)
	for i, t := range (*[blockWays]uint64)(b.tags[first:]) {
		if t == tag {
			place = int32(first + i)
		}
	}
	return place
}

// take gives a tag the place that was not used for longest in its set, whose
// block must be decoded first.
func (b *blocks) take(tag uint64) int32 {
	first := b.set(tag)
	oldest := first
	for i := first + 1; i < first+blockWays; i++ {
		if b.places[i].used < b.places[oldest].used {
			oldest = i
		}
	}
	b.tags[oldest] = tag
	return int32(oldest)
}

// collect adds a packet to its block; the block whose place it takes is decoded
// first.
func (r *Receiver) collect(m *Marked) {
	tag := r.tag(m)
	place := r.blocks.look(tag)
	if place < 0 {
		place = r.blocks.take(tag)
		r.Decode(&r.blocks.places[place])
	}
	r.Collect(&r.blocks.places[place], m)
	r.blocks.clock++
	r.blocks.places[place].used = r.blocks.clock
}

// Collect is Receive for a packet of a hashed variant, by way of a block that the
// caller keeps, at best one for every message under way: packets of one sender
// and receiver with identities in a row cost least. A block that holds others is
// decoded first; the last packets count once Decode has been called.
func (r *Receiver) Collect(b *Block, m *Marked) {
	hops, congested := int32(m.HopCount), int32(m.CongestedCount)
	foundBit, once := m.CongestedBit, r.variant.Kind == OneReservoir
	if once {
		congested, foundBit = hops*int32(m.CongestedBit), m.HopBit
	}
	if hops == 0 {
		return
	}
	m.Table.Received.count(int64(hops), int64(congested))
	if !r.linear {
		r.receiveDirect(m, int64(congested))
		return
	}
	common := congested
	corrected := int64(hops) == r.limit
	if corrected {
		hops = 1
		if once {
			congested = int32(m.CongestedBit)
		}
		common = turned(congested, uint32(m.HopBit^foundBit))
	} else if once {
		common = congested * congested
	}
	base := m.ID &^ (blockPackets - 1)
	if b.table != m.Table || b.source != m.Source || b.destination != m.Destination || b.base != base || b.corrected != corrected || b.packets == blockMost {
		r.Decode(b)
		b.table, b.source, b.destination, b.base, b.corrected = m.Table, m.Source, m.Destination, base, corrected
	}
	b.packets++
	b.hops += hops
	b.squares += hops * hops
	b.found += congested
	b.foundSquares += congested * congested
	b.common += common
	b.sums[m.ID&(blockPackets-1)] += turned(hops, uint32(m.HopBit)) + turned(congested, uint32(foundBit))<<16
}

// Holds tells whether a block holds packets with identities near one.
func (b *Block) Holds(id uint32) bool { return b.packets > 0 && b.base == id&^(blockPackets-1) }

// Packets is how many packets a block holds.
func (b *Block) Packets() int { return int(b.packets) }

// Decode adds what a block has collected to its table, and empties it.
func (r *Receiver) Decode(b *Block) {
	if b.packets == 0 {
		return
	}
	ranges := r.paths(b.source, b.destination)
	if len(ranges) == 1 && ranges[0].Count == 1 && !b.corrected {
		b.decodeOne(&b.table.Links[ranges[0].First])
		*b = Block{}
		return
	}
	transform(&b.sums)
	switch {
	case b.corrected:
		r.decodeCorrected(b, ranges)
	case b.found > 0:
		b.decodeBoth(ranges, r.hasher.masks)
	default:
		b.decodePackets(ranges, r.hasher.masks)
	}
	*b = Block{}
}

// decodeOne adds the packets to the only link that they can have crossed.
func (b *Block) decodeOne(e *Entry) {
	e.add(&Entry{float64(b.hops), float64(b.squares - b.hops), float64(b.found), float64(b.foundSquares - b.found), float64(b.common - b.found)})
}

// decodePackets adds packets without congestion to their candidate links.
func (b *Block) decodePackets(ranges []Range, masks []uint32) {
	squares, base, table := float64(b.squares), b.base, b.table.Links
	for _, some := range ranges {
		entries := table[some.First : some.First+some.Count]
		for i, m := range masks[some.First : some.First+some.Count] {
			w := float64(turned(b.sums[m&(blockPackets-1)], parity(m&base)))
			e := &entries[i]
			e.Packets += w
			e.PacketsVariance += squares - w
		}
	}
}

// decodeBoth adds packets and congested ones to their candidate links.
func (b *Block) decodeBoth(ranges []Range, masks []uint32) {
	squares, foundSquares, common, base, table := float64(b.squares), float64(b.foundSquares), float64(b.common), b.base, b.table.Links
	for _, some := range ranges {
		entries := table[some.First : some.First+some.Count]
		for i, m := range masks[some.First : some.First+some.Count] {
			sum := turned(b.sums[m&(blockPackets-1)], parity(m&base))
			hop, congested := apart(sum)
			w, c := float64(hop), float64(congested)
			e := &entries[i]
			e.Packets += w
			e.PacketsVariance += squares - w
			e.Congested += c
			e.CongestedVariance += foundSquares - c
			e.Covariance += common - c
		}
	}
}

// apart gives h and c of h + c 2^16.
func apart(sum int32) (hop, congested int32) {
	hop = int32(int16(sum))
	return hop, (sum - hop) >> 16
}

// turned is a number, negative when a bit is set.
func turned(a int32, bit uint32) int32 {
	minus := -int32(bit)
	return a ^ minus - minus
}

// transform is the Walsh-Hadamard transform, in place: two rounds of transforms
// of eight.
func transform(a *[blockPackets]int32) {
	for i := 0; i < blockPackets; i += 8 {
		e := (*[8]int32)(a[i:])
		e[0], e[1], e[2], e[3], e[4], e[5], e[6], e[7] = transform8(e[0], e[1], e[2], e[3], e[4], e[5], e[6], e[7])
	}
	for i := range 8 {
		a[i], a[i+8], a[i+16], a[i+24], a[i+32], a[i+40], a[i+48], a[i+56] =
			transform8(a[i], a[i+8], a[i+16], a[i+24], a[i+32], a[i+40], a[i+48], a[i+56])
	}
}

func transform8(a, b, c, d, e, f, g, h int32) (_, _, _, _, _, _, _, _ int32) {
	a, b, c, d, e, f, g, h = a+b, a-b, c+d, c-d, e+f, e-f, g+h, g-h
	a, b, c, d, e, f, g, h = a+c, b+d, a-c, b-d, e+g, f+h, e-g, f-h
	return a + e, b + f, c + g, d + h, a - e, b - f, c - g, d - h
}

// tag names the block of a packet.
func (r *Receiver) tag(m *Marked) uint64 {
	return tagOf(m.Source, m.Destination, m.ID, int64(m.HopCount) == r.limit)
}

// receiveDirect tests every candidate link, for hashes that are not linear.
func (r *Receiver) receiveDirect(m *Marked, congested int64) {
	p := Packet{ID: m.ID, Source: m.Source, Destination: m.Destination, Header: Header{HopCount: m.HopCount, CongestedCount: m.CongestedCount, HopBit: m.HopBit, CongestedBit: m.CongestedBit}}
	if int64(m.HopCount) == r.limit {
		r.hashedCorrected(m.Table, &p, congested)
		return
	}
	r.hashed(m.Table, &p, int64(m.HopCount), congested)
}
