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

const (
	blockBits    = 6
	blockPackets = 1 << blockBits
	blockMost    = 127 // packets of a block, so that sums of counts fit in 16 bits
)

// block is collected packets of one sender and receiver.
type block struct {
	table               *Table
	source, destination int32
	base                uint32 // identities are base..base+63
	packets             int32  // 0 = free
	corrected           bool   // their counters were at the limit: see decodeCorrected
	squares             int64  // sum of hops^2
	foundSquares        int64  // sum of congested^2
	common              int64  // sum of what makes the covariance
	hop, congested      [blockPackets]int16
}

func newBlocks(flows int) []block {
	count := 1 << min(15, max(4, bits.Len(uint(max(1, flows)-1))))
	return make([]block, count)
}

// collect adds a packet with such counts, or with what stands for them, to its
// block; another pair's block in its place is decoded first.
func (r *Receiver) collect(t *Table, p *Packet, hops, congested, common int64, foundBit uint8, corrected bool) {
	base := p.ID &^ (blockPackets - 1)
	key := uint64(base>>blockBits)*0x9e3779b97f4a7c15 ^ uint64(uint32(p.Source))*0xbf58476d1ce4e5b9 ^ uint64(uint32(p.Destination))*0x94d049bb133111eb
	b := &r.blocks[key>>32&uint64(len(r.blocks)-1)]
	if b.packets > 0 && (b.table != t || b.source != p.Source || b.destination != p.Destination || b.base != base || b.corrected != corrected || b.packets == blockMost) {
		r.decode(b)
	}
	if b.packets == 0 {
		b.table, b.source, b.destination, b.base, b.corrected = t, p.Source, p.Destination, base, corrected
	}
	b.packets++
	b.squares += hops * hops
	b.common += common
	at := p.ID & (blockPackets - 1)
	b.hop[at] += int16(hops * (1 - 2*int64(p.HopBit)))
	if congested > 0 {
		b.foundSquares += congested * congested
		b.congested[at] += int16(congested * (1 - 2*int64(foundBit)))
	}
}

// decode adds a block to its table and frees it.
func (r *Receiver) decode(b *block) {
	if b.packets == 0 {
		return
	}
	transform(&b.hop)
	if b.foundSquares > 0 {
		transform(&b.congested)
	}
	if b.corrected {
		r.decodeCorrected(b)
		*b = block{}
		return
	}
	squares, foundSquares, common := float64(b.squares), float64(b.foundSquares), float64(b.common)
	masks := r.hasher.masks
	for _, some := range r.paths(b.source, b.destination) {
		entries := b.table.Links[some.First : some.First+some.Count]
		for i, m := range masks[some.First : some.First+some.Count] {
			sign := 1 - 2*int32(parity(m&b.base))
			w := float64(sign * int32(b.hop[m&(blockPackets-1)]))
			c := float64(sign * int32(b.congested[m&(blockPackets-1)]))
			e := &entries[i]
			e.Packets += w
			e.PacketsVariance += squares - w
			e.Congested += c
			e.CongestedVariance += foundSquares - c
			e.Covariance += common - c
		}
	}
	*b = block{}
}

// transform is the Walsh-Hadamard transform, in place.
func transform(a *[blockPackets]int16) {
	for half := 1; half < blockPackets; half *= 2 {
		for i := 0; i < blockPackets; i += 2 * half {
			for k := i; k < i+half; k++ {
				a[k], a[k+half] = a[k]+a[k+half], a[k]-a[k+half]
			}
		}
	}
}
