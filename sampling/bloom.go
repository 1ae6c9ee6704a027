package sampling

import (
	"math"
	"math/bits"
	"sync"
)

// BloomFilter adds links to filters of a fixed number of bits and tests them (Bloom 1970;
// Taffet 2018, section 5.8). A filter is a list of 64-bit words; bit 0 is the low bit of the
// first word.
//
// Hash functions and positions are those of github.com/btcsuite/btcd/btcutil/bloom: its
// tweak is the packet's identity, its data are the four little-endian bytes of the link.
// Tests compare the two: filters of whole bytes are the same bit for bit; filters of other
// sizes differ only in the modulus. Because of the identity, each packet mistakes another
// set of links for crossed ones.
//
// A hash of m bits that is carried as it is equals a Bloom filter of 2^m bits with one hash
// function and one link: the hash says which bit is set. For m = 1 this is the
// correspondence in the thesis: hop bit 0 is the filter [1, 0], hop bit 1 is [0, 1]. In
// addition, filters hold several links.
type BloomFilter struct {
	size    uint32 // bits of a filter
	hashes  uint32 // hash functions
	inverse uint64 // 2^64 / size, rounded up

	// odds is what FalsePositive returns: length size+1, by the number of bits set.
	odds []float64

	// weights are what Terms needs: length 256, by counter. They are computed on first use.
	weights func() []float64
}

// NewBloomFilter prepares filters of `size` bits, at least 1.
func NewBloomFilter(size int) *BloomFilter {
	b := &BloomFilter{size: uint32(size), hashes: bloomHashes(size), inverse: math.MaxUint64/uint64(size) + 1}
	b.odds = make([]float64, size+1)
	for set := range b.odds {
		b.odds[set] = math.Pow(float64(set)/float64(size), float64(b.hashes))
	}
	b.weights = sync.OnceValue(func() []float64 { return bloomWeights(size, int(b.hashes)) })
	return b
}

// bloomHashes is the number of hash functions in btcutil/bloom: bits/links x ln 2 rounded
// down, at least 1 and at most bloomMaxHashes.
func bloomHashes(size int) uint32 {
	return uint32(max(1, min(bloomMaxHashes, int(float64(size)/bloomLinks*math.Ln2))))
}

// Hashes is the number of hash functions.
func (b *BloomFilter) Hashes() int { return int(b.hashes) }

// BloomHash is the hash by which Add puts links into filters, MurmurHash3 (32 bits,
// Appleby) of a seed and the four little-endian bytes of a link. Importing
// remap/sampling/bloom sets it; without it Variant.Validate refuses Bloom filters.
var BloomHash func(seed, link uint32) uint32

// Add puts a link into a filter.
func (b *BloomFilter) Add(filter []uint64, id uint32, link int32) {
	for i := range b.hashes {
		at := b.position(BloomHash(i*bloomTweak+id, uint32(link)))
		filter[at/64] |= 1 << (at % 64)
	}
}

// Has tells whether a link may be in a filter.
func (b *BloomFilter) Has(filter []uint64, id uint32, link int32) bool {
	return b.Match(filter, id, link, 1) == 1
}

// Match tells which of the links first..first+63 may be in a filter. Bit i of the result and
// of `among` stands for link first+i; `among` selects the links to test. Each hash function
// tests all links that passed the functions before it, so the processor has no branch to
// predict for each link.
func (b *BloomFilter) Match(filter []uint64, id uint32, first int32, among uint64) uint64 {
	found := uint64(0)
	for link := uint32(first) + uint32(bits.Len64(among)); link != uint32(first); {
		link--
		at := b.position(murmurFinish(id, murmurBlock(link)))
		found = found<<1 | filter[at/64]>>(at%64)&1
	}
	among &= found
	for i := uint32(1); i < b.hashes && among != 0; i++ {
		id += bloomTweak
		for rest := among; rest != 0; rest &= rest - 1 {
			j := uint32(bits.TrailingZeros64(rest))
			at := b.position(murmurFinish(id, murmurBlock(uint32(first)+j)))
			among &^= (^filter[at/64] >> (at % 64) & 1) << (j % 64)
		}
	}
	return among
}

// position is a hash modulo the size of filters, without a division (Lemire,
// Kaser and Kurz 2019).
func (b *BloomFilter) position(hash uint32) uint32 {
	high, _ := bits.Mul64(b.inverse*uint64(hash), uint64(b.size))
	return uint32(high)
}

// murmurBlock is the part of BloomHash that depends on the four bytes of data alone. Match
// computes it once for all hash functions.
func murmurBlock(data uint32) uint32 {
	return bits.RotateLeft32(data*0xcc9e2d51, 15) * 0x1b873593
}

// murmurFinish completes MurmurHash3 of a seed and a murmurBlock.
func murmurFinish(seed, block uint32) uint32 {
	hash := bits.RotateLeft32(seed^block, 13)*5 + 0xe6546b64 ^ 4
	hash = (hash ^ hash>>16) * 0x85ebca6b
	hash = (hash ^ hash>>13) * 0xc2b2ae35
	return hash ^ hash>>16
}

// FalsePositive is the probability that a link that was not added to a filter seems to be
// in it. The positions of the link are independent of the filter and of each other, and may
// repeat: each is set with a probability equal to the share of set bits.
func (b *BloomFilter) FalsePositive(filter []uint64) float64 {
	set := 0
	for _, word := range filter {
		set += bits.OnesCount64(word)
	}
	return b.odds[set]
}

// Terms are what a filter adds to the count of a link that seems to be in it (in) and of a
// link that does not (out). `count` is the number of links that were added. Sums over packets
// are unbiased: a member adds 1 on average, and any other link, which seems to be in the
// filter with probability p, adds p x in + (1 - p) x out = 0 on average.
//
// A full filter tells nothing and adds 0 to all links. Filters that are not full and have
// the same count represent it: they add 1/P(not full) in place of 1. Where this weight is
// above 256, these filters add 0 too, and the counts of members are too low. They are also
// too low with hop counters whose limit is below 255, because the count is then unknown.
func (b *BloomFilter) Terms(filter []uint64, count uint8) (in, out float64) {
	p := b.FalsePositive(filter)
	if p == 1 {
		return 0, 0
	}
	in = b.weights()[count]
	return in, -in * p / (1 - p)
}
