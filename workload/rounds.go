package workload

import "remap/commgraph"

// roundsOf gives every send of a program a round: messages of one round can be
// under way at once, those of different rounds are not where ranks keep step.
// Length operations; only sends mean anything. ok is false when no rank ever
// waits: all rounds would be 0.
//
// Rounds are Lamport's clocks (1978) with waiting as the event that counts: a
// rank's first send behind a Wait, WaitAll or Receive is one round after its last
// one before it, and at least one round after every message that it has
// waited for was sent. Receives and messages find each other as in MPI, in a run
// without time in which ranks go on as far as they can, one after the other;
// where AnySource leaves a choice, the order of that run makes it. What comes
// behind a wait that never ends has the round of that wait.
//
// entry is what sendEntries gives.
// O(operations), and a receive of AnySource looks at all who send to its rank.
func (p *Program) roundsOf(traffic *commgraph.Traffic, entry []int32) (rounds []int32, ok bool) {
	for i := range p.Ops {
		ok = ok || p.Ops[i].Kind.waits()
	}
	if !ok {
		return nil, false
	}
	x := newUntimed(p, traffic, entry)
	x.run()
	for r := range int32(p.Ranks()) { // ranks that wait for ever
		for i := x.ranks[r].at; i < p.Offsets[r+1]; i++ {
			x.rounds[i] = x.ranks[r].round
		}
	}
	return x.rounds, true
}

// sendEntries gives for every send the entry of its pair in Program.Traffic, -1
// for other operations; length operations.
func (p *Program) sendEntries(traffic *commgraph.Traffic) []int32 {
	entry := make([]int32, len(p.Ops))
	for r := range int32(p.Ranks()) {
		for i := p.Offsets[r]; i < p.Offsets[r+1]; i++ {
			if entry[i] = -1; p.Ops[i].Kind.IsSend() {
				entry[i] = traffic.Find(r, p.Ops[i].Peer)
			}
		}
	}
	return entry
}

// waits tells whether the operation may end only when something else has.
func (k OpKind) waits() bool { return k == Receive || k == Wait || k == WaitAll }

// untimedRun runs a program without time.
type untimedRun struct {
	*Program
	traffic  *commgraph.Traffic
	entry    []int32   // length operations
	incoming [][]int32 // length ranks: entries that end there; nil when no receive is of AnySource
	rounds   []int32   // length operations: of a send its own, of a receive that of its message; -1 = none yet
	next     []int32   // length operations: the message of the same pair sent after this one; -1 = none
	queues   []queue   // length entries: messages that no receive has taken
	ranks    []untimedRank
	ready    []int32 // ranks that may go on, in order
	listed   []bool  // length ranks: stands in ready
}

// queue is messages of a pair, by the operations that sent them; -1 = none.
type queue struct{ first, last int32 }

// untimedRank is how far a rank has come.
type untimedRank struct {
	at       int32   // its next operation
	round    int32   // of its next send
	sent     bool    // it has sent in this round
	requests []int32 // operations that made its requests
	waited   int     // requests that a WaitAll has waited for: the first so many
	open     []int32 // its receives without a message, as posted
	posted   bool    // the blocking receive in hand is among them
}

func newUntimed(p *Program, traffic *commgraph.Traffic, entry []int32) *untimedRun {
	n := p.Ranks()
	x := &untimedRun{Program: p, traffic: traffic, entry: entry, queues: make([]queue, len(traffic.Bytes)),
		ranks: make([]untimedRank, n), listed: make([]bool, n)}
	x.rounds, x.next = make([]int32, len(p.Ops)), make([]int32, len(p.Ops))
	for i := range x.rounds {
		x.rounds[i], x.next[i] = -1, -1
		if op := &p.Ops[i]; x.incoming == nil && op.Kind.IsReceive() && op.Peer == AnySource {
			x.incoming = make([][]int32, n)
			for e, to := range traffic.Destinations {
				x.incoming[to] = append(x.incoming[to], int32(e))
			}
		}
	}
	for i := range x.queues {
		x.queues[i] = queue{-1, -1}
	}
	for r := range n {
		x.ranks[r].at = p.Offsets[r]
		x.wake(int32(r))
	}
	return x
}

func (x *untimedRun) wake(r int32) {
	if !x.listed[r] {
		x.listed[r] = true
		x.ready = append(x.ready, r)
	}
}

// run ends when no rank can go on.
func (x *untimedRun) run() {
	for len(x.ready) > 0 {
		turn := x.ready
		x.ready = nil
		for _, r := range turn {
			x.listed[r] = false
			for x.ranks[r].at < x.Offsets[r+1] && x.step(r) {
				x.ranks[r].at++
			}
		}
	}
}

// step does the operation in hand of a rank; it tells whether that has ended.
func (x *untimedRun) step(r int32) bool {
	k := &x.ranks[r]
	i := k.at
	op := &x.Ops[i]
	if op.Kind.IsRequest() {
		k.requests = append(k.requests, i)
	}
	switch {
	case op.Kind.IsSend():
		x.rounds[i], k.sent = k.round, true
		x.send(i, op.Peer)
	case op.Kind == Ireceive:
		k.open = append(k.open, i)
	case op.Kind == Receive:
		if !k.posted {
			k.posted = true
			k.open = append(k.open, i)
		}
		x.match(r)
		if x.rounds[i] < 0 {
			return false
		}
		k.posted = false
		k.pass(x.rounds[i])
	case op.Kind == Wait:
		request := k.requests[op.Bytes]
		if x.Ops[request].Kind == Isend {
			k.pass(-1)
			break
		}
		x.match(r)
		if x.rounds[request] < 0 {
			return false
		}
		k.pass(x.rounds[request])
	case op.Kind == WaitAll:
		if x.match(r); len(k.open) > 0 {
			return false
		}
		latest := int32(-1)
		for _, request := range k.requests[k.waited:] {
			if x.Ops[request].Kind == Ireceive {
				latest = max(latest, x.rounds[request])
			}
		}
		k.waited = len(k.requests)
		k.pass(latest)
	}
	return true
}

// pass ends a wait for a message of a round, -1 for none.
func (k *untimedRank) pass(message int32) {
	round := max(k.round, message+1)
	if k.sent {
		round = max(round, k.round+1)
	}
	if round > k.round {
		k.round, k.sent = round, false
	}
}

// send puts a message into its pair's queue.
func (x *untimedRun) send(i, to int32) {
	q := &x.queues[x.entry[i]]
	if q.last < 0 {
		q.first = i
	} else {
		x.next[q.last] = i
	}
	q.last = i
	x.wake(to)
}

// match gives the receives of a rank their messages, as far as these are there,
// in the order in which they were posted.
func (x *untimedRun) match(r int32) {
	k := &x.ranks[r]
	left := k.open[:0]
	for _, i := range k.open {
		if x.rounds[i] = x.take(r, &x.Ops[i]); x.rounds[i] < 0 {
			left = append(left, i)
		}
	}
	k.open = left
}

// take gives the round of the message that a receive takes, -1 = none is there.
// AnySource takes one of the earliest round.
func (x *untimedRun) take(r int32, op *Op) int32 {
	best := place{-1, -1, -1}
	if op.Peer != AnySource {
		if e := x.traffic.Find(op.Peer, r); e >= 0 {
			best = x.find(e, op.Tag)
		}
	} else {
		for _, e := range x.incoming[r] {
			if at := x.find(e, op.Tag); at.message >= 0 && (best.message < 0 ||
				x.rounds[at.message] < x.rounds[best.message]) {
				best = at
			}
		}
	}
	if best.message < 0 {
		return -1
	}
	x.remove(best)
	return x.rounds[best.message]
}

// place is where a message stands in the queue of its pair, and the one before
// it; -1 = none.
type place struct{ entry, before, message int32 }

// find looks for the first message of a pair that has the tag.
func (x *untimedRun) find(entry int32, tag uint16) place {
	before := int32(-1)
	for i := x.queues[entry].first; i >= 0; i = x.next[i] {
		if tag == AnyTag || x.Ops[i].Tag == tag {
			return place{entry, before, i}
		}
		before = i
	}
	return place{entry, -1, -1}
}

func (x *untimedRun) remove(at place) {
	q := &x.queues[at.entry]
	after := x.next[at.message]
	if at.before < 0 {
		q.first = after
	} else {
		x.next[at.before] = after
	}
	if q.last == at.message {
		q.last = at.before
	}
}
