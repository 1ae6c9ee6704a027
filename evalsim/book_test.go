package evalsim_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"remap/evalsim"
	"remap/topology"
	"remap/workload"
)

// book is a second simulator of the model in evalsim's package comment, small
// and without shortcuts: the tests' oracle. Every packet that becomes ready,
// every byte that has left a node and every credit on its way is an event of its
// own, and events happen in the order of time. It shares no code with evalsim,
// only Options, programs and the topology with the candidates of its routes.
//
// What happens at one and the same instant is ordered by one rule: first links
// fall idle, credits arrive, packets reach their hosts and ranks go on; then
// packets enter queues, each after a look at the loads; then links start. Within
// each of these the event that was made first comes first, unless the run is shuffled.
//
// It plays programs of sends, receives, waits, Idle and Compute. Not modelled:
// rendezvous (Options.EagerBytes), MaxInFlight, ComputeNoise, StartJitter, tags
// and AnySource, messages within a host, rules of congestion but the default one.
type book struct {
	top      *topology.Topology
	options  evalsim.Options
	random   *rand.Rand // ties, random routings, the order in which ranks begin
	seed     uint64     // of evalsim's run: FlowHash depends on it
	now      int64      // ps
	events   bookEvents
	made     int64         // events so far
	shuffled bool          // what happens at one instant comes in random order, but for the rule above
	virtual  int32         // virtual channels of a link
	links    []bookLink    // length links
	channels []bookChannel // length links x virtual
	touched  []int32       // links that may be able to start
	last     int64         // ps: the makespan so far
	packets  int64         // that have reached their host
	bookHosts
}

// bookLink is a directed link with the output port at its sending end.
type bookLink struct {
	busy      bool
	touched   bool  // is in book.touched
	turn      int32 // virtual channel that was sent last
	load      int   // bytes queued on all virtual channels or being sent
	latency   int64 // ps
	sent      int64 // packets that it began to send
	bytes     int64 // of these
	crossed   int64 // packets that entered its queues, at switches
	congested int64 // those that found it congested
	sending   *bookPacket
	frees     int32 // channel whose buffer the packet being sent leaves, -1 = the host's memory
}

// bookChannel is one virtual channel of a link.
type bookChannel struct {
	queue   []*bookPacket
	queued  int // bytes in queue
	credits int // bytes free in the buffer at the receiving end, by the credits that have arrived
}

// bookPacket is a packet; it is in one buffer, in one queue, or both.
type bookPacket struct {
	size    int
	ready   int64 // ps: when it may leave the queue that it is in
	message *bookMessage
	toward  int32 // switch number that it goes to first: an intermediate one or message.toSwitch
	in      int32 // channel whose buffer it is in, -1 = the host's memory
	hops    int32 // switch output ports crossed
	final   bool  // last of its message
}

// bookKind is what an event is; at one time the lower kinds come first, the
// kinds before entersQueue being equal.
type bookKind uint8

const (
	linkIdle    bookKind = iota // number: link whose packet's last byte has left
	creditBack                  // number: channel
	atHost                      // packet, whose last byte is there; number: channel by which it came
	rankGoesOn                  // number: rank
	mayStart                    // number: link whose first packet is now ready
	entersQueue                 // packet, at the switch at the end of number: channel by which it came
)

type bookEvent struct {
	at     int64 // ps
	order  int64 // among events of the same time and standing
	packet *bookPacket
	number int32
	bytes  int32
	kind   bookKind
}

func (e *bookEvent) before(o *bookEvent) bool {
	if e.at != o.at {
		return e.at < o.at
	}
	if late, other := e.kind == entersQueue, o.kind == entersQueue; late != other {
		return other
	}
	return e.order < o.order
}

// bookEvents is a binary heap, the next event at index 0.
type bookEvents []bookEvent

func (h *bookEvents) push(e bookEvent) {
	*h = append(*h, e)
	a := *h
	i := len(a) - 1
	for i > 0 && e.before(&a[(i-1)/2]) {
		a[i] = a[(i-1)/2]
		i = (i - 1) / 2
	}
	a[i] = e
}

func (h *bookEvents) pop() bookEvent {
	a := *h
	first, moved := a[0], a[len(a)-1]
	a = a[:len(a)-1]
	*h = a
	i := 0
	for child := 1; child < len(a); child = 2*i + 1 {
		if child+1 < len(a) && a[child+1].before(&a[child]) {
			child++
		}
		if !a[child].before(&moved) {
			break
		}
		a[i] = a[child]
		i = child
	}
	if len(a) > 0 {
		a[i] = moved
	}
	return first
}

// newBook prepares a run of a program; random decides what evalsim leaves to
// chance.
func newBook(top *topology.Topology, p *workload.Program, hosts []int32, o evalsim.Options,
	random uint64) *book {
	b := &book{top: top, options: o, seed: o.Seed, random: rand.New(rand.NewPCG(random, 0x626f6f6b)),
		virtual: top.Routes.VirtualChannels, links: make([]bookLink, len(top.Links))}
	b.channels = make([]bookChannel, len(top.Links)*int(b.virtual))
	for i := range b.channels {
		b.channels[i].credits = o.BufferBytes
	}
	for i := range b.links {
		b.links[i].latency = picoseconds(top.Links[i].Latency)
	}
	b.bookHosts = newBookHosts(top, p, hosts)
	return b
}

func picoseconds(d time.Duration) int64 { return d.Nanoseconds() * 1000 }

// sendTime is how long a link sends so many bytes, in ps.
func (b *book) sendTime(link int32, bytes int) int64 {
	return int64(math.Round(float64(bytes) / b.top.Links[link].BytesPerSecond * 1e12))
}

func (b *book) at(time int64, kind bookKind, number int32, bytes int, p *bookPacket) {
	b.made++
	order := b.made
	if b.shuffled {
		order = b.random.Int64()
	}
	b.events.push(bookEvent{time, order, p, number, int32(bytes), kind})
}

// run plays until nothing happens any more and returns the makespan in ns.
func (b *book) run() float64 {
	b.beginRanks()
	for {
		if len(b.events) == 0 || b.events[0].at > b.now {
			b.startTouched()
		}
		if len(b.events) == 0 {
			return b.nanoseconds()
		}
		e := b.events.pop()
		b.now = e.at
		b.happen(&e)
	}
}

// nanoseconds is the makespan.
func (b *book) nanoseconds() float64 { return float64(b.last) / 1000 }

// nanosecondsNow is the time.
func (b *book) nanosecondsNow() float64 { return float64(b.now) / 1000 }

func (b *book) happen(e *bookEvent) {
	switch e.kind {
	case linkIdle:
		b.fallIdle(e.number)
	case creditBack:
		b.channels[e.number].credits += int(e.bytes)
		b.touch(e.number / b.virtual)
	case atHost:
		b.packets++
		b.last = max(b.last, b.now)
		b.at(b.now+b.links[e.number/b.virtual].latency, creditBack, e.number, e.packet.size, nil)
		if e.packet.message.missing--; e.packet.message.missing == 0 {
			b.received(e.packet.message)
		}
	case rankGoesOn:
		b.goOn(e.number)
	case mayStart:
		b.touch(e.number)
	case entersQueue:
		b.enter(e.packet, e.number)
	}
}

// touch has a link tried at the end of this instant.
func (b *book) touch(link int32) {
	if l := &b.links[link]; !l.touched {
		l.touched = true
		b.touched = append(b.touched, link)
	}
}

func (b *book) startTouched() {
	for i := 0; i < len(b.touched); i++ { // a start may touch others
		link := b.touched[i]
		b.links[link].touched = false
		b.start(link)
	}
	b.touched = b.touched[:0]
}

// start sends the packet whose turn it is, if the link is idle: of the virtual
// channels whose first packet is ready and has its credit, the next after the
// one that was sent last.
func (b *book) start(link int32) {
	l := &b.links[link]
	if l.busy {
		return
	}
	for k := int32(1); k <= b.virtual; k++ {
		turn := (l.turn + k) % b.virtual
		c := &b.channels[link*b.virtual+turn]
		if len(c.queue) > 0 && c.queue[0].ready <= b.now && c.credits >= c.queue[0].size {
			l.turn = turn
			b.send(link, link*b.virtual+turn)
			return
		}
	}
}

// send begins to send the first packet of a channel.
func (b *book) send(link, channel int32) {
	l, c := &b.links[link], &b.channels[channel]
	p := c.queue[0]
	c.queue = c.queue[1:]
	c.queued -= p.size
	c.credits -= p.size
	l.busy, l.sending, l.frees = true, p, p.in
	l.sent++
	l.bytes += int64(p.size)
	idle := b.now + b.sendTime(link, p.size)
	b.at(idle, linkIdle, link, 0, nil)
	traversal := picoseconds(b.options.SwitchLatency)
	switch to := b.top.Links[link].To; {
	case b.top.IsHost(to):
		b.at(idle+l.latency, atHost, channel, 0, p)
	case b.options.Switching == evalsim.StoreAndForward:
		b.at(idle+l.latency+traversal, entersQueue, channel, 0, p)
	default:
		b.at(b.now+l.latency+traversal, entersQueue, channel, 0, p)
	}
	if b.top.IsHost(b.top.Links[link].From) {
		b.cut(link)
	}
}

// fallIdle is called when the last byte of a packet has left: the buffer that
// held it is free, and the credit begins its way back.
func (b *book) fallIdle(link int32) {
	l := &b.links[link]
	p := l.sending
	l.busy, l.sending = false, nil
	l.load -= p.size
	if in := l.frees; in >= 0 {
		b.at(b.now+b.links[in/b.virtual].latency, creditBack, in, p.size, nil)
	} else if p.final {
		b.left(p.message)
	}
	b.touch(link)
}

// check finds what must not be left over: credits that have not come back,
// queues that are not empty, packets that are not where they should be.
func (b *book) check() error {
	for i := range b.channels {
		if c := &b.channels[i]; c.credits != b.options.BufferBytes || len(c.queue) > 0 || c.queued != 0 {
			return fmt.Errorf("book: channel %d ended with %d of %d credits and %d bytes queued",
				i, c.credits, b.options.BufferBytes, c.queued)
		}
	}
	for i := range b.links {
		if l := &b.links[i]; l.busy || l.load != 0 || l.crossed > 0 && l.crossed != l.sent {
			return fmt.Errorf("book: link %d ended busy: %v, %d bytes loaded, %d packets in and %d out",
				i, l.busy, l.load, l.crossed, l.sent)
		}
	}
	for r := range b.ranks {
		if b.ranks[r].op < len(b.program.RankOps(int32(r))) {
			return fmt.Errorf("book: rank %d never ends", r)
		}
	}
	return nil
}
