package replay

import "remap/workload"

// Eager is a program as an MPI library plays it that copies messages of up to so many bytes and sends
// them later: a blocking send of such a message delays nothing that the rank does after it, so it is
// an Isend here, which the rank waits for at its end. In workload a blocking send goes on when the last
// byte has left the host. Smaller is treated alike. A program without such sends is returned itself.
// O(operations).
func Eager(p *workload.Program, bytes int64) *workload.Program {
	early := func(op workload.Op) bool { return op.Kind == workload.Send && op.Bytes <= bytes }
	count := 0
	for _, op := range p.Ops {
		if early(op) {
			count++
		}
	}
	if count == 0 {
		return p
	}
	q := *p
	q.Ops = make([]workload.Op, 0, len(p.Ops)+p.Ranks())
	q.Offsets = make([]int32, 1, len(p.Offsets))
	if p.Sites != nil {
		q.Sites = make([]uint16, 0, cap(q.Ops))
	}
	if p.Smaller != nil {
		q.Smaller = Eager(p.Smaller, bytes)
	}
	c := completer{from: p, to: &q}
	for r := range int32(p.Ranks()) {
		c.eager(r, early)
		q.Offsets = append(q.Offsets, int32(len(q.Ops)))
	}
	return &q
}

// eager appends the operations of a rank, early sends as requests.
func (c *completer) eager(r int32, early func(workload.Op) bool) {
	var numbers []int64 // of the rank's own requests, with the early sends between them
	requests, sent := int64(0), false
	open := openRequests{}
	for i := c.from.Offsets[r]; i < c.from.Offsets[r+1]; i++ {
		op := c.from.Ops[i]
		own := op
		switch {
		case early(op):
			op.Kind, sent = workload.Isend, true
			requests++
		case op.Kind.IsRequest():
			numbers = append(numbers, requests)
			requests++
		case op.Kind == workload.Wait:
			op.Bytes = numbers[op.Bytes]
		case op.Kind == workload.WaitAll && sent:
			for _, request := range open.list() {
				c.append(workload.Op{Kind: workload.Wait, Phase: op.Phase, Bytes: numbers[request]}, i)
			}
			open.see(own)
			continue
		}
		c.append(op, i)
		open.see(own)
	}
	if sent {
		c.append(workload.Op{Kind: workload.WaitAll}, -1)
	}
}
