package sampling

import "fmt"

// LinkSet tests all candidate links of a packet at once, under the Field hash: 64
// links are the bits of a word. As the hash is linear, the word for an identity
// is the XOR of the words for its parts, which are kept for every value of every
// four bits of it (Arlazarov et al. 1970, the "four Russians").
//
//	identity   a  | 3  | 0  | f  | ...   eight parts of four bits
//	           |    |    |    |
//	words      w  ^ w  ^ w  ^ w  ^ ...   = hashes of 64 links
//
// That is an eighth of an operation for a link. A set takes 16 bytes a link; making
// it costs as much as to test its links one by one for about ten packets.
type LinkSet struct {
	links int
	words int      // ceil(links / 64)
	parts []uint64 // 8 parts x 16 values x words; bits beyond the links are 0
}

const (
	partCount  = 8
	partValues = 16
)

// NewLinkSet makes the links of some ranges, one after the other, ready for
// testing. The hasher must be of Field.
func NewLinkSet(hasher *Hasher, ranges []Range) *LinkSet {
	if hasher.hash != Field {
		panic(fmt.Sprintf("sampling: a set of links hashed by %v, which is not linear", hasher.hash))
	}
	s := &LinkSet{}
	for _, some := range ranges {
		s.links += int(some.Count)
	}
	s.words = (s.links + 63) / 64
	s.parts = make([]uint64, partCount*partValues*s.words)
	var masks [64]uint32
	at := 0
	for _, some := range ranges {
		for _, mask := range hasher.masks[some.First : some.First+some.Count] {
			masks[at&63] = mask
			if at++; at&63 == 0 {
				s.fill(at>>6-1, &masks)
			}
		}
	}
	if at&63 != 0 {
		clear(masks[at&63:])
		s.fill(at>>6, &masks)
	}
	return s
}

// fill makes a word's entries, given the masks of its links.
func (s *LinkSet) fill(word int, masks *[64]uint32) {
	columns := transpose(masks)
	for part := range partCount {
		c := columns[part*4 : part*4+4]
		values := [partValues]uint64{1: c[0], 2: c[1], 3: c[0] ^ c[1]}
		for v := range 4 {
			values[v+4] = values[v] ^ c[2]
		}
		for v := range 8 {
			values[v+8] = values[v] ^ c[3]
		}
		to := s.parts[part*partValues*s.words+word:]
		for v, links := range values {
			to[v*s.words] = links
		}
	}
}

// transpose gives for each bit of masks a word with bit i set if mask i has it:
// both halves at once, exchanging ever smaller blocks off the diagonal (Warren,
// Hacker's Delight, section 7-3).
func transpose(masks *[64]uint32) (columns [32]uint64) {
	for i := range columns {
		columns[i] = uint64(masks[i]) | uint64(masks[i+32])<<32
	}
	keep := uint64(0x0000ffff0000ffff)
	for size := 16; size > 0; size /= 2 {
		for i := 0; i < 32; i = (i + size + 1) &^ size {
			change := (columns[i]>>size ^ columns[i+size]) & keep
			columns[i+size] ^= change
			columns[i] ^= change << size
		}
		keep ^= keep << (size / 2)
	}
	return columns
}

// Len is the number of links.
func (s *LinkSet) Len() int { return s.links }

// Words is the number of words that Matches fills.
func (s *LinkSet) Words() int { return s.words }

// Matches sets bit i of dst (bit i mod 64 of word i/64) if the hash of an identity
// and link i of the set equals a packet's bit, 0 or 1. It fills s.Words() words;
// bits beyond the links are 0.
func (s *LinkSet) Matches(dst []uint64, id, bit uint32) {
	if s.words == 0 {
		return
	}
	flip := uint64(bit&1) - 1
	dst = dst[:s.words]
	a, b, c, d := s.part(0, id), s.part(1, id), s.part(2, id), s.part(3, id)
	e, f := s.part(4, id), s.part(5, id)
	if id < 1<<24 {
		for i := range dst {
			dst[i] = a[i] ^ b[i] ^ c[i] ^ d[i] ^ e[i] ^ f[i] ^ flip
		}
	} else {
		g, h := s.part(6, id), s.part(7, id)
		for i := range dst {
			dst[i] = a[i] ^ b[i] ^ c[i] ^ d[i] ^ e[i] ^ f[i] ^ g[i] ^ h[i] ^ flip
		}
	}
	dst[s.words-1] &= ^uint64(0) >> (-s.links & 63)
}

// part is the words for one part of an identity.
func (s *LinkSet) part(part int, id uint32) []uint64 {
	first := (part*partValues + int(id>>(4*part)&(partValues-1))) * s.words
	return s.parts[first : first+s.words]
}
