package workload

import "time"

// InjectionBound is the longest time any rank needs until its last message to
// another has left, what it must do before included: idling, computing, and
// waiting for what it sends. A message leaves by one rail at the rail's rate,
// those of a rank together at most at the host's; without several rails a host
// the two are one. No mapping of one rank a host is faster, as long as computing
// takes no less than its time in the program. Self traffic is not injected; what
// follows the last message delays nobody; receives count as answered at once.
//
// Non-blocking sends overlap with what the rank does until it waits for them.
// They share the rails with others, in an order that is not known here, so that
// only two things are certain of a message: it takes its own bytes from when
// it is posted, and all that was posted shares the host's rate. O(operations).
func InjectionBound(p *Program, railBytesPerSecond, hostBytesPerSecond float64) time.Duration {
	var (
		b    = bound{rate: railBytesPerSecond, share: railBytesPerSecond / hostBytesPerSecond}
		most float64
	)
	for r := range int32(p.Ranks()) {
		most = max(most, b.rank(r, p.RankOps(r)))
	}
	return duration(most / railBytesPerSecond)
}

// bound is the earliest that a rank and its rails can be done with what they
// have done so far. Times are in bytes at a rail's rate: with one rail, sums of
// sizes stay whole numbers, which are exact up to 2^53.
type bound struct {
	rate     float64   // of a rail, bytes a second
	share    float64   // of the host's rate that one rail is
	now      float64   // the rank
	links    float64   // the rails together, with all messages posted
	done     float64   // every request
	requests []request // of the rank, in order
	settled  int       // the first so many are done, because all were waited for
	open     int       // requests of the rails that were not waited for
}

// request is a non-blocking operation.
type request struct {
	done    float64 // earliest end; 0 for receives
	leaving bool    // a send to another rank that was not waited for
}

// rank is the earliest end of the last message that rank r sends another.
func (b *bound) rank(r int32, ops []Op) (last float64) {
	b.now, b.links, b.done, b.requests, b.settled, b.open = 0, 0, 0, b.requests[:0], 0, 0
	for _, op := range ops {
		sends, left := op.Kind.IsSend() && op.Peer != r, b.now
		if sends {
			b.links = max(b.links, b.now) + float64(op.Bytes)*b.share
			left += float64(op.Bytes)
			last = max(last, b.links, left)
		}
		switch op.Kind {
		case Send:
			b.now = left
		case Isend, Ireceive:
			made := request{leaving: sends}
			if sends {
				made.done = left
				b.done = max(b.done, left)
				b.open++
			}
			b.requests = append(b.requests, made)
		case Idle:
			b.now += float64(op.Bytes)
		case Compute:
			b.now += float64(op.Bytes) * b.rate / 1e9
		case Wait:
			b.wait(int(op.Bytes))
		case WaitAll:
			b.waitAll()
		}
	}
	return last
}

// wait for a request. Once none is left, the rails are at rest.
func (b *bound) wait(number int) {
	if number < b.settled {
		return
	}
	q := &b.requests[number]
	b.now = max(b.now, q.done)
	if !q.leaving {
		return
	}
	q.leaving = false
	if b.open--; b.open == 0 {
		b.now = max(b.now, b.links)
	}
}

func (b *bound) waitAll() {
	b.now, b.settled, b.open = max(b.now, b.links, b.done), len(b.requests), 0
}

// EjectionBound is the time the rank that receives the most bytes from others
// needs to take them in at that rate.
func EjectionBound(p *Program, bytesPerSecond float64) time.Duration {
	received := make([]int64, p.Ranks())
	var most int64
	for r := range int32(p.Ranks()) {
		for _, op := range p.RankOps(r) {
			if op.Kind.IsSend() && op.Peer != r {
				received[op.Peer] += op.Bytes
				most = max(most, received[op.Peer])
			}
		}
	}
	return InjectionTime(most, bytesPerSecond)
}
