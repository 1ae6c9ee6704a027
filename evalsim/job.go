package evalsim

// jobState is a Job made ready to run: the flow of every operation is known.
type jobState struct {
	Job
	firstRank int32
	firstFlow int32
	flows     int

	// opFlow is the index into simulator.flows of every operation of the program. It is -1
	// for a receive whose source never sends to this rank.
	opFlow []int32

	// eagerBytes: longer messages ask the receiver first. It is in the sizes of this program,
	// which may be scaled down; 0 = none asks.
	eagerBytes int64

	// volumeError is the relative error of a time at the full volume.
	volumeError float64

	// steps to be played; 0 = until their times are steady.
	steps int

	// steadySteps is the least number of steps where steps is 0.
	steadySteps int

	needs
	categories
}
