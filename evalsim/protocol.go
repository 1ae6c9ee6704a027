package evalsim

import "remap/workload"

// How messages get from a send to a receive.
//
//	eager        sender    ==== data ====>   receiver
//
//	rendezvous   sender    -- request ---->  receiver    waits for a matching receive
//	             sender    <---- clear ----  receiver
//	             sender    ==== data ====>   receiver
//
// Requests and clearances are messages of controlBytes each. They are packets
// like all others, on links, in samples and in the counts of the pair whose
// message they serve, but no messages of the job. Within a host they cost
// nothing. One record is the request, the clearance and the data in turn.
//
// Programs without receives have nobody to answer: all they send is eager.

// What a message is, in message.kind.
const (
	plain         = iota // of a job of blocking sends only: has no envelope
	eager                // data that nobody was asked for
	rendezvous           // data that the receiver waits for
	requestToSend        // in front of data
	clearToSend          // the answer
	freedMessage         // not in use; set under the tag invariants only
)

// controlBytes are the bytes of a request to send and of its answer.
const controlBytes = 64

// enclose gives a new message its envelope, and makes it a request to send when
// it is above the eager limit.
func (s *simulator) enclose(id int32, op *workload.Op, request int32) {
	for len(s.envelopes) <= int(id) {
		s.envelopes = append(s.envelopes, envelope{})
	}
	m, e := &s.messages[id], &s.envelopes[id]
	*e = envelope{called: m.posted, request: request, receive: -1, tag: op.Tag}
	m.kind = eager
	if !s.jobs[m.job].receives {
		return
	}
	pair := &s.pairs[m.flow]
	e.sequence = pair.sent
	pair.sent++
	if limit := s.jobs[m.job].eagerBytes; limit > 0 && op.Bytes > limit {
		m.kind, m.left = requestToSend, controlBytes
	}
}

// inject hands a message to its NIC, data only when the rank may have one more
// there.
func (s *simulator) inject(id int32, m *message) {
	if limit := int32(s.options.MaxInFlight); limit > 0 && (m.kind == eager || m.kind == rendezvous) {
		p := &s.parties[m.rank]
		if p.inside >= limit {
			m.next = -1
			if p.queue.last < 0 {
				p.queue.first = id
			} else {
				s.messages[p.queue.last].next = id
			}
			p.queue.last = id
			return
		}
		p.inside++
	}
	s.post(id)
}

// leaveNIC makes room for a rank's next message.
func (s *simulator) leaveNIC(r int32, at int64) {
	if s.options.MaxInFlight == 0 {
		return
	}
	p := &s.parties[r]
	id := p.queue.first
	if id < 0 {
		p.inside--
		return
	}
	m := &s.messages[id]
	if p.queue.first = m.next; m.next < 0 {
		p.queue.last = -1
	}
	m.posted = max(m.posted, at)
	s.post(id)
}

// sendDone ends the operation that sent a message: its last byte has left, or
// its copy within the host is complete.
func (s *simulator) sendDone(id int32, at int64) {
	r, request := s.messages[id].rank, s.envelopes[id].request
	if request < 0 {
		s.nextOp(r, at)
	} else {
		s.complete(r, request, at)
	}
}

// enclosedArrived takes in the data of a message with an envelope.
func (s *simulator) enclosedArrived(id int32, m *message, now int64) {
	e := &s.envelopes[id]
	s.delivered(m, e.called, now)
	switch {
	case m.kind == rendezvous:
		receive := e.receive
		s.freeMessage(id)
		s.receiveDone(receive, now)
	case s.jobs[m.job].receives:
		s.offer(id, now)
	default:
		s.freeMessage(id)
	}
}

// join brings a message and the receive that takes it together: data that is
// here ends the receive, a request is answered.
func (s *simulator) join(id, receive int32, now int64) {
	at := max(now, s.receives[receive].at)
	m := &s.messages[id]
	if m.kind == eager {
		s.freeMessage(id)
		s.receiveDone(receive, at)
		return
	}
	s.envelopes[id].receive = receive
	m.posted = at
	if m.link < 0 {
		m.kind = rendezvous
		s.copyWithin(id, s.hostOf(m.rank), at)
		return
	}
	m.kind, m.left = clearToSend, controlBytes
	s.address(m, s.hostOf(m.peer), s.hostOf(m.rank))
	s.post(id)
}

// cleared is called when the answer has reached the sender: the data goes.
func (s *simulator) cleared(id int32, now int64) {
	m := &s.messages[id]
	m.kind, m.left, m.posted = rendezvous, s.opOf(m).Bytes, now
	s.address(m, s.hostOf(m.rank), s.hostOf(m.peer))
	s.inject(id, m)
}
