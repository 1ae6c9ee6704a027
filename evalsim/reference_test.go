package evalsim_test

import (
	"container/heap"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"

	"remap/evalsim"
	"remap/topology"
)

// reference plays blocking sends over static routes on a network of one virtual
// channel and one rate, virtual cut-through, by the book: every packet that is
// ready, every credit that comes back and every link that falls idle is an event
// of its own, in the order of time. It is slow and short, and shares no code
// with the simulator.
type reference struct {
	top     *topology.Topology
	options evalsim.Options
	now     float64 // ns
	events  agenda
	made    int
	links   []referenceLink
	senders [][]referenceSend // by host
	last    float64
	moved   int
}

type referenceSend struct {
	to    int32
	bytes int
}

type referenceLink struct {
	queue   []*referencePacket
	freeAt  float64
	credits int
}

type referencePacket struct {
	to, in int32 // host; link whose buffer it is in, -1 = none
	size   int
	final  bool // the last of its message
}

type appointment struct {
	at     float64
	number int
	do     func()
}

type agenda []appointment

func (a agenda) Len() int { return len(a) }
func (a agenda) Less(i, j int) bool {
	return a[i].at < a[j].at || a[i].at == a[j].at && a[i].number < a[j].number
}
func (a agenda) Swap(i, j int) { a[i], a[j] = a[j], a[i] }
func (a *agenda) Push(x any)   { *a = append(*a, x.(appointment)) }
func (a *agenda) Pop() any {
	last := (*a)[len(*a)-1]
	*a = (*a)[:len(*a)-1]
	return last
}

func (r *reference) at(time float64, do func()) {
	r.made++
	heap.Push(&r.events, appointment{time, r.made, do})
}

func (r *reference) run() float64 {
	r.links = make([]referenceLink, len(r.top.Links))
	for i := range r.links {
		r.links[i].credits = r.options.BufferBytes
	}
	for host := range r.senders {
		r.at(0, func() { r.nextMessage(int32(host)) })
	}
	for len(r.events) > 0 {
		e := heap.Pop(&r.events).(appointment)
		r.now = e.at
		e.do()
	}
	return r.last
}

// nextMessage queues all packets of a host's next message at its NIC.
func (r *reference) nextMessage(host int32) {
	if len(r.senders[host]) == 0 {
		return
	}
	send := r.senders[host][0]
	r.senders[host] = r.senders[host][1:]
	link, _ := r.top.Out(host)
	for left := send.bytes; left > 0; left -= r.options.PacketBytes {
		size := min(left, r.options.PacketBytes)
		r.links[link].queue = append(r.links[link].queue, &referencePacket{send.to, -1, size, left == size})
	}
	r.start(link)
}

// start sends a link's first packet if the link is idle and has the credit.
func (r *reference) start(link int32) {
	l := &r.links[link]
	if len(l.queue) == 0 || r.now < l.freeAt || l.credits < l.queue[0].size {
		return
	}
	p := l.queue[0]
	l.queue = l.queue[1:]
	l.credits -= p.size
	sent := r.now + float64(p.size)/r.top.Links[link].BytesPerSecond*1e9
	l.freeAt = sent
	from, to := r.top.Links[link].From, r.top.Links[link].To
	latency := float64(r.top.Links[link].Latency)
	r.at(sent, func() {
		if r.top.IsHost(from) && p.final {
			r.nextMessage(from)
		}
		r.start(link)
	})
	if in := p.in; in >= 0 {
		r.at(sent+float64(r.top.Links[in].Latency), func() { r.credit(in, p.size) })
	}
	if r.top.IsHost(to) {
		r.at(sent+latency, func() {
			r.last, r.moved = r.now, r.moved+1
			r.at(r.now+latency, func() { r.credit(link, p.size) })
		})
		return
	}
	r.at(r.now+latency+float64(r.options.SwitchLatency), func() { r.forward(p, link) })
}

func (r *reference) credit(link int32, bytes int) {
	r.links[link].credits += bytes
	r.start(link)
}

// forward queues a packet at the port that destination-modulo routing gives it.
func (r *reference) forward(p *referencePacket, in int32) {
	p.in = in
	at, out := r.top.SwitchOf(r.top.Links[in].To), r.top.Ejection(p.to)[0]
	if to := r.top.SwitchOf(r.top.Links[out].From); at != to {
		candidates := r.top.Routes.Candidates(at, to)
		out = candidates[p.to/r.top.Routes.StaticDivisor[at]%int32(len(candidates))]
	}
	r.links[out].queue = append(r.links[out].queue, p)
	r.start(out)
}

// The simulator's shortcuts (one event a packet-hop, credits timed by the newest
// alone, order within a nanosecond by decision) against the reference, on random
// traffic with packets full and short: the same packets, and times that agree.
// With buffers of sixteen packets they hardly differ; in buffers of two the
// credits that count a little early are felt, and any tie changes what follows.
func TestReferenceAgrees(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		buffer         int
		mean, farthest float64 // allowed differences of the times
	}{{65536, 0.001, 0.03}, {16384, 0.01, 0.15}, {8192, 0.03, 0.2}} {
		var errors []float64
		for _, spec := range []string{"fattree:nodes-per-leaf=4,leaves-per-pod=3,pods=2,aggs-per-pod=2,cores=4,up=2",
			"fattree:nodes-per-leaf=6,leaves-per-pod=4,pods=1,aggs-per-pod=3,cores=0"} {
			for seed := range uint64(30) {
				errors = append(errors, referenceError(t, spec, c.buffer, seed))
			}
		}
		mean, deviation := stat.MeanStdDev(errors, nil)
		least, most := slices.Min(errors), slices.Max(errors)
		t.Logf("buffers of %d bytes, %d cases: time against the reference %+.3f %% on average, deviation %.2f %%, from %+.2f to %+.2f %%",
			c.buffer, len(errors), 100*mean, 100*deviation, 100*least, 100*most)
		if math.Abs(mean) > c.mean || max(-least, most) > c.farthest {
			t.Errorf("more than %g %% on average or %g %% in one case", 100*c.mean, 100*c.farthest)
		}
	}
}

// referenceError is the relative difference of the two makespans.
func referenceError(t *testing.T, spec string, buffer int, seed uint64) float64 {
	t.Helper()
	top := network(t, spec)
	random := rand.New(rand.NewPCG(seed, 7))
	o := evalsim.DefaultOptions()
	o.Routing, o.BufferBytes, o.Seed = evalsim.Static, buffer, seed
	r := &reference{top: top, options: o, senders: make([][]referenceSend, top.Hosts())}
	var sends [][3]int
	most := []int{200, 9000, 60000}[seed%3]
	for range 400 {
		from, to, bytes := random.IntN(top.Hosts()), random.IntN(top.Hosts()), 1+random.IntN(most)
		if from != to {
			sends = append(sends, [3]int{from, to, bytes})
			r.senders[from] = append(r.senders[from], referenceSend{int32(to), bytes})
		}
	}
	want := r.run()
	got := run(t, top, program(top.Hosts(), sends...), o)
	if int(got.Packets) != r.moved {
		t.Fatalf("%d packets, the reference has %d", got.Packets, r.moved)
	}
	return got.Makespan/want - 1
}

// Where nothing waits for anything the two agree to the picosecond.
func TestReferenceIsExactAlone(t *testing.T) {
	top := network(t, "tapered")
	o := evalsim.DefaultOptions()
	o.Routing = evalsim.Static
	for _, c := range [][2]int{{1, 1}, {40, 100}, {4000, 4097}, {4000, 500000}} {
		r := &reference{top: top, options: o, senders: make([][]referenceSend, top.Hosts())}
		r.senders[0] = []referenceSend{{int32(c[0]), c[1]}, {int32(c[0]), c[1]}}
		near(t, fmt.Sprint(c), run(t, top, program(4608, [3]int{0, c[0], c[1]}, [3]int{0, c[0], c[1]}), o).Makespan, r.run(), 0.01)
	}
}
