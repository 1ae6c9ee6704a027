package workload

import "math"

// call is one member's part of a collective operation, while it is appended.
// Members are numbered relative to the root, which is 0; numbers are taken
// modulo the size of the group.
type call struct {
	builder  *Builder
	plan     *Plan
	me, size int
	tag      uint16
}

// payload says what part of the data a message holds: count parts from first
// on, modulo the number of parts; or, if bit is not 0, all parts whose number
// has that bit.
type payload struct {
	first, count int
	bit          int
	combine      bool // of a receive: what comes is combined with what is there, and does not replace it
}

// parts are count parts from first on; whole are all; empty is a message
// without data, for a barrier.
func parts(first, count int) payload { return payload{first: first, count: count} }

func (c *call) whole() payload { return parts(0, c.plan.cut) }

// part is a single part.
func part(i int) payload { return parts(i, 1) }

// modulo is the remainder that is not negative.
func modulo(a, n int) int { return ((a % n) + n) % n }

// rank is the rank of a member.
func (c *call) rank(member int) int32 {
	at := modulo(member+c.plan.root, c.size)
	if c.plan.members == nil {
		return int32(at)
	}
	return c.plan.members[at]
}

// bytes is the size of a payload.
func (p *Plan) bytes(d payload) int64 {
	if d.bit != 0 { // parts of equal size
		with := p.cut/(2*d.bit)*d.bit + max(0, p.cut%(2*d.bit)-d.bit)
		return int64(with) * (p.total / int64(p.cut))
	}
	first := modulo(d.first, p.cut)
	if end := first + d.count; end > p.cut {
		return p.total - p.before(first) + p.before(end-p.cut)
	}
	return p.before(first+d.count) - p.before(first)
}

// before is the size of the parts below number i.
func (p *Plan) before(i int) int64 {
	n := int64(p.cut)
	return int64(i)*(p.total/n) + min(int64(i), p.total%n)
}

func (c *call) send(to int, d payload) {
	c.builder.add(Op{Kind: Send, Tag: c.tag, Peer: c.rank(to), Bytes: c.plan.bytes(d)}, d)
}

func (c *call) isend(to int, d payload) (request int64) {
	return c.builder.add(Op{Kind: Isend, Tag: c.tag, Peer: c.rank(to), Bytes: c.plan.bytes(d)}, d)
}

func (c *call) ireceive(from int, d payload) (request int64) {
	return c.builder.add(Op{Kind: Ireceive, Tag: c.tag, Peer: c.rank(from), Bytes: c.plan.bytes(d)}, d)
}

func (c *call) receive(from int, d payload) {
	c.builder.add(Op{Kind: Receive, Tag: c.tag, Peer: c.rank(from), Bytes: c.plan.bytes(d)}, d)
}

// combine receives what is combined with the member's own, and charges the
// arithmetic.
func (c *call) combine(from int, d payload) {
	d.combine = true
	c.receive(from, d)
	if bytes := c.plan.bytes(d); c.plan.rate > 0 && bytes > 0 {
		c.builder.Compute(int64(math.Ceil(float64(bytes) / c.plan.rate)))
	}
}

// exchange sends and receives at once (MPI_Sendrecv): neither member of a pair
// waits for the other to receive first. It waits for its own request alone, so
// that others stay open.
func (c *call) exchange(to int, out payload, from int, in payload) {
	request := c.isend(to, out)
	c.receive(from, in)
	c.builder.Wait(request)
}

// exchangeCombine is an exchange of what then is combined.
func (c *call) exchangeCombine(to int, out payload, from int, in payload) {
	request := c.isend(to, out)
	c.combine(from, in)
	c.builder.Wait(request)
}

// waitFor waits for count requests from first on, in one operation if the
// rank has no others.
func (c *call) waitFor(first, count int64) {
	if int64(c.builder.open) == count || c.builder.tally != nil {
		c.builder.WaitAll()
		return
	}
	for i := range count {
		c.builder.Wait(first + i)
	}
}

// fold is how recursive doubling and halving treat a number of members that is
// no power of two (Thakur, Rabenseifner and Gropp 2005, section 4.5): of the
// first 2*extra members the odd ones hand their data to the one before, and get
// the result from it at the end. The core that is left has core members,
// numbered anew in order.
//
//	members  0 1 2 3 4 5 6      size 7 = core 4 + extra 3
//	fold     0<1 2<3 4<5
//	core     0   1   2   3
type fold struct {
	core, extra int
	me          int // number in the core; -1 = folded away
}

func newFold(size, me int) fold {
	f := fold{core: powerOfTwo(size)}
	f.extra = size - f.core
	switch {
	case me >= 2*f.extra:
		f.me = me - f.extra
	case me%2 == 0:
		f.me = me / 2
	default:
		f.me = -1
	}
	return f
}

// partnered says whether the member of the core has another folded into it.
func (f fold) partnered() bool { return f.me >= 0 && f.me < f.extra }

// member is the number in the group of number i in the core. It also is the
// first of the parts, one a member of the group, that this one stands for: the
// last is the one before member(i+1).
func (f fold) member(i int) int {
	if i < f.extra {
		return 2 * i
	}
	return i + f.extra
}

// parts are those of the group that count members of the core from i on stand for.
func (f fold) parts(i, count int) payload {
	first := f.member(i)
	return parts(first, f.member(i+count)-first)
}

// powerOfTwo is the largest power of two up to n, which is at least 1.
func powerOfTwo(n int) int {
	p := 1
	for p <= n/2 {
		p *= 2
	}
	return p
}
