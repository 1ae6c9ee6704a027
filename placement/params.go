package placement

const (
	// matrixBlocks bounds the matrix of path lengths to 2 MB, which a second-level cache
	// holds. It changes times alone. Not ablated.
	matrixBlocks = 1024

	// mostSiblings is how many blocks of its place are near to a block, where prices
	// divide places. Not ablated.
	mostSiblings = 64
)
