package exchange

// This file has all constants of the package that were chosen by trial. "Not ablated"
// means that no experiment of this repository shows what the constant is worth. "Ablated":
// the ratio of average path lengths, changed over unchanged, of 24 mappings by the strategy
// swap (eight jobs on trees, tori, a dragonfly and a HyperX, seeds 1001 to 1003; the command
// has three more since), with two standard errors, by
//
//	make ablate FILE=exchange/params.go FROM='Proposals: 1000' TO='Proposals: 200' STRATEGY=swap

// DefaultOptions are those of the strategy "swap": one to some seconds for some thousand ranks. An
// elementary step takes one to three nanoseconds. docs/results/maplib.md
// and recorded.md have what the strategy reaches with all of them.
//
// Ablated: 3 partners 1.000 +-0.003, 4 near sites 1.000 +-0.004, 8 slots 1.000 +-0.004: these lists
// bound time. Trials and Random are for link loads alone. 200 proposals 1.031 +-0.009 in 0.45 of
// the time. Heat 0.05 1.061 +-0.024, heat 0.8 0.992 +-0.009 in 1.33 of the time.
var DefaultOptions = Options{Partners: 12, Near: 32, Slots: 64, Trials: 16, Random: 16, Proposals: 1000,
	Heat: 0.2, Work: 2_000_000_000}

// FastOptions end at the first local optimum, in a tenth of the time.
var FastOptions = Options{Partners: 12, Near: 32, Slots: 64, Trials: 16, Random: 16, Work: 2_000_000_000}

// The temperatures of simulated annealing, and its proposals. leastProposals: not ablated.
const (
	// coolings is how many temperatures there are. Ablated: 20, which end at a higher
	// temperature, 0.991 +-0.009 in 1.17 of the time.
	coolings = 100
	// cooling is the ratio of one temperature to the one before: the last is a hundredth
	// of the first.
	cooling = 0.955
	// leastProposals is the number of proposals a rank below which annealing does no good
	// and is left out.
	leastProposals = 50
	// lossSamples is how many proposals a rank are priced to find the usual loss. Ablated: 1
	// 1.001 +-0.004.
	lossSamples = 10
	// besidePart: one proposal in so many goes to a site beside the partner's, not to the
	// partner's own. Ablated: none 1.010 +-0.006.
	besidePart = 4
)

// Under Capacity pricing a proposal takes several times as long, and fewer proposals are
// enough. Not ablated.
const (
	// capacityPart: one in so many of Options.Proposals is made.
	capacityPart = 5
	// capacitySteps is how many elementary steps pricing takes for each that pricing of
	// path lengths takes.
	capacitySteps = 8
)

// bottleneckTrials is how many times Options.Trials exchanges are priced in full for a rank
// whose messages cross the worst link. Not ablated.
const bottleneckTrials = 4

// Limits of rounding errors.
const (
	// rounding is the share of a cost below which a difference in floating point counts
	// as none.
	rounding = 1e-12
	// recomputeAfter is after how many exchanges loads are summed again.
	recomputeAfter = 4096
	// lostDigits is by which factor a spread may fall before rounding errors show that
	// were made when it was large.
	lostDigits = 1024
	// leastFree is the share of a link that counts at least when others leave less.
	leastFree = 1e-9
)

// Limits of memory.
const (
	// matrixSites is the most sites that have a matrix of distances, of 16 MB then.
	matrixSites = 2048
	// nearLimit is the most sites in the list of sites near one site.
	nearLimit = 64
	// blockEntries and cacheBlocks: lists of links hold at most cacheBlocks x
	// blockEntries entries of 16 bytes, 256 MB.
	blockEntries = 1 << 18
	cacheBlocks  = 64
	// tablePairs is the most pairs of site and target that have a table, of 40 MB then.
	tablePairs = 1 << 20
)
