package evalsim_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"remap/evalsim"
	"remap/internal/testkit/tier"
	"remap/sampling"
	"remap/topology"
	"remap/workload"
)

// hub is one switch with so many hosts whose links into it are so many times as
// fast as those out of it, without any latency: what arrives there queues for
// the links out, and for nothing else.
func hub(t *testing.T, spec string, faster float64) *topology.Topology {
	t.Helper()
	top := network(t, spec)
	for h := range int32(top.Hosts()) {
		link, _ := top.Out(h)
		top.Links[link].BytesPerSecond *= faster
	}
	return top
}

// lindley is the mean wait of packets that arrive at one link at these times,
// first come, first served: no wait but for what the one before leaves to do
// (Lindley 1952).
func lindley(arrivals []float64, service float64) float64 {
	slices.Sort(arrivals)
	free, sum := 0.0, 0.0
	for _, at := range arrivals {
		begin := max(free, at)
		sum += begin - at
		free = begin + service
	}
	return sum / float64(len(arrivals))
}

// poisson is a program of ranks whose first receives single packets from all
// others, at a Poisson process of so many packets a nanosecond in all, for as
// long as they are that many on average. Sends do not block, so that gaps are
// those drawn; times are rounded, not gaps, so that rounding does not add up.
func poisson(ranks int, perNS, packets float64, packetBytes int64,
	random *rand.Rand) (p *workload.Program, arrivals []float64) {
	p = &workload.Program{Offsets: make([]int32, 2, ranks+1), VolumeScale: 1}
	end := packets / perNS
	for range ranks - 1 {
		at, before := 0.0, int64(0)
		for {
			at += random.ExpFloat64() * float64(ranks-1) / perNS
			if at > end {
				break
			}
			now := int64(math.Round(at))
			p.Ops = append(p.Ops, compute(now-before), isend(0, packetBytes))
			before = now
			arrivals = append(arrivals, float64(now))
		}
		p.Offsets = append(p.Offsets, int32(len(p.Ops)))
	}
	return p, arrivals
}

// meanInterval is the mean of independent values and its two-sided interval by
// Student's t with probability of error p.
func meanInterval(values []float64, p float64) (mean, half float64) {
	mean, deviation := stat.MeanStdDev(values, nil)
	n := float64(len(values))
	return mean, deviation / math.Sqrt(n) * distuv.StudentsT{Sigma: 1, Nu: n - 1}.Quantile(1-p/2)
}

// Packets that arrive at one link as a Poisson process wait rho/(2 mu (1-rho))
// on average, as in M/D/1 (Pollaczek 1930, Khinchin 1932). The wait is measured
// where users read it: the mean queue of a time slice, over the packets it sent
// (Little 1961). Slices are batches, the first one of every run is left out: it
// begins empty, and is many relaxation times long.
func TestPoissonArrivalsWaitAsMD1(t *testing.T) {
	t.Parallel()
	const hosts, packet, batches = 33, 4096, 10
	top := hub(t, "torus:1,hosts=33", 100)
	service := packet / lineRate
	for _, c := range []struct {
		rho       float64
		switching evalsim.Switching
		packets   float64 // a batch
		relative  float64 // the interval is no wider than this
	}{
		{0.3, evalsim.CutThrough, 6000, 0.035},
		{0.6, evalsim.CutThrough, 12000, 0.035},
		{0.6, evalsim.StoreAndForward, 12000, 0.035},
		{0.8, evalsim.CutThrough, 30000, 0.035},
	}[:tier.Cases(1, 4, 4)] {
		var waits []float64
		for seed := range uint64(4) {
			random := rand.New(rand.NewPCG(seed, 1))
			p, arrivals := poisson(hosts, c.rho/service, c.packets*(batches+1), packet, random)
			o := evalsim.DefaultOptions()
			o.Switching, o.BufferBytes, o.Sampling = c.switching, 1<<22, sampling.Variant{}
			o.SliceLength = time.Duration(c.packets * service / c.rho)
			o.Seed = seed
			r := run(t, top, p, o)
			link := top.Ejection(0)[0]
			if r.Links[top.Reverse(link)].Packets != 0 || r.Links[link].Packets != r.Packets {
				t.Fatal("packets go elsewhere")
			}
			// These very arrivals, one by one: but for nanoseconds of rounding and of order.
			near(t, "mean wait of these arrivals", r.Links[link].QueueMean*r.Makespan/float64(r.Links[link].Bytes),
				lindley(arrivals, service), 1)
			for _, slice := range r.Slices[1 : batches+1] {
				l := &slice[link]
				waits = append(waits, l.QueueMean*float64(o.SliceLength)/float64(l.Bytes))
			}
		}
		want := c.rho * service / (2 * (1 - c.rho))
		mean, half := meanInterval(waits, 1e-4)
		t.Logf("rho %.1f, %v: mean wait %.2f ns +- %.2f, M/D/1 %.2f", c.rho, c.switching, mean, half, want)
		if math.Abs(mean-want) > half {
			t.Errorf("rho %.1f, %v: mean wait %g ns +- %g, M/D/1 has %g", c.rho, c.switching, mean, half, want)
		}
		if half > c.relative*want {
			t.Errorf("rho %.1f: an interval of +- %g ns around %g tells too little", c.rho, half, mean)
		}
	}
}

// uniformPackets is a program in which every rank sends so many single packets,
// each to any other rank with the same probability, as fast as it can.
func uniformPackets(ranks, packets int, bytes int64, random *rand.Rand) *workload.Program {
	p := &workload.Program{Offsets: []int32{0}, VolumeScale: 1}
	for r := range ranks {
		for range packets {
			to := random.IntN(ranks - 1)
			if to >= r {
				to++
			}
			p.Ops = append(p.Ops, send(int32(to), bytes))
		}
		p.Offsets = append(p.Offsets, int32(len(p.Ops)))
	}
	return p
}

// throughput is the share of the hosts' ejection rate that packets of one size
// fill from one time to another, in ns.
func throughput(t *testing.T, top *topology.Topology, p *workload.Program, o evalsim.Options, bytes, from,
	to float64) float64 {
	t.Helper()
	return throughputs(t, top, p, o, bytes, [2]float64{from, to})[0]
}

// throughputs is the throughput in several windows of one run.
func throughputs(t *testing.T, top *topology.Topology, p *workload.Program, o evalsim.Options, bytes float64,
	windows ...[2]float64) []float64 {
	t.Helper()
	o.Sampling = sampling.Variant{}
	simulation, err := evalsim.New(top, []evalsim.Job{{Program: p, Hosts: identity(p.Ranks())}}, o)
	if err != nil {
		t.Fatal(err)
	}
	shares := make([]float64, len(windows))
	if _, err = simulation.RepeatDelivered(context.Background(), 0, 1, 1, nil,
		func(_ int, some []evalsim.Delivery) error {
			for i := range some {
				for k, w := range windows {
					if at := float64(some[i].Arrival) / 1000; w[0] <= at && at < w[1] {
						shares[k] += bytes / (w[1] - w[0]) / (float64(p.Ranks()) * lineRate)
					}
				}
			}
			return nil
		}); err != nil {
		t.Fatal(err)
	}
	return shares
}

// A switch whose inputs have room for k packets each is, under uniform traffic
// that never ends, a closed network: every packet that leaves lets another in,
// bound for any output. In the limit of many hosts each output is an M/D/1 queue
// with k packets on average, rho + rho^2/(2(1-rho)) = k, so rho = k+1-sqrt(k^2+1).
// For k = 1 that is the 2-sqrt(2) of Karol, Hluchyj and Morgan (1987), whose
// argument it is; the simulator wants two packets of room at least.
func TestThroughputOfFiniteBuffers(t *testing.T) {
	tier.Long(t, "a sweep of simulations: two seconds")
	t.Parallel()
	const hosts, packet, packets = 128, 4096, 600
	top := hub(t, "torus:1,hosts=128,latency-ns=0", 50)
	service := packet / lineRate
	for _, k := range []float64{2, 3, 4, 8, 16} {
		var shares []float64
		for seed := range uint64(4) {
			o := evalsim.DefaultOptions()
			o.BufferBytes, o.SwitchLatency, o.Seed = int(k)*packet, 0, seed
			p := uniformPackets(hosts, packets, packet, rand.New(rand.NewPCG(seed, 2)))
			shares = append(shares, throughput(t, top, p, o, packet, 0.2*packets*service, 0.95*packets*service))
		}
		want := k + 1 - math.Sqrt(k*k+1)
		mean, _ := stat.MeanStdDev(shares, nil)
		t.Logf("%g packets of room: %.4f of the rate (%.4f to %.4f), theory "+
			"%.4f", k, mean, slices.Min(shares), slices.Max(shares), want)
		if math.Abs(mean-want) > 0.015 {
			t.Errorf("%g packets of room: %g of the rate, theory says %g", k, mean, want)
		}
	}
}
