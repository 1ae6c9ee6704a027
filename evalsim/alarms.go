package evalsim

import "slices"

// A link that waits for a credit on its way is looked at again when that arrives:
// until then an earlier one may become known. So is one that has to choose, between
// virtual channels or messages, when it falls free: until then there may be more to
// choose from.

// alarms are links to be looked at, by time: those whose packets leave apart and those
// that wait for a credit on its way. A timing wheel as simulator.wheel, whose slots may
// hold a link more than once.
type alarms struct {
	ring    slotRing
	slots   []int32 // first alarm of every slot, the newest; -1 = none; nil until one is set
	entries []alarm
	freed   int32   // first entry not in use, -1 = none
	taken   []int32 // what the last pop gave
	count   int     // alarms set
	sent    []int32 // length links: packet that was sent last, where it left apart
	set     []int64 // length links: time of the last alarm set for what it waits for
}

// alarm is a link to be looked at, and the alarm of the same slot set before.
type alarm struct{ link, next int32 }

// reset takes all alarms away.
func (a *alarms) reset() {
	for i := range a.slots {
		a.slots[i] = -1
	}
	a.entries, a.freed, a.count = a.entries[:0], -1, 0
	if a.slots != nil {
		a.ring.reset()
		clear(a.set)
	}
}

// addAlarm has a link looked at at a time; one before the event in hand counts as now.
func (s *simulator) addAlarm(link int32, at int64) {
	a := &s.alarms
	if a.slots == nil {
		a.ring = newSlotRing(s.horizon)
		a.slots = make([]int32, a.ring.mask+1)
		a.sent, a.set = make([]int32, s.links), make([]int64, s.links)
		a.reset()
	}
	a.ring.now = max(a.ring.now, s.wheel.now)
	i := a.ring.mark(at)
	n := a.freed
	if n >= 0 {
		a.freed = a.entries[n].next
	} else {
		n = int32(len(a.entries))
		a.entries = append(a.entries, alarm{})
	}
	a.entries[n] = alarm{link, a.slots[i]}
	a.slots[i] = n
	a.count++
}

// popAlarms takes the links of the next slot, in the order in which the alarms were set,
// if that slot is not after the wheel's, nor begins at or after the time limit; else
// none. The result is good until the next call.
func (s *simulator) popAlarms(limit int64) []int32 {
	a := &s.alarms
	if number := s.wheel.find(); number >= 0 {
		limit = min(limit, (number+1)<<s.wheel.shift)
	}
	number := a.ring.find()
	if number < 0 || number<<a.ring.shift >= limit {
		return nil
	}
	i := a.ring.take(number)
	a.taken = a.taken[:0]
	for n := a.slots[i]; n >= 0; {
		next := a.entries[n].next
		a.taken = append(a.taken, a.entries[n].link)
		a.entries[n].next = a.freed
		a.freed = n
		n = next
	}
	slices.Reverse(a.taken)
	a.slots[i] = -1
	a.count -= len(a.taken)
	s.wheel.advance(number << a.ring.shift)
	return a.taken
}

// alarmed looks at links whose time has come: what they send may have left, or the
// credit that they wait for arrived. As in land, short loops touch first what is needed.
func (s *simulator) alarmed(links []int32) {
	s.events += int64(len(links))
	channels, virtual := s.channelAt, s.virtual
	for len(links) > 0 {
		packets := s.packetAt // start may have moved it
		some := links[:min(batch, len(links))]
		links = links[len(some):]
		heads := s.heads[:len(some)]
		for i, link := range some {
			head := int32(0)
			for v := range virtual {
				head = max(head, channels.at(link*virtual+v).head)
			}
			heads[i] = head
		}
		sum := int32(0)
		for _, head := range heads {
			sum += packets.at(head).to
		}
		s.touched += sum
		for _, link := range some {
			shared := channels.at(link * virtual)
			if shared.flags&isApart != 0 && shared.freeAt>>s.wheel.shift <= s.wheel.now {
				s.depart(link, shared)
			}
			s.ready = append(s.ready, link)
		}
		s.start()
	}
}
