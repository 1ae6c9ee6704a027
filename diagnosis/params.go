package diagnosis

// Chosen by trial on labelled cases with seeds below 1000 (internal/testkit/labelled), without an ablation.
// TestDiagnosis in benchmarks judges them on seeds from 1000000 on.
const (
	// SuspectFraction is the congested fraction that a link must exceed, with 95 %
	// confidence, to be suspected.
	SuspectFraction = 0.1
	// fullUse is the share of a link's rate from which the job's own traffic counts as filling it.
	fullUse = 0.7
	// foreignUse is the share below which none of the congestion counts as the job's own.
	foreignUse = 0.3
	// backedUp is the chance that a packet of a link meets congestion at the next, from which on
	// congestion of the link counts as backed up from there.
	backedUp = 0.1
	// unequal is how much more than the equal part a link must be seen to carry, for routes to be taken to
	// divide traffic unequally: less is scatter.
	unequal = 1.3
	// slicePackets is how many packets of a link a slice of time has at least: some fifty samples.
	slicePackets = 200
	// presentFactor is how much slower a cause makes the job, to be named.
	presentFactor = 1.15
	// reliefFactor is how much less another mapping loads the network, for a mapping to be at fault.
	reliefFactor = 1.2
	// foreignWaits is the share of waiting packets at roots that the job does not fill, from which on the
	// rest of the time is due to others.
	foreignWaits = 0.2
	// fewForeignWaits and clearRest: so few suffice where the rest is clear.
	fewForeignWaits = 0.04
	clearRest       = 1.25
	// insideWaits is the share of waiting packets at roots inside that the job fills, from which on a
	// mapping may also be at fault in phases of its own.
	insideWaits = 0.3
)
