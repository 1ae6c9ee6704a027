package evalsim

// A packet waits at a port from packet.ready until its link begins to send it. The
// event loop takes it off channel.queued when that is decided: it may be earlier by the
// time that a credit travels, and later by the time to the event of the packet before.

// departure is when a link begins, or began, to send the packet that it sent last, in ps.
func (s *simulator) departure(shared *channel, p int32) int64 {
	pk, kind := s.packetAt.at(p), &s.classes[shared.class]
	begin := pk.ready - kind.delay
	if kind.wholly {
		begin -= kind.sendTime(s.size(pk))
	}
	return begin
}

// waiting are the bytes that wait at a link's port at a time, over all its channels.
func (s *simulator) waiting(link int32, at int64) int32 {
	shared := s.channelAt.at(link * s.virtual)
	bytes := shared.queued + s.pledged(link, shared, at)
	for v := int32(1); v < s.virtual; v++ {
		bytes += s.channelAt.at(link*s.virtual + v).queued
	}
	return bytes
}

// sending is the packet that a link sent last, as long as it has not landed; -1 = none.
func (s *simulator) sending(link int32, shared *channel) int32 {
	if shared.flags&isApart != 0 {
		return s.alarms.sent[link]
	}
	return shared.flight
}

// pledged are the bytes of the packet that a link sent last if they still wait at a time.
func (s *simulator) pledged(link int32, shared *channel, at int64) int32 {
	p := s.sending(link, shared)
	if p < 0 || s.departure(shared, p) <= at {
		return 0
	}
	return s.size(s.packetAt.at(p))
}

// countsAt reads a link's counters at a time: of a packet that waits until later, the
// wait that is over. Packets in the queue do not count until it is known when they leave.
func (s *simulator) countsAt(link int32, at int64) linkCount {
	n := s.counts(link)
	if shared := &s.channels[link*s.virtual]; s.lastWait != nil && s.pledged(link, shared, at) > 0 {
		p := s.sending(link, shared)
		n.area -= float64(s.size(s.packetAt.at(p))) * float64(min(s.departure(shared, p)-at, s.lastWait[link]))
	}
	return n
}

// keepWaits makes room for how long packets waited, where a wait may be cut at a time:
// at the end of a slice, or of a run beside endless jobs.
func (s *simulator) keepWaits() {
	s.lastWait = nil
	if s.length > 0 || s.endless {
		s.lastWait = make([]int64, s.links)
	}
}

// waited keeps the length of the wait of a packet that a link is about to send, and
// gives complete slices their parts of it.
func (s *simulator) waited(pk *packet, link, size int32, begin int64) {
	from, until := pk.ready, min(begin, s.sliced)
	s.lastWait[link] = begin - from
	if s.length == 0 {
		return
	}
	for k := from / s.length; k*s.length < until; k++ {
		part := float64(size) * float64(min(until, (k+1)*s.length)-max(from, k*s.length))
		s.slices[k][link].area += part
		s.earlier[link] += part
	}
}

// end is when the last job is done, in ps.
func (s *simulator) end() (at int64) {
	for _, e := range s.elapsed {
		at = max(at, e)
	}
	return at
}
