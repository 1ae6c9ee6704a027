package evalsim_test

import (
	"context"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"remap/evalsim"
	"remap/sampling"
	"remap/topology"
	"remap/workload"
)

func runJobs(t rapid.TB, top *topology.Topology, jobs []evalsim.Job, o evalsim.Options) *evalsim.Result {
	t.Helper()
	r, err := evalsim.Run(context.Background(), top, jobs, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Keeping samples apart changes nothing of the simulation; the parts sum to
// what the jobs see, the slices to what the links do, the jobs to the
// administrator's view.
func TestPartsSumToTheWhole(t *testing.T) {
	top, jobs := twoJobs(t)
	jobs[0].Program = phased(jobs[0].Program, "east", "west", "turn")
	rapid.Check(t, func(t *rapid.T) {
		some := [][]evalsim.Job{jobs, jobs[:1], jobs[1:]}[rapid.IntRange(0, 2).Draw(t, "jobs")]
		o := evalsim.DefaultOptions()
		o.Seed = rapid.Uint64().Draw(t, "seed")
		whole := runJobs(t, top, some, o)
		o.ByPhase, o.ByTag, o.ByCallSite = rapid.Bool().Draw(t, "by phase"), rapid.Bool().Draw(t, "by tag"),
			rapid.Bool().Draw(t, "by call site")
		o.SliceLength = time.Duration(rapid.Int64Range(0, int64(whole.Makespan*1.5)).Draw(t, "slice"))
		o.MaxSlices = rapid.IntRange(0, 12).Draw(t, "at most")
		parts := runJobs(t, top, some, o)
		checkParts(t, parts, o, len(some))
		checkSlices(t, whole, parts, o)
		same := *parts
		same.Parts, same.Slices = nil, nil
		if !reflect.DeepEqual(&same, whole) {
			t.Fatalf("slices of %v, phases %v, tags %v, call sites %v change the "+
				"result", o.SliceLength, o.ByPhase, o.ByTag, o.ByCallSite)
		}
	})
}

func checkParts(t *rapid.T, r *evalsim.Result, o evalsim.Options, jobs int) {
	if (r.Parts != nil) != (o.ByPhase || o.ByTag || o.ByCallSite || o.SliceLength > 0) {
		t.Fatalf("%d parts", len(r.Parts))
	}
	if r.Parts == nil {
		return
	}
	seen := make([]evalsim.JobStats, jobs)
	samples := make([]*sampling.Table, jobs)
	every := sampling.NewTable(sampling.Reservoirs, len(r.Links))
	for i := range samples {
		samples[i] = sampling.NewTable(sampling.Reservoirs, len(r.Links))
	}
	for _, p := range r.Parts {
		seen[p.Job].Packets += p.Packets
		seen[p.Job].PortHops += p.PortHops
		seen[p.Job].Congested += p.Congested
		samples[p.Job].Merge(p.Samples)
		every.Merge(p.Samples)
	}
	if !reflect.DeepEqual(seen, r.Jobs) || !reflect.DeepEqual(samples, r.Samples) {
		t.Fatal("the parts do not sum to what the jobs see")
	}
	if !reflect.DeepEqual(every, r.Administrator()) {
		t.Fatal("the jobs do not sum to what the administrator sees")
	}
}

func checkSlices(t *rapid.T, whole, r *evalsim.Result, o evalsim.Options) {
	if o.SliceLength == 0 {
		if r.Slices != nil {
			t.Fatal("slices without a length")
		}
		return
	}
	length := float64(o.SliceLength.Nanoseconds())
	want := math.Floor(whole.Makespan/length) + 1
	if o.MaxSlices > 0 {
		want = min(want, float64(o.MaxSlices))
	}
	if want = min(want, 1024); float64(len(r.Slices)) != want {
		t.Fatalf("%d slices of %g ns in %g ns, want %g", len(r.Slices), length, whole.Makespan, want)
	}
	for i := range whole.Links {
		var sum evalsim.LinkStats
		for k, slice := range r.Slices {
			span := length
			if k == len(r.Slices)-1 {
				span = max(whole.Makespan-float64(k)*length, 0.001)
			}
			s := &slice[i]
			sum.Bytes += s.Bytes
			sum.Packets += s.Packets
			sum.Congested += s.Congested
			sum.QueueMean += s.QueueMean * span / whole.Makespan
			sum.QueueMax = max(sum.QueueMax, s.QueueMax)
			if s.Busy < 0 || s.Busy > 1 || s.Stalled < 0 || s.Stalled > 1 {
				t.Fatalf("slice %d of link %d: %+v", k, i, s)
			}
		}
		l := &whole.Links[i]
		if sum.Bytes != l.Bytes || sum.Packets != l.Packets || sum.Congested != l.Congested ||
			sum.QueueMax != l.QueueMax ||
			math.Abs(sum.QueueMean-l.QueueMean) > 1e-6*(1+l.QueueMean) {
			t.Fatalf("link %d: slices sum to %+v, whole is %+v", i, sum, l)
		}
	}
}

// Two messages far apart in time are in slices and phases of their own.
func TestSlicesAndPhasesTellMessagesApart(t *testing.T) {
	top := network(t, "fattree:nodes-per-leaf=2,leaves-per-pod=1,pods=1,aggs-per-pod=1,cores=0")
	const early, late, pause = 10 * 4096, 20 * 4096, 100 * 4096
	p := program(2, [3]int{0, 1, early}, [3]int{0, 1, pause}, [3]int{0, 1, late})
	p.Phases = []string{"early", "late"}
	p.Ops[1].Kind, p.Ops[1].Peer, p.Ops[2].Phase = workload.Idle, 0, 1
	o := evalsim.DefaultOptions()
	o.ByPhase, o.SliceLength = true, time.Duration((early+pause*3/4)*10/125)
	r := run(t, top, p, o)
	want := map[[2]int]int64{{0, 0}: 10, {0, 1}: 0, {1, 0}: 0, {1, 1}: 20}
	if len(r.Parts) != len(want) || len(r.Slices) != 2 {
		t.Fatalf("%d parts in %d slices", len(r.Parts), len(r.Slices))
	}
	for _, part := range r.Parts {
		var sampled int64
		for i := range part.Samples.Links {
			sampled += int64(part.Samples.Links[i].Packets)
		}
		packets := want[[2]int{part.Slice, part.Phase}]
		if part.Packets != packets || sampled != packets {
			t.Errorf("slice %d, phase %d: %d packets, sampled %d, "+
				"want %d", part.Slice, part.Phase, part.Packets, sampled, packets)
		}
	}
	for slice, bytes := range []float64{early, late} {
		injection, _ := top.Out(0)
		l := r.Slices[slice][injection]
		span := float64(o.SliceLength)
		if slice == 1 {
			span = r.Makespan - span
		}
		near(t, "bytes", float64(l.Bytes), bytes, 0)
		near(t, "busy", l.Busy, bytes/lineRate/span, 1e-6)
	}
}

func TestPartsBounds(t *testing.T) {
	for _, change := range []func(o *evalsim.Options){
		func(o *evalsim.Options) { o.SliceLength = -1 },
		func(o *evalsim.Options) { o.SliceLength = 2 * time.Hour },
		func(o *evalsim.Options) { o.MaxSlices = 1025 },
		func(o *evalsim.Options) { o.MaxSlices = -1 },
	} {
		o := evalsim.DefaultOptions()
		change(&o)
		if o.Validate() == nil {
			t.Errorf("%+v passes", o)
		}
	}
	top := network(t, "torus:24x24x24")
	p := &workload.Program{Offsets: []int32{0, 256}, Ops: make([]workload.Op, 256),
		Phases: make([]string, 256), VolumeScale: 1}
	for i := range p.Ops {
		p.Ops[i].Phase, p.Ops[i].Tag = uint8(i), uint16(i%100)
	}
	jobs := []evalsim.Job{{Program: p, Hosts: []int32{0}}, {Program: p, Hosts: []int32{0}}}
	for _, test := range []struct {
		change func(o *evalsim.Options)
		want   string
	}{
		{func(o *evalsim.Options) {}, ""},
		{func(o *evalsim.Options) { o.ByTag = true }, ""},
		{func(o *evalsim.Options) { o.ByPhase = true }, "samples of 110592 links by job, phase are in 512 " +
			"categories, 2.1 GiB, at most 1 is allowed"},
		{func(o *evalsim.Options) { o.ByPhase, o.ByTag, o.ByCallSite = true, true, true }, "by job, phase, " +
			"tag, call site are in 512 categories"},
	} {
		_, err := evalsim.New(top, jobs, options(test.change))
		if test.want == "" && err != nil || test.want != "" &&
			(err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%v, want %q", err, test.want)
		}
	}
}

// A slice begins with what was queued before it: k packets that came at once keep
// a port's queue above nothing until the last has left.
func TestQueueOfQuietSlices(t *testing.T) {
	top := network(t, "fattree:nodes-per-leaf=8,leaves-per-pod=1,pods=1,aggs-per-pod=1,cores=0")
	const k = 6
	var sends [][3]int
	for s := 1; s <= k; s++ {
		sends = append(sends, [3]int{s, 0, 4096})
	}
	o := options(func(o *evalsim.Options) { o.SliceLength = 100 })
	r := run(t, top, program(8, sends...), o)
	// They are there after 200 ns; the last begins to be sent after k-1 transmissions.
	last, port := int(math.Floor((200+(k-1)*4096/lineRate)/100)), top.Ejection(0)[0]
	before := int64(k * 4096)
	for i := 2; i <= last; i++ {
		l := r.Slices[i][port]
		if l.QueueMax < 4096 || l.QueueMax > before {
			t.Errorf("slice %d: at most %d bytes queued, %d in the slice before", i, l.QueueMax, before)
		}
		before = l.QueueMax
	}
}

// A request that nobody answers may travel after the job's time is over: its
// packet has a slice, too.
func TestSlicesOfLateRequests(t *testing.T) {
	top := network(t, "mesh:12")
	far := []workload.Op{isend(11, 1<<20)} // 11 switches away, and never received
	lists := [][]workload.Op{far, {send(2, 64)}, {receive(1)}}
	for len(lists) < 12 {
		lists = append(lists, nil)
	}
	o := options(func(o *evalsim.Options) { o.EagerBytes, o.SliceLength, o.ByPhase = 4096, 200, true })
	r := run(t, top, ops(lists...), o)
	if r.Packets != 2 || r.Warnings == nil || r.Makespan > 1000 {
		t.Fatalf("%d packets in %g ns, %q", r.Packets, r.Makespan, r.Warnings)
	}
	var parts, hops int64
	for _, p := range r.Parts {
		parts += p.Packets
		if p.Slice >= len(r.Slices) {
			t.Errorf("a part of slice %d of %d", p.Slice, len(r.Slices))
		}
	}
	for _, slice := range r.Slices {
		for i := range slice {
			hops += slice[i].Packets
		}
	}
	if parts != r.Packets || hops != r.PacketHops {
		t.Errorf("slices have %d packets and %d links crossed, the run %d "+
			"and %d", parts, hops, r.Packets, r.PacketHops)
	}
}
