package evalsim_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"

	"remap/evalsim"
	"remap/internal/testkit/tier"
	"remap/topology"
	"remap/workload"
)

// repeats runs a program on hosts once for every seed from first on.
func repeats(t *testing.T, top *topology.Topology, p *workload.Program, hosts []int32, o evalsim.Options,
	first uint64, count int) []*evalsim.Result {
	t.Helper()
	simulation, err := evalsim.New(top, []evalsim.Job{{Program: p, Hosts: hosts}}, o)
	if err != nil {
		t.Fatal(err)
	}
	results := make([]*evalsim.Result, count)
	for i := range results {
		if results[i], err = simulation.Run(context.Background(), first+uint64(i)); err != nil {
			t.Fatal(err)
		}
	}
	return results
}

// of takes one figure of every result.
func of(results []*evalsim.Result, figure func(*evalsim.Result) float64) []float64 {
	values := make([]float64, len(results))
	for i, r := range results {
		values[i] = figure(r)
	}
	return values
}

func makespan(r *evalsim.Result) float64      { return r.Makespan }
func congestedHops(r *evalsim.Result) float64 { return float64(r.Congested) }

// mannWhitney is how many standard deviations the rank sum of a is from that of
// samples of one and the same distribution (Mann and Whitney 1947; ties get
// their mean rank, their effect on the deviation is left out, which makes the
// result smaller).
func mannWhitney(a, b []float64) float64 {
	u := 0.0
	for _, x := range a {
		for _, y := range b {
			switch {
			case x > y:
				u++
			case x == y:
				u += 0.5
			}
		}
	}
	n, m := float64(len(a)), float64(len(b))
	return (u - n*m/2) / math.Sqrt(n*m*(n+m+1)/12)
}

// rulesTree is a tapered tree of 96 hosts.
const rulesTree = "fattree:nodes-per-leaf=6,leaves-per-pod=4,pods=4,aggs-per-pod=3,cores=6"

// automorphism relabels the hosts of rulesTree by one that leaves the tree as it
// is: pods, the leaves of a pod and the hosts of a leaf change places.
func automorphism(random *rand.Rand) []int32 {
	to := make([]int32, 0, 96)
	for _, pod := range random.Perm(4) {
		for _, leaf := range random.Perm(4) {
			for _, host := range random.Perm(6) {
				to = append(to, int32(pod*24+leaf*6+host))
			}
		}
	}
	return to
}

// Hosts relabelled by a symmetry of the machine change nothing in distribution;
// relabelled at random they do, so the test can tell. Destination-modulo routing
// is left out: it goes by the hosts' numbers.
func TestRelabelledHostsChangeNothing(t *testing.T) {
	tier.Long(t, "simulations of two seconds")
	t.Parallel()
	const seeds, sigmas = 40, 4.8 // by chance 2 in a million a comparison, 3 in 100,000 in all
	p, err := workload.ParsePattern("stencil2d:12x8,bytes=30000,rounds=2")
	if err != nil {
		t.Fatal(err)
	}
	top := network(t, rulesTree)
	random := rand.New(rand.NewPCG(5, 5))
	for _, routing := range []evalsim.Routing{evalsim.Adaptive, evalsim.TwoChoices, evalsim.RandomPacket,
		evalsim.FlowHash} {
		o := evalsim.DefaultOptions()
		o.Routing = routing
		base := repeats(t, top, p, identity(96), o, 1, seeds)
		for try := range uint64(2) {
			same := repeats(t, top, p, automorphism(random), o, 1000*(try+1), seeds)
			for name, figure := range map[string]func(*evalsim.Result) float64{"makespan": makespan,
				"congested": congestedHops} {
				z := mannWhitney(of(base, figure), of(same, figure))
				t.Logf("%v, %s: %.2f standard deviations", routing, name, z)
				if math.Abs(z) > sigmas {
					t.Errorf("%v: relabelled hosts move the %s by %.2f standard deviations", routing, name, z)
				}
			}
		}
		scattered := make([]int32, 96)
		for i, h := range random.Perm(96) {
			scattered[i] = int32(h)
		}
		if z := mannWhitney(of(base, congestedHops),
			of(repeats(t, top, p, scattered, o, 5000, seeds), congestedHops)); math.Abs(z) <= sigmas {
			t.Errorf("%v: hosts at random move congestion by %.2f standard deviations only: the test would not "+
				"see what it looks for", routing, z)
		}
	}
}

// rulesNetworks are networks of several kinds, and rulesProgram random traffic
// of messages of different sizes on them.
var rulesNetworks = []string{rulesTree, "torus:5x4x3", "mesh:6x6", "xgft:down=4x4x2,up=1x2x4"}

func rulesProgram(ranks, scale, parts int) *workload.Program {
	random := rand.New(rand.NewPCG(uint64(ranks), 9))
	p := &workload.Program{Offsets: []int32{0}, VolumeScale: 1}
	for range ranks {
		for range 12 {
			to, packets := random.IntN(ranks), 1+random.IntN(12)
			for range parts {
				p.Ops = append(p.Ops, send(int32(to), int64(2*packets*4096*scale/parts)))
			}
		}
		p.Offsets = append(p.Offsets, int32(len(p.Ops)))
	}
	return p
}

// scaled is a network whose rates and latencies are so many times as they were.
func scaled(t *testing.T, spec string, rates, latencies float64) *topology.Topology {
	t.Helper()
	return network(t, fmt.Sprintf("%s,gbps=%g,latency-ns=%g", spec, 100*rates, 100*latencies))
}

// Twice as many bytes in everything - messages, packets, buffers, rates - is the
// same run in another unit: every time, count and fraction stays, bit for bit.
func TestDoubleAllBytesIsExact(t *testing.T) {
	for _, spec := range rulesNetworks {
		once, twice := scaled(t, spec, 1, 1), scaled(t, spec, 2, 1)
		for _, switching := range []evalsim.Switching{evalsim.CutThrough, evalsim.StoreAndForward} {
			o := evalsim.DefaultOptions()
			o.Switching, o.MemoryBytesPerSecond = switching, 20e9
			a := run(t, once, rulesProgram(once.Hosts(), 1, 1), o)
			o.PacketBytes, o.BufferBytes, o.MemoryBytesPerSecond = 2*o.PacketBytes, 2*o.BufferBytes,
				2*o.MemoryBytesPerSecond
			b := run(t, twice, rulesProgram(twice.Hosts(), 2, 1), o)
			if a.Makespan != b.Makespan || a.Packets != b.Packets || a.Congested != b.Congested ||
				a.Events != b.Events {
				t.Errorf("%s, %v: %g ns, %d packets, %d congested; twice the bytes: %g ns, "+
					"%d, %d", spec, switching, a.Makespan, a.Packets, a.Congested, b.Makespan, b.Packets, b.Congested)
			}
			for i := range a.Links {
				want := a.Links[i]
				want.Bytes, want.QueueMax, want.QueueMean = 2*want.Bytes, 2*want.QueueMax, 2*want.QueueMean
				if b.Links[i] != want {
					t.Fatalf("%s, link %d: %+v, want %+v", spec, i, b.Links[i], want)
				}
			}
		}
	}
}

// Twice the rates and half the latencies halve every time. Events are served in
// the order of slots of a nanosecond, which do not shrink with the rest, so ties
// fall otherwise and only the mean over seeds is near: within 1 %.
func TestDoubleAllRatesHalvesTheTime(t *testing.T) {
	for _, spec := range rulesNetworks {
		slow, fast := scaled(t, spec, 1, 1), scaled(t, spec, 2, 0.5)
		p := rulesProgram(slow.Hosts(), 1, 1)
		o := evalsim.DefaultOptions()
		o.MemoryBytesPerSecond = 20e9
		a := repeats(t, slow, p, identity(p.Ranks()), o, 1, 12)
		o.SwitchLatency, o.MemoryBytesPerSecond = o.SwitchLatency/2, 2*o.MemoryBytesPerSecond
		b := repeats(t, fast, p, identity(p.Ranks()), o, 1, 12)
		for name, c := range map[string]struct {
			figure func(*evalsim.Result) float64
			want   float64
		}{"makespan": {makespan, 0.5}, "congested": {congestedHops, 1}} {
			before, after := stat.Mean(of(a, c.figure), nil), stat.Mean(of(b, c.figure), nil)
			t.Logf("%s: %s %g, then %g: ratio %.4f", spec, name, before, after, after/before)
			if math.Abs(after/before/c.want-1) > 0.01 {
				t.Errorf("%s: mean %s %g, at twice the rates %g, want %g of it", spec, name, before, after, c.want)
			}
		}
	}
}

// A message of 2n packets or two of n, one after the other: the same packets
// leave the host at the same times. Alone on the network this is exact; in
// traffic it is the same in distribution.
func TestSplitMessages(t *testing.T) {
	tier.Long(t, "many repeats of split messages: a second")
	t.Parallel()
	for _, spec := range rulesNetworks {
		top := network(t, spec)
		o := evalsim.DefaultOptions()
		whole, split := rulesProgram(top.Hosts(), 1, 1), rulesProgram(top.Hosts(), 1, 2)
		a := repeats(t, top, whole, identity(top.Hosts()), o, 1, 24)
		b := repeats(t, top, split, identity(top.Hosts()), o, 1001, 24)
		if a[0].Packets != b[0].Packets || a[0].PacketHops != b[0].PacketHops {
			t.Errorf("%s: %d packets over %d links, split %d "+
				"over %d", spec, a[0].Packets, a[0].PacketHops, b[0].Packets, b[0].PacketHops)
		}
		for name, figure := range map[string]func(*evalsim.Result) float64{"makespan": makespan,
			"congested": congestedHops} {
			if z := mannWhitney(of(a, figure), of(b, figure)); math.Abs(z) > 4.8 {
				t.Errorf("%s: split messages move the %s by %.2f standard deviations", spec, name, z)
			}
		}
		last := top.Hosts() - 1
		one := run(t, top, program(last+1, [3]int{0, last, 16 * 4096}), o)
		two := run(t, top, program(last+1, [3]int{0, last, 8 * 4096}, [3]int{0, last, 8 * 4096}), o)
		if one.Makespan != two.Makespan || !slices.Equal(of([]*evalsim.Result{one}, congestedHops),
			of([]*evalsim.Result{two}, congestedHops)) {
			t.Errorf("%s: alone %g ns, split %g", spec, one.Makespan, two.Makespan)
		}
	}
}

// Twice the sizes with room for all of it: what is bound by rates takes twice as
// long, what is bound by latencies the same, and nothing more or less. (With
// buffers that fill, it takes more than twice as long: 2.1 to 2.2 times here.)
func TestDoubleAllSizes(t *testing.T) {
	for _, spec := range rulesNetworks {
		top := network(t, spec)
		o := evalsim.DefaultOptions()
		o.BufferBytes = 1 << 22
		var times []float64
		for _, scale := range []int{1, 2, 4} {
			times = append(times, stat.Mean(of(repeats(t, top, rulesProgram(top.Hosts(), scale, 1),
				identity(top.Hosts()), o, 1, 3), makespan), nil))
		}
		twice, four := times[1]/times[0], times[2]/times[0]
		t.Logf("%s: %.0f ns, twice the sizes %.3f, four times %.3f of it", spec, times[0], twice, four)
		if twice > 2.02 || twice < 1.9 || four > 4.05 || four < 3.75 {
			t.Errorf("%s: %g ns, twice the sizes %.3f of it, four times %.3f", spec, times[0], twice, four)
		}
	}
}
