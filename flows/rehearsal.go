package flows

import (
	"fmt"

	"remap/workload"
)

// rehearsal plays a step of a job without time and network, so that a program whose ranks
// would wait for ever is refused before it starts. With AnySource it tries one order of
// messages only.
type rehearsal struct {
	job   *Job
	ranks []rehearsed
}

// rehearsed is where a rank is.
type rehearsed struct {
	next     int      // operation
	blocking *request // of the operation in hand; nil = not begun
	requests []*request
	settled  int // requests before this one are done
}

// rehearse plays the step and leaves the mailboxes empty, or returns who waits for what.
func (j *Job) rehearse() error {
	x := rehearsal{j, make([]rehearsed, len(j.players))}
	for moved := true; moved; {
		moved = false
		for r := range x.ranks {
			for x.ranks[r].next < len(j.players[r].ops) && x.operation(r) {
				moved = true
			}
		}
	}
	for r, p := range j.players {
		if at := x.ranks[r].next; at < len(p.ops) {
			return fmt.Errorf("rank %d waits for ever in operation %d (%v)%s", r, at, p.ops[at].Kind, p.box.first())
		}
		if len(p.box.posted) > 0 {
			return fmt.Errorf("rank %d waits for ever at the end of a step%s", r, p.box.first())
		}
	}
	return nil
}

// operation plays the operation in hand of a rank and says whether it has ended.
func (x *rehearsal) operation(rank int) bool {
	r, p := &x.ranks[rank], x.job.players[rank]
	ended := true
	switch op := &p.ops[r.next]; op.Kind {
	case workload.Send, workload.Isend:
		if l := p.links[op.Peer]; !l.discard {
			l.box.deliver(l, op.Tag)
		}
		if op.Kind == workload.Isend {
			r.requests = append(r.requests, &request{done: true})
		}
	case workload.Receive:
		if r.blocking == nil {
			r.blocking = &request{peer: op.Peer, tag: op.Tag}
			p.box.post(r.blocking)
		}
		ended = r.blocking.done
	case workload.Ireceive:
		q := &request{peer: op.Peer, tag: op.Tag}
		p.box.post(q)
		r.requests = append(r.requests, q)
	case workload.Wait:
		ended = r.requests[op.Bytes].done
	case workload.WaitAll:
		for ended && r.settled < len(r.requests) {
			if ended = r.requests[r.settled].done; ended {
				r.settled++
			}
		}
	}
	if ended {
		r.next++
		r.blocking = nil
	}
	return ended
}

// first describes the first receive that nothing has matched.
func (b *mailbox) first() string {
	if len(b.posted) == 0 {
		return ""
	}
	q := b.posted[0]
	sender, tag := "any rank", "any tag"
	if q.peer != workload.AnySource {
		sender = fmt.Sprintf("rank %d", q.peer)
	}
	if q.tag != workload.AnyTag {
		tag = fmt.Sprintf("tag %d", q.tag)
	}
	return fmt.Sprintf(": no message of %s with %s comes", sender, tag)
}
