package evalsim

import "fmt"

// Checks of the network under the tag invariants: each stops the program.

// checkChannel tests a channel that has just changed: its credits are between
// none and all, and its queue holds the bytes it is said to hold.
func (s *simulator) checkChannel(id int32) {
	c := &s.channels[id]
	if c.credits < 0 || int(c.credits) > s.options.BufferBytes {
		panic(fmt.Sprintf("channel %d has %d of %d credits", id, c.credits, s.options.BufferBytes))
	}
	latest := int64(0)
	for n := s.onWay.first[id]; n >= 0; n = s.onWay.credits[n].next {
		if s.onWay.credits[n].at < latest {
			panic(fmt.Sprintf("channel %d: its credits on their way are out of order", id))
		}
		latest = s.onWay.credits[n].at
	}
	bytes, last := int32(0), int32(-1)
	for p := c.head; p >= 0; p = s.packets[p].next {
		bytes, last = bytes+s.size(&s.packets[p]), p
	}
	if bytes != c.queued || last >= 0 && last != c.tail {
		panic(fmt.Sprintf("channel %d has %d bytes in its queue, not %d; last packet %d, not %d", id, bytes,
			c.queued, last, c.tail))
	}
}

// checkStart tests a link that has begun to send, and its event.
func (s *simulator) checkStart(link, id int32, ready int64) {
	s.checkEvent(link, ready)
	s.checkChannel(id)
}

// checkEvent tests a new event: the wheel reaches that far, it is at most a
// transmission and a link's delay late, and a link has one at a time.
func (s *simulator) checkEvent(link int32, at int64) {
	if slot := at >> s.wheel.shift; slot-s.wheel.now > s.wheel.mask {
		panic(fmt.Sprintf("link %d has its event %d slots ahead of a wheel of %d", link, slot-s.wheel.now,
			s.wheel.mask+1))
	}
	if late := s.wheel.now<<s.wheel.shift - at; late > s.horizon/4 {
		panic(fmt.Sprintf("link %d has its event %d ps in the past", link, late))
	}
	if shared := &s.channels[link*s.virtual]; shared.flight >= 0 {
		if in := s.packets[shared.flight].in; in/s.virtual != link {
			panic(fmt.Sprintf("link %d sends packet %d already", link, shared.flight))
		}
	}
}

// checkLoads tests, at the end of a run in which nothing moves any more, that no
// link is taken to be loaded.
func (s *simulator) checkLoads() error {
	for link := int(s.hostLinks); link < len(s.load.bytes); link++ {
		if bytes := s.load.bytes[link]; bytes != 0 {
			return fmt.Errorf("link %d ended with a load of %d bytes", link, bytes)
		}
	}
	return nil
}

// checkRoom tests that packets in downstream buffers fit: what a channel's
// buffer holds is what its credits say, those on their way back included.
// O(packets), so it is for the end of a batch now and then.
func (s *simulator) checkRoom() {
	if s.held == nil {
		s.held = make([]int32, len(s.channels))
	}
	held := s.held
	clear(held)
	for id := range s.channels {
		for p := s.channels[id].head; p >= 0; p = s.packets[p].next {
			if in := s.packets[p].in; in >= 0 {
				held[in] += s.size(&s.packets[p])
			}
		}
	}
	for link := range int32(s.links) {
		shared := &s.channels[link*s.virtual]
		if shared.flight < 0 {
			continue
		}
		s.checkFlights(link, shared, held)
	}
	for id := range s.channels {
		if all := s.channels[id].credits; int(held[id]+all) != s.options.BufferBytes {
			panic(fmt.Sprintf("channel %d has %d credits, and %d bytes in a buffer of %d", id, all, held[id],
				s.options.BufferBytes))
		}
	}
}

// checkFlights counts the packets on a link into the buffers whose room they have:
// all have that of the link's far end, the one that has not left another too.
func (s *simulator) checkFlights(link int32, shared *channel, held []int32) {
	for p := shared.flight; p >= 0; {
		pk := &s.packets[p]
		size := s.size(pk)
		if pk.in >= 0 && pk.in/s.virtual == link {
			held[pk.in] += size
		} else {
			held[link*s.virtual+int32(shared.turn)] += size
			if pk.in >= 0 {
				held[pk.in] += size
			}
		}
		if shared.flags&(isApart|hasLeft) == 0 || p == s.alarms.sent[link] {
			return
		}
		p = pk.next
	}
}
