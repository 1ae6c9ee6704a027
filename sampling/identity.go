package sampling

// Identities of packets, under the Field hash. The hash of a link is the parity of
// its mask AND the identity. Packets of one sender and receiver come in blocks of
// 64, whose identities are
//
//	base XOR map(base >> 26)[q],    q = 0..63,
//
// where map(k) is linear in q. In a block the hash of a link with mask m is then
// parity(base AND m) XOR parity(q AND index), with index the six bits i at which
// bit b is parity(m AND map(k)[1<<b]). So a receiver needs six bits of a link, its
// index under k, to decode the block by one transform (walsh.go).
//
// Two links with the same index look alike to the whole block, but for the sign:
// their errors add up there. With one map for all blocks such pairs would be alike
// for good. So every block is drawn one of 64 maps, which differ in the pairs that
// they make alike. The index is the value at the point k of a polynomial over GF(64)
// with four coefficients, which are linear in the mask:
//
//	d0 + d1 k + d2 k^2 + d3 k^3,
//
// where d0 and d1 are the low twelve bits of the mask, d2 and d3 are bits 12 to 23
// of the link's number, which its mask determines. Links 0 to 4095 differ in the
// low twelve bits of their masks. As a polynomial of degree n has at most n roots,
// two links are alike
//
//	under exactly one map, or none if they agree in d1: links of one 4096,
//	under at most two maps: links of one 262,144,
//	under at most three maps: any others,
//
// and on average over all pairs under one of 64 (Carter and Wegman 1979).
//
// A header needs no further bit for that: the map is in the identity. Switches need
// not know of it. Identities of other origin are decoded just as well, as each
// belongs to exactly one block, but only those of one block are decoded together.
// Plain sequence numbers below 2^26 come in blocks, too, all under map 0, which
// changes nothing.

const (
	mapBits     = 6
	mapCount    = 1 << mapBits
	mapShift    = 32 - mapBits // the number of the map is the top bits of an identity
	digitBits   = 6            // of an element of GF(64)
	maskBits    = 24           // low bits of masks, which tell all links apart
	plainDigits = 2            // digits that are bits of the mask: d0 and d1
)

// identityMaps are the maps, by k and q; identityPlaces is what placeOf looks up.
var (
	identityMaps   = layMaps()
	identityPlaces = layPlaces()
)

func layMaps() (maps [mapCount][blockPackets]uint32) {
	digits := digitMasks()
	for k := range uint32(mapCount) {
		var columns [blockBits]uint32 // map(k)[1<<b]
		power := uint32(1)
		for _, digit := range digits {
			for c, mask := range digit {
				product := multiply64(power, 1<<c)
				for b := range columns {
					columns[b] ^= mask & -(product >> b & 1)
				}
			}
			power = multiply64(power, k)
		}
		for q := range uint32(blockPackets) {
			for b, column := range columns {
				maps[k][q] ^= column & -(q >> b & 1)
			}
		}
	}
	return maps
}

// layPlaces gives, by bits 12 to 23 of an identity, what to add to its low six bits
// to get q. A map adds up bits of masks whose parities are digits (digitMasks): those
// of d0 are the low six bits, and the map adds q there. Those of d1 are the next six.
// Those of d2 and d3 have low bits as well, which must be taken off again. Bits 12 to
// 23 tell which of these have been added up, as d0 and d1 have none there.
func layPlaces() (places [1 << (maskBits - plainDigits*digitBits)]uint8) {
	digits := digitMasks()
	for x := range uint32(len(places)) {
		sum := uint32(0)
		for bit := range uint32(maskBits - plainDigits*digitBits) {
			sum ^= digits[plainDigits+bit/digitBits][bit%digitBits] & -(x >> bit & 1)
		}
		places[sum>>(plainDigits*digitBits)] = uint8(sum & (blockPackets - 1))
	}
	return places
}

// digitMasks are the bits of masks of which the parity is bit c of digit i.
func digitMasks() (digits [maskBits / digitBits][digitBits]uint32) {
	numbers := linkNumberMasks()
	for i := range digits {
		for c := range digits[i] {
			bit := i*digitBits + c
			if digits[i][c] = 1 << bit; i >= plainDigits {
				digits[i][c] = numbers[bit]
			}
		}
	}
	return digits
}

// linkNumberMasks are, for every bit of a link's number, the low bits of its mask of
// which the parity is that bit, up to a constant: the inverse of the map from
// numbers to masks, by elimination over GF(2).
func linkNumberMasks() (numbers [maskBits]uint32) {
	// Row r: bit r of the masks of links 2^0, 2^1, ..., and beside it which bits of
	// masks have been added up.
	var rows [maskBits]struct{ of, from uint32 }
	for r := range rows {
		rows[r].from = 1 << r
		for bit := range maskBits {
			rows[r].of |= FieldMask(Code(1<<bit)^Code(0)) >> r & 1 << bit
		}
	}
	for bit := range rows {
		for r := bit; ; r++ { // always found: low bits of masks tell all links apart
			if rows[r].of>>bit&1 == 1 {
				rows[bit], rows[r] = rows[r], rows[bit]
				break
			}
		}
		for r := range rows {
			if r != bit && rows[r].of>>bit&1 == 1 {
				rows[r].of ^= rows[bit].of
				rows[r].from ^= rows[bit].from
			}
		}
	}
	for bit := range numbers {
		numbers[bit] = rows[bit].from
	}
	return numbers
}

// multiply64 is the product in GF(64) modulo the primitive polynomial x^6+x+1.
func multiply64(a, b uint32) uint32 {
	product := uint32(0)
	for ; b != 0; b >>= 1 {
		product ^= a & -(b & 1)
		a = a<<1&63 ^ 3*(a>>5)
	}
	return product
}

// split is the block of an identity and its place q there. Every identity has one.
func split(id uint32) (base, q uint32) {
	q = (id ^ placeOf(id)) & (blockPackets - 1)
	return id ^ identityMaps[id>>mapShift][q], q
}

// placeOf is what to add to the low six bits of an identity: see layPlaces.
func placeOf(id uint32) uint32 {
	return uint32(identityPlaces[id>>(plainDigits*digitBits)&uint32(len(identityPlaces)-1)])
}

// Identity is the identity of the packet with a number: its low six bits are the
// place in the block, the others choose the block. Different numbers have different
// identities.
func Identity(number uint32) uint32 {
	top := number &^ (blockPackets - 1)
	return top ^ placeOf(top) ^ identityMaps[top>>mapShift][number&(blockPackets-1)]
}

// Identities gives the packets of flows identities of blocks drawn at random.
type Identities struct{ random Random }

// NewIdentities is the stream of a seed.
func NewIdentities(seed uint64) Identities { return Identities{NewRandom(seed)} }

// Next is the identity of a flow's next packet. The sender keeps a number for each
// flow, 0 at first.
func (s *Identities) Next(number *uint32) uint32 {
	n := *number
	if n%blockPackets == 0 {
		n = s.random.Uint32() &^ (blockPackets - 1)
	}
	*number = n + 1
	return Identity(n)
}

// Alike is under how many of the 64 maps two links look alike to a block.
func Alike(a, b int32) (count int) {
	mask := FieldMask(Code(a)) ^ FieldMask(Code(b))
	for k := range mapCount {
		if indexUnder(k, mask) == 0 {
			count++
		}
	}
	return count
}
