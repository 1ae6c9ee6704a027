package evalsim

import (
	"math/bits"

	"remap/workload"
)

// rank is a process: where it is in its program.
type rank struct {
	op  int32 // index of the operation in hand, in Program.Ops
	end int32 // end of its operations
	job uint16
}

// startRanks puts every rank at the beginning of its program, at time 0.
func (s *simulator) startRanks() {
	first := int32(0)
	for j := range s.jobs {
		program := s.jobs[j].Program
		for r := range int32(program.Ranks()) {
			s.ranks[first+r] = rank{op: program.Offsets[r] - 1, end: program.Offsets[r+1], job: uint16(j)}
		}
		first += int32(program.Ranks())
	}
	// Equal times are served in the order of their making. Which of two ranks
	// begins first is a random bit, so that none is favoured and repeats differ;
	// exclusive or keeps neighbours together, and with them their cache lines.
	span := uint32(1) << bits.Len(uint(len(s.ranks)))
	mask := s.random.Uint32() & (span - 1)
	for i := range span {
		if r := i ^ mask; int(r) < len(s.ranks) {
			s.nextOp(int32(r), 0)
		}
	}
}

// nextOp begins a rank's next operation at a time.
func (s *simulator) nextOp(r int32, now int64) {
	k := &s.ranks[r]
	k.op++
	if k.op >= k.end {
		return
	}
	job := &s.jobs[k.job]
	op := &job.Program.Ops[k.op]
	me := job.Hosts[r-job.firstRank]
	injection, _ := s.topology.Out(me)
	switch {
	case op.Kind == workload.Idle:
		s.wake(r, now+int64(float64(op.Bytes)/s.topology.Links[injection].BytesPerSecond*1e12))
	case job.Hosts[op.Peer] == me:
		// Within a host: a copy at memory speed; nobody else is in its way.
		done := now + int64(float64(op.Bytes)/s.options.MemoryBytesPerSecond*1e12)
		s.elapsed[k.job] = max(s.elapsed[k.job], done)
		s.wake(r, done)
	default:
		id := s.newMessage()
		m := &s.messages[id]
		*m = message{left: op.Bytes, posted: now, flow: job.opFlow[k.op], table: int32(k.job),
			rank: r, peer: job.firstRank + op.Peer, op: k.op, job: k.job}
		s.address(m, me, job.Hosts[op.Peer], k.op+r)
		s.post(id)
	}
}

// address picks the rails of a message: those of least distance, pairs of equal
// distance in turn, a host's ranks beginning at different ones.
func (s *simulator) address(m *message, from, to, turn int32) {
	s.rails = s.topology.NearestRails(s.rails, from, to)
	pair := s.rails[int(turn)%len(s.rails)]
	m.link, m.toLink, m.to = pair.Injection, pair.Ejection, s.origin[pair.Ejection]
}

// wake asks for woken at a time.
func (s *simulator) wake(r int32, at int64) {
	s.timers.push(timer{at: at, number: s.timed, rank: r})
	s.timed++
}

// woken is the answer to wake.
func (s *simulator) woken(r int32, now int64) { s.nextOp(r, now) }

// messageSent is called when the last byte of a message leaves its host, which may be
// a little ahead of the event in hand.
func (s *simulator) messageSent(id int32, at int64) { s.nextOp(s.messages[id].rank, at) }

// messageArrived is called when the last byte of a message has reached its host.
func (s *simulator) messageArrived(id int32, m *message, now int64) {
	s.elapsed[m.job] = max(s.elapsed[m.job], now)
	s.freeMessage(id)
}
