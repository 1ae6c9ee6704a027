package sampling

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// drawRanges are some ranges of links, of which those of no links and of parts
// of words are the difficult ones.
func drawRanges(t *rapid.T, links int32) []Range {
	var ranges []Range
	for range rapid.IntRange(0, 5).Draw(t, "ranges") {
		first := rapid.Int32Range(0, links).Draw(t, "first")
		count := rapid.Int32Range(0, min(150, links-first)).Draw(t, "count")
		ranges = append(ranges, Range{First: first, Count: count})
	}
	return ranges
}

// order is the links of ranges, one after the other.
func order(ranges []Range) []int32 {
	var links []int32
	for _, some := range ranges {
		for i := range some.Count {
			links = append(links, some.First+i)
		}
	}
	return links
}

func TestMatchesEqualsBit(t *testing.T) {
	hasher := NewHasher(Field, 5000)
	rapid.Check(t, func(t *rapid.T) {
		ranges := drawRanges(t, 5000)
		set, links := NewLinkSet(hasher, ranges), order(ranges)
		if set.Len() != len(links) || set.Words() != (len(links)+63)/64 {
			t.Fatalf("%d links in %d words, want %d", set.Len(), set.Words(), len(links))
		}
		dst := make([]uint64, set.Words()+1)
		for i := range dst {
			dst[i] = 0x5555555555555555
		}
		id := rapid.OneOf(rapid.Uint32(), rapid.Uint32Range(0, 1<<24)).Draw(t, "id")
		bit := rapid.Uint32Range(0, 1).Draw(t, "bit")
		set.Matches(dst, id, bit)
		for i := range 64 * set.Words() {
			want := i < len(links) && hasher.Bit(id, links[i]) == bit
			if got := dst[i/64]>>(i%64)&1 == 1; got != want {
				t.Fatalf("bit %d of %d is %v", i, len(links), got)
			}
		}
		if dst[set.Words()] != 0x5555555555555555 {
			t.Fatal("a word too many is written")
		}
	})
}

// Sums are those of a plain loop, whatever the order of weights, and however
// often they are asked for.
func TestLinkCountsEqualsLoop(t *testing.T) {
	hasher := NewHasher(Field, 1000)
	rapid.Check(t, func(t *rapid.T) {
		ranges := drawRanges(t, 1000)
		counts, links := NewLinkCounts(NewLinkSet(hasher, ranges)), order(ranges)
		want := make([]int64, len(links))
		random := NewRandom(rapid.Uint64().Draw(t, "seed"))
		most := rapid.SampledFrom([]uint32{2, 8, 256}).Draw(t, "weights below")
		for range rapid.IntRange(0, 600).Draw(t, "packets") {
			id, bit, weight := random.Uint32(), random.Below(2), uint8(random.Below(most))
			counts.Add(id, bit, weight)
			for i, link := range links {
				want[i] += int64(weight) * (1 - 2*int64(hasher.Bit(id, link)^bit))
			}
			if random.Below(100) == 0 {
				counts.Sums()
			}
		}
		for i, sum := range counts.Sums() {
			if sum != want[i] {
				t.Fatalf("link %d of %d: %d, want %d", i, len(links), sum, want[i])
			}
		}
		counts.Add(1, 0, 200)
		counts.Reset()
		for i, sum := range counts.Sums() {
			if sum != 0 {
				t.Fatalf("link %d has %d after a reset", i, sum)
			}
		}
	})
}

// A link that hashes like the packets' bits counts them all, far beyond what the
// digits hold.
func TestLinkCountsSpill(t *testing.T) {
	hasher := NewHasher(Field, 100)
	counts := NewLinkCounts(NewLinkSet(hasher, []Range{{First: 10, Count: 70}}))
	const packets = 2000
	for id := range uint32(packets) {
		counts.Add(id, hasher.Bit(id, 33), 255)
	}
	if sum := counts.Sums()[23]; sum != 255*packets {
		t.Errorf("link 33 counts %d, want %d", sum, 255*packets)
	}
}

func TestLinkSetNeedsLinearHash(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a set under a hash that is not linear")
		}
	}()
	NewLinkSet(NewHasher(Hmult, 10), []Range{{First: 0, Count: 10}})
}

// gigahertz is cycles a nanosecond, from a chain of additions and shifts that
// takes a cycle each.
var gigahertz = sync.OnceValue(func() float64 {
	const rounds = 20_000_000
	best := 0.
	for range 3 {
		x, start := uint64(1), time.Now()
		for range rounds {
			x = (x ^ x>>7) + 3 // three dependent operations, a cycle each
		}
		sink = x
		best = max(best, 3*rounds/float64(time.Since(start).Nanoseconds()))
	}
	return best
})

var sink uint64

// perLink reports what a link's test cost.
func perLink(b *testing.B, links int, clock float64) {
	ns := float64(b.Elapsed().Nanoseconds()) / float64(b.N) / float64(links)
	b.ReportMetric(ns, "ns/link")
	b.ReportMetric(ns*clock, "cycles/link")
}

// columns tests links by the XOR of a word for each bit of the identity that is
// set, the plain form of LinkSet.
type columns struct {
	words int
	bits  []uint64 // 32 x words
}

func (c *columns) matches(dst []uint64, id uint32) {
	clear(dst)
	for bit := 0; id != 0; bit, id = bit+1, id>>1 {
		if id&1 == 0 {
			continue
		}
		for i, word := range c.bits[bit*c.words : (bit+1)*c.words] {
			dst[i] ^= word
		}
	}
}

// tables8 is LinkSet with parts of eight bits.
type tables8 struct {
	words int
	bits  []uint64 // 4 x 256 x words
}

func (c *tables8) matches(dst []uint64, id uint32) {
	part := func(p int) []uint64 {
		first := (p*256 + int(id>>(8*p)&255)) * c.words
		return c.bits[first : first+len(dst)]
	}
	a, b, d, e := part(0), part(1), part(2), part(3)
	for i := range dst {
		dst[i] = a[i] ^ b[i] ^ d[i] ^ e[i]
	}
}

// The ways to test all links for one packet. Identities have 24 bits.
func BenchmarkMatches(b *testing.B) {
	clock := gigahertz()
	for _, links := range []int32{800, 18432} {
		hasher := NewHasher(Field, int(links))
		set := NewLinkSet(hasher, []Range{{First: 0, Count: links}})
		dst := make([]uint64, set.Words())
		byBit, byByte := &columns{words: set.Words()}, &tables8{words: set.Words()}
		for bit := range 32 {
			set.Matches(dst, 1<<bit, 1)
			byBit.bits = append(byBit.bits, dst...)
		}
		for value := range uint32(1024) {
			set.Matches(dst, value%256<<(value/256*8), 1)
			byByte.bits = append(byByte.bits, dst...)
		}
		for _, way := range []struct {
			name  string
			match func(id uint32)
		}{
			{"popcount", func(id uint32) {
				for w := range dst {
					word := uint64(0)
					for i, mask := range hasher.masks[64*w : min(64*w+64, len(hasher.masks))] {
						word |= uint64(parity(mask&id)) << i
					}
					dst[w] = word
				}
			}},
			{"columns", func(id uint32) { byBit.matches(dst, id) }},
			{"parts-of-8-bits", func(id uint32) { byByte.matches(dst, id) }},
			{"LinkSet", func(id uint32) { set.Matches(dst, id, 1) }},
		} {
			b.Run(fmt.Sprintf("links=%d/%s", links, way.name), func(b *testing.B) {
				random := NewRandom(1)
				for b.Loop() {
					way.match(random.Uint32() >> 8)
				}
				perLink(b, int(links), clock)
			})
		}
	}
}

// Testing and counting together.
func BenchmarkLinkCounts(b *testing.B) {
	clock := gigahertz()
	hasher := NewHasher(Field, 18432)
	for _, links := range []int32{800, 18432} {
		for _, weights := range [][]uint8{{1}, {4}, {7}, {2, 4, 6}} {
			b.Run(fmt.Sprintf("links=%d/weights=%v", links, weights), func(b *testing.B) {
				counts := NewLinkCounts(NewLinkSet(hasher, []Range{{First: 0, Count: links}}))
				random, i := NewRandom(1), 0
				for b.Loop() {
					counts.Add(random.Uint32()>>8, uint32(i)&1, weights[i%len(weights)])
					i++
				}
				perLink(b, int(links), clock)
			})
		}
	}
}

func BenchmarkNewLinkSet(b *testing.B) {
	hasher := NewHasher(Field, 18432)
	for _, links := range []int32{800, 18432} {
		b.Run(fmt.Sprintf("links=%d", links), func(b *testing.B) {
			for b.Loop() {
				NewLinkSet(hasher, []Range{{First: 0, Count: links}})
			}
			perLink(b, int(links), gigahertz())
		})
	}
}

// What a packet costs a receiver that has to test 800 links: two reservoirs of
// one bit each, in flows of 32 packets whose identities are in a row, or far
// apart as if each were of a flow of its own. All ways end in a table's entries.
func BenchmarkPacketCost(b *testing.B) {
	const packets = 32
	v := Variant{Kind: OneBit, Slots: 1, Counter: 8, Hash: Field}
	ranges := []Range{{First: 100, Count: 200}, {First: 2000, Count: 300}, {First: 9001, Count: 290},
		{First: 18000, Count: 10}}
	paths := func(int32, int32) []Range { return ranges }
	hasher, table := NewHasher(Field, 18432), NewTable(v, 18432)
	direct, blocks := NewReceiver(v, 18432, paths, 1), NewReceiver(v, 18432, paths, 1)
	direct.blocks = nil // as for hashes that are not linear
	receive := func(r *Receiver) func([]Packet) {
		return func(flow []Packet) {
			for i := range flow {
				r.Receive(table, &flow[i])
			}
			r.Flush()
		}
	}
	kept := NewLinkSet(hasher, ranges)
	hop, found := NewLinkCounts(kept), NewLinkCounts(kept)
	for _, gap := range []uint32{1, 64} {
		random, flow := NewRandom(1), make([]Packet, packets)
		first := random.Uint32() >> 9
		for i := range flow {
			flow[i] = Packet{ID: first + uint32(i)*gap, Header: Header{HopCount: 5, HopBit: uint8(random.Below(2)),
				CongestedCount: uint8(random.Below(3)), CongestedBit: uint8(random.Below(2))}}
		}
		for _, way := range []struct {
			name   string
			decode func([]Packet)
		}{
			{"direct", receive(direct)},
			{"blocks", receive(blocks)},
			{"set-made-for-the-flow", func(flow []Packet) {
				s := NewLinkSet(hasher, ranges)
				countFlow(table, flow, ranges, NewLinkCounts(s), NewLinkCounts(s))
			}},
			{"set-kept", func(flow []Packet) { countFlow(table, flow, ranges, hop, found) }},
		} {
			b.Run(fmt.Sprintf("apart=%d/%s", gap, way.name), func(b *testing.B) {
				for b.Loop() {
					way.decode(flow)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/packets, "ns/packet")
			})
		}
	}
}

// countFlow is a receiver that uses LinkCounts: it adds a flow to a table.
func countFlow(table *Table, flow []Packet, ranges []Range, hop, found *LinkCounts) {
	hop.Reset()
	found.Reset()
	squares, foundSquares, common := 0., 0., 0.
	for i := range flow {
		p := &flow[i]
		hop.Add(p.ID, uint32(p.HopBit), p.HopCount)
		found.Add(p.ID, uint32(p.CongestedBit), p.CongestedCount)
		hops, congested := float64(p.HopCount), float64(p.CongestedCount)
		squares, foundSquares, common = squares+hops*hops, foundSquares+congested*congested, common+congested
	}
	at, w, c := 0, hop.Sums(), found.Sums()
	for _, some := range ranges {
		for link := range some.Count {
			w, c := float64(w[at]), float64(c[at])
			table.Links[some.First+link].add(&Entry{w, squares - w, c, foundSquares - c, common - c})
			at++
		}
	}
}

// Blocks, direct tests and LinkCounts leave the same table.
func TestLinkCountsLikeReceiver(t *testing.T) {
	v := Variant{Kind: OneBit, Slots: 1, Counter: 8, Hash: Field}
	ranges := []Range{{First: 3, Count: 70}, {First: 100, Count: 31}}
	paths := func(int32, int32) []Range { return ranges }
	set := NewLinkSet(NewHasher(Field, 150), ranges)
	direct := NewReceiver(v, 150, paths, 1)
	direct.blocks = nil
	rapid.Check(t, func(t *rapid.T) {
		random := NewRandom(rapid.Uint64().Draw(t, "seed"))
		flow, first := make([]Packet, rapid.IntRange(1, 200).Draw(t, "packets")), random.Uint32()
		for i := range flow {
			hops := uint8(1 + random.Below(20))
			flow[i] = Packet{ID: first + uint32(i), Header: Header{HopCount: hops, HopBit: uint8(random.Below(2)),
				CongestedCount: uint8(random.Below(uint32(hops) + 1)), CongestedBit: uint8(random.Below(2))}}
		}
		want, got := NewTable(v, 150), NewTable(v, 150)
		for i := range flow {
			direct.Receive(want, &flow[i])
		}
		countFlow(got, flow, ranges, NewLinkCounts(set), NewLinkCounts(set))
		for i := range want.Links {
			if got.Links[i] != want.Links[i] {
				t.Fatalf("link %d: %+v, want %+v", i, got.Links[i], want.Links[i])
			}
		}
	})
}
