package sampling

import (
	"fmt"
	"math/bits"
	"strings"
)

// Hash turns a packet's identity and a link into one bit. The thesis asks of it
// (Taffet 2018, section 5.4) that each link gets 0 for half of the identities
// and that two links agree on half of them, whatever identities there are;
// Examine tests how near a hash comes.
type Hash uint8

const (
	Whole      Hash = iota // no hash: the link itself is carried
	Field                  // multiplication in GF(2^32) (Taffet and Mellor-Crummey 2019)
	Parity                 // low bit of id AND code (Bond and McKinley 2006), shown broken in section 5.4
	SingleMult             // bit 31 of id x code (Bond and McKinley 2006), skewed to 0 where both are small
	DoubleMult             // bit 31 of id x code^2 (Bond and McKinley 2006)
	Hmult                  // bit 31 of 1846571429 x id x code (Taffet 2018, section 5.4)
	// low bit of the CRC-32C of id x code (Taffet 2018, section 5.4; the polynomial is our choice)
	CRC
)

var hashNames = []string{"whole", "field", "parity", "single-mult", "double-mult", "hmult", "crc"}

// Hashes are all that give bits, in the order of their constants.
var Hashes = []Hash{Field, Parity, SingleMult, DoubleMult, Hmult, CRC}

func (h Hash) String() string { return hashNames[h] }

// ParseHash reads the name of a hash.
func ParseHash(name string) (Hash, error) {
	for i, n := range hashNames {
		if n == name {
			return Hash(i), nil
		}
	}
	return 0, fmt.Errorf("unknown hash %q: it is one of %s", name, strings.Join(hashNames, ", "))
}

// Hasher computes the bits of links. The zero value is of no use.
type Hasher struct {
	hash  Hash
	codes []uint32 // length links: Code of each
	masks []uint32 // Field only, length links: FieldMask of each code
}

// MaxLinks is the most links that have codes.
const MaxLinks = 1 << 24

// Low nine bits of codes. Multiplicative hashes of codes a and b agree too often
// when p a = +-q b modulo 2^32 for small odd p and q: on 1/2 + 1/(2pq) of all
// identities, which is the 2/3 of codes 2 and 6. Of two codes that end in
// lowCode, p and q differ by a multiple of 512 or add up to one, so pq is at
// least 511; highCode is the ending that keeps pq at 255 or more between the
// two kinds, more than any other ending does.
const (
	lowCode  = 509 // the largest prime below 2^9 (Taffet 2018, section 5.4)
	highCode = 259
)

// Code is the number by which a link of 0..MaxLinks-1 is hashed. No two are the
// same and none is small, where multiplicative hashes are weak. Below 2^23 it is
// the thesis's number of a switch's output port (section 5.4), device x 2^15 +
// port x 2^9 + 509, with links in place of 64 x device + port; above, where that
// overflows, it ends in other bits.
func Code(link int32) uint32 {
	if link < MaxLinks/2 {
		return uint32(link)<<9 | lowCode
	}
	return uint32(link)<<9 | highCode
}

// NewHasher makes links 0..links-1 ready, at most MaxLinks of them.
func NewHasher(h Hash, links int) *Hasher {
	if links > MaxLinks {
		panic(fmt.Sprintf("sampling: %d links, but only %d have codes", links, MaxLinks))
	}
	s := &Hasher{hash: h, codes: make([]uint32, links)}
	for i := range s.codes {
		s.codes[i] = Code(int32(i))
	}
	if h == Field {
		s.masks = make([]uint32, links)
		for i, c := range s.codes {
			s.masks[i] = FieldMask(c)
		}
	}
	return s
}

// Bit is the hash of a packet's identity and a link: 0 or 1.
func (s *Hasher) Bit(id uint32, link int32) uint32 {
	if s.masks != nil {
		return parity(s.masks[link] & id)
	}
	return s.other(id, link)
}

// other is Bit for hashes without masks, apart so that Bit is inlined.
func (s *Hasher) other(id uint32, link int32) uint32 { return s.hash.Bit(id, s.codes[link]) }

// Bit is the hash of an identity and a link's code: 0 or 1. Products are modulo
// 2^32. Whole has none.
func (h Hash) Bit(id, code uint32) uint32 {
	switch h {
	case Field:
		return parity(FieldMask(code) & id)
	case Parity:
		return id & code & 1
	case SingleMult:
		return id * code >> 31
	case DoubleMult:
		return id * code * code >> 31
	case Hmult:
		return hmultPrime * id * code >> 31
	case CRC:
		return parity(crcMask&(id*code)) ^ 1
	}
	panic("sampling: links that are carried whole have no hash")
}

// hmultPrime is the random 31-bit prime of section 5.4.
const hmultPrime = 1846571429

// crcMask marks the bits of a little-endian 32-bit word whose parity is the
// complement of the low bit of its CRC-32C (Castagnoli et al. 1993): a CRC is
// linear but for the constant it gives the word 0.
const crcMask = 0x1f91caf6

func parity(x uint32) uint32 { return uint32(bits.OnesCount32(x)) & 1 }
