package strategy

// usualEffort is that of best without options. What trials and rounds bring is in
// docs/results/effort.md, by
//
//	make results PAGES=effort
var usualEffort = effort{trials: 2, rounds: 1}

// Sizes of graphs are vertices and half-edges. They bound time; a trial of a graph of
// trialWork takes some seconds, and so does one of strongWork by the strong preset.
const (
	// trialWork is the size above which a graph gets fewer trials, down to one; a grid
	// gets none, as partitioning seldom does better there than tiling.
	trialWork = 1 << 21

	// strongWork is the size up to which every trial is by the strong preset; up to
	// firstStrong times that, the first trial is. Not ablated.
	strongWork, firstStrong = 1 << 17, 4

	// neighbourhoodWork is the size up to which large neighbourhood search follows.
	neighbourhoodWork = 1 << 20

	// hubDegree is how many times the mean degree a vertex has that is a hub. With hubs
	// the strong preset takes seven times as long, for 0.4 % (docs/results/peers.md,
	// powerlaw).
	hubDegree = 16
)

const (
	// annealWork bounds the elementary steps of a long annealing: two million proposals
	// where ranks have six partners, fewer where they have more. Not ablated.
	annealWork = 26_000_000

	// annealPerRank bounds the proposals of a long annealing for each rank: few ranks have
	// few arrangements. Not ablated.
	annealPerRank = 500

	// annealRanks is the number of ranks up to which long annealings cost next to nothing.
	annealRanks = 1000
)

// annealHeats are the initial temperatures of the long annealings, as
// exchange.Options.Heat. Not ablated.
var annealHeats = []float64{0.2, 0.4, 0.8, 0.8, 1.6, 1.6}

const (
	// transitionLooks is how often cycles of moves are sorted anew by their gains,
	// transitionCosts how many mappings of one look are priced where each evaluation
	// looks at all links. Not ablated.
	transitionLooks, transitionCosts = 8, 24

	// mostPaired is the most dimensions whose pairings gridEmbedding tries: 720 of six.
	mostPaired = 6
)
