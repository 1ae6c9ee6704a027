package evalsim

// sendsFrom is the channel that a link at rest sends from, where it has to choose: between
// virtual channels, or between messages of its host. It chooses when it falls free, or
// when the packet is ready; -1 = not yet, it will be looked at then.
func (s *simulator) sendsFrom(link int32, shared *channel) (id int32) {
	if shared.freeAt>>s.wheel.shift > s.wheel.now && s.contended(link) {
		s.await(link, shared, shared.freeAt)
		return -1
	}
	id = link * s.virtual
	if s.virtual == 1 {
		return id
	}
	turn := s.turn(link, shared)
	id += turn
	if p := s.channelAt.at(id).head; p < 0 {
		return -1
	} else if ready := s.packetAt.at(p).ready; ready>>s.wheel.shift > s.wheel.now {
		s.await(link, shared, ready)
		return -1
	}
	return id
}

// contended tells whether a link's choice of what it sends next depends on the moment
// at which it falls free: between virtual channels, or between messages of a host that
// others may join until then.
func (s *simulator) contended(link int32) bool {
	if link >= s.hostLinks {
		return s.virtual > 1
	}
	return s.shares[link]
}

// turn is the virtual channel whose turn it is on a link: of those that can send
// first, by what is known, the next after the one that has sent last; if none can, the
// next that has a packet, or else any.
func (s *simulator) turn(link int32, shared *channel) int32 {
	base, turn := link*s.virtual, int32(shared.turn)
	found, first := turn, int64(unknown)
	for range s.virtual {
		if turn++; turn == s.virtual {
			turn = 0
		}
		c := s.channelAt.at(base + turn)
		if c.head < 0 {
			continue
		}
		pk := s.packetAt.at(c.head)
		at := s.enough(base+turn, c, s.size(pk), max(shared.freeAt, pk.ready))
		if at < first {
			found, first = turn, at
		} else if first == unknown {
			found = turn
		}
		if at <= shared.freeAt {
			break
		}
	}
	return found
}

// credited is when a link begins to send a packet of a size from a channel that may lack
// credit: at begin if there is enough, or when that arrives; unknown = later than now, the
// link waits.
func (s *simulator) credited(link int32, shared *channel, id, size int32, begin int64) int64 {
	if s.roomy {
		if shared.credits < size {
			shared.flags |= isWaiting
			shared.owed = 0
			return unknown
		}
		s.stalled[link] += shared.due - begin
		return shared.due
	}
	at := s.enough(id, s.channelAt.at(id), size, begin)
	if at == begin {
		return begin
	}
	if at == unknown || at>>s.wheel.shift > s.wheel.now {
		s.await(link, shared, at)
		return unknown
	}
	s.stalled[link] += at - begin
	return at
}

// await has a link wait for credit: known to arrive at a time, or unknown.
func (s *simulator) await(link int32, shared *channel, at int64) {
	if !s.roomy { // where credits wake it
		shared.flags |= isWaiting
	}
	switch {
	case at == unknown:
	case s.virtual == 1: // it is looked at again by this alarm alone
		s.addAlarm(link, at)
	case s.alarms.set == nil || s.alarms.set[link] != at:
		s.addAlarm(link, at)
		s.alarms.set[link] = at
	}
}
