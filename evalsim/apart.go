package evalsim

// A packet whose last byte leaves its link after the packet is ready at the next
// node frees the link by that event: the link is never asked to send earlier. Where it
// leaves before (short packets, long links, store and forward), an event apart frees
// the link and the buffer when the last byte has left. Several packets may then be on
// the link; the first of them has its event in the wheel, the others follow it.

// depart ends what a link sends apart: the credit of the buffer that the packet leaves
// goes back, and the link may send the next one.
func (s *simulator) depart(link int32, shared *channel) {
	pk := s.packetAt.at(s.alarms.sent[link])
	shared.flags = shared.flags&^isApart | hasLeft
	if pk.in >= 0 {
		s.returnCredit(pk.in, s.size(pk), shared.freeAt, shared.freeAt)
	}
	pk.in = link*s.virtual + int32(shared.turn)
	if shared.flags&isChoice != 0 || s.virtual > 1 && link >= s.hostLinks {
		s.load.landed(link, shared, pk, s)
	}
}

// startApart puts a packet on its link that lands after it has left, or follows another
// that has not landed. One that follows and lands before it has left frees the link by
// that, see land; its alarm then finds nothing to do.
func (s *simulator) startApart(link int32, shared *channel, p int32) {
	pk := s.packetAt.at(p)
	pk.next = -1
	shared.flags = shared.flags&^hasLeft | isApart
	s.addAlarm(link, shared.freeAt)
	if shared.flight < 0 {
		shared.flight = p
		s.wheel.add(link, pk.ready)
	} else {
		s.packetAt.at(s.alarms.sent[link]).next = p
	}
	s.alarms.sent[link] = p
}

// followed puts the next packet on a link whose first one has arrived at the front.
func (s *simulator) followed(link int32, shared *channel, p int32) {
	if shared.flight = s.packetAt.at(p).next; shared.flight >= 0 {
		s.wheel.add(link, s.packetAt.at(shared.flight).ready)
	} else {
		shared.flags &^= hasLeft
	}
}

// landsFirst tells whether a packet that was sent apart lands before it has left: a link
// is then no longer busy with it.
func (s *simulator) landsFirst(link int32, shared *channel, p int32) bool {
	if shared.flags&isApart == 0 || p != s.alarms.sent[link] {
		return false
	}
	shared.flags &^= isApart
	return true
}
