package feedback

// Of traffic that stands for measured others (foreign*.go). What no source gives was chosen
// on seed 101 of benchmarks.TestLoopMeasured (REMAP_FIRST_SEED=101), whose table has others.
const (
	mostLeafPairs = 1 << 18 // with more pairs of leaves the rates between them are not sought: it took a minute
	fitSweeps     = 60      // over all measured sums
	leastRate     = 1e-3    // of its link: a host that sends and receives less counts as silent
	mostStretch   = 10.0    // by which one correction changes a rate at most
	mostScale     = 2.0     // between waits of hosts and of links on their way: else not used

	sameRate     = 0.03 // of the sender's link: rates of one stream differ by less; 3 standard deviations
	leastPart    = 0.05 // of what a host sends that is not divided further
	leastWanted  = 0.2  // of the rate between two leaves that is always missing, whatever streams there are
	mostSwapping = 10   // passes over all pairs of streams
	mostRefined  = 512  // with more streams receivers are not exchanged: it took a minute

	foreignMessages = 64   // that a host sends until it begins again
	leastRest       = 0.01 // of the time: hosts that rest less are always sending

	// variants is how many draws of the same description simulations take in turn: a gain
	// that is proven over them holds over what counters do not tell.
	variants = 4
	// mostOff is the share of bytes on links by which traffic may differ from what was
	// measured; else slowed links stand for others.
	mostOff = 0.3

	// aloneRepeats: simulations of the job alone, to which its samples are compared: a run of it
	// and a simulation then differ by the run's chance more than by the simulation's.
	aloneRepeats = 4
)

// descriptions differ in what counters do not tell directly: whether hosts send to one
// receiver for long or to many in turn, and how much at a time.
var descriptions = []description{
	{"streams", false, 64 << 10},
	{"random receivers, messages of 16 KiB", true, 16 << 10},
	{"random receivers, messages of 64 KiB", true, 64 << 10},
	{"random receivers, messages of 256 KiB", true, 256 << 10},
}
