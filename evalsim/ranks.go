package evalsim

import (
	"math/bits"

	"remap/topology"
	"remap/workload"
)

// rank is a process: where it is in its program. A rank that has begun an
// operation and not the next one is waiting for that operation's end; there is
// no other state to tell.
type rank struct {
	op   int32 // index of the operation in hand, in Program.Ops
	end  int32 // end of its operations
	step int32 // that it is in, from 0
	job  uint16
}

// startRanks puts every rank at the beginning of its program, at time 0 or at
// its random start.
func (s *simulator) startRanks() {
	s.endlessly = endlessly{}
	s.startSteps()
	for j := range s.jobs {
		job := &s.jobs[j]
		s.endless = s.endless || job.Endless
		for r := range int32(job.Program.Ranks()) {
			s.ranks[job.firstRank+r] = rank{op: job.Program.Offsets[r] - 1, end: job.Program.Offsets[r+1],
				job: uint16(j)}
		}
	}
	// Equal times are served in the order of their making. Which of two ranks
	// begins first is a random bit, so that none is favoured and repeats differ;
	// exclusive or keeps neighbours together, and with them their cache lines.
	span := uint32(1) << bits.Len(uint(len(s.ranks)))
	mask := s.random.Uint32() & (span - 1)
	for i := range span {
		if r := int32(i ^ mask); int(r) < len(s.ranks) {
			if s.options.StartJitter > 0 {
				s.wake(r, s.startTime(r))
			} else {
				s.nextOp(r, 0)
			}
		}
	}
}

// nextOp goes on with a rank's program after the operation in hand, up to the
// next one that takes time. now may be a little ahead of the event in hand: it
// is when the last byte of a message leaves. What a receive gets does not depend
// on that, see match.
func (s *simulator) nextOp(r int32, now int64) {
	if invariants {
		s.checkClock(r, now)
	}
	k := &s.ranks[r]
	job := &s.jobs[k.job]
	for k.op++; k.op < k.end; k.op++ {
		op := &job.Program.Ops[k.op]
		switch op.Kind {
		case workload.Send:
			s.send(r, op, now, -1)
			return
		case workload.Isend:
			s.send(r, op, now, s.newRequest(r))
		case workload.Idle:
			injection, _ := s.topology.Out(job.Hosts[r-job.firstRank])
			s.wake(r, now+int64(float64(op.Bytes)/s.topology.Links[injection].BytesPerSecond*1e12))
			return
		case workload.Compute:
			done := now + s.computeTime(r, op)
			s.reach(r, done)
			s.wake(r, done)
			return
		default:
			done, at := s.blocking(r, op, now)
			if !done {
				return
			}
			now = at
		}
	}
	s.atEnd(r, now)
}

// blocking begins a receive or a wait and says whether, and when, it is over
// at once.
func (s *simulator) blocking(r int32, op *workload.Op, now int64) (done bool, at int64) {
	switch op.Kind {
	case workload.Receive:
		done, at = s.receive(r, op, now, -1)
	case workload.Ireceive:
		s.receive(r, op, now, s.newRequest(r))
		return true, now
	default:
		s.parties[r].at = now
		done, at = s.over(r, op)
	}
	if done {
		s.reach(r, at)
	}
	return done, at
}

// send begins the message of an operation; request is -1 for a blocking one.
func (s *simulator) send(r int32, op *workload.Op, now int64, request int32) {
	k := &s.ranks[r]
	job := &s.jobs[k.job]
	id := s.newMessage()
	if !job.Endless {
		s.flying++
		s.stepsOf[k.job].open[s.slotOf(r)]++
	}
	m := &s.messages[id]
	*m = message{left: op.Bytes, posted: now, link: -1, flow: job.opFlow[k.op], table: s.tableOf(k.job, k.op),
		rank: r, peer: job.firstRank + op.Peer, op: k.op, job: k.job, slot: s.slotOf(r)}
	if !job.plain {
		s.enclose(id, op, request)
	}
	me, to := job.Hosts[r-job.firstRank], job.Hosts[op.Peer]
	switch {
	case me != to:
		s.address(m, me, to)
		s.inject(id, m)
	case m.kind == requestToSend:
		s.offer(id, now) // costs nothing within a host
	default:
		s.copyWithin(id, me, now)
	}
}

// address picks the rails of a message: those of least distance, pairs of equal
// distance in turn over the messages of a host. A request or an answer goes where
// the next message of its host would.
func (s *simulator) address(m *message, from, to int32) {
	s.rails = s.topology.NearestRails(s.rails, from, to)
	pair := s.rails[0]
	if len(s.rails) > 1 {
		first, _ := s.topology.Out(from)
		pair = inTurn(s.rails, int(s.turns[first]))
		if m.kind != requestToSend && m.kind != clearToSend {
			s.turns[first]++
		}
	}
	m.link, m.toLink, m.to = pair.Injection, pair.Ejection, s.origin[pair.Ejection]
}

// inTurn is the pair of rails of a turn. Pairs are sorted by injection rail; where
// every one of these goes with as many others, turns next to each other take
// different rails at both ends.
func inTurn(pairs []topology.Rails, turn int) topology.Rails {
	ends := 1
	for ends < len(pairs) && pairs[ends].Injection == pairs[0].Injection {
		ends++
	}
	begins := len(pairs) / ends
	if begins*ends != len(pairs) {
		return pairs[turn%len(pairs)]
	}
	begin := turn % begins
	return pairs[begin*ends+(begin+turn/begins)%ends]
}

// hostOf is the host a rank sits on.
func (s *simulator) hostOf(r int32) int32 {
	job := &s.jobs[s.ranks[r].job]
	return job.Hosts[r-job.firstRank]
}

// opOf is the operation that sent a message.
func (s *simulator) opOf(m *message) *workload.Op { return &s.jobs[m.job].Program.Ops[m.op] }

// wake asks for woken at a time: for a rank, or for what memory.go numbers
// below 0.
func (s *simulator) wake(who int32, at int64) {
	s.timers.push(timer{at: at, number: s.timed, rank: who})
	s.timed++
}

// woken is the answer to wake.
func (s *simulator) woken(who int32, now int64) {
	switch {
	case who >= 0:
		s.nextOp(who, now)
	case who == sliceEnd:
		s.endSlice(now)
	default:
		s.wokenMemory(^who, now)
	}
}

// sent is called when the last byte of a message leaves its host, which may be
// a little ahead of the event in hand.
func (s *simulator) sent(id int32, at int64) {
	m := &s.messages[id]
	switch m.kind {
	case plain:
		s.nextOp(m.rank, at)
	case eager, rendezvous:
		s.leaveNIC(m.rank, at)
		s.sendDone(id, at)
	}
}

// arrived is called when the last byte of a message has reached its host.
func (s *simulator) arrived(id int32, m *message, now int64) {
	switch m.kind {
	case plain:
		s.delivered(m, m.posted, now)
		s.freeMessage(id)
	case requestToSend:
		s.offer(id, now)
	case clearToSend:
		s.cleared(id, now)
	default:
		s.enclosedArrived(id, m, now)
	}
}

// delivered counts a message, control messages apart, whose last byte has
// reached the receiving host: over the network or within the host. called is
// when the program sent it.
func (s *simulator) delivered(m *message, called, now int64) {
	s.reachStep(m.job, m.slot, now)
	if !s.jobs[m.job].Endless {
		s.flying--
		s.less(m.job, m.slot, now)
	}
	if s.latencies != nil && m.link >= 0 {
		s.latencies.add(s.opOf(m).Bytes, (now-called+500)/1000)
	}
}
