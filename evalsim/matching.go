package evalsim

import "remap/workload"

// Messages and receives find each other as in MPI: a message that arrives takes
// the earliest posted receive that wants it, a receive the earliest message that
// is there, and messages of one pair of ranks count as arrived in the order in
// which they were sent, whichever way they came.
//
// Receives of a given source are kept by pair of ranks (Open MPI does the same),
// so that neither side searches among the messages of others; those of any
// source by rank. All queues are lists through flat slices.

// list is a queue: -1, -1 when it is empty.
type list struct{ first, last int32 }

var emptyList = list{-1, -1}

// envelope is what matching knows of a message; it has the message's number.
type envelope struct {
	called   int64 // ps: when the program sent it
	arrived  int64 // ps: when it, or its request to send, was there
	request  int32 // of the sender, index into requests; -1 for a blocking send
	receive  int32 // rendezvous: the receive that waits for the data
	sequence int32 // number among the messages of its pair
	next     int32 // following one in pair.unexpected, or in party.early
	older    int32 // neighbours in party.unexpected
	newer    int32
	tag      uint16
}

// pair is an ordered pair of ranks that exchange messages; it has the number of
// their flow.
type pair struct {
	sent       int32 // messages sent so far
	taken      int32 // messages that have arrived in order so far
	posted     list  // receives of this source, without a message
	unexpected list  // arrived messages without a receive
}

// receive is a posted receive.
type receive struct {
	at      int64 // ps: when it was posted
	rank    int32
	op      int32 // its operation
	number  int32 // among the receives of its rank: tells which of two was posted first
	request int32 // index into requests; -1 for a blocking one
	next    int32 // following one of its queue or of the free list
	tag     uint16
}

func fits(wanted, tag uint16) bool { return wanted == tag || wanted == workload.AnyTag }

// receive posts a receive; request is -1 for a blocking one. It says whether,
// and when, it was over at once.
func (s *simulator) receive(r int32, op *workload.Op, now int64, request int32) (done bool, at int64) {
	k := &s.ranks[r]
	flow := s.jobs[k.job].opFlow[k.op]
	if op.Peer != workload.AnySource && flow < 0 {
		return false, 0 // its source never sends to this rank
	}
	id := s.takeUnexpected(r, flow, op)
	if id >= 0 && s.messages[id].kind == eager {
		at = max(now, s.envelopes[id].arrived)
		s.freeMessage(id)
		if request >= 0 {
			s.complete(r, request, at)
		}
		return true, at
	}
	v := s.newReceive()
	s.parties[r].posts++
	s.receives[v] = receive{at: now, rank: r, op: k.op, number: s.parties[r].posts, request: request, next: -1,
		tag: op.Tag}
	switch {
	case id >= 0:
		s.join(id, v, s.envelopes[id].arrived)
	case op.Peer == workload.AnySource:
		s.appendReceive(&s.parties[r].posted, v)
	default:
		s.appendReceive(&s.pairs[flow].posted, v)
	}
	return false, 0
}

// receiveDone ends a receive at a time.
func (s *simulator) receiveDone(v int32, now int64) {
	w := s.receives[v]
	s.freeReceive(v)
	at := max(now, w.at)
	if w.request >= 0 {
		s.complete(w.rank, w.request, at)
		return
	}
	s.reach(w.rank, at)
	s.nextOp(w.rank, at)
}

// offer takes in a message, or its request to send, that has reached its
// receiver: at once if all its forerunners have, else when they have.
func (s *simulator) offer(id int32, now int64) {
	flow, r := s.messages[id].flow, s.messages[id].peer
	if e := &s.envelopes[id]; e.sequence != s.pairs[flow].taken {
		e.arrived, e.next = now, s.parties[r].early
		s.parties[r].early = id
		return
	}
	for id >= 0 {
		s.pairs[flow].taken++
		s.match(id, now)
		id = s.takeEarly(r, flow)
	}
}

// takeEarly takes the message of a pair that is next in order out of those of a
// rank that came too early; -1 if it is not there.
func (s *simulator) takeEarly(r, flow int32) int32 {
	at := &s.parties[r].early
	for id := *at; id >= 0; id = *at {
		e := &s.envelopes[id]
		if s.messages[id].flow == flow && e.sequence == s.pairs[flow].taken {
			*at = e.next
			return id
		}
		at = &e.next
	}
	return -1
}

// match gives a message to the earliest receive that wants it, or keeps it.
//
// Who gets whom depends on the order of a rank's receives and on that of its
// messages only, not on how the two interleave: each side prefers the earlier
// of the other, and such preferences have one stable matching. A receive that
// was posted a little ahead of the event in hand therefore gets what it would
// get later.
func (s *simulator) match(id int32, now int64) {
	m, e := &s.messages[id], &s.envelopes[id]
	now = max(now, e.arrived) // the forerunner's time; itself may come a little ahead
	e.arrived = now
	p, party := &s.pairs[m.flow], &s.parties[m.peer]
	one, before := s.findReceive(p.posted, e.tag)
	any, beforeAny := s.findReceive(party.posted, e.tag)
	switch {
	case one >= 0 && (any < 0 || s.receives[one].number < s.receives[any].number):
		s.unlinkReceive(&p.posted, one, before)
		s.join(id, one, now)
	case any >= 0:
		s.unlinkReceive(&party.posted, any, beforeAny)
		s.join(id, any, now)
	default:
		s.keepUnexpected(id, p, party)
	}
}

// keepUnexpected queues a message for a receive to come, by pair and by rank.
func (s *simulator) keepUnexpected(id int32, p *pair, party *party) {
	e := &s.envelopes[id]
	e.next, e.newer, e.older = -1, -1, party.unexpected.last
	if p.unexpected.last < 0 {
		p.unexpected.first = id
	} else {
		s.envelopes[p.unexpected.last].next = id
	}
	p.unexpected.last = id
	if e.older < 0 {
		party.unexpected.first = id
	} else {
		s.envelopes[e.older].newer = id
	}
	party.unexpected.last = id
}

// takeUnexpected takes the earliest message that a receive wants out of its
// queues; -1 if there is none.
func (s *simulator) takeUnexpected(r, flow int32, op *workload.Op) int32 {
	party := &s.parties[r]
	id := party.unexpected.first
	if op.Peer == workload.AnySource {
		for id >= 0 && !fits(op.Tag, s.envelopes[id].tag) {
			id = s.envelopes[id].newer
		}
		if id < 0 {
			return -1
		}
		flow = s.messages[id].flow
	}
	p := &s.pairs[flow]
	before := int32(-1)
	for id = p.unexpected.first; id >= 0 && !fits(op.Tag, s.envelopes[id].tag); id = s.envelopes[id].next {
		before = id
	}
	if id < 0 {
		return -1
	}
	e := &s.envelopes[id]
	if before < 0 {
		p.unexpected.first = e.next
	} else {
		s.envelopes[before].next = e.next
	}
	if e.next < 0 {
		p.unexpected.last = before
	}
	if e.older < 0 {
		party.unexpected.first = e.newer
	} else {
		s.envelopes[e.older].newer = e.newer
	}
	if e.newer < 0 {
		party.unexpected.last = e.older
	} else {
		s.envelopes[e.newer].older = e.older
	}
	return id
}

// findReceive is the first of a queue that wants a tag, and the one before it.
func (s *simulator) findReceive(l list, tag uint16) (found, before int32) {
	before = -1
	for found = l.first; found >= 0 && !fits(s.receives[found].tag, tag); found = s.receives[found].next {
		before = found
	}
	return found, before
}

func (s *simulator) appendReceive(l *list, v int32) {
	if l.last < 0 {
		l.first = v
	} else {
		s.receives[l.last].next = v
	}
	l.last = v
}

func (s *simulator) unlinkReceive(l *list, v, before int32) {
	next := s.receives[v].next
	if before < 0 {
		l.first = next
	} else {
		s.receives[before].next = next
	}
	if next < 0 {
		l.last = before
	}
}

func (s *simulator) newReceive() int32 {
	if v := s.freeReceives; v >= 0 {
		s.freeReceives = s.receives[v].next
		return v
	}
	s.receives = append(s.receives, receive{})
	return int32(len(s.receives) - 1)
}

func (s *simulator) freeReceive(v int32) {
	s.receives[v] = receive{rank: -1, next: s.freeReceives}
	s.freeReceives = v
}
