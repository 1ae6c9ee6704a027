package flows

import (
	"context"
	"sync/atomic"
	"time"

	"remap/workload"
)

// player plays the operations of a rank.
type player struct {
	ops      []workload.Op
	receives bool // some operation is a receive
	steps    int64
	rate     float64 // of the host in bytes a second, for Idle
	links    map[int32]*link
	box      mailbox
	requests []*request   // of the step, by number
	settled  int          // requests before this one are done
	done     atomic.Int64 // steps
	pace     pace
}

func newPlayer(rank int32, ops []workload.Op, o Options) *player {
	p := &player{ops: ops, steps: o.Steps, rate: o.HostBytesPerSecond, links: map[int32]*link{},
		box: newMailbox()}
	for _, op := range ops {
		p.receives = p.receives || op.Kind.IsReceive()
	}
	return p
}

// play repeats the operations until the context ends or all steps are done.
func (p *player) play(ctx context.Context) {
	p.pace.begin()
	for len(p.ops) > 0 && (p.steps == 0 || p.done.Load() < p.steps) {
		if p.step(ctx) != nil {
			return
		}
		p.done.Add(1)
	}
	for _, l := range p.links {
		close(l.queue)
	}
}

// step plays the operations once and waits for all requests.
func (p *player) step(ctx context.Context) error {
	p.requests, p.settled = p.requests[:0], 0
	for i := range p.ops {
		if err := p.operation(ctx, &p.ops[i]); err != nil {
			return err
		}
		if err := p.pace.count(ctx); err != nil {
			return err
		}
	}
	if err := p.awaitAll(ctx); err != nil {
		return err
	}
	return p.pace.settle(ctx)
}

// operation plays one operation.
func (p *player) operation(ctx context.Context, op *workload.Op) error {
	switch op.Kind {
	case workload.Send, workload.Isend, workload.Receive, workload.Ireceive:
		q := &request{peer: op.Peer, tag: op.Tag}
		if op.Kind.IsReceive() {
			p.box.post(q)
		} else if err := p.send(ctx, op, q); err != nil {
			return err
		}
		if !op.Kind.IsRequest() {
			return p.box.await(ctx, q)
		}
		p.requests = append(p.requests, q)
	case workload.Wait:
		return p.box.await(ctx, p.requests[op.Bytes])
	case workload.WaitAll:
		return p.awaitAll(ctx)
	case workload.Compute:
		return p.pace.sleep(ctx, time.Duration(op.Bytes))
	case workload.Idle:
		return p.pace.sleep(ctx, workload.InjectionTime(op.Bytes, p.rate))
	}
	return nil
}

// awaitAll waits for all requests made so far.
func (p *player) awaitAll(ctx context.Context) error {
	for ; p.settled < len(p.requests); p.settled++ {
		if err := p.box.await(ctx, p.requests[p.settled]); err != nil {
			return err
		}
	}
	return nil
}

// send hands a message to its connection, or to a rank of the same host.
func (p *player) send(ctx context.Context, op *workload.Op, q *request) error {
	l := p.links[op.Peer]
	if !l.local {
		select {
		case l.queue <- message{op.Tag, op.Bytes, &p.box, q}:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if !l.discard {
		if err := l.box.awaitRoom(ctx, l); err != nil {
			return err
		}
		l.box.deliver(l, op.Tag)
	}
	l.received.Add(op.Bytes)
	p.box.complete(q)
	return nil
}
