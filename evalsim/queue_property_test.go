package evalsim_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"remap/evalsim"
	"remap/topology"
)

// A port's mean queue is never above its longest, over the whole time and in every
// slice of it, for all networks and routings.
func TestQueueMeanIsAtMostItsMaximum(t *testing.T) {
	check(t, func(t *rapid.T) {
		top := anyMachine(t)
		o := anyOptions(t, top)
		o.StartJitter = 0
		ranks := rapid.IntRange(2, 40).Draw(t, "ranks")
		p := parsed(t, fmt.Sprintf("uniform:%d,rounds=%d,bytes=%d,"+
			"seed=%d", ranks, rapid.IntRange(1, 4).Draw(t, "rounds"),
			rapid.SampledFrom([]int{1, 4096, 50000}).Draw(t, "bytes"), rapid.IntRange(1, 1000).Draw(t, "draw")))
		jobs := []evalsim.Job{{Program: p, Hosts: anyHosts(t, ranks, top.Hosts())}}
		if rapid.Bool().Draw(t, "beside another") {
			jobs = append(jobs, evalsim.Job{Program: parsed(t, "ring:7,"+
				"bytes=5000"), Hosts: anyHosts(t, 7, top.Hosts()), Endless: true})
		}
		whole, err := evalsim.Run(context.Background(), top, jobs, o)
		if err != nil {
			t.Fatal(err)
		}
		meanAtMostMax(t, top, "the whole time", whole.Links, within(o.PacketBytes, whole.Makespan))
		o.SliceLength = time.Duration(max(1, whole.Makespan/float64(rapid.IntRange(1, 30).Draw(t, "slices"))))
		sliced, err := evalsim.Run(context.Background(), top, jobs, o)
		if err != nil {
			t.Fatal(err)
		}
		for i, links := range sliced.Slices {
			length := min(float64(o.SliceLength), sliced.Makespan-float64(i)*float64(o.SliceLength))
			meanAtMostMax(t, top, fmt.Sprint("slice ", i), links, within(o.PacketBytes, length))
		}
	})
}

// within is what a packet that leaves a queue within the nanosecond in which another
// joins it adds to the mean over a time in ns: which of the two is first is not known.
func within(packet int, length float64) float64 { return float64(packet) * 1.024 / max(length, 1.024) }

// meanAtMostMax allows for that, and for the rounding of sums of bytes times picoseconds.
func meanAtMostMax(t rapid.TB, top *topology.Topology, when string, links []evalsim.LinkStats,
	order float64) {
	for i, l := range links {
		if !top.IsHost(top.Links[i].From) && l.QueueMean > float64(l.QueueMax)*(1+1e-9)+order {
			t.Fatalf("link %d, %s: on average %.1f bytes queued, at most %d", i, when, l.QueueMean, l.QueueMax)
		}
	}
}

// Packets of all virtual channels wait at one port. On a ring, those that will cross the
// dateline and those that will not are on two channels of the same link, and fill two
// buffers and one.
func TestQueueIsOfThePort(t *testing.T) {
	top := network(t, "torus:7,hosts=3")
	o := options(func(o *evalsim.Options) { o.BufferBytes = 1 << 16 })
	const long = 1 << 24
	r := run(t, top, program(21, [3]int{12, 18, long}, [3]int{15, 1, long}, [3]int{16, 2, long}), o)
	meanAtMostMax(t, top, "the whole time", r.Links, 0)
	most, mean := int64(0), 0.0
	for _, l := range r.Links {
		most, mean = max(most, l.QueueMax), max(mean, l.QueueMean)
	}
	if most > 3*1<<16 || most < 3*1<<16-4*4096 || mean < 2.5*(1<<16) {
		t.Errorf("at most %d bytes queued, on average %.0f: want those of nearly three buffers of "+
			"65536", most, mean)
	}
}
