package diagnosis

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
	// presentFactor is how much slower a cause makes the job, to be named.
	presentFactor = 1.15
	// foreignWaits is the share of waiting packets at roots that the job does not fill, from which on the
	// rest of the time is due to others.
	foreignWaits = 0.15
	// longRest is the factor of the rest from which on others are its cause without such roots.
	longRest = 1.4
)
