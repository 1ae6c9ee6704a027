package workload

// Which algorithm MPICH takes for a size: Thakur, Rabenseifner and Gropp 2005,
// with the defaults of the control variables of MPICH 3.x and 4.x named here.
// All are in bytes but the number of ranks.
const (
	broadcastShort    = 12288  // MPIR_CVAR_BCAST_SHORT_MSG_SIZE: a tree below
	broadcastLong     = 524288 // MPIR_CVAR_BCAST_LONG_MSG_SIZE: a ring from here on
	broadcastRanks    = 8      // MPIR_CVAR_BCAST_MIN_PROCS: a tree below
	reduceShort       = 2048   // MPIR_CVAR_REDUCE_SHORT_MSG_SIZE: a tree up to it
	allreduceShort    = 2048   // MPIR_CVAR_ALLREDUCE_SHORT_MSG_SIZE: recursive doubling up to it
	allgatherShort    = 81920  // MPIR_CVAR_ALLGATHER_SHORT_MSG_SIZE, of the whole result: Bruck below
	allgatherLong     = 524288 // MPIR_CVAR_ALLGATHER_LONG_MSG_SIZE, of the whole result: a ring from here on
	allToAllShort     = 256    // MPIR_CVAR_ALLTOALL_SHORT_MSG_SIZE, of a block: Bruck up to it
	allToAllMedium    = 32768  // MPIR_CVAR_ALLTOALL_MEDIUM_MSG_SIZE, of a block: scattered up to it
	allToAllRanks     = 8      // Bruck from so many ranks on
	reduceScatterLong = 524288 // MPIR_CVAR_REDSCAT_COMMUTATIVE_LONG_MSG_SIZE: pairwise from here on
	bytesOfAnElement  = 8      // a double: a vector of fewer elements than members is not cut
)

func isPowerOfTwo(n int) bool { return powerOfTwo(n) == n }

func autoBroadcast(size int, bytes int64) string {
	switch {
	case bytes < broadcastShort || size < broadcastRanks:
		return "binomial"
	case bytes < broadcastLong && isPowerOfTwo(size):
		return "scatter-recursive-doubling"
	}
	return "scatter-ring"
}

func autoReduce(size int, bytes int64) string {
	if bytes <= reduceShort || bytes/bytesOfAnElement < int64(powerOfTwo(size)) {
		return "binomial"
	}
	return "rabenseifner"
}

func autoAllreduce(size int, bytes int64) string {
	if bytes <= allreduceShort || bytes/bytesOfAnElement < int64(powerOfTwo(size)) {
		return "recursive-doubling"
	}
	return "rabenseifner"
}

func autoAllgather(size int, block int64) string {
	all := block * int64(size)
	switch {
	case all < allgatherLong && isPowerOfTwo(size):
		return "recursive-doubling"
	case all < allgatherShort:
		return "bruck"
	}
	return "ring"
}

func autoAllToAll(size int, block int64) string {
	switch {
	case block <= allToAllShort && size >= allToAllRanks:
		return "bruck"
	case block <= allToAllMedium:
		return "scattered"
	}
	return "pairwise"
}

func autoReduceScatter(_ int, bytes int64) string {
	if bytes < reduceScatterLong {
		return "recursive-halving"
	}
	return "pairwise"
}

func autoTree(int, int64) string { return "binomial" }

func autoBarrier(int, int64) string { return "dissemination" }
