package experiment

const (
	// EagerBytes is the size up to which Open MPI sends a message at once over TCP: longer ones wait for
	// their receiver (btl_tcp_eager_limit is 64 KiB, of which a header takes some bytes).
	EagerBytes = 1<<16 - 64

	// Repeats is how many simulations a prediction takes. Each draws the paths of connections anew, and
	// where few links are shared the draws decide: of a crowded mapping the median of 6 repeats was 10 %
	// from that of 30 (remap simulate --repeats 6 and 30 of stencil2d:8x4 by rcm, testbed.md's tree).
	Repeats = 30

	// firstPort of the competitors is below those that the kernel gives (ip_local_port_range from 32768).
	firstPort = 20000

	// tailBytes of what a launcher says come with an error.
	tailBytes = 2000
)
