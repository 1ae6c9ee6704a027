package workload

// broadcastBinomial: in step k of ceil(log2 size) the members that have the
// data send it to those 2^k further, largest distance first (Thakur,
// Rabenseifner and Gropp 2005, section 4.2). size-1 messages in all.
func broadcastBinomial(c *call) {
	c.down(func(child, _ int) { c.send(child, c.whole()) },
		func(parent, _ int) { c.receive(parent, c.whole()) })
}

// broadcastLinear: the root sends everyone the data, one after the other.
func broadcastLinear(c *call) {
	if c.me != 0 {
		c.receive(0, c.whole())
		return
	}
	for i := 1; i < c.size; i++ {
		c.send(i, c.whole())
	}
}

// broadcastScatterRing, for long messages: scatter along a binomial tree, then
// allgather round a ring (van de Geijn's, cited by Thakur, Rabenseifner and
// Gropp 2005). Part i of the data is member i's.
func broadcastScatterRing(c *call) {
	scatterBinomial(c)
	allgatherRing(c)
}

// broadcastScatterDoubling is the same with recursive doubling in the allgather.
func broadcastScatterDoubling(c *call) {
	scatterBinomial(c)
	allgatherDoubling(c)
}

// scatterBinomial: everyone passes on half of the parts it has until it is left
// with its own. ceil(log2 size) steps, size-1 messages.
func scatterBinomial(c *call) {
	c.down(func(child, count int) { c.send(child, parts(child, count)) },
		func(parent, count int) { c.receive(parent, parts(c.me, count)) })
}

// scatterLinear: the root sends everyone its part.
func scatterLinear(c *call) {
	if c.me != 0 {
		c.receive(0, part(c.me))
		return
	}
	for i := 1; i < c.size; i++ {
		c.send(i, part(i))
	}
}

// gatherBinomial is the scatter backwards.
func gatherBinomial(c *call) {
	c.up(func(child, count int) { c.receive(child, parts(child, count)) },
		func(parent, count int) { c.send(parent, parts(c.me, count)) })
}

// gatherLinear: everyone sends the root its part.
func gatherLinear(c *call) {
	if c.me != 0 {
		c.send(0, part(c.me))
		return
	}
	for i := 1; i < c.size; i++ {
		c.receive(i, part(i))
	}
}

// down walks the binomial tree from the root: parent is called first, with the
// size of the subtree of this member, then child for each child, with the size
// of its subtree, the largest first. The children of a member are those numbers
// that differ from it in one bit below its lowest.
//
//	0 ─┬─ 4 ─┬─ 6 ── 7
//	   │     └─ 5
//	   ├─ 2 ── 3
//	   └─ 1
func (c *call) down(child, parent func(other, count int)) {
	mask := 1
	for mask < c.size && c.me&mask == 0 {
		mask *= 2
	}
	if c.me > 0 {
		parent(c.me-mask, min(mask, c.size-c.me))
	}
	for mask /= 2; mask > 0; mask /= 2 {
		if other := c.me + mask; other < c.size {
			child(other, min(mask, c.size-other))
		}
	}
}

// up walks the same tree toward the root: children first, the smallest first.
func (c *call) up(child, parent func(other, count int)) {
	mask := 1
	for ; mask < c.size && c.me&mask == 0; mask *= 2 {
		if other := c.me + mask; other < c.size {
			child(other, min(mask, c.size-other))
		}
	}
	if c.me > 0 {
		parent(c.me-mask, min(mask, c.size-c.me))
	}
}
