package evalsim_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"remap/evalsim"
	"remap/sampling"
	"remap/topology"
)

// anyCongestion draws a definition of congested.
func anyCongestion(t *rapid.T) evalsim.Congestion {
	c := evalsim.Congestion{Rule: evalsim.CongestionRule(rapid.IntRange(0, 3).Draw(t, "rule")),
		At: evalsim.CongestionPoint(rapid.IntRange(0, 2).Draw(t, "point"))}
	if c.Rule != evalsim.QueueAboveCredits {
		c.Bytes = rapid.SampledFrom([]int{1, 5000, 40000}).Draw(t, "bytes")
	}
	return c
}

// Links, jobs, pairs of ranks, samples and deliveries tell the same story of a
// run, on any network, under any routing and definition of congested; packets
// meet switch ports only.
func TestViewsAgree(t *testing.T) {
	check(t, func(t *rapid.T) {
		top := anyMachine(t)
		o := anyOptions(t, top)
		o.EagerBytes, o.FlowCounts, o.Sampling, o.Congestion = 0, true, sampling.Reservoirs, anyCongestion(t)
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "program"), 0))
		jobs := make([]evalsim.Job, rapid.IntRange(1, 2).Draw(t, "jobs"))
		for j := range jobs {
			ranks := 1 + random.IntN(2*top.Hosts())
			var sends [][3]int
			for range random.IntN(100) {
				sends = append(sends, [3]int{random.IntN(ranks), random.IntN(ranks), random.IntN(10 * o.PacketBytes)})
			}
			jobs[j] = evalsim.Job{Program: program(ranks, sends...), Hosts: anyHosts(t, ranks, top.Hosts())}
		}
		s, err := evalsim.New(top, jobs, o)
		if err != nil {
			t.Fatal(err)
		}
		told := make([]evalsim.JobStats, len(jobs))
		var last int64
		results, err := s.RepeatDelivered(context.Background(), 0, 1, 1, nil,
			func(_ int, some []evalsim.Delivery) error {
				for _, d := range some {
					told[d.Job].Packets++
					told[d.Job].PortHops += int64(d.Hops)
					told[d.Job].Congested += int64(d.CongestedHops)
					last = max(last, d.Arrival)
				}
				return nil
			})
		if err != nil {
			t.Fatal(err)
		}
		checkViews(t, top, results[0], told)
		if float64(last)/1000 > results[0].Makespan+0.001 {
			t.Fatalf("a packet arrives at %d ps, the makespan is %g ns", last, results[0].Makespan)
		}
	})
}

func checkViews(t *rapid.T, top *topology.Topology, r *evalsim.Result, told []evalsim.JobStats) {
	var links, jobs evalsim.JobStats
	ejected := int64(0)
	for i, l := range r.Links {
		if top.IsHost(top.Links[i].From) {
			if l.Congested != 0 {
				t.Fatalf("injection link %d: %d packets congested", i, l.Congested)
			}
			links.Packets += l.Packets
			continue
		}
		if top.IsHost(top.Links[i].To) {
			ejected += l.Packets
		}
		links.PortHops += l.Packets
		links.Congested += l.Congested
	}
	if whole := (evalsim.JobStats{Packets: r.Packets, PortHops: r.PortHops,
		Congested: r.Congested}); links != whole || ejected != r.Packets {
		t.Fatalf("links have %+v, %d ejected, the run %+v", links, ejected, whole)
	}
	for j, stats := range r.Jobs {
		jobs.Packets += stats.Packets
		jobs.PortHops += stats.PortHops
		jobs.Congested += stats.Congested
		var flows, sampled evalsim.JobStats
		for _, f := range r.Flows[j] {
			flows.Packets += f.Packets
			flows.PortHops += f.Hops
			flows.Congested += f.CongestedHops
		}
		sampled.Packets = stats.Packets
		for i, e := range r.Samples[j].Links {
			if e.Packets+e.Congested > 0 && top.IsHost(top.Links[i].From) {
				t.Fatalf("injection link %d is sampled", i)
			}
			// Weights of a packet's samples sum to its hops, whichever were kept.
			sampled.PortHops += int64(e.Packets)
			sampled.Congested += int64(e.Congested)
		}
		if flows != stats || sampled != stats || told[j] != stats {
			t.Fatalf("job %d: %+v, its flows %+v, samples %+v, deliveries %+v", j, stats, flows, sampled, told[j])
		}
	}
	if jobs != links {
		t.Fatalf("jobs have %+v, links %+v", jobs, links)
	}
}

// On an idle network UGAL-L goes the shortest way, always; Valiant nearly never
// does.
func TestDetoursOfOneMessage(t *testing.T) {
	for _, spec := range []string{"dragonfly:groups=9,routers=4,hosts=2,global=2", "hyperx:4x4,hosts=2"} {
		top := network(t, spec)
		last := top.Hosts() - 1
		p := program(top.Hosts(), [3]int{0, last, 100 * 64})
		shortest := int64(top.PathLength(0, int32(last))) + 1
		hops := func(routing evalsim.Routing) (sum int64) {
			o := options(func(o *evalsim.Options) { o.Routing, o.PacketBytes = routing, 64 })
			for seed := range uint64(5) {
				o.Seed = seed
				sum += run(t, top, p, o).PacketHops
			}
			return sum
		}
		if got := hops(evalsim.Adaptive); got != 500*shortest {
			t.Errorf("%s: adaptive crosses %d links in 500 packets, want %d each", spec, got, shortest)
		}
		if got := hops(evalsim.Valiant); got < 600*shortest {
			t.Errorf("%s: Valiant crosses %d links in 500 packets, %d each is the shortest way", spec, got, shortest)
		}
		single := program(top.Hosts(), [3]int{0, last, 64})
		for seed := range uint64(50) {
			o := options(func(o *evalsim.Options) { o.Routing, o.Seed = evalsim.UGAL, seed })
			if r := run(t, top, single, o); r.PacketHops != shortest {
				t.Errorf("%s, seed %d: UGAL crosses %d links, %d are there on the "+
					"shortest way", spec, seed, r.PacketHops, shortest)
			}
		}
	}
}
