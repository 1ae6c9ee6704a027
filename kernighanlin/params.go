package kernighanlin

// DefaultOptions are those of the strategy "kl". Not ablated.
var DefaultOptions = Options{Partners: 6, Sweeps: 30, Passes: 4}

const (
	// sweepFruitless ends a pass of the incremental strategy after so many moves without
	// a new best. Not ablated.
	sweepFruitless = 50

	// smallPair is the number of vertices up to which all vertices of a pair are queued,
	// and not only those with an edge to the other side or a bias. Not ablated.
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
