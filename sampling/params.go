package sampling

// Parameters of Bloom filters.
const (
	// bloomLinks is the number of links that a filter is laid out for: the longest minimal
	// path of a three-level tree crosses five. Not ablated.
	bloomLinks = 5

	// bloomMaxHashes is the largest number of hash functions in btcutil/bloom
	// (wire.MaxFilterLoadHashFuncs).
	bloomMaxHashes = 50

	// bloomTweak is the distance between the seeds of the hash functions in btcutil/bloom.
	bloomTweak = 0xfba4c795
)
