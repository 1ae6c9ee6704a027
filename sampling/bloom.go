package sampling

import (
	"encoding/binary"
	"math"
	"math/bits"
	"sync"

	"github.com/btcsuite/btcd/btcutil/bloom"
	"github.com/btcsuite/btcd/wire"
)

// BloomFilter sets and tests links in filters of a fixed number of bits (Bloom
// 1970; Taffet 2018, section 5.8), which are kept in 64-bit words from the low
// bit of the first one on. Hash functions and positions are those of package
// btcutil/bloom with the packet's identity as its tweak and the four
// little-endian bytes of the link as its data: filters of whole bytes have bit
// for bit what it puts into them, others differ in the modulus only. Because of
// the identity, another set of links is mistaken for crossed ones with every packet.
//
// A hash of m bits, carried as it is, is a Bloom filter of 2^m bits with one
// hash function that stores one link: the hash says which bit is set. For m = 1
// that is the thesis's correspondence: hop bit 0 is the filter [1, 0] and hop bit
// 1 is [0, 1]. What filters add is that they hold several links.
type BloomFilter struct {
	size    uint32
	hashes  uint32
	inverse uint64           // 2^64 / size, rounded up
	odds    []float64        // length size+1, by bits set: FalsePositive
	weights func() []float64 // length 256, by counter: Terms; computed when first asked for
}

// bloomLinks is the number of links a filter is laid out for: what the longest
// minimal path of a three-level tree crosses.
const bloomLinks = 5

// bloomTweak is what btcutil/bloom tells its hash functions apart by.
const bloomTweak = 0xfba4c795

// NewBloomFilter is for filters of 1 or more bits.
func NewBloomFilter(size int) *BloomFilter {
	b := &BloomFilter{size: uint32(size), hashes: bloomHashes(size), inverse: math.MaxUint64/uint64(size) + 1}
	b.odds = make([]float64, size+1)
	for set := range b.odds {
		b.odds[set] = math.Pow(float64(set)/float64(size), float64(b.hashes))
	}
	b.weights = sync.OnceValue(func() []float64 { return bloomWeights(size, int(b.hashes)) })
	return b
}

// bloomHashes is btcutil/bloom's number of hash functions, bits/links x ln 2
// rounded down, but at least one.
func bloomHashes(size int) uint32 {
	return uint32(max(1, min(wire.MaxFilterLoadHashFuncs, int(float64(size)/bloomLinks*math.Ln2))))
}

// Hashes is the number of hash functions.
func (b *BloomFilter) Hashes() int { return int(b.hashes) }

// Add puts a link into a filter.
func (b *BloomFilter) Add(filter []uint64, id uint32, link int32) {
	var data [4]byte
	binary.LittleEndian.PutUint32(data[:], uint32(link))
	for i := range b.hashes {
		at := b.position(bloom.MurmurHash3(i*bloomTweak+id, data[:]))
		filter[at/64] |= 1 << (at % 64)
	}
}

// Has tells whether a link may be in a filter.
func (b *BloomFilter) Has(filter []uint64, id uint32, link int32) bool {
	return b.Match(filter, id, link, 1) == 1
}

// Match tells which of the links first..first+63 may be in a filter: bit i stands
// for link first+i, in the result as in `among`, which says whom to test. Each
// hash function goes over those that all before have let through: the processor
// need not guess for every link when its test ends.
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

// murmurBlock and murmurFinish are the two halves of bloom.MurmurHash3 for a seed
// and four bytes of data: what can be computed from the data alone, and the rest.
func murmurBlock(data uint32) uint32 {
	return bits.RotateLeft32(data*0xcc9e2d51, 15) * 0x1b873593
}

func murmurFinish(seed, block uint32) uint32 {
	hash := bits.RotateLeft32(seed^block, 13)*5 + 0xe6546b64 ^ 4
	hash = (hash ^ hash>>16) * 0x85ebca6b
	hash = (hash ^ hash>>13) * 0xc2b2ae35
	return hash ^ hash>>16
}

// FalsePositive is the probability that a link that was not put into a filter
// seems to be in it: each of its positions, which are independent of the filter
// and of each other and may repeat, is set with the share of set bits.
func (b *BloomFilter) FalsePositive(filter []uint64) float64 {
	set := 0
	for _, word := range filter {
		set += bits.OnesCount64(word)
	}
	return b.odds[set]
}

// Terms are what a filter adds to the count of a link that seems to be in it and
// to that of one that does not; `count` links were put into it. The sum over
// packets is without bias: with the probability p of a false positive, 1 for a
// member and (1 - p) in + p out = 0 for any other link.
//
// A full filter says nothing: it adds 0 to all. The others of so many links
// stand for it, with 1/P(not full) in place of 1. Where that is above 256, they
// are left out as well and members' counts are too low; with counters that have
// stopped at a limit below 255 they are, too, as the length is not known.
func (b *BloomFilter) Terms(filter []uint64, count uint8) (in, out float64) {
	p := b.FalsePositive(filter)
	if p == 1 {
		return 0, 0
	}
	in = b.weights()[count]
	return in, -in * p / (1 - p)
}
