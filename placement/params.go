package placement

const (
	// matrixBlocks bounds the matrix of path lengths to 2 MB, which a second-level cache
	// holds. It changes times alone. Not ablated.
	matrixBlocks = 1024

	// fewBlocks is the number of blocks up to which all pairs of them are looked at to
	// tell whether their places decide distances; of more, some. Ablated as in partition: 20
	// 1.0000.
	fewBlocks = 300

	// mostSiblings is how many blocks of its place are near to a block, where prices
	// divide places. Ablated as in partition: 4 1.0000; no job of it has prices.
	mostSiblings = 64
)
