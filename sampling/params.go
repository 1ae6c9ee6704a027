package sampling

// The constants of this file were chosen by trial or by convention. Each says its source.
// Constants of hashes stand with the hashes and their proofs.

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

	// bloomMaxWeight is the largest weight of a filter that is not full, about what a link
	// counts with one reservoir at most: above it hardly any packet would represent all
	// others. Not ablated.
	bloomMaxWeight = 256

	// trialFilters and trialLinks are the number of filters, and for each the number of links
	// that were not added, that FalsePositiveRates tests: 2^18 tests in all.
	trialFilters = 1 << 12
	trialLinks   = 64
)

// Intervals.
const (
	// unlikely is the mean number of events of which there is none in 2.5 % of cases:
	// -ln 0.025, rounded up.
	unlikely = 3.7

	// negligible is less than any sum of samples that is not zero. Sums of terms that are not
	// whole numbers may miss zero.
	negligible = 1e-6
)

// Bounds of the work of Examine. Not ablated: they bound its time to some seconds.
const (
	// examineWords bounds the 64-bit words that are compared for pairs.
	examineWords = 1 << 26

	// examinePairs bounds the number of pairs.
	examinePairs = 1 << 22

	// nearest: pairs at up to this distance in the list are always tested.
	nearest = 16

	// stakes is the number of bets on skew: 1/2, 1/4, ...
	stakes = 16
)

// Sizes that trade memory and cache misses against work. They change no result up to the
// order of sums. To try other values:
//
//	go test -run XXX -bench . ./sampling
const (
	// blockWays is the number of places of a set of blocks, which are searched one by one.
	blockWays = 8

	// breakdownBatch is the number of packets that a Breakdown collects before it counts them
	// key by key.
	breakdownBatch = 1 << 13

	// maxOpen bounds the slices of a Stream that wait for late packets.
	maxOpen = 1 << 10
)
