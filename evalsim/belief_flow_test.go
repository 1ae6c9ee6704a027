package evalsim_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"remap/evalsim"
	"remap/topology"
	"remap/workload"
)

// chain is a line of switches with a host each, whose links from host 0 to the
// last host have the rates given, in bytes a nanosecond, and the latencies in ns.
func chain(t rapid.TB, rates []float64, latencies []int) *topology.Topology {
	t.Helper()
	top, err := topology.Parse(fmt.Sprintf("mesh:%d", len(rates)-1))
	if err != nil {
		t.Fatal(err)
	}
	for i, link := range way(top, 0, int32(top.Hosts()-1)) {
		for _, l := range []int32{link, top.Reverse(link)} {
			top.Links[l].BytesPerSecond = rates[i] * 1e9
			top.Links[l].Latency = time.Duration(latencies[i])
		}
	}
	return top
}

// way is the links from one host to another by the first candidate of every switch.
func way(top *topology.Topology, from, to int32) []int32 {
	link, _ := top.Out(from)
	links := []int32{link}
	for end := top.LeafSwitch(to); ; {
		at := top.SwitchOf(top.Links[link].To)
		if at == end {
			return append(links, top.Ejection(to)[0])
		}
		link = top.Routes.Candidates(at, end)[0] / top.Routes.VirtualChannels
		links = append(links, link)
	}
}

// flowTime is the closed form of a message of so many full packets, alone, over
// links of any rates. The first packet takes every latency and every switch's
// time and, under store-and-forward, every transmission. Under cut-through a
// link begins with the head, but when it is faster than the one before it only
// so late that its last byte follows that one's. Packets after the first follow
// at the pace of the slowest link (a flow shop of equal jobs).
func flowTime(rates []float64, latencies []int, o evalsim.Options, packets int) float64 {
	total, slowest := 0.0, 0.0
	for i, rate := range rates {
		time := float64(o.PacketBytes) / rate
		switch {
		case o.Switching == evalsim.StoreAndForward || i == len(rates)-1:
			total += time
		default: // the next link ends no earlier than this one
			total += max(0, time-float64(o.PacketBytes)/rates[i+1])
		}
		total += float64(latencies[i])
		if i > 0 {
			total += float64(o.SwitchLatency)
		}
		slowest = max(slowest, time)
	}
	return total + float64(packets-1)*slowest
}

// One flow over links of any rates and latencies, slow after fast and fast
// after slow, takes the time of its closed form.
func TestOneFlowMixedRatesClosedForm(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		links := rapid.IntRange(3, 9).Draw(t, "links")
		rates := rapid.SliceOfN(rapid.SampledFrom([]float64{1.25, 5, 12.5, 25, 50}), links, links).Draw(t, "rates")
		latencies := rapid.SliceOfN(rapid.IntRange(0, 900), links, links).Draw(t, "latencies")
		o := evalsim.DefaultOptions()
		o.PacketBytes = rapid.SampledFrom([]int{64, 1000, 4096}).Draw(t, "packet")
		o.BufferBytes = 1 << 20 // beyond rate times round trip
		o.Switching = evalsim.Switching(rapid.IntRange(0, 1).Draw(t, "switching"))
		o.SwitchLatency = time.Duration(rapid.IntRange(0, 300).Draw(t, "switch latency"))
		packets := rapid.IntRange(1, 200).Draw(t, "packets")
		top := chain(t, rates, latencies)
		p := program(top.Hosts(), [3]int{0, top.Hosts() - 1, packets * o.PacketBytes})
		r := runJobs(t, top, []evalsim.Job{{Program: p, Hosts: identity(p.Ranks())}}, o)
		want := flowTime(rates, latencies, o, packets)
		if r.Makespan < want-0.01-1e-6*want || r.Makespan > want+0.01+1e-6*want {
			t.Fatalf("%v over %v B/ns: %g ns, closed form %g", o.Switching, rates, r.Makespan, want)
		}
		if r.Congested != 0 && rates[0] <= rates[links-1] && packets == 1 {
			t.Fatalf("a lone packet is congested %d times", r.Congested)
		}
	})
}

// On every kind of network a lone message between any two hosts takes the time
// of as many links as the metric says, whichever of equal ways it takes.
func TestOneFlowEveryNetwork(t *testing.T) {
	for _, spec := range oneFlowNetworks {
		top := network(t, spec)
		o := evalsim.DefaultOptions()
		for _, mode := range []evalsim.Switching{evalsim.CutThrough, evalsim.StoreAndForward} {
			o.Switching = mode
			simulation, err := evalsim.New(top, []evalsim.Job{{Program: program(2, [3]int{0, 1, 3 * 4096}),
				Hosts: []int32{0, 1}}}, o)
			if err != nil {
				t.Fatal(err)
			}
			for to := int32(1); int(to) < top.Hosts(); to += 1 + int32(top.Hosts())/40 {
				placed, err := simulation.Place([]int32{0, to})
				if err != nil {
					t.Fatal(err)
				}
				r, err := placed.Run(context.Background(), 1)
				if err != nil {
					t.Fatal(err)
				}
				links := int(top.PathLength(0, to)) + 1
				rates, latencies := make([]float64, links), make([]int, links)
				for i := range rates {
					rates[i], latencies[i] = lineRate, 100
				}
				near(t, fmt.Sprintf("%s, %v, host 0 to %d", spec, mode, to), r.Makespan,
					flowTime(rates, latencies, o, 3), 0.01)
				if r.PacketHops != int64(3*links) || r.Congested != 0 {
					t.Errorf("%s, host 0 to %d: 3 packets cross %d links, want %d; %d "+
						"congested", spec, to, r.PacketHops, 3*links, r.Congested)
				}
			}
		}
	}
}

var oneFlowNetworks = []string{"torus:5x4", "torus:6x3x3," +
	"hosts=2", "mesh:4x3x2", "xgft:down=4x4x3,up=1x4x2", "full",
	"dragonfly:groups=9,routers=4,hosts=2,global=2", "dragonfly:groups=4,routers=3,hosts=1," +
		"global=2", "hyperx:4x3x3,hosts=2", "hyperx:8"}

// A link with room for k packets beyond it sends k of them a round trip, and
// never faster than its rate: the round trip of a buffer's room is the link's
// transmission, the way there, the switch, and the credit's way back.
func TestCreditsBoundOneFlow(t *testing.T) {
	const packets, latency, packet = 4000, 3000, 4096
	for _, mode := range []evalsim.Switching{evalsim.CutThrough, evalsim.StoreAndForward} {
		for _, k := range []int{2, 3, 8, 15, 16, 24, 64} {
			top := network(t, fmt.Sprintf("mesh:4,latency-ns=%d", latency))
			o := evalsim.DefaultOptions()
			o.Switching, o.BufferBytes = mode, k*packet
			r := run(t, top, program(4, [3]int{0, 3, packets * packet}), o)
			send := packet / lineRate
			trip := 2*latency + 100 + send
			if mode == evalsim.StoreAndForward {
				trip += send
			}
			high := packets * max(send, trip/float64(k))
			low := high - 2*trip // the first and the last round trip
			t.Logf("%v, %d packets of room: %.3f of what credits allow", mode, k, r.Makespan/high)
			if r.Makespan < 0.995*low || r.Makespan > 1.005*high+5*trip {
				t.Errorf("%v, %d packets of room: %g ns, credits allow %g to %g", mode, k, r.Makespan, low, high)
			}
		}
	}
}

// incast is senders 1.. to host 0 with so many bytes each.
func incast(ranks, senders, bytes int) *workload.Program {
	var sends [][3]int
	for s := 1; s <= senders; s++ {
		sends = append(sends, [3]int{s, 0, bytes})
	}
	return program(ranks, sends...)
}

// N senders of one leaf switch to one receiver there: the ejection link sends
// without a pause from the first head's arrival on, so the time is exact,
// whatever the buffers, the routing and the seed.
func TestIncastExact(t *testing.T) {
	top := network(t, "fattree:nodes-per-leaf=32,leaves-per-pod=2,pods=1,aggs-per-pod=16,cores=0")
	for _, senders := range []int{1, 2, 31} {
		for _, buffer := range []int{8192, 65536} {
			for seed := range uint64(5) {
				o := evalsim.DefaultOptions()
				o.BufferBytes, o.Seed = buffer, seed
				r := run(t, top, incast(top.Hosts(), senders, 50*4096), o)
				want := float64(senders*50*4096)/lineRate + 300
				if senders == 1 && buffer == 8192 {
					continue // one flow is bound by its credits, see TestCreditsBoundOneFlow
				}
				near(t, fmt.Sprintf("%d to one, %d bytes of buffer", senders, buffer), r.Makespan, want, 0.01)
				eject := &r.Links[top.Ejection(0)[0]]
				near(t, "ejection link busy", eject.Busy, (want-300)/want, 1e-6)
			}
		}
	}
}

// Two to one taper from both sides: hosts of a leaf that all send through its
// up-links take at least the bytes over the up-links' rate and at most 2 % more,
// under every routing that spreads packets; and as many that send within the
// leaf take the time of the hosts' own links.
func TestTaperBothWays(t *testing.T) {
	top := network(t, "fattree:nodes-per-leaf=32,leaves-per-pod=4,pods=1,aggs-per-pod=16,cores=0")
	const bytes = 1 << 20
	for _, routing := range []evalsim.Routing{evalsim.Adaptive, evalsim.TwoChoices, evalsim.RandomPacket,
		evalsim.Static} {
		for shift, bound := range map[int]float64{1: bytes / lineRate, 32: 2 * bytes / lineRate} {
			var sends [][3]int
			for h := range 128 {
				to := (h + shift) % 128
				if shift == 1 {
					to = h/32*32 + (h+1)%32
				}
				sends = append(sends, [3]int{h, to, bytes})
			}
			o := evalsim.DefaultOptions()
			o.Routing = routing
			r := run(t, top, program(128, sends...), o)
			slack := 1.02
			if routing == evalsim.RandomPacket || routing == evalsim.TwoChoices {
				slack = 1.15 // links are idle while chance favours others
			}
			t.Logf("%v, shift by %d: %.4f of the bound", routing, shift, r.Makespan/bound)
			if r.Makespan < bound || r.Makespan > slack*bound {
				t.Errorf("%v, shift by %d: %g ns, bound %g", routing, shift, r.Makespan, bound)
			}
		}
	}
}
