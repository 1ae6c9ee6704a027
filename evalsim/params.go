package evalsim

// Constants of UGAL. What others are worth: change them and run
//
//	go test ./evalsim -run 'SaturationWithDetours|DetoursAtLowLoad' -v
const (
	// ugalWays is how many random ways are looked at for a packet: two, as in Cray Cascade
	// (Faanes et al. 2012). On a dragonfly of 9 groups of 4 switches adversarial traffic
	// gets 0.43 of the hosts' rate with one, 0.55 with two, 0.56 with four. The bound is
	// 0.5625.
	ugalWays = 2

	// ugalBias is by how much the shortest way's queue times its links may exceed that of
	// the other way, in packets; BookSim2 has such a constant, too. With 4 no packet
	// leaves a way of up to four links because of one packet that is queued or sent there.
	// With 0, 5 % of uniform traffic at a tenth of the hosts' rate go a longer way for
	// nothing; with 16, adversarial traffic gets 0.32 of the hosts' rate in place of 0.49
	// where buffers hold 4 packets.
	ugalBias = 4
)
