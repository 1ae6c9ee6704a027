package evalsim_test

import (
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"

	"remap/evalsim"
	"remap/internal/testkit"
	"remap/sampling"
	"remap/topology"
	"remap/workload"
)

// lineRate is 100 Gb/s in bytes a nanosecond.
const lineRate = 12.5

// Helpers that tests of other packages share.
var (
	network, failed, between  = testkit.Network, testkit.Failed, testkit.SwitchLink
	program, identity, phased = testkit.Program, testkit.Identity, testkit.Phased
	twoJobs, measured         = testkit.TwoJobs, testkit.Measured
	near, sameTables          = testkit.Near, testkit.SameTables
)

func run(t testing.TB, top *topology.Topology, p *workload.Program, o evalsim.Options) *evalsim.Result {
	t.Helper()
	r, err := evalsim.Run(context.Background(), top, []evalsim.Job{{Program: p, Hosts: identity(p.Ranks())}}, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// One message of n packets over s switches, alone: the last byte arrives
// after n transmissions (store-and-forward: n+s), s+1 latencies and s switch
// traversals.
func TestOneFlowClosedForm(t *testing.T) {
	top := network(t, "tapered")
	for _, target := range []struct{ host, switches int }{{1, 1}, {40, 3}, {4000, 5}} {
		for _, bytes := range []int{1, 4096, 131072} {
			packets := (bytes + 4095) / 4096
			last := bytes - (packets-1)*4096
			for mode, extra := range map[evalsim.Switching]float64{evalsim.CutThrough: 0,
				evalsim.StoreAndForward: float64(target.switches * last)} {
				o := evalsim.DefaultOptions()
				o.Switching = mode
				r := run(t, top, program(4608, [3]int{0, target.host, bytes}), o)
				want := (float64(bytes)+extra)/lineRate + float64(2*target.switches+1)*100
				if mode == evalsim.StoreAndForward && packets > 1 {
					// A short last packet catches up with its full forerunner at every switch.
					want += float64(target.switches*(4096-last)) / lineRate
				}
				near(t, mode.String(), r.Makespan, want, 0.01)
				if r.Packets != int64(packets) || r.PacketHops != int64(packets*(target.switches+1)) {
					t.Errorf("%d packets over %d links, want %d over %d", r.Packets, r.PacketHops, packets,
						packets*(target.switches+1))
				}
				if r.Congested != 0 {
					t.Errorf("a lone flow is congested %d times", r.Congested)
				}
			}
		}
	}
}

// A slow link in a row of fast ones sets the pace, and cut-through never
// forwards a byte before it is there.
func TestMixedRatesPace(t *testing.T) {
	top := network(t, "fattree:nodes-per-leaf=1,leaves-per-pod=2,pods=1,aggs-per-pod=1,cores=0")
	for i := range top.Links {
		if !top.IsHost(top.Links[i].From) && !top.IsHost(top.Links[i].To) {
			top.Links[i].BytesPerSecond /= 4
		}
	}
	const bytes = 40 * 4096
	r := run(t, top, program(2, [3]int{0, 1, bytes}), evalsim.DefaultOptions())
	// The slow hops pipeline; after the last slow transmission only the last
	// packet's way to the host remains, which cannot end before the slow link does.
	near(t, "makespan", r.Makespan, bytes/(lineRate/4)+4*100+3*100, 0.01)
}

// N senders to one receiver: the ejection link carries everything and never rests.
func TestIncastEjectionBound(t *testing.T) {
	top := network(t, "full")
	for _, senders := range []int{2, 17, 300} {
		var sends [][3]int
		for s := 1; s <= senders; s++ {
			sends = append(sends, [3]int{s, 0, 65536})
		}
		r := run(t, top, program(top.Hosts(), sends...), evalsim.DefaultOptions())
		bound := float64(senders*65536) / lineRate
		if r.Makespan < bound || r.Makespan > bound*1.02+1500 {
			t.Errorf("%d to one: %g ns, bound %g", senders, r.Makespan, bound)
		}
		eject := top.Ejection(0)[0]
		if f := float64(r.Links[eject].Congested) / float64(r.Links[eject].Packets); senders == 300 && f < 0.98 {
			t.Errorf("the ejection link is congested for %g of its packets", f)
		}
	}
}

// All 32 hosts of a leaf send to another leaf over 16 up-links.
func TestTaperBound(t *testing.T) {
	top := network(t, "tapered")
	var sends [][3]int
	for s := range 32 {
		sends = append(sends, [3]int{s, s + 32, 1 << 20})
	}
	r := run(t, top, program(4608, sends...), evalsim.DefaultOptions())
	bound := 32 * float64(1<<20) / 16 / lineRate
	if r.Makespan < bound || r.Makespan > bound*1.03 {
		t.Errorf("%g ns, bound %g", r.Makespan, bound)
	}
}

// Half the rates and twice the delays: every time doubles, to the picosecond rounding.
func TestTimeScales(t *testing.T) {
	p, err := workload.ParsePattern("stencil2d:16x18,bytes=20000")
	if err != nil {
		t.Fatal(err)
	}
	spec := "fattree:nodes-per-leaf=8,leaves-per-pod=6,pods=6,aggs-per-pod=4,cores=8"
	o := evalsim.DefaultOptions()
	fast := run(t, network(t, spec), p, o)
	o.SwitchLatency *= 2
	slow := run(t, network(t, spec+",gbps=50,latency-ns=200"), p, o)
	// Event slots are of fixed width, so ties may fall differently: 2 %.
	near(t, "ratio", slow.Makespan/fast.Makespan, 2, 0.04)
	if slow.PacketHops != fast.PacketHops {
		t.Errorf("%d packet hops, then %d", fast.PacketHops, slow.PacketHops)
	}
}

// Packets and packet hops of the 64x72 stencil follow from the path lengths:
// 18160 messages of 32 packets, 2.0872 switches on average (reference.md).
func TestStencilClosedForm(t *testing.T) {
	p, err := workload.ParsePattern("stencil2d:64x72")
	if err != nil {
		t.Fatal(err)
	}
	top := network(t, "tapered")
	var want int64
	for r := range int32(p.Ranks()) {
		for _, op := range p.RankOps(r) {
			if op.Kind == workload.Send {
				want += 32 * int64(top.PathLength(r, op.Peer)+1)
			}
		}
	}
	r := run(t, top, p, evalsim.DefaultOptions())
	if r.Packets != 581120 || r.PacketHops != want || want != 1794048 {
		t.Errorf("%d packets, %d packet hops; want 581120 and %d (1794048)", r.Packets, r.PacketHops, want)
	}
	if r.Makespan < 62.9e3 || r.Makespan > 76e3 {
		t.Errorf("row major takes %g ns: outside its floor and 76 us", r.Makespan)
	}
}

// randomCase draws a program of blocking sends on a machine, several ranks a
// host, with more traffic than its buffers hold.
func randomCase(t *rapid.T) (*topology.Topology, *workload.Program, []int32, evalsim.Options) {
	top := anyMachine(t)
	random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
	ranks := rapid.IntRange(1, 3*top.Hosts()).Draw(t, "ranks")
	o := anyOptions(t, top)
	var sends [][3]int
	for range rapid.SampledFrom([]int{3000, 300, 10}).Draw(t, "sends") {
		sends = append(sends, [3]int{random.IntN(ranks), random.IntN(ranks), random.IntN(16 * o.PacketBytes)})
	}
	hosts := make([]int32, ranks)
	for r := range hosts {
		hosts[r] = int32(random.IntN(top.Hosts()))
	}
	return top, program(ranks, sends...), hosts, o
}

// Any program on any network ends with every byte delivered, every credit
// back and every queue empty (the simulator checks the last two itself), and
// no time is below what the busiest link needs.
func TestRandomProgramsDeliver(t *testing.T) {
	check(t, func(t *rapid.T) {
		top, p, hosts, o := randomCase(t)
		r, err := evalsim.Run(context.Background(), top, []evalsim.Job{{Program: p, Hosts: hosts}}, o)
		if err != nil {
			t.Fatal(err)
		}
		in, out := make([]int64, top.Hosts()+top.Switches()), make([]int64, top.Hosts()+top.Switches())
		for i, l := range top.Links {
			out[l.From] += r.Links[i].Bytes
			in[l.To] += r.Links[i].Bytes
			if busy := float64(r.Links[i].Bytes) / l.BytesPerSecond * 1e9; busy > r.Makespan*(1+1e-9)+0.001 {
				t.Fatalf("link %d sends for %g of %g ns", i, busy, r.Makespan)
			}
			if r.Links[i].Congested > r.Links[i].Packets {
				t.Fatalf("link %d: %d of %d packets congested", i, r.Links[i].Congested, r.Links[i].Packets)
			}
		}
		for s := top.Hosts(); s < len(in); s++ {
			if in[s] != out[s] {
				t.Fatalf("switch %d: %d bytes in, %d out", s, in[s], out[s])
			}
		}
		wantIn, wantOut := make([]int64, top.Hosts()), make([]int64, top.Hosts())
		for rank := range int32(p.Ranks()) {
			for _, op := range p.RankOps(rank) {
				if hosts[rank] != hosts[op.Peer] {
					wantOut[hosts[rank]] += op.Bytes
					wantIn[hosts[op.Peer]] += op.Bytes
				}
			}
		}
		if !reflect.DeepEqual(wantIn, in[:top.Hosts()]) || !reflect.DeepEqual(wantOut, out[:top.Hosts()]) {
			t.Fatal("hosts sent or received other bytes than the program says")
		}
	})
}

// Repeats are the same for any number of workers, differ from each other, and
// do not depend on whether packets carry samples.
func TestRepeatsDeterministic(t *testing.T) {
	top := network(t, "tapered")
	p, err := workload.ParsePattern("uniform:600,bytes=30000,rounds=3")
	if err != nil {
		t.Fatal(err)
	}
	o := evalsim.DefaultOptions()
	jobs := []evalsim.Job{{Program: p, Hosts: identity(600)}}
	repeat := func(workers int, o evalsim.Options) []*evalsim.Result {
		r, err := evalsim.Repeat(context.Background(), top, jobs, o, 4, workers, nil)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	one, three := repeat(1, o), repeat(3, o)
	if !reflect.DeepEqual(one, three) {
		t.Error("1 and 3 workers give different results")
	}
	if one[0].Makespan == one[1].Makespan && one[1].Makespan == one[2].Makespan {
		t.Error("repeats do not differ")
	}
	o.Sampling = sampling.Variant{}
	for i, r := range repeat(2, o) {
		if r.Makespan != one[i].Makespan || r.Congested != one[i].Congested {
			t.Errorf("repeat %d: sampling changes the result", i)
		}
	}
}

// Adaptive routing must not favour any of equal links.
func TestAdaptiveUnbiased(t *testing.T) {
	top := network(t, "tapered")
	p, err := workload.ParsePattern("stencil2d:64x72")
	if err != nil {
		t.Fatal(err)
	}
	r := run(t, top, p, evalsim.DefaultOptions())
	var byIndex [16]float64
	for leaf := range int32(top.Switches()) {
		first, end := top.Out(top.NodeOf(leaf))
		up := 0
		for l := first; l < end && leaf < 144; l++ {
			if !top.IsHost(top.Links[l].To) {
				byIndex[up] += float64(r.Links[l].Packets)
				up++
			}
		}
	}
	mean := 0.0
	for _, n := range byIndex {
		mean += n / 16
	}
	for i, n := range byIndex {
		if math.Abs(n/mean-1) > 0.02 {
			t.Errorf("up-links number %d carry %g of the mean", i, n/mean)
		}
	}
}

func TestCancelled(t *testing.T) {
	p, err := workload.ParsePattern("stencil2d:64x72")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	_, err = evalsim.Run(ctx, network(t, "tapered"), []evalsim.Job{{Program: p, Hosts: identity(4608)}},
		evalsim.DefaultOptions())
	if err == nil {
		t.Error("a cancelled run gave a result")
	}
}

func TestMedianInterval(t *testing.T) {
	for _, c := range []struct {
		n         int
		low, high float64
		ok        bool
	}{{5, 0, 0, false}, {6, 1, 6, true}, {8, 1, 8, true}, {9, 2, 8, true}, {10, 2, 9, true}, {20, 6, 15, true}} {
		values := make([]float64, c.n)
		for i := range values {
			values[i] = float64(c.n - i)
		}
		median, low, high, ok := evalsim.MedianInterval(values)
		if median != float64(c.n+1)/2 || low != c.low || high != c.high || ok != c.ok {
			t.Errorf("n=%d: %g [%g, %g] %v", c.n, median, low, high, ok)
		}
	}
}

func TestOptionsValidate(t *testing.T) {
	for _, change := range []func(*evalsim.Options){
		func(o *evalsim.Options) { o.PacketBytes = 0 },
		func(o *evalsim.Options) { o.PacketBytes = 1 << 17 },
		func(o *evalsim.Options) { o.BufferBytes = 4096 },
		func(o *evalsim.Options) { o.SwitchLatency = -1 },
		func(o *evalsim.Options) { o.Routing = 99 },
		func(o *evalsim.Options) { o.Switching = 9 },
		func(o *evalsim.Options) { o.MemoryBytesPerSecond = math.NaN() },
	} {
		o := evalsim.DefaultOptions()
		change(&o)
		if o.Validate() == nil {
			t.Errorf("%+v is accepted", o)
		}
	}
}
