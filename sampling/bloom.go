package sampling

// BloomFilter sets and tests links in filters of a fixed number of bits.
type BloomFilter struct{ bits int }

// NewBloomFilter is for filters of a number of bits.
func NewBloomFilter(bits int) *BloomFilter { return &BloomFilter{bits} }

// Add puts a link into a filter.
func (b *BloomFilter) Add(filter []uint64, id uint32, link int32) {}

// Has tells whether a link may be in a filter.
func (b *BloomFilter) Has(filter []uint64, id uint32, link int32) bool { return false }

// FalsePositive is the probability that a link that was not put into a filter
// seems to be in it.
func (b *BloomFilter) FalsePositive(filter []uint64) float64 { return 0 }
