package evalsim

import (
	"fmt"
	"math"
)

// Credits travel back over the link whose buffer they are for. When the event loop
// learns that a packet has left a buffer, the credit is on its way, and when it will
// arrive is known: nothing that happens in between can change it, so it needs no
// event. A channel's credits count those on their way, and which these are stands
// beside: the newest in the channel itself (due, owed), earlier ones that had not
// arrived when it became known in a list in the order of time.
//
//	credits 12388 | newest: 4096 due at 450 | before: 100 due at 400, 4096 at 470
//
// A packet is sent at the earliest time at which what has arrived is enough, and a port
// is congested or not by what has arrived by then. A packet that waits in the queue and
// the credit it will take count alike in what is queued less what has arrived, so it does
// not matter for that whether a start is decided a little before or after its time.
//
// Where buffers are roomy, all this hardly matters: there a link looks only at the newest
// credit on its way, sends at once a packet that will have to wait for that, and takes
// earlier ones as arrived (returnSoon). Roomy is a buffer of which a packet and what the
// link sends in a round trip take a quarter at most, in a network with one virtual channel.
// TestNewestCreditAgrees has both side by side.
//
// Most channels have no credit on its way, one, or enough without them; for these it is
// O(1) a packet, for others O(credits on their way).

// onWay is a credit on its way.
type onWay struct {
	at    int64 // ps: when it arrives
	bytes int32
	next  int32 // the following one, or of the free list; -1 = none
}

// creditList holds the credits that were on their way when a newer one became known.
type creditList struct {
	credits []onWay
	freed   int32   // first entry not in use, -1 = none
	first   []int32 // length channels: the first of a channel's, in the order of time; -1 = none
}

func newCreditList(channels int) creditList {
	return creditList{first: make([]int32, channels)}
}

func (l *creditList) reset() {
	l.credits, l.freed = l.credits[:0], -1
	for i := range l.first {
		l.first[i] = -1
	}
}

// insert puts a credit into a channel's list, behind those of the same time.
func (l *creditList) insert(id, bytes int32, at int64) {
	n := l.freed
	if n >= 0 {
		l.freed = l.credits[n].next
	} else {
		n = int32(len(l.credits))
		l.credits = append(l.credits, onWay{})
	}
	place := &l.first[id]
	for *place >= 0 && l.credits[*place].at <= at {
		place = &l.credits[*place].next
	}
	l.credits[n] = onWay{at, bytes, *place}
	*place = n
}

// prune takes out the credits that arrive up to a time.
func (l *creditList) prune(id int32, until int64) {
	n := l.first[id]
	for n >= 0 && l.credits[n].at <= until {
		next := l.credits[n].next
		l.credits[n].next = l.freed
		l.freed = n
		n = next
	}
	l.first[id] = n
}

// returnCredit sends a channel's link the room of a packet whose last byte leaves the
// channel's buffer at a time; if the link waits for credit, it is looked at when this
// one arrives. Nothing will be asked for that lies before now.
func (s *simulator) returnCredit(id, bytes int32, left, now int64) {
	if s.roomy {
		s.returnSoon(id, bytes, left)
		return
	}
	c := s.channelAt.at(id)
	shared, link := c, id
	if s.virtual > 1 {
		link = id / s.virtual
		shared = s.channelAt.at(link * s.virtual)
	}
	if c.due > now || shared.flags&isWaiting != 0 {
		// The one before may still be asked for.
		s.onWay.insert(id, c.owed, c.due)
		c.flags |= isOwedMore
	}
	c.credits += bytes
	c.due, c.owed = left+s.classes[c.class].latency, bytes
	if shared.flags&isWaiting != 0 {
		s.addAlarm(link, c.due)
	}
}

// timeCredits decides which credits are timed.
func (n *network) timeCredits(o *Options) error {
	switch o.Credits {
	case CreditsAuto:
		n.roomy = n.virtual == 1 && n.roundTrip(o)*roomyShare <= int64(o.BufferBytes)
	case CreditsNewest:
		if n.roomy = n.virtual == 1; !n.roomy {
			return fmt.Errorf("credits newest: %s has %d virtual channels, whose turns need all credits in their time",
				n.topology.Name, n.virtual)
		}
	}
	return nil
}

// roundTrip is the most bytes, rounded up, that a link can send from the moment that a
// credit is known until the last byte of the packet that takes it can leave the far
// switch: the rest of the packet that makes room, which a slow link may begin to send long
// before, the credit's way back, the next packet's way, the switch, and that packet itself.
func (n *network) roundTrip(o *Options) (bytes int64) {
	ahead := int64(0)
	for i := range n.classes {
		ahead = max(ahead, n.classes[i].full-n.classes[i].delay)
	}
	for i := range n.classes {
		c := &n.classes[i]
		time := ahead + 2*c.latency + o.SwitchLatency.Nanoseconds()*1000
		bytes = max(bytes, (time*fixedPoint+c.perByte-1)/c.perByte)
	}
	return bytes + int64(o.PacketBytes)
}

// timedCredits is which credits are: CreditsExact or CreditsNewest.
func (n *network) timedCredits() Credits {
	if n.roomy {
		return CreditsNewest
	}
	return CreditsExact
}

// returnSoon is returnCredit where the newest is timed. What comes while the link waits
// counts as one credit: of two in the same batch the older one would else have been there
// all the time.
func (s *simulator) returnSoon(id, bytes int32, left int64) {
	c := s.channelAt.at(id)
	c.credits += bytes
	c.due = max(c.due, left+s.classAt.at(int32(c.class)).latency)
	if c.flags&isWaiting != 0 {
		bytes += c.owed
		s.ready = append(s.ready, id)
	}
	c.owed = bytes
}

// creditsAt is what of a channel's credits has arrived by a time, in bytes.
func (s *simulator) creditsAt(id int32, c *channel, at int64) int32 {
	credits := c.credits
	if c.due > at {
		credits -= c.owed
	}
	if c.flags&isOwedMore != 0 {
		for n := s.onWay.first[id]; n >= 0; n = s.onWay.credits[n].next {
			if s.onWay.credits[n].at > at {
				credits -= s.onWay.credits[n].bytes
			}
		}
	}
	return credits
}

// unknown is a time that depends on what has not happened yet.
const unknown = math.MaxInt64

// enough is when a channel has credits of a number of bytes, but no earlier than from;
// unknown if those on their way do not suffice.
func (s *simulator) enough(id int32, c *channel, bytes int32, from int64) int64 {
	if c.credits < bytes {
		return unknown
	}
	if c.flags&isOwedMore != 0 {
		// Nothing will be asked for that lies before both.
		if s.onWay.prune(id, min(from, s.wheel.now<<s.wheel.shift)); s.onWay.first[id] < 0 {
			c.flags &^= isOwedMore
		} else {
			return max(from, s.enoughOfMany(id, c, bytes))
		}
	}
	if c.credits-c.owed < bytes {
		return max(from, c.due)
	}
	return from
}

// enoughOfMany is enough where several credits are on their way.
func (s *simulator) enoughOfMany(id int32, c *channel, bytes int32) int64 {
	credits := c.credits - c.owed // that have arrived, to begin with
	for n := s.onWay.first[id]; n >= 0; n = s.onWay.credits[n].next {
		credits -= s.onWay.credits[n].bytes
	}
	at, newest := int64(0), true
	for n := s.onWay.first[id]; credits < bytes; {
		if newest && (n < 0 || c.due < s.onWay.credits[n].at) {
			newest = false
			credits, at = credits+c.owed, c.due
			continue
		}
		credits, at = credits+s.onWay.credits[n].bytes, s.onWay.credits[n].at
		n = s.onWay.credits[n].next
	}
	return at
}
