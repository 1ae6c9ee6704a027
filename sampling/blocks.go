package sampling

import "math/bits"

// Block is collected packets of one sender and receiver. The zero value is empty.
type Block struct {
	table               *Table
	source, destination int32
	base                uint32 // of the identities: see split
	packets             int32  // 0 = free
	used                uint32 // when a packet was added last
	corrected           bool   // their counters were at the limit: see decodeCorrected
	hops, found         int32  // sums of hops and of congested
	squares             int32  // sum of hops^2
	foundSquares        int32  // sum of congested^2
	common              int32  // sum of what makes the covariance
	sums                [blockPackets]int32
}

// HashedDelivery is a delivered packet of a hashed variant, with the table it belongs to.
type HashedDelivery struct {
	Table                    *Table
	ID                       uint32
	Source, Destination      int32
	HopCount, CongestedCount uint8
	HopBit, CongestedBit     uint8
}

// holds tells whether a block holds packets whose identities have a base.
func (b *Block) holds(base uint32) bool { return b.packets > 0 && b.base == base }

// of tells whether a block is of the sender, receiver and identities of a packet.
func (b *Block) of(m *HashedDelivery, base uint32, corrected bool) bool {
	return b.holds(base) && b.table == m.Table && b.corrected == corrected &&
		b.source == m.Source && b.destination == m.Destination
}

// blocks are those that a receiver keeps by itself: that of a packet lies in one
// of the places of a set, like lines in a cache.
type blocks struct {
	clock  uint32
	places []Block
}

func newBlocks(flows int) *blocks {
	return &blocks{places: make([]Block, blockWays<<min(12, max(2, bits.Len(uint(max(1, flows)-1))-2)))}
}

// place is the block of a packet, or else the one of its set that was not used
// for longest.
func (b *blocks) place(m *HashedDelivery, base uint32, corrected bool) *Block {
	hash := uint64(base)*0x9e3779b97f4a7c15 ^ uint64(uint32(m.Source))*0xbf58476d1ce4e5b9 ^
		uint64(uint32(m.Destination))*0x94d049bb133111eb
	first := int(hash>>32) & (len(b.places)/blockWays - 1) * blockWays
	set := b.places[first : first+blockWays]
	found := &set[0]
	for i := range set {
		if set[i].of(m, base, corrected) {
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

// Collect is Receive for a packet of a hashed variant, by way of two blocks that the
// caller keeps, at best two for every message under way: packets of one sender and
// receiver with identities of one block cost least. With one block only, packets
// that overtake each other would have it decoded every time. A block that holds
// others is decoded first; the last packets count once Decode has been called. With a
// hash that is not linear nothing is collected, and the blocks may be nil.
func (r *Receiver) Collect(pair *[2]Block, m *HashedDelivery) {
	if r.blocks == nil {
		r.add(nil, m, 0, 0)
		return
	}
	base, q := split(m.ID)
	r.add(choose(pair, base), m, base, q)
}

// choose is which of two blocks a packet goes to: that of its identities, or an
// empty one, or the fuller, which will get no more soon.
func choose(pair *[2]Block, base uint32) *Block {
	a, b := &pair[0], &pair[1]
	switch {
	case a.holds(base) || a.packets == 0 && !b.holds(base):
		return a
	case b.holds(base) || b.packets == 0 || b.packets > a.packets:
		return b
	}
	return a
}

// add takes a packet whose identity has a base and a place q into a block.
func (r *Receiver) add(b *Block, m *HashedDelivery, base, q uint32) {
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
	if !b.of(m, base, corrected) || b.packets == blockMost {
		r.Decode(b)
		b.table, b.source, b.destination, b.base, b.corrected = m.Table, m.Source, m.Destination, base, corrected
	}
	b.packets++
	b.hops += hops
	b.squares += hops * hops
	b.found += congested
	b.foundSquares += congested * congested
	b.common += common
	b.sums[q] += turned(hops, uint32(m.HopBit)) + turned(congested, uint32(foundBit))<<16
}
