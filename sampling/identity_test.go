package sampling

import (
	"testing"

	"pgregory.net/rapid"
)

// Every identity has one number, and belongs to the block of the 64 numbers that
// differ from it in the low six bits.
func TestIdentitiesOfBlocks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.Uint32().Draw(t, "number")
		base, q := split(Identity(number))
		if q != number%64 {
			t.Fatalf("number %#x: place %d", number, q)
		}
		if first := Identity(number &^ 63); base != first {
			t.Fatalf("number %#x: base %#x, its first identity is %#x", number, base, first)
		}
		id := rapid.Uint32().Draw(t, "identity")
		base, q = split(id)
		if again := base ^ identityMaps[base>>mapShift][q]; again != id {
			t.Fatalf("identity %#x is place %d of base %#x, which is %#x", id, q, base, again)
		}
		for q := range uint32(64) {
			if b, at := split(base ^ identityMaps[base>>mapShift][q]); b != base || at != q {
				t.Fatalf("place %d of base %#x is place %d of base %#x", q, base, at, b)
			}
		}
	})
}

// Numbers below 2^26 as they are make blocks, too.
func TestPlainNumbersAreBlocks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		first := rapid.Uint32Range(0, 1<<20-1).Draw(t, "block") * 64
		want, _ := split(first)
		places := uint64(0)
		for id := first; id < first+64; id++ {
			base, q := split(id)
			if base != want {
				t.Fatalf("%#x has base %#x, %#x has %#x", first, want, id, base)
			}
			places |= 1 << q
		}
		if places != 1<<64-1 {
			t.Fatalf("places %#x", places)
		}
	})
}

// What a receiver takes for a link's hash of an identity is the hash.
func TestIndexesGiveHashes(t *testing.T) {
	const links = 20000
	hasher := NewHasher(Field, links)
	indexes := newLinkIndexes(hasher.masks)
	rapid.Check(t, func(t *rapid.T) {
		id, link := rapid.Uint32().Draw(t, "identity"), rapid.Int32Range(0, links-1).Draw(t, "link")
		base, q := split(id)
		index, sign := indexes.of(base, link)
		if got, want := sign^parity(uint32(index)&q), hasher.Bit(id, link); got != want {
			t.Fatalf("identity %#x, link %d: %d, want %d", id, link, got, want)
		}
		block := indexes.in(base)
		low, first, signs := block.from(link)
		for i, l := range low {
			index, sign := indexes.of(base, link)
			if l^first != index || uint32(signs>>i)&1 != sign {
				t.Fatalf("identity %#x, link %d: index %d, signs %#x, want %d, %d", id, link, l^first, signs, index, sign)
			}
			if link++; link == links {
				break
			}
		}
	})
}

// Links of one 64 differ in their masks by what their low six bits say, wherever
// they are; so decoding may take the first one's.
func TestMasksOfGroups(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		link := rapid.Int32Range(0, MaxLinks-1).Draw(t, "link")
		mask := FieldMask(Code(link &^ 63))
		for i, change := range groupMasks {
			mask ^= change & -uint32(link>>i&1)
		}
		if mask != FieldMask(Code(link)) {
			t.Fatalf("link %d: mask %#x, want %#x", link, mask, FieldMask(Code(link)))
		}
	})
}

// No two links look alike under more maps than the comment of this file says, and on
// average it is one of 64 but for the pair of a link with itself. As all is linear it
// is enough to look at how links differ from link 0.
func TestAlikeUnderFewMaps(t *testing.T) {
	var masks [maskBits]uint32
	for bit := range masks {
		masks[bit] = FieldMask(Code(1<<bit) ^ Code(0))
	}
	for _, c := range []struct{ bits, most int }{{12, 1}, {18, 2}} {
		mask, sum, none := uint32(0), 0, 0
		for number := 1; number < 1<<c.bits; number++ {
			for bit, changed := 0, number^(number-1); changed != 0; bit, changed = bit+1, changed>>1 {
				mask ^= masks[bit]
			}
			count := 0
			for k := range mapCount {
				if indexUnder(k, mask) == 0 {
					count++
				}
			}
			if count > c.most {
				t.Fatalf("links 0 and %d look alike under %d maps, want at most %d", number, count, c.most)
			}
			if sum += count; count == 0 {
				none++
			}
		}
		if want := 64 * (1<<(c.bits-6) - 1); sum != want {
			t.Errorf("of %d links: look like link 0 under %d maps together, want %d", 1<<c.bits, sum, want)
		}
		if c.bits == 12 && none != 63 {
			t.Errorf("%d of 4095 links never look like link 0, want 63", none)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.Int32Range(0, MaxLinks-1).Draw(t, "a"), rapid.Int32Range(0, MaxLinks-1).Draw(t, "b")
		if count := Alike(a, b); a == b && count != mapCount || a != b && count > 3 {
			t.Fatalf("links %d and %d look alike under %d maps", a, b, count)
		}
	})
}

// Powers of x are all elements of GF(64) but 0.
func TestField64(t *testing.T) {
	seen, a := uint64(1), uint32(1)
	for range 63 {
		seen |= 1 << a
		a = multiply64(a, 2)
	}
	if seen != 1<<64-1 || a != 1 {
		t.Errorf("powers of x are %#x, the 63rd is %d", seen, a)
	}
}
