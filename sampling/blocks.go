package sampling

import "math/bits"

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

// Holds tells whether a block holds packets with identities near one.
func (b *Block) Holds(id uint32) bool { return b.packets > 0 && b.base == id&^(blockPackets-1) }

// Packets is how many packets a block holds.
func (b *Block) Packets() int { return int(b.packets) }

// of tells whether a block is of the sender, receiver and identities of a packet.
func (b *Block) of(m *Marked, corrected bool) bool {
	return b.Holds(m.ID) && b.table == m.Table && b.source == m.Source && b.destination == m.Destination && b.corrected == corrected
}

// blocks are those that a receiver keeps by itself: that of a packet lies in one
// of the places of a set, like lines in a cache.
type blocks struct {
	clock  uint32
	places []Block
}

// blockWays are the places of a set.
const blockWays = 8

func newBlocks(flows int) *blocks {
	return &blocks{places: make([]Block, blockWays<<min(12, max(2, bits.Len(uint(max(1, flows)-1))-2)))}
}

// place is the block of a packet, or else the one of its set that was not used
// for longest.
func (b *blocks) place(m *Marked, corrected bool) *Block {
	hash := uint64(m.ID>>blockBits)*0x9e3779b97f4a7c15 ^ uint64(uint32(m.Source))*0xbf58476d1ce4e5b9 ^ uint64(uint32(m.Destination))*0x94d049bb133111eb
	first := int(hash>>32) & (len(b.places)/blockWays - 1) * blockWays
	set := b.places[first : first+blockWays]
	found := &set[0]
	for i := range set {
		if set[i].of(m, corrected) {
			found = &set[i]
			break
		}
		if set[i].used < found.used {
			found = &set[i]
		}
	}
	b.clock++
	return found
}

// Collect is Receive for a packet of a hashed variant, by way of a block that the
// caller keeps, at best one for every message under way: packets of one sender
// and receiver with identities in a row cost least. A block that holds others is
// decoded first; the last packets count once Decode has been called. With a hash
// that is not linear nothing is collected, and the block may be nil.
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
	corrected := int64(hops) == r.limit
	switch {
	case r.blocks != nil:
	case corrected:
		r.hashedCorrected(m, congested)
		return
	default:
		r.hashed(m, congested, foundBit)
		return
	}
	common := congested
	if corrected {
		hops = 1
		if once {
			congested = int32(m.CongestedBit)
		}
		common = turned(congested, uint32(m.HopBit^foundBit))
	} else if once {
		common = congested * congested
	}
	if !b.of(m, corrected) || b.packets == blockMost {
		r.Decode(b)
		b.table, b.source, b.destination, b.base, b.corrected = m.Table, m.Source, m.Destination, m.ID&^(blockPackets-1), corrected
	}
	b.packets++
	b.hops += hops
	b.squares += hops * hops
	b.found += congested
	b.foundSquares += congested * congested
	b.common += common
	b.sums[m.ID&(blockPackets-1)] += turned(hops, uint32(m.HopBit)) + turned(congested, uint32(foundBit))<<16
}
