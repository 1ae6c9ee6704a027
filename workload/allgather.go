package workload

// allgatherRing: in each of size-1 steps everyone passes on to the next what
// it got in the step before.
func allgatherRing(c *call) {
	for i := range c.size - 1 {
		c.exchange(c.me+1, part(c.me-i), c.me-1, part(c.me-i-1))
	}
}

// allgatherDoubling: everyone exchanges all it has with the member whose number
// differs in one bit. log2 size steps, two more if size is no power of two.
func allgatherDoubling(c *call) {
	f := newFold(c.size, c.me)
	rest := c.size - 1 // parts that a member that is folded away is missing
	if f.me < 0 {
		c.send(c.me-1, part(c.me))
		c.receive(c.me-1, parts(c.me+1, rest))
		return
	}
	if f.partnered() {
		c.receive(c.me+1, part(c.me+1))
	}
	for mask := 1; mask < f.core; mask *= 2 {
		other := f.me ^ mask
		here, there := f.me&^(mask-1), other&^(mask-1)
		c.exchange(f.member(other), f.parts(here, mask), f.member(other), f.parts(there, mask))
	}
	if f.partnered() {
		c.send(c.me+1, parts(c.me+2, rest))
	}
}

// allgatherBruck: in step k everyone sends the 2^k parts it has (in the last
// step the few still missing) to the member 2^k before. ceil(log2 size) steps
// for any size (Bruck et al. 1997).
func allgatherBruck(c *call) {
	for have := 1; have < c.size; have *= 2 {
		count := min(have, c.size-have)
		c.exchange(c.me-have, parts(c.me, count), c.me+have, parts(c.me+have, count))
	}
}

// allgatherNeighbors: neighbours exchange, to the one side and to the other in
// turn, the two parts they got last; size/2 steps (Chen, Zhang, Zhang and Yuan
// 2005). An odd number of members goes round a ring instead, as in Open MPI.
func allgatherNeighbors(c *call) {
	if c.size%2 != 0 {
		allgatherRing(c)
		return
	}
	side := 1 - c.me%2*2 // to the right for even members, to the left for odd ones
	c.exchange(c.me+side, part(c.me), c.me+side, part(c.me+side))
	// Pairs are known by their even member. What comes from a side is each time
	// one pair further away.
	last := c.me &^ 1
	from := [2]int{last, last}
	for i := 1; i < c.size/2; i++ {
		turn := i % 2
		if turn == 1 {
			from[turn] -= 2 * side
			c.exchange(c.me-side, parts(last, 2), c.me-side, parts(from[turn], 2))
		} else {
			from[turn] += 2 * side
			c.exchange(c.me+side, parts(last, 2), c.me+side, parts(from[turn], 2))
		}
		last = from[turn]
	}
}

// In an all-to-all part i of a member is what it has for the member i further,
// at the beginning, and what it has got from the member i before, at the end.

// allToAllBruck, for short blocks: in step k everyone sends the parts whose
// number has bit k to the member 2^k further. ceil(log2 size) steps (Bruck et
// al. 1997).
func allToAllBruck(c *call) {
	for bit := 1; bit < c.size; bit *= 2 {
		c.exchange(c.me+bit, payload{bit: bit}, c.me-bit, payload{bit: bit})
	}
}

// allToAllPairwise, for long blocks: size-1 steps, in each of which everyone
// exchanges with one partner if size is a power of two, and otherwise sends
// ahead and receives from behind at the same distance.
func allToAllPairwise(c *call) {
	for i := 1; i < c.size; i++ {
		to, from := c.me+i, c.me-i
		if isPowerOfTwo(c.size) {
			to, from = c.me^i, c.me^i
		}
		c.exchange(to, part(to-c.me), from, part(c.me-from))
	}
}

// allToAllLinear posts all receives and all sends at once.
func allToAllLinear(c *call) { c.spread(c.size - 1) }

// allToAllScattered posts them 32 at a time, as MPICH does for medium sizes
// (MPIR_CVAR_ALLTOALL_THROTTLE).
func allToAllScattered(c *call) { c.spread(32) }

// spread lets everyone receive from those 1, 2, ... before and send to those
// as much further, batch of each at a time.
func (c *call) spread(batch int) {
	for low := 1; low < c.size; low += batch {
		count := min(batch, c.size-low)
		first := int64(-1)
		for i := low; i < low+count; i++ {
			if r := c.ireceive(c.me-i, part(i)); first < 0 {
				first = r
			}
		}
		for i := low; i < low+count; i++ {
			c.isend(c.me+i, part(i))
		}
		c.waitFor(first, 2*int64(count))
	}
}

// barrierDissemination: in step k everyone tells the member 2^k further
// (Hensgen, Finkel and Manber 1988).
func barrierDissemination(c *call) {
	for distance := 1; distance < c.size; distance *= 2 {
		c.exchangeCombine(c.me+distance, c.whole(), c.me-distance, c.whole())
	}
}

// barrierDoubling is an allreduce by recursive doubling of nothing.
func barrierDoubling(c *call) { allreduceDoubling(c) }
