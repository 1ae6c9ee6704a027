package kernighanlin

// "Ablated" in this file: the ratio of average path lengths, changed over unchanged, of 24
// mappings by the strategy kl (eight jobs, seeds 1001 to 1003; the command has three more
// since), with two standard errors, by
//
//	make ablate FILE=kernighanlin/params.go FROM='sweepFruitless = 50' TO='sweepFruitless = 10' STRATEGY=kl

// DefaultOptions are those of the strategy "kl". Ablated: 2 partners 1.011 +-0.007, 4 sweeps
// 1.010 +-0.004, 1 pass 1.003 +-0.006.
var DefaultOptions = Options{Partners: 6, Sweeps: 30, Passes: 4}

const (
	// sweepFruitless ends a pass of the incremental strategy after so many moves without
	// a new best. Ablated: 10 1.030 +-0.019.
	sweepFruitless = 50

	// smallPair is the number of vertices up to which all vertices of a pair are queued,
	// and not only those with an edge to the other side or a bias. Ablated: 0 1.029 +-0.012,
	// and 1.002 +-0.002 under the strategy default.
	smallPair = 256

	// listedPair is the number of vertices up to which queues are lists without order. It
	// changes times alone:
	//
	//	go test -bench Pass ./kernighanlin
	listedPair = 64

	// mostBuckets is what three levels of bits hold, 64^3.
	mostBuckets = 1 << 18

	// visitsPerBlock is the size of the memory of futile visits: room for the partners of
	// a block and the blocks beside them. It changes times alone. Not ablated.
	visitsPerBlock = 16
)
