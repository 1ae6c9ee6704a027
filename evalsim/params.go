package evalsim

// The constants of this file were chosen by trial or by convention. Each says its source or
// the command of its ablation: change the constant and run the command.

// UGAL. Ablation of both constants:
//
//	go test ./evalsim -run 'SaturationWithDetours|DetoursAtLowLoad' -v
const (
	// ugalWays is the number of random intermediate switches that are considered for a
	// packet: two, as in Cray Cascade (Faanes et al. 2012). On a dragonfly of 9 groups of 4
	// switches, adversarial traffic gets 0.43 of the hosts' rate with one, 0.55 with two and
	// 0.56 with four. The upper bound is 0.5625.
	ugalWays = 2

	// ugalBias is by how many packets the queue of the shortest path, times its links, may
	// exceed that of the other path. BookSim2 has such a constant too. With 4, no packet
	// leaves a path of up to four links because of one packet that is queued or sent there.
	// With 0, 5 % of uniform traffic at a tenth of the hosts' rate take a longer path in
	// vain. With 16, adversarial traffic gets 0.32 of the hosts' rate instead of 0.49 where
	// buffers hold 4 packets.
	ugalBias = 4
)

// Steps until their times are steady (steps.go). Not ablated.
const (
	// stepWindow is the number of steps that the ranks of a job may be in at a time: a rank
	// begins step k+2 when all ranks have ended step k, as if each step had a reduction that
	// is waited for one step later.
	stepWindow = 2

	// steadyDifference is the relative difference between the two halves of the counted steps
	// below which their times are steady.
	steadyDifference = 0.05

	// steadyPatience: after this many times the least number of steps, the times are reported
	// even if they are not steady.
	steadyPatience = 2

	// settlingPackets is the number of packets that every rank should send during the steps.
	// Ranks that begin together drift apart while they send some thousands of packets
	// (settledPackets).
	settlingPackets = 4096

	// fewestSteps and longestWarm bound the number of steps that settlingPackets asks for.
	fewestSteps, longestWarm = 3, 8

	// mostStepsAsked bounds Options.Steps and Options.SteadySteps.
	mostStepsAsked = 10000
)

// The relative error of times that are extrapolated to the full volume (fullvolume.go).
// Measured with
//
//	go test -run VolumeError -v ./benchmarks
const (
	// settledPackets / (packets a rank) is the relative error of the slope where repetitions
	// or messages were left out: ranks that begin together drift apart during some thousands
	// of packets, and meet more and less often while they do. The value covers NAS CG and AMG
	// at 2,048 to 32,768 packets a rank.
	settledPackets = 400

	// shortenedError / sqrt(k) is added where messages were shortened to k packets: what a
	// rank sends to one partner ends before the drift has settled, and another message begins.
	// In an all-to-all with 1,024 packets a message on random hosts of a tree, a half of the
	// volume gives times 8 % too short and an eighth 24 %; in a stencil with 4,096 packets a
	// message, a quarter gives times 0.6 % too short and a sixteenth 6 %.
	shortenedError = 3.5
)

// Approximations and defaults of the model.
const (
	// roomyShare: only the newest credit of a link is timed where a packet and what the link
	// sends in a round trip fill at most 1/roomyShare of the buffer. Ablation: simulate with
	// Options.Credits = CreditsExact and CreditsNewest, as in
	//
	//	go test ./evalsim -run NewestCreditAgrees -v
	roomyShare = 4

	// leastMemory is the rate, in bytes a second, at which a host copies whose rails are
	// slower: about one channel of DDR4-2400. Not ablated; Options.MemoryBytesPerSecond
	// replaces it.
	leastMemory = 20e9

	// againAfter is the pause, in ps, before a rank of an endless job begins its program
	// again. It makes time pass even if the program takes none. Not ablated.
	againAfter = 1000
)

// A job beside endless jobs is starved when links have sent this many packets while none of
// its packets arrived. Not ablated: no scenario of this project comes near.
const (
	// patienceRounds: each buffer of the network could have been filled this many times.
	patienceRounds = 4096

	// patienceEvents is the least number of packets, for small networks: some seconds of a
	// processor.
	patienceEvents = 1 << 25

	// lookEvery is the number of events between two checks of the progress.
	lookEvery = 1 << 20
)

// Sizes that trade memory and cache misses against work. They change no result. Not ablated
// since they were chosen; to try other values:
//
//	go test -run XXX -bench . ./evalsim
const (
	// batch is the number of links that pass through the stages of an event together: enough
	// to overlap their cache misses, few enough to stay in the first-level cache. The events
	// of a batch lie within one slot of the wheel.
	batch = 32

	// logged is the number of deliveries that are entered into tables and counts together, so
	// that their cache misses overlap and do not delay events.
	logged = 512

	// deliveryBatch is the number of deliveries that RepeatDelivered hands over together.
	deliveryBatch = 4096

	// maxBlocks bounds the memory of sampling blocks to 43 MB. Messages beyond share blocks,
	// which costs time: a block that holds packets of another message is decoded first.
	maxBlocks = 1 << 17
)
