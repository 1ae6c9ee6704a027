package sampling

// fieldReduction is x^32 modulo the primitive polynomial x^32+x^22+x^2+x+1,
// which defines GF(2^32); bit i is the coefficient of x^i.
const fieldReduction = 1<<22 | 1<<2 | 1<<1 | 1

// fieldSpread multiplies every link's code. With any constant but 0 masks of
// links differ; this one was chosen so that they do in few bits already.
// Identities that count up differ in low bits only, so it is the low bits of masks
// that tell links apart to them; the twelve lowest are in all indexes (identity.go).
// Among 16, 64, 256 or 4096 links from a
// multiple of that number on, no two have the same low 4, 6, 8 or 12 bits. For 64
// links this also holds if their numbers differ in any other six bits in a row,
// up to 2^23; for the others it does for 39 of all 48 rows of bits. A random
// search of 2^28 constants found no more.
const fieldSpread = 0x4755bd5c

// fieldMultiply is the product in GF(2^32).
func fieldMultiply(a, b uint32) uint32 {
	product := uint32(0)
	for ; b != 0; b >>= 1 {
		product ^= a & -(b & 1)
		a = timesX(a)
	}
	return product
}

func timesX(a uint32) uint32 { return a<<1 ^ fieldReduction&-(a>>31) }

// FieldMask is what a switch keeps for a port with a code: the hash of an
// identity is the parity of its bits under the mask. It is bit 31 of the product
// id x code x fieldSpread in GF(2^32), which is linear in id: bit j of the mask
// is that bit for id = x^j (Taffet and Mellor-Crummey 2019, slides 36 and 76,
// which leave the field's size, the constant and the bit open). It is linear in
// the code too, and no two codes have the same mask. So two codes agree on
// exactly half of all 2^32 identities, and two identities on exactly half of all
// codes. On a part of them it is exactly half, or all or nothing: of 2^b
// identities that differ in their low b bits, two codes agree on half unless
// their masks have the same low b bits.
func FieldMask(code uint32) uint32 {
	power, mask := fieldMultiply(code, fieldSpread), uint32(0)
	for j := range 32 {
		mask |= power >> 31 << j
		power = timesX(power)
	}
	return mask
}
