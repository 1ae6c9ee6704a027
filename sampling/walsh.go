package sampling

// With a linear hash the sums over packets that decoding needs are Walsh-Hadamard
// transforms: link d with mask m gains
//
//	W_d = sum over packets of l (-1)^(bit + parity(id AND m))
//
// so packets of one sender and receiver whose identities are of one block (see
// identity.go) are first added up by their place q there, A[q] = sum of l (-1)^bit,
// and one transform of A gives W_d for all 64 possible indexes of d at once, but for
// the sign that the block's base gives d. A link then costs one look-up for up to 64
// packets instead of one test each.
//
// Sums of counts of hops and of congested ones stay below 2^15, and both kinds
// are transformed at once as h + c 2^16.

const (
	blockBits    = 6
	blockPackets = 1 << blockBits
	blockMost    = 127 // packets of a block, so that sums of counts fit in 16 bits
)

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
	indexes := r.indexes.in(b.base)
	switch {
	case b.corrected:
		r.decodeCorrected(b, ranges)
	case b.found > 0:
		b.decodeBoth(ranges, &indexes)
	default:
		b.decodePackets(ranges, &indexes)
	}
	*b = Block{}
}

// decodeOne adds the packets to the only link that they can have crossed.
func (b *Block) decodeOne(e *Entry) {
	e.add(&Entry{float64(b.hops), float64(b.squares - b.hops), float64(b.found),
		float64(b.foundSquares - b.found), float64(b.common - b.found)})
}

// decodePackets adds packets without congestion to their candidate links.
func (b *Block) decodePackets(ranges []Range, indexes *blockIndexes) {
	squares, table := float64(b.squares), b.table.Links
	for _, some := range ranges {
		for first, end := some.First, some.First+some.Count; first < end; {
			low, index, signs := indexes.from(first)
			entries := table[first:min(end, first+int32(len(low)))]
			low = low[:len(entries)]
			for i := range entries {
				w := float64(turned(b.sums[(low[i]^index)&(blockPackets-1)], uint32(signs)&1))
				signs >>= 1
				e := &entries[i]
				e.Packets += w
				e.PacketsVariance += squares - w
			}
			first += int32(len(entries))
		}
	}
}

// decodeBoth adds packets and congested ones to their candidate links.
func (b *Block) decodeBoth(ranges []Range, indexes *blockIndexes) {
	squares, foundSquares, common := float64(b.squares), float64(b.foundSquares), float64(b.common)
	table := b.table.Links
	for _, some := range ranges {
		for first, end := some.First, some.First+some.Count; first < end; {
			low, index, signs := indexes.from(first)
			entries := table[first:min(end, first+int32(len(low)))]
			low = low[:len(entries)]
			for i := range entries {
				sum := turned(b.sums[(low[i]^index)&(blockPackets-1)], uint32(signs)&1)
				signs >>= 1
				hop, congested := apart(sum)
				w, c := float64(hop), float64(congested)
				e := &entries[i]
				e.Packets += w
				e.PacketsVariance += squares - w
				e.Congested += c
				e.CongestedVariance += foundSquares - c
				e.Covariance += common - c
			}
			first += int32(len(entries))
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
