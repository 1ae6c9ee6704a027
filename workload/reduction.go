package workload

// reduceBinomial is the binomial tree of the broadcast backwards: size-1
// messages, ceil(log2 size) steps.
func reduceBinomial(c *call) {
	c.up(func(child, _ int) { c.combine(child, c.whole()) },
		func(parent, _ int) { c.send(parent, c.whole()) })
}

// reduceLinear: everyone sends the root the whole vector, which takes them in
// from the last member to the first.
func reduceLinear(c *call) {
	if c.me != 0 {
		c.send(0, c.whole())
		return
	}
	for i := c.size - 1; i > 0; i-- {
		c.combine(i, c.whole())
	}
}

// reduceRabenseifner: reduce-scatter by recursive halving, then a binomial
// gather to the root (Rabenseifner 2004; Thakur, Rabenseifner and Gropp 2005,
// section 4.5).
func reduceRabenseifner(c *call) {
	f := newFold(c.size, c.me)
	if !c.foldIn(f) {
		return
	}
	first, count := c.halve(f)
	for mask := f.core / 2; mask > 0; mask /= 2 {
		other := f.member(f.me ^ mask)
		if f.me&mask != 0 { // the root is 0: who has the bit is done
			c.send(other, parts(first, count))
			return
		}
		c.receive(other, parts(first+count, count))
		count *= 2
	}
}

// allreduceDoubling: everyone exchanges the whole vector with the member whose
// number differs in one bit. log2 size steps, two more if size is no power of two.
func allreduceDoubling(c *call) {
	f := newFold(c.size, c.me)
	if c.foldIn(f) {
		for mask := 1; mask < f.core; mask *= 2 {
			other := f.member(f.me ^ mask)
			c.exchangeCombine(other, c.whole(), other, c.whole())
		}
	}
	c.foldOut(f)
}

// allreduceRing: reduce-scatter and allgather round a ring; 2 (size-1) messages
// of a size-th of the vector a member (Patarasuk and Yuan 2009).
func allreduceRing(c *call) {
	for i := range c.size - 1 {
		c.exchangeCombine(c.me+1, part(c.me-i), c.me-1, part(c.me-i-1))
	}
	for i := range c.size - 1 {
		c.exchange(c.me+1, part(c.me-i+1), c.me-1, part(c.me-i))
	}
}

// allreduceRabenseifner: reduce-scatter by recursive halving, then allgather by
// recursive doubling (Rabenseifner 2004).
func allreduceRabenseifner(c *call) {
	f := newFold(c.size, c.me)
	if c.foldIn(f) {
		first, count := c.halve(f)
		for mask := f.core / 2; mask > 0; mask /= 2 {
			other, there := f.member(f.me^mask), first+count
			if f.me&mask != 0 {
				there = first - count
			}
			c.exchange(other, parts(first, count), other, parts(there, count))
			first, count = min(first, there), 2*count
		}
	}
	c.foldOut(f)
}

// allreduceTrees is a binomial reduce followed by a binomial broadcast.
func allreduceTrees(c *call) {
	reduceBinomial(c)
	broadcastBinomial(c)
}

// allreduceLinear is a linear reduce to member 0 followed by a linear broadcast.
func allreduceLinear(c *call) {
	reduceLinear(c)
	broadcastLinear(c)
}

// foldIn sends the vectors of the members that are folded away; false for them.
func (c *call) foldIn(f fold) bool {
	if f.me < 0 {
		c.send(c.me-1, c.whole())
		return false
	}
	if f.partnered() {
		c.combine(c.me+1, c.whole())
	}
	return true
}

// foldOut sends the whole result to the members that were folded away.
func (c *call) foldOut(f fold) {
	if f.me < 0 {
		c.receive(c.me-1, c.whole())
	} else if f.partnered() {
		c.send(c.me+1, c.whole())
	}
}

// halve is reduce-scatter by recursive halving over the core, nearest members
// first, of a vector cut into one part a member of the core: each step
// exchanges half of what is left. It returns the parts that are complete here.
func (c *call) halve(f fold) (first, count int) {
	count = f.core
	for mask := 1; mask < f.core; mask *= 2 {
		count /= 2
		other := f.member(f.me ^ mask)
		lower, upper := parts(first, count), parts(first+count, count)
		if f.me&mask == 0 {
			c.exchangeCombine(other, upper, other, lower)
		} else {
			c.exchangeCombine(other, lower, other, upper)
			first += count
		}
	}
	return first, count
}

// reduceScatterHalving is recursive halving, furthest members first, so that
// everyone is left with its own part (Thakur, Rabenseifner and Gropp 2005,
// section 4.4, for commutative operations).
func reduceScatterHalving(c *call) {
	f := newFold(c.size, c.me)
	if !c.foldIn(f) {
		c.receive(c.me-1, part(c.me))
		return
	}
	first := 0 // of the 2*mask members of the core whose parts are left
	for mask := f.core / 2; mask > 0; mask /= 2 {
		other := f.member(f.me ^ mask)
		lower, upper := f.parts(first, mask), f.parts(first+mask, mask)
		if f.me&mask == 0 {
			c.exchangeCombine(other, upper, other, lower)
		} else {
			c.exchangeCombine(other, lower, other, upper)
			first += mask
		}
	}
	if f.partnered() {
		c.send(c.me+1, part(c.me+1))
	}
}

// reduceScatterPairwise: in step i everyone sends its part to the member i
// further, straight from its own vector. size-1 steps; for long vectors.
func reduceScatterPairwise(c *call) {
	for i := 1; i < c.size; i++ {
		c.exchangeCombine(c.me+i, part(c.me+i), c.me-i, part(c.me))
	}
}

// reduceScatterRing: partial sums travel round a ring to their owners.
func reduceScatterRing(c *call) {
	for i := range c.size - 1 {
		c.exchangeCombine(c.me+1, part(c.me-i-1), c.me-1, part(c.me-i-2))
	}
}
