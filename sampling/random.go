package sampling

// Random is a small generator that a switch or a simulator can keep in one
// word of state: PCG XSH-RR 64/32 (O'Neill 2014). The zero value is a valid,
// fixed stream; use NewRandom to choose one.
type Random struct{ state uint64 }

const (
	pcgMultiplier = 6364136223846793005
	pcgIncrement  = 1442695040888963407
)

// NewRandom is the stream of a seed; different seeds give unrelated streams
// (the seed is scrambled by the SplitMix64 finalizer first).
func NewRandom(seed uint64) Random {
	z := seed + 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return Random{state: z ^ z>>31}
}

// Uint32 is the next 32 uniform bits.
func (r *Random) Uint32() uint32 {
	old := r.state
	r.state = old*pcgMultiplier + pcgIncrement
	mixed := uint32((old>>18 ^ old) >> 27)
	turn := uint32(old >> 59)
	return mixed>>turn | mixed<<(-turn&31)
}

// StateBits is what the generator keeps.
func (r *Random) StateBits() int { return 64 }

// Below is uniform in 0..n-1 up to a bias of n/2^32 (Lemire 2019, without the
// rejection step: n is a number of hops or ports here).
func (r *Random) Below(n uint32) uint32 {
	return uint32(uint64(r.Uint32()) * uint64(n) >> 32)
}
