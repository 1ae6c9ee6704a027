package replay

import (
	"fmt"

	"remap/workload"
)

// WithReceives makes a program complete, so that real ranks can play it: every message has a
// receive, and every rank ends by waiting for all requests that are open.
//
// A program without receives gets them: each rank first posts an Ireceive for every message that
// will come in, by ascending sender, in the order of the sender's operations, with its tag, phase
// and call site. Where the rank waits for all requests in between, it then waits for its own sends
// alone: the receives are waited for at the end, since senders may wait for others until then.
//
// A program with receives must have one for every message; the error names what is missing. A
// program that is complete is returned itself. Smaller is completed like its program.
// O(operations).
func WithReceives(p *workload.Program) (*workload.Program, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	smaller := p.Smaller
	if smaller != nil {
		var err error
		if smaller, err = WithReceives(smaller); err != nil {
			return nil, err
		}
	}
	sends, receives := false, false
	for _, op := range p.Ops {
		sends = sends || op.Kind.IsSend()
		receives = receives || op.Kind.IsReceive()
	}
	if receives || !sends {
		if err := checkComplete(p); err != nil {
			return nil, err
		}
		if !leavesOpen(p) && smaller == p.Smaller {
			return p, nil
		}
	}
	q := *p
	q.Smaller = smaller
	q.Ops = make([]workload.Op, 0, len(p.Ops)+p.Ranks())
	q.Offsets = make([]int32, 1, len(p.Offsets))
	if p.Sites != nil {
		q.Sites = make([]uint16, 0, cap(q.Ops))
	}
	c := completer{from: p, to: &q}
	if !receives {
		c.incoming = incoming(p)
	}
	for r := range int32(p.Ranks()) {
		c.rank(r)
	}
	return &q, q.Check()
}

// incoming lists the operations that send to each rank, by ascending sender, in their order.
func incoming(p *workload.Program) [][]int32 {
	to := make([][]int32, p.Ranks())
	for i, op := range p.Ops { // in the order of ranks
		if op.Kind.IsSend() {
			to[op.Peer] = append(to[op.Peer], int32(i))
		}
	}
	return to
}

// sender is the rank of an operation: the last one at or after low that begins before it.
func sender(p *workload.Program, low, operation int32) int32 {
	for p.Offsets[low+1] <= operation {
		low++
	}
	return low
}

// completer builds a program with receives.
type completer struct {
	from, to *workload.Program
	incoming [][]int32 // of each rank, the sends to it that get a receive; nil = all have one
}

// rank appends the operations of a rank.
func (c *completer) rank(r int32) {
	shift := int64(0) // of the numbers of requests
	if c.incoming != nil {
		from := int32(0)
		for _, i := range c.incoming[r] {
			from = sender(c.from, from, i)
			send := c.from.Ops[i]
			c.append(workload.Op{Kind: workload.Ireceive, Phase: send.Phase, Tag: send.Tag, Peer: from,
				Bytes: send.Bytes}, i)
		}
		shift = int64(len(c.incoming[r]))
	}
	open := openRequests{}
	for i := c.from.Offsets[r]; i < c.from.Offsets[r+1]; i++ {
		op := c.from.Ops[i]
		if op.Kind == workload.WaitAll && shift > 0 {
			for _, request := range open.list() {
				c.append(workload.Op{Kind: workload.Wait, Phase: op.Phase, Bytes: request + shift}, i)
			}
		} else {
			if op.Kind == workload.Wait {
				op.Bytes += shift
			}
			c.append(op, i)
		}
		open.see(c.from.Ops[i])
	}
	if shift > 0 || len(open.list()) > 0 {
		c.append(workload.Op{Kind: workload.WaitAll}, -1)
	}
	c.to.Offsets = append(c.to.Offsets, int32(len(c.to.Ops)))
}

// append appends an operation with the call site of operation i; i < 0 = none.
func (c *completer) append(op workload.Op, i int32) {
	c.to.Ops = append(c.to.Ops, op)
	if c.to.Sites != nil {
		site := uint16(0)
		if i >= 0 {
			site = c.from.Sites[i]
		}
		c.to.Sites = append(c.to.Sites, site)
	}
}

// openRequests follows which requests of a rank nothing has waited for.
type openRequests struct {
	waited []bool // by request
	first  int    // all requests before it have been waited for
}

// see follows an operation.
func (o *openRequests) see(op workload.Op) {
	switch {
	case op.Kind.IsRequest():
		o.waited = append(o.waited, false)
	case op.Kind == workload.Wait:
		o.waited[op.Bytes] = true
	case op.Kind == workload.WaitAll:
		o.first = len(o.waited)
	}
}

// list is the numbers of the open requests, ascending.
func (o *openRequests) list() []int64 {
	var open []int64
	for i := o.first; i < len(o.waited); i++ {
		if !o.waited[i] {
			open = append(open, int64(i))
		}
	}
	return open
}

// leavesOpen says whether a rank ends with requests that nothing has waited for.
func leavesOpen(p *workload.Program) bool {
	for r := range int32(p.Ranks()) {
		open := openRequests{}
		for _, op := range p.RankOps(r) {
			open.see(op)
		}
		if len(open.list()) > 0 {
			return true
		}
	}
	return false
}

// channel is what messages are matched by. From and tag may be AnySource and AnyTag.
type channel struct {
	from, to int32
	tag      uint16
}

// String is the channel in error messages.
func (c channel) String() string {
	from, tag := fmt.Sprintf("rank %d", c.from), fmt.Sprintf("tag %d", c.tag)
	if c.from == workload.AnySource {
		from = "any rank"
	}
	if c.tag == workload.AnyTag {
		tag = "any tag"
	}
	return fmt.Sprintf("from %s to rank %d with %s", from, c.to, tag)
}
