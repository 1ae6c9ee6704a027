package sampling

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

const walshLinks = 200

// received is what two receivers make of packets: one that collects them in
// blocks, one that tests every candidate link at once. Packet i belongs to table
// tables[i].
func received(v Variant, positions Positions, packets []Packet, tables []int, flows int) (blocks,
	direct [3]*Table) {
	paths := func(source, destination int32) []Range {
		return []Range{{First: source * 3, Count: 9}, {First: 60 + destination*5, Count: 70},
			{First: walshLinks - 1, Count: 1}}
	}
	collecting, testing := NewReceiver(v, walshLinks, paths, flows), NewReceiver(v, walshLinks, paths, flows)
	testing.blocks = nil
	collecting.Correct(positions)
	testing.Correct(positions)
	for i := range blocks {
		blocks[i], direct[i] = NewTable(v, walshLinks), NewTable(v, walshLinks)
	}
	for i := range packets {
		collecting.Receive(blocks[tables[i]], &packets[i])
		testing.Receive(direct[tables[i]], &packets[i])
	}
	collecting.Flush()
	testing.Flush()
	return blocks, direct
}

// walshPackets draws packets of few pairs with few ranges of identities, so that
// they share and contest blocks; some count up, others are those of numbers.
func walshPackets(t *rapid.T, v Variant) ([]Packet, []int) {
	random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
	packets := make([]Packet, rapid.IntRange(0, 1500).Draw(t, "packets"))
	pairs, bases := rapid.IntRange(1, 12).Draw(t, "pairs"), rapid.IntRange(1, 4).Draw(t, "bases")
	numbered := rapid.Bool().Draw(t, "numbered")
	several := rapid.IntRange(1, 3).Draw(t, "tables")
	tables := make([]int, len(packets))
	for i := range packets {
		p := &packets[i]
		tables[i] = random.IntN(several)
		p.ID = uint32(random.IntN(bases))*0x9e3779b9 + uint32(random.IntN(64))
		if numbered {
			p.ID = Identity(p.ID)
		}
		p.Source, p.Destination = int32(random.IntN(pairs)), int32(random.IntN(pairs))
		p.HopCount = uint8(random.IntN(int(v.Limit()) + 1))
		p.HopBit = uint8(random.IntN(2))
		p.CongestedBit = uint8(random.IntN(2))
		if p.HopCount > 0 && v.Kind == OneBit {
			p.CongestedCount = uint8(random.IntN(int(p.HopCount) + 1))
		}
		if p.HopCount == 0 || v.Kind == OneBit && p.CongestedCount == 0 {
			p.CongestedBit = 0
		}
	}
	return packets, tables
}

var walshVariants = []Variant{
	{Kind: OneBit, Slots: 1, Counter: 8, Hash: Field}, {Kind: OneBit, Slots: 1, Counter: 2, Hash: Field},
	{Kind: OneReservoir, Slots: 1, Counter: 8, Hash: Field},
	{Kind: OneReservoir, Slots: 1, Counter: 3, Hash: Field},
}

// Blocks and their transforms give bit for bit what the test of every candidate
// link of every packet gives, in any order of packets.
func TestBlocksEqualDirectTests(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.SampledFrom(walshVariants).Draw(t, "variant")
		packets, tables := walshPackets(t, v)
		flows := rapid.IntRange(0, 40).Draw(t, "flows")
		blocks, direct := received(v, nil, packets, tables, flows)
		order := rapid.Permutation(indices(len(packets))).Draw(t, "order")
		shuffled, shuffledTables := make([]Packet, len(packets)), make([]int, len(packets))
		for i, at := range order {
			shuffled[i], shuffledTables[i] = packets[at], tables[at]
		}
		again, _ := received(v, nil, shuffled, shuffledTables, flows)
		for i := range blocks {
			if blocks[i].Received != direct[i].Received || again[i].Received != direct[i].Received {
				t.Fatalf("totals %+v, %+v in another order, want %+v", blocks[i].Received, again[i].Received,
					direct[i].Received)
			}
			for link := range direct[i].Links {
				if blocks[i].Links[link] != direct[i].Links[link] || again[i].Links[link] != direct[i].Links[link] {
					t.Fatalf("table %d, link %d: %+v, %+v in another order, "+
						"want %+v", i, link, blocks[i].Links[link], again[i].Links[link], direct[i].Links[link])
				}
			}
		}
	})
}

func indices(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// With corrected counters, whose weights are no whole numbers, they do so up to
// rounding; places that are not fixed for all links mix corrected packets with
// others.
func TestCorrectedBlocksEqualDirectTests(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := walshVariants[1+2*rapid.IntRange(0, 1).Draw(t, "variant")]
		packets, tables := walshPackets(t, v)
		positions := func(source, destination, link int32) (int, int) {
			if (source+link)%4 == 0 {
				return 0, 0
			}
			return int(1 + link%7), 7 + int(source+destination)%3
		}
		blocks, direct := received(v, positions, packets, tables, 5)
		for i := range blocks {
			for link := range direct[i].Links {
				b, d := blocks[i].Links[link], direct[i].Links[link]
				scale := 1e-12 * (1 + d.PacketsVariance)
				if math.Abs(b.Packets-d.Packets) > scale || math.Abs(b.PacketsVariance-d.PacketsVariance) > scale ||
					math.Abs(b.Congested-d.Congested) > scale ||
					math.Abs(b.CongestedVariance-d.CongestedVariance) > scale ||
					math.Abs(b.Covariance-d.Covariance) > scale {
					t.Fatalf("table %d, link %d: %+v, want %+v", i, link, b, d)
				}
			}
		}
	})
}

// The longest counts in one block, all of one sign, stay within its 16 bits.
func TestBlocksHoldLongestCounts(t *testing.T) {
	v := walshVariants[0]
	for _, count := range []int{1, 126, 127, 128, 300} {
		packets := make([]Packet, count)
		for i := range packets {
			packets[i] = Packet{ID: 64, Header: Header{HopCount: 255, CongestedCount: 255, HopBit: 1, CongestedBit: 1}}
		}
		blocks, direct := received(v, nil, packets, make([]int, count), 0)
		for link := range direct[0].Links {
			if blocks[0].Links[link] != direct[0].Links[link] {
				t.Fatalf("%d packets, link %d: %+v, want %+v", count, link, blocks[0].Links[link], direct[0].Links[link])
			}
		}
	}
}
