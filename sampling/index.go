package sampling

import "math/bits"

// linkIndexes are the indexes of links under every map (see identity.go). Masks
// are linear in the number of a link but for a constant, within 64 numbers from a
// multiple of 64 on. So the index of a link is that of the first of its 64 links XOR
// one that follows from the low six bits of its number, and so is its sign.
type linkIndexes struct {
	masks  []uint32 // length links, of the hasher
	count  int      // of 64 links, the last may be fewer
	groups []uint8  // mapCount x count: index of the first link of each 64
}

var (
	groupMasks   = layGroupMasks()   // what bit i of a link's number changes in its mask
	groupIndexes = layGroupIndexes() // by map: what its low six bits change in its index
	groupSigns   = linearWords()
)

func layGroupMasks() (masks [blockBits]uint32) {
	for i := range masks {
		masks[i] = FieldMask(Code(1<<i) ^ Code(0))
	}
	return masks
}

func layGroupIndexes() (indexes [mapCount][blockPackets]uint8) {
	for low := range int32(blockPackets) {
		mask := FieldMask(Code(low) ^ Code(0))
		for k := range indexes {
			indexes[k][low] = indexUnder(k, mask)
		}
	}
	return indexes
}

// linearWords has bit x of word v set if the parity of x AND v is odd.
func linearWords() (words [blockPackets]uint64) {
	for v := range words {
		for x := range blockPackets {
			words[v] |= uint64(parity(uint32(v&x))) << x
		}
	}
	return words
}

// indexUnder is the index of a mask under a map.
func indexUnder(k int, mask uint32) (index uint8) {
	for b := range blockBits {
		index |= uint8(parity(mask&identityMaps[k][1<<b])) << b
	}
	return index
}

func newLinkIndexes(masks []uint32) *linkIndexes {
	s := &linkIndexes{masks: masks, count: (len(masks) + blockPackets - 1) / blockPackets}
	s.groups = make([]uint8, mapCount*s.count)
	for k := range mapCount {
		for g := range s.count {
			s.groups[k*s.count+g] = indexUnder(k, masks[g*blockPackets])
		}
	}
	return s
}

// of is the index of a link in a block, and its sign: whether its hash of the base is 1.
func (s *linkIndexes) of(base uint32, link int32) (index uint8, sign uint32) {
	k := base >> mapShift
	group := s.groups[int(k)*s.count+int(link)/blockPackets]
	return group ^ groupIndexes[k][link%blockPackets], parity(s.masks[link] & base)
}

// blockIndexes are the indexes of links in one block.
type blockIndexes struct {
	base   uint32
	masks  []uint32
	groups []uint8
	low    *[blockPackets]uint8
	signs  uint64 // of links 0 to 63, but for a constant
}

func (s *linkIndexes) in(base uint32) blockIndexes {
	k := int(base >> mapShift)
	v := uint32(0)
	for i, mask := range groupMasks {
		v |= parity(mask&base) << i
	}
	return blockIndexes{base, s.masks, s.groups[k*s.count : (k+1)*s.count], &groupIndexes[k], groupSigns[v]}
}

// from are the indexes of links from one on, up to the end of its 64: those of the
// slice XOR index; bit i of signs is the sign of link i.
func (s *blockIndexes) from(link int32) (low []uint8, index uint8, signs uint64) {
	group, at := link/blockPackets, link%blockPackets
	flip := -uint64(bits.OnesCount32(s.masks[group*blockPackets]&s.base) & 1)
	return s.low[at:], s.groups[group], (s.signs ^ flip) >> at
}
