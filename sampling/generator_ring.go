package sampling

// Rings are the simplest chance a switch could have: for every count n = 2, 3, ...
// a shift register of n bits, closed to a ring, in which one bit differs from the
// others and moves on by one place a tick (Taffet 2018, section 5.9 and figure
// 5.6). All rings are clocked together, apart from the packets; a draw among n
// reads whether the odd bit is at the end of ring n. They keep StateBits bits.
//
// There is no chance in it but that of the times of the packets. When these come
// in steps of s ticks, ring n shows n/(common divisor of n and s) values only,
// and rings whose sizes have a divisor in common depend on each other even when
// that is n. Steps that vary by some ticks more than the largest n repair both. Two
// draws at one time are the same: a switch of two reservoirs needs ticks between
// them or rings for each.
type Rings struct {
	most, ticks, jitter uint32
	clock               uint64 // ring n has its odd bit at place clock mod n
	random              Random
}

// NewRings are rings of 2 to `most` bits, the limit of the hop counters and one
// more. Before every draw they are clocked `ticks` times, and up to `jitter` times
// more, all equally likely. Seeds begin at other places.
func NewRings(most, ticks, jitter uint32, seed uint64) *Rings {
	r := &Rings{most: most, ticks: ticks, jitter: jitter, random: NewRandom(seed)}
	r.clock = uint64(r.random.Uint32())
	return r
}

// StateBits is what all rings keep.
func (r *Rings) StateBits() int { return int(r.most)*(int(r.most)+1)/2 - 1 }

// Advance lets time go by.
func (r *Rings) Advance(ticks uint64) { r.clock += ticks }

// Below is the place of the odd bit in ring n, of which a switch reads whether it
// is 0; reservoirs of several links would need all places.
func (r *Rings) Below(n uint32) uint32 {
	if n > r.most {
		panic("sampling: draw from a ring that is not there")
	}
	r.clock += uint64(r.ticks)
	if r.jitter > 0 {
		r.clock += uint64(r.random.Below(r.jitter + 1))
	}
	return uint32(r.clock % uint64(n))
}
