package evalsim

import (
	"math"

	"remap/topology"
)

// MemoryRate is the rate of a host's memory in bytes a second: MemoryBytesPerSecond, or
// what the host's rails send together and at least 20e9, so that messages between ranks
// of one host are not slower than the network.
func (o *Options) MemoryRate(t *topology.Topology, host int32) float64 {
	if o.MemoryBytesPerSecond > 0 {
		return o.MemoryBytesPerSecond
	}
	rails := 0.0
	for l, end := t.Out(host); l < end; l++ {
		rails += t.Links[l].BytesPerSecond
	}
	return max(leastMemory, rails)
}

// Messages within a host are copies by its memory, which all copies of the host
// under way at a time share in equal parts (processor sharing). Every copy has
// then got the same number of bytes since it began, so one running sum and the
// copies in the order of the sum at which they end are all there is to keep:
// O(1) a copy but for one that overtakes others.
type memory struct {
	clock    int64   // ps: when progress was true
	due      int64   // ps: when the first copy ends, as asked of the timers; never if nothing is asked
	progress float64 // bytes that a copy got that has been under way since the memory was at rest
	active   int32   // copies under way
	queue    list    // of them, those that end first in front
}

// copying is a copy under way.
type copying struct {
	end     float64 // memory.progress at its end
	message int32
	next    int32
}

const never = -1

// Timers of memories and of copies that begin later are distinguished by a bit;
// wake gets the complement.
const copyTimer = 1

// wokenMemory is the answer to wake for a memory or for a copy.
func (s *simulator) wokenMemory(who int32, now int64) {
	if who&copyTimer != 0 {
		id := who >> 1
		s.copyWithin(id, s.hostOf(s.messages[id].rank), now)
		return
	}
	s.copiesEnd(who>>1, now)
}

// copyWithin begins a message's copy within a host.
func (s *simulator) copyWithin(id, host int32, now int64) {
	h := &s.memories[host]
	if h.due != never && now > h.due {
		// Ahead of the event in hand by more than what is known of this host.
		s.wake(^(id<<1 | copyTimer), now)
		return
	}
	if h.active == 0 {
		h.progress = 0
		h.clock = now
	} else if now > h.clock {
		h.progress += float64(now-h.clock) * s.memory[host] / float64(h.active)
		h.clock = now
	}
	v := s.newCopy()
	end := h.progress + float64(s.opOf(&s.messages[id]).Bytes)
	s.copies[v] = copying{end: end, message: id, next: -1}
	h.active++
	s.insertCopy(&h.queue, v)
	s.askEnd(host)
}

// insertCopy keeps the queue in order, the new one behind its equals.
func (s *simulator) insertCopy(q *list, v int32) {
	end := s.copies[v].end
	if q.last < 0 || s.copies[q.last].end <= end {
		if q.last < 0 {
			q.first = v
		} else {
			s.copies[q.last].next = v
		}
		q.last = v
		return
	}
	at := &q.first
	for s.copies[*at].end <= end {
		at = &s.copies[*at].next
	}
	s.copies[v].next = *at
	*at = v
}

// askEnd asks to be woken when a host's first copy ends.
func (s *simulator) askEnd(host int32) {
	h := &s.memories[host]
	rest := (s.copies[h.queue.first].end - h.progress) * float64(h.active) / s.memory[host]
	due := h.clock + int64(math.Ceil(max(0, rest)))
	if due != h.due {
		h.due = due
		s.wake(^(host << 1), due)
	}
}

// copiesEnd ends the copies of a host that are due. Copies that began since the
// timer was made have delayed them: then another timer is under way.
func (s *simulator) copiesEnd(host int32, now int64) {
	h := &s.memories[host]
	if h.due != now {
		return
	}
	h.due = never
	h.clock, h.progress = now, s.copies[h.queue.first].end
	// All that are due leave the queue before ranks go on, who may add to it.
	first, count := h.queue.first, int32(0)
	for v := first; v >= 0 && s.copies[v].end <= h.progress; v = s.copies[v].next {
		count++
		h.queue.first = s.copies[v].next
	}
	if h.active -= count; h.active == 0 {
		h.queue.last = -1
	} else {
		s.askEnd(host)
	}
	for v := first; count > 0; count-- {
		ended, next := s.copies[v].message, s.copies[v].next
		s.copies[v].next = s.freeCopies
		s.freeCopies = v
		v = next
		s.copied(ended, now)
	}
}

// copied ends a copy: it is both sent and arrived.
func (s *simulator) copied(id int32, now int64) {
	m := &s.messages[id]
	r, request := m.rank, int32(-1)
	if m.kind != plain {
		request = s.envelopes[id].request
	}
	s.arrived(id, m, now)
	if request < 0 {
		s.nextOp(r, now)
	} else {
		s.complete(r, request, now)
	}
}

func (s *simulator) newCopy() int32 {
	if v := s.freeCopies; v >= 0 {
		s.freeCopies = s.copies[v].next
		return v
	}
	s.copies = append(s.copies, copying{})
	return int32(len(s.copies) - 1)
}
