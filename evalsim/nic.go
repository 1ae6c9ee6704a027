package evalsim

import (
	"math/bits"

	"remap/workload"
)

// rank is a process: where it is in its program and what it is sending.
type rank struct {
	op     int32 // index of the operation in hand, in Program.Ops
	end    int32 // end of its operations
	next   int32 // following rank in the ring of its injection link
	link   int32 // injection link of the message in hand
	toLink int32
	flow   int32
	job    uint16
	left   int64 // bytes of the message in hand not yet sent
	ready  int64 // when the message in hand could begin
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
		s.address(k, me, job.Hosts[op.Peer], k.op+r)
		k.left, k.ready, k.flow = op.Bytes, now, job.opFlow[k.op]
		s.join(r, k)
		s.inject(k.link)
	}
}

func (s *simulator) wake(r int32, at int64) {
	s.timers.push(timer{at: at, number: s.timed, rank: r})
	s.timed++
}

// address picks the rails of a message: those of least distance, pairs of equal
// distance in turn, a host's ranks beginning at different ones.
func (s *simulator) address(k *rank, from, to, turn int32) {
	s.rails = s.topology.NearestRails(s.rails, from, to)
	pair := s.rails[int(turn)%len(s.rails)]
	k.link, k.toLink = pair.Injection, pair.Ejection
}

// join puts a rank last in the ring of the ranks that send over its link. The
// ring is known by its last rank, whose next is the first.
func (s *simulator) join(r int32, k *rank) {
	last := s.nics[k.link]
	if last < 0 {
		k.next = r
	} else {
		k.next = s.ranks[last].next
		s.ranks[last].next = r
	}
	s.nics[k.link] = r
}

// inject sends one packet of the rank whose turn it is, if the link is at rest
// and the switch has room. A packet comes to be only now, so a network holds
// no more packets than its buffers do.
func (s *simulator) inject(link int32) {
	base := link * s.virtual
	c := &s.channels[base]
	last := s.nics[link]
	if last < 0 || c.flight >= 0 {
		return
	}
	r := s.ranks[last].next
	k := &s.ranks[r]
	size := int32(min(k.left, int64(s.full)))
	if c.credits < size {
		return
	}
	p := s.newPacket()
	pk := &s.packets[p]
	*pk = packet{ready: k.ready, next: -1, in: -1, flow: k.flow, toLink: k.toLink, size: size, job: k.job}
	s.load[base] += size
	s.created++
	s.transmit(base, base, c, c, p, pk)
	if k.left -= int64(size); k.left > 0 {
		s.nics[link] = r // the next in the ring goes on
		return
	}
	s.leave(r, k, last)
	s.nextOp(r, c.freeAt)
}

// leave takes the first rank out of its ring.
func (s *simulator) leave(r int32, k *rank, last int32) {
	if last == r {
		s.nics[k.link] = -1
		return
	}
	s.ranks[last].next = k.next
}

func (s *simulator) newPacket() int32 {
	if p := s.free; p >= 0 {
		s.free = s.packets[p].next
		return p
	}
	s.packets = append(s.packets, packet{})
	if s.sampling {
		s.samples = append(s.samples, reservoirs{})
	}
	return int32(len(s.packets) - 1)
}
