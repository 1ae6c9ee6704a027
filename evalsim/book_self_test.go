package evalsim_test

import (
	"fmt"
	"testing"
	"time"

	"remap/evalsim"
	"remap/topology"
	"remap/workload"
)

// pairOfSwitches are two switches with one link between them; rates of 100 Gb/s.
func pairOfSwitches(t testing.TB, hosts int, latency time.Duration) *topology.Topology {
	t.Helper()
	return network(t, fmt.Sprintf("mesh:2,hosts=%d,latency-ns=%d", hosts, latency.Nanoseconds()))
}

func playBook(t testing.TB, top *topology.Topology, p *workload.Program, o evalsim.Options) *book {
	t.Helper()
	b := newBook(top, p, identity(p.Ranks()), o, o.Seed)
	b.run()
	if err := b.check(); err != nil {
		t.Fatal(err)
	}
	return b
}

// A message alone takes its transmission, the latencies and the traversals; a
// packet stored at each switch is sent once more there.
func TestBookOneMessage(t *testing.T) {
	for _, latency := range []time.Duration{0, 100, 3000} {
		top := pairOfSwitches(t, 1, latency)
		for _, bytes := range []int{1, 4096, 40 * 4096} {
			o := evalsim.DefaultOptions()
			o.BufferBytes = 1 << 22
			p := program(2, [3]int{0, 1, bytes})
			want := float64(bytes)/lineRate + 3*float64(latency) + 200
			near(t, fmt.Sprint(latency, bytes), playBook(t, top, p, o).nanoseconds(), want, 0.01)
			o.Switching = evalsim.StoreAndForward
			want += 2 * float64(min(bytes, 4096)) / lineRate
			near(t, fmt.Sprint("stored ", latency, bytes), playBook(t, top, p, o).nanoseconds(), want, 0.01)
		}
	}
}

// One flow goes at the rate of the links, or at a buffer a round trip if that is
// less. The round trip of a buffer is longest at a switch: the latency there, the
// traversal, the transmission on the next link, and the latency back.
func TestBookBufferBoundsOneFlow(t *testing.T) {
	const packets = 480 // a multiple of all buffers
	for _, c := range []struct {
		latency time.Duration
		buffer  int // packets
	}{{100, 16}, {500, 4}, {1000, 2}, {3000, 16}, {3000, 8}, {700, 3}} {
		o := evalsim.DefaultOptions()
		o.BufferBytes = 4096 * c.buffer
		elapsed := func(packets int) float64 {
			p := program(2, [3]int{0, 1, packets * 4096})
			return playBook(t, pairOfSwitches(t, 1, c.latency), p, o).nanoseconds()
		}
		roundTrip := 2*float64(c.latency) + 100 + 4096/lineRate
		rate := min(lineRate, float64(o.BufferBytes)/roundTrip)
		near(t, fmt.Sprint(c), elapsed(2*packets)-elapsed(packets), packets*4096/rate, 0.01)
	}
}

// 10 MB over two links of 3 us with buffers of 64 KiB take 986 us, as another
// simulator, written from the documents alone, has found.
func TestBookLongCables(t *testing.T) {
	top := network(t, "mesh:1,hosts=2,latency-ns=3000")
	b := playBook(t, top, program(2, [3]int{0, 1, 10_000_000}), evalsim.DefaultOptions())
	near(t, "makespan", b.nanoseconds(), 986e3, 500)
}

// Two flows share the link between the switches in equal parts, and none of its
// time is lost.
func TestBookTwoFlowsShare(t *testing.T) {
	const bytes = 500 * 4096
	for _, s := range []evalsim.Switching{evalsim.CutThrough, evalsim.StoreAndForward} {
		o := evalsim.DefaultOptions()
		o.Switching = s
		b := playBook(t, pairOfSwitches(t, 2, 100), program(4, [3]int{0, 2, bytes}, [3]int{1, 3, bytes}), o)
		way := 3*100.0 + 200
		if s == evalsim.StoreAndForward {
			way += 2 * 4096 / lineRate
		}
		near(t, s.String(), b.nanoseconds(), 2*bytes/lineRate+way, 0.01)
	}
}

// Into a fast link from a slow one, a packet passes when the fast link can send it
// without a gap; out of a fast link into a slow one at once.
func TestBookMixedRates(t *testing.T) {
	for _, factor := range []float64{0.25, 4} {
		top := pairOfSwitches(t, 1, 100)
		for i := range top.Links {
			if !top.IsHost(top.Links[i].From) && !top.IsHost(top.Links[i].To) {
				top.Links[i].BytesPerSecond *= factor
			}
		}
		b := playBook(t, top, program(2, [3]int{0, 1, 40 * 4096}), evalsim.DefaultOptions())
		// The fast link between slow ones waits, and the host's link begins so much later.
		want := 40*4096/(lineRate*min(1, factor)) + 3*100 + 2*100
		want += max(0, 4096/lineRate-4096/(lineRate*factor))
		near(t, fmt.Sprint(factor), b.nanoseconds(), want, 0.01)
	}
}

// A NIC cuts packets from its messages in turn, each when its forerunner starts:
// when a message is posted while the first packet of a long one is on the link, the
// second one is cut, and the third has its turn before the new message.
func TestBookTurnsOfMessages(t *testing.T) {
	o := evalsim.DefaultOptions()
	const packet = 4096 / lineRate
	p := ops([]workload.Op{isend(2, 10*4096), compute(100), isend(1, 2*4096), waitAll}, nil, nil)
	b := newBook(pairOfSwitches(t, 3, 0), p, []int32{0, 1, 2}, o, 0)
	var arrivals []float64
	b.arrived = func(m *bookMessage) { arrivals = append(arrivals, b.nanosecondsNow()) }
	b.run()
	// Leaving: long, long, long, short, long, short, then the rest of the long one.
	if len(arrivals) != 2 {
		t.Fatalf("%d messages arrived", len(arrivals))
	}
	near(t, "short message", arrivals[0], 6*packet+100, 0.01)
	near(t, "long message", arrivals[1], 12*packet+100, 0.01)
}

// What is sent arrives: packets and bytes of every message, on every network and
// under every routing that the comparison draws, and all buffers are free again.
func TestBookConserves(t *testing.T) {
	for number := range 20 {
		c := newBookCase(t, number)
		p := c.program(0)
		b := newBook(c.top, p, c.hosts, c.options, 0)
		b.run()
		if err := b.check(); err != nil {
			t.Fatalf("case %d: %v", number, err)
		}
		var packets, bytes, in, out, arrived int64
		for i := range p.Ops {
			if op := &p.Ops[i]; op.Kind.IsSend() {
				packets += max(1, (op.Bytes+int64(c.options.PacketBytes)-1)/int64(c.options.PacketBytes))
				bytes += op.Bytes
			}
		}
		for i := range b.links {
			l := &c.top.Links[i]
			if c.top.IsHost(l.From) {
				out += b.links[i].bytes
			}
			if c.top.IsHost(l.To) {
				in += b.links[i].bytes
				arrived += b.links[i].sent
			}
		}
		if b.packets != packets || arrived != packets || in != bytes || out != bytes {
			t.Errorf("case %d: %d bytes sent; %d packets, %d by links, and %d bytes arrived, want %d and %d",
				number, out, b.packets, arrived, in, packets, bytes)
		}
	}
}

// A port behind which nothing waits is never congested; one into which two hosts
// send at full rate is congested from when its queue outgrows the buffer.
func TestBookCongestion(t *testing.T) {
	top := pairOfSwitches(t, 2, 100)
	o := evalsim.DefaultOptions()
	for i, l := range playBook(t, top, program(4, [3]int{0, 2, 1 << 20}, [3]int{1, 0, 1 << 20}), o).links {
		if l.congested > 0 {
			t.Errorf("link %d is congested %d times without contention", i, l.congested)
		}
	}
	b := playBook(t, top, program(4, [3]int{0, 2, 1 << 22}, [3]int{1, 2, 1 << 22}), o)
	for i, l := range b.links {
		from, to := top.Links[i].From, top.Links[i].To
		if !top.IsHost(from) && !top.IsHost(to) && l.crossed > 0 {
			if fraction := float64(l.congested) / float64(l.crossed); fraction < 0.95 {
				t.Errorf("the shared link is congested for %.3f of its packets", fraction)
			}
		} else if l.congested > 0 {
			t.Errorf("link %d, which is fed by one link, is congested %d times", i, l.congested)
		}
	}
}

// The levels of loads are those of half packets up to 31, then ever coarser.
func TestBookLevels(t *testing.T) {
	b := newBook(pairOfSwitches(t, 1, 0), program(2), []int32{0, 1}, evalsim.DefaultOptions(), 0)
	for halves, want := range map[int]int{0: 0, 1: 1, 31: 31, 32: 32, 33: 32, 34: 33, 63: 47, 64: 48, 68: 49,
		4096: 127} {
		b.links[0].load = halves * 2048
		if got := b.level(0); got != want {
			t.Errorf("%d half packets are level %d, want %d", halves, got, want)
		}
	}
	if b.links[0].load = 1; b.level(0) != 1 {
		t.Error("a byte is no half packet")
	}
}

// Where nothing waits for anything, evalsim and book agree to the picosecond.
func TestReferenceIsExactAlone(t *testing.T) {
	top := network(t, "tapered")
	for _, s := range []evalsim.Switching{evalsim.CutThrough, evalsim.StoreAndForward} {
		o := evalsim.DefaultOptions()
		o.Routing, o.Switching = evalsim.Static, s
		for _, c := range [][2]int{{1, 1}, {40, 100}, {4000, 4097}, {4000, 500000}} {
			p := program(4608, [3]int{0, c[0], c[1]}, [3]int{0, c[0], c[1]})
			near(t, fmt.Sprint(s, c), run(t, top, p, o).Makespan, playBook(t, top, p, o).nanoseconds(), 0.001)
		}
	}
}
