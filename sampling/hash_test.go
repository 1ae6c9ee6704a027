package sampling

import (
	"encoding/binary"
	"hash/crc32"
	"math/bits"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"remap/internal/testkit/tier"
)

// Each hash is what its source says, in other words than the code's.
func TestHashesAreTheirFormulas(t *testing.T) {
	castagnoli := crc32.MakeTable(crc32.Castagnoli)
	formulas := map[Hash]func(id, d uint32) uint32{
		Field:      func(id, d uint32) uint32 { return slowMultiply(slowMultiply(id, d), fieldSpread) >> 31 },
		Parity:     func(id, d uint32) uint32 { return (id % 2) * (d % 2) }, // parity(id) AND parity(d)
		SingleMult: func(id, d uint32) uint32 { return uint32(uint64(id) * uint64(d) % (1 << 32) / (1 << 31)) },
		DoubleMult: func(id, d uint32) uint32 {
			return uint32(uint64(id) * (uint64(d) * uint64(d) % (1 << 32)) % (1 << 32) / (1 << 31))
		},
		Hmult: func(id, d uint32) uint32 {
			return uint32(uint64(id) * (1846571429 * uint64(d) % (1 << 32)) % (1 << 32) / (1 << 31))
		},
		CRC: func(id, d uint32) uint32 {
			return crc32.Checksum(binary.LittleEndian.AppendUint32(nil, id*d), castagnoli) % 2
		},
	}
	if len(formulas) != len(Hashes) {
		t.Fatalf("%d formulas for %d hashes", len(formulas), len(Hashes))
	}
	hashers := map[Hash]*Hasher{}
	for _, h := range Hashes {
		hashers[h] = NewHasher(h, 1000)
	}
	rapid.Check(t, func(t *rapid.T) {
		id, d, link := rapid.Uint32().Draw(t, "id"), rapid.Uint32().Draw(t, "d"),
			rapid.Int32Range(0, 999).Draw(t, "link")
		for _, h := range Hashes {
			if got, want := h.Bit(id, d), formulas[h](id, d); got != want {
				t.Fatalf("%v(%d, %d) = %d, want %d", h, id, d, got, want)
			}
			if got, want := hashers[h].Bit(id, link), h.Bit(id, Code(link)); got != want {
				t.Fatalf("%v of identity %d and link %d is %d, of its code %d", h, id, link, got, want)
			}
		}
	})
	for p := uint64(2); p*p <= hmultPrime; p++ {
		if hmultPrime%p == 0 {
			t.Fatalf("%d is a multiple of %d", hmultPrime, p)
		}
	}
	if bits.Len32(hmultPrime) != 31 {
		t.Errorf("%d has %d bits", hmultPrime, bits.Len32(hmultPrime))
	}
}

func TestParseHashInvertsString(t *testing.T) {
	for _, h := range append([]Hash{Whole}, Hashes...) {
		if got, err := ParseHash(h.String()); err != nil || got != h {
			t.Errorf("%v reads as %v, %v", h, got, err)
		}
	}
	if _, err := ParseHash("md5"); err == nil {
		t.Error("md5 is known")
	}
}

// Codes of all links differ and none is small. They are the thesis's numbers
// where those do not overflow.
func TestCodes(t *testing.T) {
	seen := make([]uint64, 1<<26)
	for link := int32(0); link < MaxLinks; link++ {
		code := Code(link)
		if code < 256 {
			t.Fatalf("link %d has code %d", link, code)
		}
		if seen[code>>6]>>(code&63)&1 == 1 {
			t.Fatalf("link %d has code %d like another one", link, code)
		}
		seen[code>>6] |= 1 << (code & 63)
	}
	rapid.Check(t, func(t *rapid.T) {
		device, port := rapid.Uint32Range(0, 1<<17-1).Draw(t, "device"), rapid.Uint32Range(0, 63).Draw(t, "port")
		if got, want := Code(int32(64*device+port)), device*1<<15+port*1<<9+509; got != want {
			t.Fatalf("port %d of device %d has code %d, the thesis's is %d", port, device, got, want)
		}
	})
}

// The endings of codes keep the products pq of bad relations p a = +-q b large,
// as their comment says, and no other ending of the upper half would more.
func TestCodeEndings(t *testing.T) {
	least := func(a, b int) int {
		best := 1 << 20
		for p := 1; p < 1024; p += 2 {
			for q := 1; q < 1024; q += 2 {
				relation := (p*a-q*b)%512 == 0 || (p*a+q*b)%512 == 0
				if p*q < best && relation && (a != b || p != q) {
					best = p * q
				}
			}
		}
		return best
	}
	if got := least(lowCode, lowCode); got != 511 {
		t.Errorf("two codes of the lower half: pq is at least %d", got)
	}
	if got := least(highCode, highCode); got != 511 {
		t.Errorf("two codes of the upper half: pq is at least %d", got)
	}
	if got := least(lowCode, highCode); got != 255 {
		t.Errorf("codes of both halves: pq is at least %d", got)
	}
	for ending := 257; ending < 512; ending += 2 {
		if ending != lowCode && least(lowCode, ending) > 255 {
			t.Errorf("ending %d keeps pq at %d", ending, least(lowCode, ending))
		}
	}
}

// Theorem 5.1 (Taffet 2018): for any identity but 0, Hmult is 1 for exactly half
// of all d. The theorem holds for words of any size; at 32 bits it is tested on
// 2^16 of the d for which it must hold as well.
func TestTheorem51(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.IntRange(1, 14).Draw(t, "bits of a word")
		id := rapid.Uint32Range(1, 1<<size-1).Draw(t, "id")
		ones := uint32(0)
		for d := range uint32(1) << size {
			ones += hmultPrime * id * d >> (size - 1) & 1
		}
		if ones != 1<<(size-1) {
			t.Fatalf("words of %d bits, identity %d: %d ones", size, id, ones)
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		// With id = 2^s o, o odd, and d = first + k 2^(16-s), the product grows by
		// an odd multiple of 2^16 with k, so its top 16 bits take all values.
		shift := rapid.IntRange(0, 16).Draw(t, "s")
		id := (rapid.Uint32().Draw(t, "o") | 1) << shift
		first := rapid.Uint32().Draw(t, "first")
		ones := uint32(0)
		for k := range uint32(1 << 16) {
			ones += Hmult.Bit(id, first+k<<(16-shift))
		}
		if ones != 1<<15 {
			t.Fatalf("identity %#x: %d ones of 2^16", id, ones)
		}
	})
}

// Theorem 5.2 is false (Taffet 2018): identities 2 and 6 agree on 2/3 of all d,
// and so do links 2 and 6 on identities.
func TestHmultFlaw(t *testing.T) {
	// Multiplication by the odd prime only permutes d: words of size bits.
	for _, size := range []int{8, 16, 22} {
		agree := 0
		for d := range uint32(1) << size {
			if (2*d^6*d)>>(size-1)&1 == 0 {
				agree++
			}
		}
		if all := 1 << size; agree < 2*all/3-2 || agree > 2*all/3+2 {
			t.Errorf("words of %d bits: agreement on %d of %d", size, agree, all)
		}
	}
	// Consecutive d at 32 bits come as near to 2/3 as their number allows.
	const count = 1 << 22
	byID, byLink, otherID := 0, 0, 0
	for d := range uint32(count) {
		byID += int(1 ^ Hmult.Bit(2, d) ^ Hmult.Bit(6, d))
		byLink += int(1 ^ Hmult.Bit(d, 2) ^ Hmult.Bit(d, 6))
		otherID += int(1 ^ Hmult.Bit(2, d) ^ Hmult.Bit(4, d))
	}
	if byID != byLink || byID < count*2/3-100 || byID > count*2/3+100 {
		t.Errorf("identities 2 and 6 agree on %d, links 2 and 6 on %d of 2^22", byID, byLink)
	}
	if otherID < count/2-100 || otherID > count/2+100 {
		t.Errorf("identities 2 and 4 agree on %d of 2^22", otherID)
	}
	if !tier.IsLong() {
		return
	}
	agree, two, six := 0, uint32(0), uint32(0)
	for range 1 << 32 {
		agree += int(^(two ^ six) >> 31)
		two, six = two+hmultPrime*2%(1<<32), six+hmultPrime*6%(1<<32)
	}
	if want := (1<<33 + 1) / 3; agree < want-1 || agree > want+1 {
		t.Errorf("identities 2 and 6 agree on %d of 2^32", agree)
	}
}

func TestHashesOfTooManyLinks(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("links without codes are hashed")
		}
	}()
	NewHasher(Parity, MaxLinks+1)
}

func TestHashesListsAll(t *testing.T) {
	for i := 1; i < len(hashNames); i++ {
		if !slices.Contains(Hashes, Hash(i)) {
			t.Errorf("%v is missing", Hash(i))
		}
	}
}
