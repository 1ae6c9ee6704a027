package sampling

// fieldReduction is x^32 modulo the primitive polynomial x^32+x^22+x^2+x+1,
// which defines GF(2^32); bit i is the coefficient of x^i.
const fieldReduction = 1<<22 | 1<<2 | 1<<1 | 1

// fieldSpread multiplies every link's code, so that the masks of links with
// small codes differ in the low bits of identities too, in which the packets of
// one flow differ. Any element serves whose low mask bits depend on many bits
// of a code; this is the prime of Hmult.
const fieldSpread = hmultPrime

// FieldMultiply is the product in GF(2^32).
func FieldMultiply(a, b uint32) uint32 {
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
// is that bit for id = x^j (Taffet and Mellor-Crummey 2019). For two codes the
// masks differ, so the bits agree for exactly half of all identities; for two
// identities they agree for exactly half of all codes.
func FieldMask(code uint32) uint32 {
	power, mask := FieldMultiply(code, fieldSpread), uint32(0)
	for j := range 32 {
		mask |= power >> 31 << j
		power = timesX(power)
	}
	return mask
}
