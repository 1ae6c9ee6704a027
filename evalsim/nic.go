package evalsim

// message is one message from the call that sends it until its last packet has
// arrived, in one cache line. Packets are cut from it when the link can take
// them, so a network holds no more packets than its buffers do, and one more a
// host.
type message struct {
	left    int64 // bytes not yet cut into packets
	posted  int64 // ps: when its first byte may leave
	pending int32 // packets not yet arrived
	last    int32 // bytes of its last packet
	link    int32 // injection link
	toLink  int32 // ejection link
	to      int32 // switch number of the ejection link
	next    int32 // following message in the ring of its injection link, or in the free list
	flow    int32 // index into simulator.flows
	table   int32 // index into simulator.tables
	rank    int32 // sender, counted over all jobs
	peer    int32 // receiver, counted over all jobs
	op      int32 // the sender's operation, in its program's Ops
	job     uint16
	kind    uint8
	slot    uint8 // of the sender's step
}

// nic holds the messages under way, for every injection link the ring of those
// it cuts packets from in turn, and for every host whose turn it is of its rails.
type nic struct {
	messages  []message
	messageAt table[message] // of messages
	freed     int32          // first message not in use, -1 = none
	rings     []int32        // length injection links: message whose turn was last, -1 = nothing to send

	// turns is the number of messages that were given rails so far, at the first injection
	// link of every host with several: length injection links.
	turns []uint32
}

func newNIC(links int32) nic { return nic{rings: make([]int32, links), turns: make([]uint32, links)} }

func (n *nic) reset() {
	n.messages, n.freed = n.messages[:0], -1
	for i := range n.rings {
		n.rings[i] = -1
	}
	clear(n.turns)
}

// newMessage is a message not in use; pointers to others become stale.
func (n *nic) newMessage() int32 {
	if m := n.freed; m >= 0 {
		n.freed = n.messages[m].next
		return m
	}
	n.messages = append(n.messages, message{})
	n.messageAt = tableOf(n.messages)
	return int32(len(n.messages) - 1)
}

func (n *nic) freeMessage(id int32) {
	if invariants {
		if n.messages[id].kind == freedMessage {
			panic("a message is freed twice")
		}
		n.messages[id].kind = freedMessage
	}
	n.messages[id].next = n.freed
	n.freed = id
}

// post hands a message to its injection link: last in the ring, known by the
// message whose turn was last, whose next is the first.
func (s *simulator) post(id int32) {
	m := &s.messages[id]
	m.pending = int32(max(1, (m.left+int64(s.full)-1)/int64(s.full)))
	m.last = int32(m.left - int64(m.pending-1)*int64(s.full))
	last := s.rings[m.link]
	if last < 0 {
		m.next = id
	} else {
		m.next = s.messages[last].next
		s.messages[last].next = id
	}
	s.rings[m.link] = id
	if s.channels[m.link*s.virtual].head < 0 {
		s.refill(m.link)
		s.ready = append(s.ready, m.link)
	}
}

// refill queues one packet of the message whose turn it is at an injection
// link that has none queued.
func (s *simulator) refill(link int32) {
	last := s.rings[link]
	if last < 0 {
		return
	}
	id := s.messageAt.at(last).next
	m := s.messageAt.at(id)
	size, to := s.full, m.to
	if m.left > int64(size) {
		m.left -= int64(size)
		s.rings[link] = id // the next in the ring goes on
	} else {
		if size = m.last; size != s.full {
			to |= partial
		}
		m.left = 0
		if last == id {
			s.rings[link] = -1
		} else {
			s.messages[last].next = m.next
		}
	}
	p := s.newPacket()
	*s.packetAt.at(p) = packet{ready: m.posted, next: -1, in: -1, message: id, to: to}
	if s.named {
		s.begin(p, m.flow)
	}
	c := s.channelAt.at(link * s.virtual)
	c.head, c.tail = p, p
	c.queued = size
	s.created++
}

// launched follows a packet onto its injection link: the next one is cut, and
// the sender goes on when the last packet of a message has left.
func (s *simulator) launched(link int32, shared *channel, id int32) {
	last := s.messageAt.at(id).left == 0
	s.refill(link)
	if last {
		s.sent(id, shared.freeAt)
	}
}

func (s *simulator) newPacket() int32 {
	if p := s.free; p >= 0 {
		s.free = s.packetAt.at(p).next
		return p
	}
	s.packets = append(s.packets, packet{})
	s.packetAt = tableOf(s.packets)
	return int32(len(s.packets) - 1)
}

// findShared finds the injection links that several messages may ask for at a time:
// those of hosts with several ranks, or with a rank that does not wait for what it sends.
func (s *simulator) findShared() {
	if s.shares == nil {
		s.shares, s.hosting = make([]bool, s.hostLinks), make([]bool, s.topology.Hosts())
	}
	clear(s.shares)
	clear(s.hosting)
	s.byTheClock = s.virtual > 1
	for i := range s.jobs {
		for _, h := range s.jobs[i].Hosts {
			if s.hosting[h] || !s.jobs[i].plain {
				first, end := s.topology.Out(h)
				for link := first; link < end; link++ {
					s.shares[link] = true
				}
				s.byTheClock = true
			}
			s.hosting[h] = true
		}
	}
}
