package feedback

// Constants of traffic that stands for measured others (foreign*.go). Where no source is
// given they were chosen on seed 101: REMAP_FIRST_SEED=101 go test ./benchmarks -run
// LoopMeasured. The table of that benchmark has other seeds. Not ablated one by one.
const (
	// mostLeafPairs is the most pairs of leaf switches between which rates are sought;
	// with more it took a minute.
	mostLeafPairs = 1 << 18
	// fitSweeps is how many times all measured sums are corrected in turn.
	fitSweeps = 60
	// leastRate is a share of a link's rate. A host that sends and receives less counts as
	// silent.
	leastRate = 1e-3
	// mostStretch is the most by which one correction changes a rate.
	mostStretch = 10.0
	// mostScale is the largest ratio, either way, between waits of hosts and of the links
	// on their way. Beyond it waits are not used.
	mostScale = 2.0

	// sameRate is a share of the rate of the sender's link: rates of one stream differ by
	// less. It is 3 standard deviations.
	sameRate = 0.03
	// leastPart is the share of what a host sends that is not divided further.
	leastPart = 0.05
	// leastWanted is the share of the rate between two leaf switches that always counts as
	// missing, whatever streams there are.
	leastWanted = 0.2
	// mostSwapping is the most passes over all pairs of streams.
	mostSwapping = 10
	// mostRefined is the most streams whose receivers are exchanged; with more it took a
	// minute.
	mostRefined = 512

	// foreignMessages is how many messages a host sends until it begins again.
	foreignMessages = 64
	// leastRest is a share of the time: hosts that rest less are always sending.
	leastRest = 0.01

	// variants is how many draws of one description simulations take in turn. A gain that
	// is proven over them holds over what counters do not tell.
	variants = 4
	// mostOff is the share of bytes on links by which traffic may differ from what was
	// measured. If it differs more, slowed links stand for others.
	mostOff = 0.3

	// aloneRepeats is how many simulations of the job alone its samples are compared to:
	// one run of the job and a simulation then differ by the run's chance more than by
	// the simulation's.
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
