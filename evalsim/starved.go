package evalsim

import (
	"fmt"
	"math"

	"remap/workload"
)

// StarvedError says that a job makes no progress beside endless ones: none of its ranks
// waits for a time, and none of its packets has arrived while links sent a multiple of
// what all buffers of the network hold.
type StarvedError struct {
	// BlockedRank is one rank of the job, and what it waits for.
	BlockedRank

	// Jobs is the number of jobs of the simulation.
	Jobs int

	// Events is the number of packets that links delivered since the job's last progress.
	Events int64

	// Since is the time of that progress or an earlier one, in ns.
	Since float64

	// Until is the end of the run, in ns.
	Until float64
}

func (e *StarvedError) Error() string {
	return fmt.Sprintf("job %d makes no progress beside endless jobs: from %.0f to %.0f us, "+
		"in which links sent %d packets, none of its packets arrived; %s",
		e.Job, e.Since/1000, e.Until/1000, e.Events, e.BlockedRank.text())
}

// text is what a rank waits for.
func (b *BlockedRank) text() string {
	if b.Rank < 0 {
		return b.Waits
	}
	return fmt.Sprintf("rank %d, operation %d: %s", b.Rank, b.Operation, b.Waits)
}

// patience is the number of packets sent after which a job without progress is starved.
func (s *simulator) patience() int64 {
	room := int64(len(s.channels)) * int64(s.options.BufferBytes/s.options.PacketBytes)
	return max(patienceEvents, patienceRounds*room)
}

// progress is what changes when jobs that end make some: packets that arrived, operations
// that ended.
type progress struct {
	packets, operations, flying int64
	undone                      int
}

// lastProgress is the last change of the progress that a look has found.
type lastProgress struct {
	progress
	events int64 // number of events when it was found
	at     int64 // ps: when it was found
	next   int64 // events until the next look
}

// checkProgress ends a run in which endless jobs starve the others.
func (s *simulator) checkProgress() error {
	if s.events < s.latest.next {
		return nil
	}
	s.latest.next = s.events + lookEvery
	now := s.wheel.now << s.wheel.shift
	if have := s.madeProgress(); have != s.latest.progress || s.hasTimer() {
		s.latest = lastProgress{have, s.events, now, s.latest.next}
		return nil
	}
	if s.events-s.latest.events < s.patience() {
		return nil
	}
	return &StarvedError{BlockedRank: s.inHand(), Jobs: len(s.jobs), Events: s.events - s.latest.events,
		Since: float64(s.latest.at) / 1000, Until: float64(now) / 1000}
}

// madeProgress looks at the jobs that end.
func (s *simulator) madeProgress() progress {
	s.flush()
	p := progress{undone: s.undone, flying: s.flying}
	s.eachTable(len(s.tally), func(i, _, job int, _ category) {
		if !s.jobs[job].Endless {
			p.packets += s.tally[i].Packets
		}
	})
	for r := range s.ranks {
		if k := &s.ranks[r]; !s.jobs[k.job].Endless {
			p.operations += int64(k.op) + int64(k.step)<<32
		}
	}
	return p
}

// hasTimer tells whether a rank of a job that ends computes or idles.
func (s *simulator) hasTimer() bool {
	for _, t := range s.timers {
		if t.rank >= 0 && !s.jobs[s.ranks[t.rank].job].Endless {
			return true
		}
	}
	return false
}

// inHand is the first rank of a job that ends which is not at its end, and what it waits
// for; without one, a sender of what has not arrived.
func (s *simulator) inHand() BlockedRank {
	for r := range s.ranks {
		k := &s.ranks[r]
		job := &s.jobs[k.job]
		if job.Endless || k.op >= k.end {
			continue
		}
		own := int32(r) - job.firstRank
		b := BlockedRank{Rank: own, Job: int(k.job), Operation: k.op - job.Program.Offsets[own]}
		switch op := &job.Program.Ops[k.op]; op.Kind {
		case workload.Send:
			b.Waits = fmt.Sprintf("send of %d bytes to rank %d", op.Bytes, op.Peer)
		case workload.Compute:
			b.Waits = fmt.Sprintf("computes for %g s", float64(op.Bytes)/1e9)
		case workload.Idle:
			b.Waits = fmt.Sprintf("idles for the time of %d bytes", op.Bytes)
		default:
			b.Waits = s.waits(int32(r))
		}
		return b
	}
	return s.underWay()
}

// underWay is the sender of a message of a job that ends which has not arrived.
func (s *simulator) underWay() BlockedRank {
	free := make([]bool, len(s.messages))
	for id := s.freed; id >= 0; id = s.messages[id].next {
		free[id] = true
	}
	for id := range s.messages {
		m := &s.messages[id]
		if job := &s.jobs[m.job]; !free[id] && !job.Endless {
			own := m.rank - job.firstRank
			return BlockedRank{Rank: own, Job: int(m.job), Operation: m.op - job.Program.Offsets[own],
				Waits: fmt.Sprintf("its message of %d bytes to rank %d has not arrived",
					s.opOf(m).Bytes, m.peer-job.firstRank)}
		}
	}
	return BlockedRank{Rank: -1, Waits: "all ranks are at their ends"}
}

// A link's packets are counted in 32 bits.
const (
	mostPackets = math.MaxUint32
	countMargin = 1 << 22 // more than the events between two looks
)

// checkCounts ends a run before the packets of a link are more than can be counted. No
// link can send more than there are events, so that it looks rarely.
func (s *simulator) checkCounts() error {
	if s.events < s.countable {
		return nil
	}
	most, link := uint32(0), 0
	for i := range s.channels {
		if s.channels[i].packets > most {
			most, link = s.channels[i].packets, i/int(s.virtual)
		}
	}
	if left := mostPackets - int64(most) - countMargin; left > 0 {
		s.countable = s.events + left
		return nil
	}
	from := s.topology.NodeName(s.topology.Links[link].From)
	return fmt.Errorf("link %d from %s has sent %d packets, nearly all that can be counted, after %.3g s; %s",
		s.topology.LinkNumber(int32(link)), from, most, float64(s.wheel.now<<s.wheel.shift)/1e12, s.stands())
}

// stands says where a job is that has not ended.
func (s *simulator) stands() string {
	b := s.inHand()
	if len(s.jobs) > 1 {
		return fmt.Sprintf("job %d, %s", b.Job, b.text())
	}
	return b.text()
}
