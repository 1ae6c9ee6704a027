package flows

import (
	"context"
	"slices"
	"sync"

	"remap/workload"
)

// request is a receive, or a send that is under way.
type request struct {
	peer int32  // of a receive: sender or AnySource
	tag  uint16 // of a receive: tag or AnyTag
	done bool   // guarded by the mailbox of the rank that made it
}

// unexpected is a message that no receive has taken.
type unexpected struct {
	tag    uint16
	number int64 // in the order of arrival over all senders
}

// mailbox matches the messages and the receives of a rank.
type mailbox struct {
	mu       sync.Mutex
	links    []*link // of all senders
	bySender map[int32]*link
	arrived  int64      // messages so far
	posted   []*request // receives that nothing has matched, in their order
	wake     chan struct{}
}

func newMailbox() mailbox {
	return mailbox{bySender: map[int32]*link{}, wake: make(chan struct{}, 1)}
}

// signal makes a channel of capacity 1 readable.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// deliver gives an arrived message to the first receive that takes it, or keeps it.
func (b *mailbox) deliver(l *link, tag uint16) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.arrived++
	for i, q := range b.posted {
		if (q.peer == workload.AnySource || q.peer == l.from) && (q.tag == workload.AnyTag || q.tag == tag) {
			b.posted = slices.Delete(b.posted, i, i+1)
			q.done = true
			signal(b.wake)
			return
		}
	}
	l.unexpected = append(l.unexpected, unexpected{tag, b.arrived})
}

// post gives a receive the earliest message that it takes, or keeps the receive.
func (b *mailbox) post(q *request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	var from *link
	var at int
	if q.peer != workload.AnySource {
		if from = b.bySender[q.peer]; from != nil {
			at = from.find(q.tag)
		}
	} else {
		from, at = b.earliest(q.tag)
	}
	if from == nil || at < 0 {
		b.posted = append(b.posted, q)
		return
	}
	q.done = true
	if at == 0 {
		from.unexpected = from.unexpected[1:]
	} else {
		from.unexpected = slices.Delete(from.unexpected, at, at+1)
	}
	signal(from.room)
}

// earliest finds the earliest message of any sender with a tag; nil if there is none.
func (b *mailbox) earliest(tag uint16) (from *link, at int) {
	for _, l := range b.links {
		if i := l.find(tag); i >= 0 && (from == nil || l.unexpected[i].number < from.unexpected[at].number) {
			from, at = l, i
		}
	}
	return from, at
}

// find is the index of the earliest unexpected message with a tag, -1 if there is none.
func (l *link) find(tag uint16) int {
	return slices.IndexFunc(l.unexpected, func(u unexpected) bool {
		return tag == workload.AnyTag || u.tag == tag
	})
}

// complete marks a request as done.
func (b *mailbox) complete(q *request) {
	b.mu.Lock()
	q.done = true
	b.mu.Unlock()
	signal(b.wake)
}

// await waits until a request is done.
func (b *mailbox) await(ctx context.Context, q *request) error {
	for {
		b.mu.Lock()
		done := q.done
		b.mu.Unlock()
		if done {
			return nil
		}
		select {
		case <-b.wake:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// awaitRoom waits until the receiver keeps few enough messages of a link to take the next.
func (b *mailbox) awaitRoom(ctx context.Context, l *link) error {
	for {
		b.mu.Lock()
		full := len(l.unexpected) >= l.most
		b.mu.Unlock()
		if !full {
			return nil
		}
		select {
		case <-l.room:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
