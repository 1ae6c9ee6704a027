package sampling

import (
	"fmt"
	"math/bits"
)

// LinkBits is what a header needs to name one of links 0..links-1 or none.
func LinkBits(links int) int { return bits.Len(uint(links)) }

// Pack appends what a packet of a network with links 0..links-1 carries on the
// wire: HeaderBits(LinkBits(links)) bits from the high bit of the first byte on,
// the last byte filled up with zeros. For each reservoir there are its link, bit
// or links, for OneReservoir the congested bit, and the counter or the draws; for
// each Bloom filter its bits and the counter. A link is stored as its number and
// 1, and none as 0. One hashed reservoir is the header of the thesis's section 5.7,
// 1 + 1 + 3 or 4 bits (Taffet and Mellor-Crummey 2019 find room for 6 in that of
// InfiniBand). Longer reservoirs than a header's are cut.
func (h *Header) Pack(to []byte, v Variant, links int) []byte {
	w := bitWriter{bytes: to}
	switch {
	case v.Kind == Off:
	case v.Kind == OneReservoir:
		w.reservoir(v, links, h.HopLink, h.HopBit, h.hasHop(v))
		w.write(uint64(h.CongestedBit), 1)
		w.count(v, h.HopCount, h.HopDraws)
	case v.Kind == Bloom:
		w.filter(h.Filter, v.Bits)
		w.count(v, h.HopCount, 0)
		w.filter(h.CongestedFilter, v.Bits)
		w.count(v, h.CongestedCount, 0)
	case v.Slots > 1:
		w.slots(v, links, h.Hops)
		w.count(v, h.HopCount, 0)
		w.slots(v, links, h.Congested)
		w.count(v, h.CongestedCount, 0)
	default:
		_, congested := h.Counts(v)
		w.reservoir(v, links, h.HopLink, h.HopBit, h.hasHop(v))
		w.count(v, h.HopCount, h.HopDraws)
		w.reservoir(v, links, h.CongestedLink, h.CongestedBit, congested > 0)
		w.count(v, h.CongestedCount, h.CongestedDraws)
	}
	return w.bytes
}

func (h *Header) hasHop(v Variant) bool {
	hops, _ := h.Counts(v)
	return hops > 0
}

// Unpack is the header that Pack has written. It fails if the bytes are not as
// many, or if they say what no switch writes: a link that does not exist, a
// reservoir that its counter contradicts, more congested hops than hops, draws
// without a mark.
func (h *Header) Unpack(from []byte, v Variant, links int) error {
	h.Reset(v)
	if want := (v.HeaderBits(LinkBits(links)) + 7) / 8; len(from) != want {
		return fmt.Errorf("header of %d bytes: sampling %s over %d links takes %d", len(from), v, links, want)
	}
	r := bitReader{bytes: from, variant: v, links: links}
	switch {
	case v.Kind == Off:
	case v.Kind == OneReservoir:
		h.HopLink, h.HopBit = r.reservoir()
		h.CongestedBit = uint8(r.read(1))
		h.HopCount, h.HopDraws = r.count()
		r.agree(h.HopLink, h.HopBit|h.CongestedBit, h.hasHop(v))
		h.HopLink = max(0, h.HopLink)
	case v.Kind == Bloom:
		r.filter(h.Filter)
		h.HopCount, _ = r.count()
		r.filter(h.CongestedFilter)
		h.CongestedCount, _ = r.count()
	case v.Slots > 1:
		h.Hops = r.slots(h.Hops)
		h.HopCount, _ = r.count()
		h.Congested = r.slots(h.Congested)
		h.CongestedCount, _ = r.count()
		if len(h.Hops) != min(v.Slots, int(h.HopCount)) || len(h.Congested) != min(v.Slots, int(h.CongestedCount)) {
			r.fail("header's reservoir holds another number of links than its counter says")
		}
	default:
		h.HopLink, h.HopBit = r.reservoir()
		h.HopCount, h.HopDraws = r.count()
		r.agree(h.HopLink, h.HopBit, h.hasHop(v))
		h.CongestedLink, h.CongestedBit = r.reservoir()
		h.CongestedCount, h.CongestedDraws = r.count()
		_, congested := h.Counts(v)
		r.agree(h.CongestedLink, h.CongestedBit, congested > 0)
		h.HopLink, h.CongestedLink = max(0, h.HopLink), max(0, h.CongestedLink)
	}
	if hops, congested := h.Counts(v); congested > hops {
		r.fail("header tells %d congested hops of %d", congested, hops)
	}
	if r.read(len(from)*8-r.at) != 0 {
		r.fail("header has bits set beyond its end")
	}
	return r.err
}

// bitWriter appends bits, high ones first.
type bitWriter struct {
	bytes []byte
	used  int // bits of the last byte; 0 = all
}

func (w *bitWriter) write(value uint64, count int) {
	for i := count - 1; i >= 0; i-- {
		if w.used == 0 {
			w.bytes = append(w.bytes, 0)
		}
		w.bytes[len(w.bytes)-1] |= byte(value>>i&1) << (7 - w.used)
		w.used = (w.used + 1) % 8
	}
}

func (w *bitWriter) reservoir(v Variant, links int, link int32, bit uint8, full bool) {
	switch {
	case v.Hashed():
		w.write(uint64(bit), 1)
	case full:
		w.write(uint64(link)+1, LinkBits(links))
	default:
		w.write(0, LinkBits(links))
	}
}

func (w *bitWriter) slots(v Variant, links int, reservoir []int32) {
	for i := range v.Slots {
		if i < len(reservoir) {
			w.write(uint64(reservoir[i])+1, LinkBits(links))
		} else {
			w.write(0, LinkBits(links))
		}
	}
}

func (w *bitWriter) filter(words []uint64, size int) {
	for i := range size {
		w.write(words[i/64]>>(i%64)&1, 1)
	}
}

func (w *bitWriter) count(v Variant, count uint8, draws uint64) {
	if v.Drawn > 0 {
		w.write(draws, v.Drawn+1)
		return
	}
	w.write(uint64(count), v.Counter)
}

// bitReader reads what bitWriter has written, and keeps the first error.
type bitReader struct {
	bytes   []byte
	at      int
	variant Variant
	links   int
	err     error
}

func (r *bitReader) read(count int) uint64 {
	value := uint64(0)
	for range count {
		value = value<<1 | uint64(r.bytes[r.at/8]>>(7-r.at%8)&1)
		r.at++
	}
	return value
}

func (r *bitReader) fail(format string, a ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format, a...)
	}
}

// link is -1 for none.
func (r *bitReader) link() int32 {
	link := int64(r.read(LinkBits(r.links))) - 1
	if link >= int64(r.links) {
		r.fail("header holds link %d of %d", link, r.links)
		return -1
	}
	return int32(link)
}

func (r *bitReader) reservoir() (link int32, bit uint8) {
	if r.variant.Hashed() {
		return 0, uint8(r.read(1))
	}
	return r.link(), 0
}

func (r *bitReader) slots(reservoir []int32) []int32 {
	for i := range r.variant.Slots {
		link := r.link()
		if link < 0 {
			continue
		}
		if len(reservoir) < i {
			r.fail("header's reservoir has a gap")
		}
		reservoir = append(reservoir, link)
	}
	return reservoir
}

func (r *bitReader) filter(words []uint64) {
	for i := range r.variant.Bits {
		words[i/64] |= r.read(1) << (i % 64)
	}
}

func (r *bitReader) count() (uint8, uint64) {
	if r.variant.Drawn == 0 {
		return uint8(r.read(r.variant.Counter)), 0
	}
	draws := r.read(r.variant.Drawn + 1)
	if draws == 0 {
		r.fail("header's draws have no mark")
	}
	return 0, draws
}

// agree checks that a reservoir holds something if and only if its counter says so.
func (r *bitReader) agree(link int32, bit uint8, full bool) {
	if full && link < 0 {
		r.fail("header's reservoir is empty, its counter is not")
	}
	if !full && (bit != 0 || link > 0 || link == 0 && !r.variant.Hashed()) {
		r.fail("header's reservoir holds what its counter does not know of")
	}
}
