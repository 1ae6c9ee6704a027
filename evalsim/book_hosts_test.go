package evalsim_test

import (
	"fmt"
	"math"

	"remap/commgraph"
	"remap/topology"
	"remap/workload"
)

// bookHosts is the part of book at the hosts: ranks, and the NIC of every rail.
type bookHosts struct {
	program *workload.Program
	hosts   []int32 // length ranks
	ranks   []bookRank
	rings   [][]*bookMessage // length links: messages that an injection link cuts packets from, in turn
	given   []int            // length hosts: messages given rails so far
	pairs   map[[2]int32]*bookPair
	flows   *commgraph.Traffic // made when it is asked for
	arrived func(*bookMessage) // is told of messages that have arrived; nil = nobody
}

// bookRank is where a rank is in its program.
type bookRank struct {
	op    int
	open  []bool // by request: not complete yet
	waits bool   // in a Wait or WaitAll

}

// bookMessage is a message between hosts.
type bookMessage struct {
	from, to int32 // ranks
	rails    topology.Rails
	toSwitch int32 // switch number of the ejection link
	uncut    int64 // bytes not yet cut into packets
	missing  int64 // packets that have not arrived
	request  int   // of the sender; -1 = a blocking send
	number   int   // among the messages of its pair
}

// bookPair is what matches the messages of two ranks with receives: the n-th
// message in order of sending is that of the n-th receive.
type bookPair struct {
	sent     int
	arrived  map[int]bool // those ahead of a message that is still missing
	inOrder  int          // messages that have arrived and all before them too
	receives []int        // of each receive the request, -1 = blocking
	served   int          // receives that are over
}

func newBookHosts(top *topology.Topology, p *workload.Program, hosts []int32) bookHosts {
	return bookHosts{
		program: p,
		hosts:   hosts,
		ranks:   make([]bookRank, p.Ranks()),
		rings:   make([][]*bookMessage, len(top.Links)),
		given:   make([]int, top.Hosts()),
		pairs:   map[[2]int32]*bookPair{},
	}
}

// beginRanks has all ranks begin at time 0, in random order.
func (b *book) beginRanks() {
	for _, r := range b.random.Perm(len(b.ranks)) {
		b.at(0, rankGoesOn, int32(r), 0, nil)
	}
}

// goOn plays a rank's program up to the next operation that takes time.
func (b *book) goOn(r int32) {
	k := &b.ranks[r]
	ops := b.program.RankOps(r)
	for k.op < len(ops) {
		op := &ops[k.op]
		k.op++
		switch op.Kind {
		case workload.Send:
			b.post(r, op, -1)
			return
		case workload.Isend:
			b.post(r, op, k.newRequest())
		case workload.Idle:
			injection, _ := b.top.Out(b.hosts[r])
			time := int64(float64(op.Bytes) / b.top.Links[injection].BytesPerSecond * 1e12)
			b.at(b.now+time, rankGoesOn, r, 0, nil)
			return
		case workload.Compute:
			b.at(b.now+op.Bytes*1000, rankGoesOn, r, 0, nil)
			b.last = max(b.last, b.now+op.Bytes*1000)
			return
		case workload.Receive:
			b.receive(r, op, -1)
			return
		case workload.Ireceive:
			b.receive(r, op, k.newRequest())
		case workload.Wait, workload.WaitAll:
			k.waits = true
			k.op--
			if !b.waited(r) {
				return
			}
		default:
			panic(fmt.Sprintf("book: operation %v is not modelled", op.Kind))
		}
	}
}

func (k *bookRank) newRequest() int {
	k.open = append(k.open, true)
	return len(k.open) - 1
}

// waited ends the Wait or WaitAll that a rank is in, if it can end.
func (b *book) waited(r int32) bool {
	k := &b.ranks[r]
	op := &b.program.RankOps(r)[k.op]
	for request, open := range k.open {
		if open && (op.Kind == workload.WaitAll || op.Bytes == int64(request)) {
			return false
		}
	}
	k.waits = false
	k.op++
	b.last = max(b.last, b.now)
	return true
}

// complete ends a request, or with -1 the blocking operation that a rank is in.
func (b *book) complete(r int32, request int) {
	k := &b.ranks[r]
	if request < 0 {
		b.goOn(r)
		return
	}
	k.open[request] = false
	if k.waits && b.waited(r) {
		b.goOn(r)
	}
}

func (b *book) pair(from, to int32) *bookPair {
	p := b.pairs[[2]int32{from, to}]
	if p == nil {
		p = &bookPair{arrived: map[int]bool{}}
		b.pairs[[2]int32{from, to}] = p
	}
	return p
}

// post hands a message to the NIC of its rail: last in the ring.
func (b *book) post(r int32, op *workload.Op, request int) {
	from, to := b.hosts[r], b.hosts[op.Peer]
	if from == to {
		panic("book: messages within a host are not modelled")
	}
	pair := b.pair(r, op.Peer)
	m := &bookMessage{from: r, to: op.Peer, uncut: op.Bytes, request: request, number: pair.sent}
	m.missing = max(1, (op.Bytes+int64(b.options.PacketBytes)-1)/int64(b.options.PacketBytes))
	pair.sent++
	m.rails = b.railsOf(from, to)
	m.toSwitch = b.top.SwitchOf(b.top.Links[m.rails.Ejection].From)
	link := m.rails.Injection
	b.rings[link] = append(b.rings[link], m)
	b.cut(link)
}

// cut puts one packet of the message whose turn it is into an injection link's
// queue, unless there is one.
func (b *book) cut(link int32) {
	c := &b.channels[link*b.virtual]
	if len(c.queue) > 0 || len(b.rings[link]) == 0 {
		return
	}
	m := b.rings[link][0]
	b.rings[link] = b.rings[link][1:]
	size := min(m.uncut, int64(b.options.PacketBytes))
	m.uncut -= size
	p := &bookPacket{size: int(size), ready: b.now, message: m, toward: m.toSwitch, in: -1}
	p.final = m.uncut == 0
	if !p.final {
		b.rings[link] = append(b.rings[link], m)
	}
	c.queue = append(c.queue, p)
	c.queued += p.size
	b.links[link].load += p.size
	b.touch(link)
}

// left is called when the last byte of a message has left its host.
func (b *book) left(m *bookMessage) { b.complete(m.from, m.request) }

// received is called when the last byte of a message is at its host.
func (b *book) received(m *bookMessage) {
	if b.arrived != nil {
		b.arrived(m)
	}
	p := b.pair(m.from, m.to)
	p.arrived[m.number] = true
	for p.arrived[p.inOrder] {
		delete(p.arrived, p.inOrder)
		p.inOrder++
	}
	b.match(p, m.to)
}

// receive posts a receive.
func (b *book) receive(r int32, op *workload.Op, request int) {
	if op.Peer == workload.AnySource {
		panic("book: receives of any source are not modelled")
	}
	p := b.pair(op.Peer, r)
	p.receives = append(p.receives, request)
	b.match(p, r)
}

// match ends the receives of a pair whose messages are there.
func (b *book) match(p *bookPair, receiver int32) {
	for p.served < min(p.inOrder, len(p.receives)) {
		request := p.receives[p.served]
		p.served++
		b.last = max(b.last, b.now)
		if request < 0 {
			b.at(b.now, rankGoesOn, receiver, 0, nil)
		} else {
			b.complete(receiver, request)
		}
	}
}

// railsOf is the way of the next message of a host to another: of the pairs of
// rails of least distance one after the other, neighbours in time taking other
// rails at both ends where every injection rail goes with as many ejection rails.
func (b *book) railsOf(from, to int32) topology.Rails {
	pairs := b.top.NearestRails(nil, from, to)
	if len(pairs) == 1 {
		return pairs[0]
	}
	turn := b.given[from]
	b.given[from]++
	byInjection := map[int32]int{}
	for _, p := range pairs {
		byInjection[p.Injection]++
	}
	least, most := math.MaxInt, 0
	for _, n := range byInjection {
		least, most = min(least, n), max(most, n)
	}
	if least*len(byInjection) != len(pairs) || most != least {
		return pairs[turn%len(pairs)]
	}
	begins := len(byInjection)
	begin := turn % begins
	return pairs[begin*least+(begin+turn/begins)%least]
}
