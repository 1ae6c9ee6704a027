package sampling

import (
	"testing"

	"pgregory.net/rapid"
)

// power is a^n in GF(2^32).
func power(a uint32, n uint64) uint32 {
	result := uint32(1)
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			result = fieldMultiply(result, a)
		}
		a = fieldMultiply(a, a)
	}
	return result
}

// The polynomial is primitive: x has order 2^32-1, whose prime factors are the
// Fermat primes. Then x^32+... has no factors either, as every element but 0 is a
// power of x.
func TestFieldPolynomialPrimitive(t *testing.T) {
	const order = 1<<32 - 1
	if product := 3 * 5 * 17 * 257 * 65537; product != order {
		t.Fatalf("the factors' product is %d", product)
	}
	if p := power(2, order); p != 1 {
		t.Errorf("x^(2^32-1) = %#x", p)
	}
	for _, factor := range []uint64{3, 5, 17, 257, 65537} {
		if power(2, order/factor) == 1 {
			t.Errorf("x^((2^32-1)/%d) = 1", factor)
		}
	}
}

// slowMultiply multiplies polynomials first and divides by x^32+x^22+x^2+x+1 then.
func slowMultiply(a, b uint32) uint32 {
	product := uint64(0)
	for i := range 32 {
		if b>>i&1 == 1 {
			product ^= uint64(a) << i
		}
	}
	for i := 63; i >= 32; i-- {
		if product>>i&1 == 1 {
			product ^= (1<<32 | 1<<22 | 1<<2 | 1<<1 | 1) << (i - 32)
		}
	}
	return uint32(product)
}

func TestFieldIsAField(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := rapid.Uint32().Draw(t, "a"), rapid.Uint32().Draw(t, "b"), rapid.Uint32().Draw(t, "c")
		if got, want := fieldMultiply(a, b), slowMultiply(a, b); got != want {
			t.Fatalf("%#x x %#x = %#x, by division %#x", a, b, got, want)
		}
		if fieldMultiply(a, b) != fieldMultiply(b, a) {
			t.Fatal("not commutative")
		}
		if fieldMultiply(fieldMultiply(a, b), c) != fieldMultiply(a, fieldMultiply(b, c)) {
			t.Fatal("not associative")
		}
		if fieldMultiply(a, b^c) != fieldMultiply(a, b)^fieldMultiply(a, c) {
			t.Fatal("not distributive")
		}
		if fieldMultiply(a, 1) != a || fieldMultiply(a, 0) != 0 {
			t.Fatal("1 or 0 does not do what it must")
		}
		if a != 0 && fieldMultiply(a, power(a, 1<<32-2)) != 1 {
			t.Fatalf("%#x has no inverse", a)
		}
	})
}

// A mask gives the product's top bit, and is linear in the code.
func TestFieldMask(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		id, a, b := rapid.Uint32().Draw(t, "id"), rapid.Uint32().Draw(t, "a"), rapid.Uint32().Draw(t, "b")
		product := fieldMultiply(fieldMultiply(id, a), fieldSpread)
		if got, want := parity(FieldMask(a)&id), product>>31; got != want {
			t.Fatalf("code %#x, identity %#x: hash %d, product %#x", a, id, got, product)
		}
		if FieldMask(a^b) != FieldMask(a)^FieldMask(b) {
			t.Fatal("not linear in the code")
		}
	})
}

// rank is the dimension of what vectors span over GF(2), by elimination.
func rank(vectors []uint32) int {
	vectors, found := append([]uint32(nil), vectors...), 0
	for i, pivot := range vectors {
		if pivot == 0 {
			continue
		}
		found++
		for k := i + 1; k < len(vectors); k++ {
			if vectors[k]&(pivot&-pivot) != 0 {
				vectors[k] ^= pivot
			}
		}
	}
	return found
}

// codeBits are what each bit of a link's number changes in its code. Codes are
// XORs of them and of Code(0).
func codeBits() []uint32 {
	changes := make([]uint32, 24)
	for i := range changes {
		changes[i] = Code(1<<i) ^ Code(0)
	}
	return changes
}

// Masks differ for all codes, as the map has full rank, and the codes of all
// links differ too.
func TestFieldMasksDiffer(t *testing.T) {
	var masks []uint32
	for i := range 32 {
		masks = append(masks, FieldMask(1<<i))
	}
	if r := rank(masks); r != 32 {
		t.Errorf("masks of all codes have rank %d", r)
	}
	if r := rank(codeBits()); r != 24 {
		t.Errorf("codes of all links have rank %d", r)
	}
	rapid.Check(t, func(t *rapid.T) {
		link := rapid.Int32Range(0, MaxLinks-1).Draw(t, "link")
		code := Code(0)
		for i, change := range codeBits() {
			if link>>i&1 == 1 {
				code ^= change
			}
		}
		if code != Code(link) {
			t.Fatalf("the code of link %d is not the XOR of its bits' changes", link)
		}
	})
}

// windowRank is the rank of the map from bits first..first+count-1 of a link's
// number to the low bits of its mask.
func windowRank(first, count int) int {
	changes, rows := codeBits(), make([]uint32, count)
	for i := range rows {
		rows[i] = FieldMask(changes[first+i]) & (1<<count - 1)
	}
	return rank(rows)
}

// Links are told apart by identities that differ in few low bits.
func TestFieldLowMaskBits(t *testing.T) {
	for _, count := range []int{4, 6, 8, 12} {
		if r := windowRank(0, count); r != count {
			t.Errorf("low %d bits of masks of links in a row have rank %d", count, r)
		}
	}
	for first := 0; first+6 <= 23; first++ {
		if r := windowRank(first, 6); r != 6 {
			t.Errorf("links that differ in bits %d to %d: low six bits of masks have rank %d", first, first+5, r)
		}
	}
	full, all := 0, 0
	for _, count := range []int{4, 8, 12} {
		for first := 0; first+count <= 23; first++ {
			all++
			if windowRank(first, count) == count {
				full++
			}
		}
	}
	if full != 39 || all != 48 {
		t.Errorf("%d of %d other rows of bits have full rank; fieldSpread's comment says 39 of 48", full, all)
	}
	// What the ranks mean, seen directly.
	for _, first := range []int32{0, 64 * 287, MaxLinks/2 - 64, MaxLinks/2 + 64*5} {
		seen := uint64(0)
		for link := first; link < first+64; link++ {
			seen |= 1 << (FieldMask(Code(link)) & 63)
		}
		if seen != 1<<64-1 {
			t.Errorf("links %d to %d have low mask bits %#x", first, first+63, seen)
		}
	}
}
