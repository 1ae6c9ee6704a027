package evalsim_test

import (
	"context"
	"errors"
	"reflect"
	"sync/atomic"
	"testing"

	"remap/evalsim"
	"remap/internal/testkit/tier"
	"remap/sampling"
	"remap/topology"
	"remap/workload"
)

// A lone message takes the whole run, and its links are busy for as long as its
// bytes take; nothing waits.
func TestOneFlowUtilization(t *testing.T) {
	top := network(t, "fattree:nodes-per-leaf=2,leaves-per-pod=2,pods=1,aggs-per-pod=1,cores=0")
	const bytes = 100 * 4096
	o := evalsim.DefaultOptions()
	o.Latencies = true
	r := run(t, top, program(4, [3]int{0, 2, bytes}), o)
	u := evalsim.Utilize(top, []*evalsim.Result{r, r})
	busy := bytes / lineRate / r.Makespan
	for what, got := range map[string]float64{"injection": u.InjectionMean, "most injection": u.InjectionMax,
		"ejection":      u.EjectionMean,
		"most ejection": u.EjectionMax, "switches": u.SwitchMean, "most between switches": u.SwitchMax} {
		near(t, what, got, busy, 1e-9)
	}
	if u.InjectionUsed != 1 || u.EjectionUsed != 1 || u.SwitchUsed != 2 || u.InjectionLinks != 4 ||
		u.EjectionLinks != 4 || u.SwitchLinks != 4 {
		t.Errorf("links used, and in all: %+v", u)
	}
	s := evalsim.SummarizeLatencies([]*evalsim.Result{r, r})
	if len(s) != 1 || s[0].Messages != 2 || s[0].FromBytes != 1<<18 {
		t.Fatalf("latencies: %+v", s)
	}
	near(t, "latency", float64(s[0].MaxNS), r.Makespan, 0.5)
	if none := evalsim.Utilize(top, nil); none.SwitchMean != 0 || none.SwitchUsed != 0 || none.SwitchLinks != 4 {
		t.Errorf("no repeats: %+v", none)
	}
}

// Little's law where every wait is known: k packets meet at one port at a time,
// the i-th waits for i transmissions, and the mean queue times the time is the
// sum of bytes times their waits.
func TestLittlesLaw(t *testing.T) {
	for _, k := range []int{2, 5, 16} {
		top := network(t, "fattree:nodes-per-leaf=20,leaves-per-pod=1,pods=1,aggs-per-pod=1,cores=0")
		var sends [][3]int
		for s := 1; s <= k; s++ {
			sends = append(sends, [3]int{s, 0, 4096})
		}
		r := run(t, top, program(20, sends...), evalsim.DefaultOptions())
		var area, most float64
		for i := range top.Links {
			if !top.IsHost(top.Links[i].From) {
				area += r.Links[i].QueueMean * r.Makespan
				most = max(most, float64(r.Links[i].QueueMax))
			}
		}
		waits := float64(k*(k-1)/2) * 4096 / lineRate
		near(t, "bytes x ns", area, waits*4096, 1)
		if limit := float64(k * 4096); most > limit || most < limit-4096 {
			t.Errorf("%d packets queue up to %g bytes", k, most)
		}
	}
}

// Queues over an hour of a slow network are what they are over a second of a fast one.
func TestQueueOverHours(t *testing.T) {
	const spec = "fattree:nodes-per-leaf=48,leaves-per-pod=1,pods=1,aggs-per-pod=1,cores=0"
	var sends [][3]int
	for s := 1; s < 48; s++ {
		sends = append(sends, [3]int{s, 0, 12 << 20})
	}
	top := network(t, spec+",gbps=0.001")
	r := run(t, top, program(48, sends...), evalsim.DefaultOptions())
	if r.Makespan < 3600e9 {
		t.Fatalf("the run takes %g s, less than an hour", r.Makespan/1e9)
	}
	// All buffers of 47 senders stay full but in the beginning and at the end.
	near(t, "queue", r.Links[top.Ejection(0)[0]].QueueMean/(47*65536), 1, 0.03)
	for _, l := range r.Links {
		if l.QueueMean < 0 {
			t.Fatalf("%+v", l)
		}
	}
}

// In front of a link of a quarter of its rate, a link sends for a quarter of
// the time and stalls without credit for the rest.
func TestStalledFraction(t *testing.T) {
	top := network(t, "fattree:nodes-per-leaf=1,leaves-per-pod=2,pods=1,aggs-per-pod=1,cores=0")
	for i := range top.Links {
		if top.IsHost(top.Links[i].To) {
			top.Links[i].BytesPerSecond /= 4
		}
	}
	r := run(t, top, program(2, [3]int{0, 1, 4096 * 4096}), evalsim.DefaultOptions())
	for i := range top.Links {
		l := &r.Links[i]
		switch {
		case l.Packets == 0:
			near(t, "stalled", l.Stalled, 0, 0)
		case top.IsHost(top.Links[i].To):
			near(t, "busy of the slow link", l.Busy, 1, 0.01)
			near(t, "stalled of the slow link", l.Stalled, 0, 0)
		default:
			near(t, "busy", l.Busy, 0.25, 0.01)
			near(t, "stalled", l.Stalled, 0.75, 0.02)
		}
	}
}

// Deliveries are all there is to know: from them alone, the tables of all parts
// and the counts of all jobs come out; and any number of workers gives the same.
func TestDeliveriesMakeTheTables(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"full", "n=3", "one-bit", "one-reservoir", "one-reservoir," +
		"hash=whole", "one-bit,hash=hmult", "one-bit,unpruned", "full,counter=2", "n=3,counter=2",
		"one-reservoir,counter=2", "one-reservoir,hash=whole,counter=1", "bloom:48"}[:tier.Cases(4, 12, 12)] {
		v, err := sampling.ParseVariant(text)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(text, func(t *testing.T) { deliveriesMakeTables(t, v) })
	}
}

func deliveriesMakeTables(t *testing.T, v sampling.Variant) {
	top, jobs, results, deliveries := measured(t, v, 1)
	paths := topology.NewPathLinks(top, false)
	for repeat, r := range results {
		tables := make([]*sampling.Table, len(jobs))
		between := paths.Between
		if v.Unpruned {
			between = func(_, _ int32) []sampling.Range { return paths.All() }
		}
		receiver := sampling.NewReceiver(v, len(top.Links), between, 10)
		if v.Counter < 8 {
			receiver.Correct(paths.Place)
		}
		packets := make([]int64, len(jobs))
		messages := make([]map[[2]int32]int, len(jobs))
		for i := range jobs {
			tables[i] = sampling.NewTable(v, len(top.Links))
			messages[i] = map[[2]int32]int{}
		}
		late := int64(0)
		for _, d := range deliveries[repeat] {
			p := d.Packet()
			receiver.Receive(tables[d.Job], &p)
			packets[d.Job]++
			messages[d.Job][[2]int32{d.Source, d.Destination}]++
			if d.CongestedLink >= 0 && d.CongestedHops == 0 || d.Arrival < late-2000 {
				t.Fatalf("%+v after %d ps", d, late)
			}
			late = max(late, d.Arrival)
		}
		receiver.Flush()
		near(t, "last arrival", float64(late)/1000, r.Makespan, 0.001)
		for i, j := range jobs {
			sameTables(t, r.Samples[i], tables[i])
			if packets[i] != r.Jobs[i].Packets {
				t.Errorf("job %d: %d deliveries of %d packets", i, packets[i], r.Jobs[i].Packets)
			}
			checkPackets(t, j.Program, messages[i])
		}
	}
	_, _, again, same := measured(t, v, 3)
	if !reflect.DeepEqual(deliveries, same) || !reflect.DeepEqual(results, again) {
		t.Error("three workers deliver otherwise than one")
	}
}

// checkPackets holds the packets of every pair of ranks against the program.
func checkPackets(t *testing.T, p *workload.Program, packets map[[2]int32]int) {
	t.Helper()
	for r := range int32(p.Ranks()) {
		for _, op := range p.RankOps(r) {
			if op.Kind.IsSend() && op.Peer != r {
				packets[[2]int32{r, op.Peer}] -= int(max(1, (op.Bytes+4095)/4096))
			}
		}
	}
	for pair, left := range packets {
		if left != 0 {
			t.Errorf("pair %v: %d packets too many", pair, left)
		}
	}
}

// Every message between hosts has a latency, those within a host have none.
func TestLatenciesCountMessages(t *testing.T) {
	_, jobs, results, _ := measured(t, sampling.Reservoirs, 2)
	var want, got int64
	longest := 0.0
	for _, r := range results {
		longest = max(longest, r.Makespan)
	}
	for _, j := range jobs {
		for r := range int32(j.Program.Ranks()) {
			for _, op := range j.Program.RankOps(r) {
				if op.Kind.IsSend() && j.Hosts[op.Peer] != j.Hosts[r] {
					want += int64(len(results))
				}
			}
		}
	}
	for _, s := range evalsim.SummarizeLatencies(results) {
		got += s.Messages
		if s.MaxNS <= 0 || float64(s.MaxNS) > longest+1 {
			t.Errorf("%+v", s)
		}
	}
	if got != want {
		t.Errorf("%d latencies of %d messages", got, want)
	}
	top := network(t, "fattree:nodes-per-leaf=2,leaves-per-pod=1,pods=1,aggs-per-pod=1,cores=0")
	o := evalsim.DefaultOptions()
	o.Latencies = true
	inside := runJobs(t, top, []evalsim.Job{{Program: program(2, [3]int{0, 1, 5000}), Hosts: []int32{1, 1}}}, o)
	if s := evalsim.SummarizeLatencies([]*evalsim.Result{inside}); len(s) != 0 {
		t.Errorf("within a host: %+v", s)
	}
}

// An error of the taker, or a cancelled context, ends all repeats.
func TestDeliveriesStop(t *testing.T) {
	top, jobs := twoJobs(t)
	s, err := evalsim.New(top, jobs, evalsim.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	full := errors.New("disk full")
	var calls atomic.Int32
	_, err = s.RepeatDelivered(context.Background(), 0, 50, 3, nil,
		func(repeat int, some []evalsim.Delivery) error {
			calls.Add(1)
			if repeat == 1 {
				return full
			}
			return nil
		})
	if !errors.Is(err, full) || calls.Load() > 50 {
		t.Errorf("%v after %d calls", err, calls.Load())
	}
	ctx, stop := context.WithCancel(context.Background())
	_, err = s.RepeatDelivered(ctx, 0, 50, 2, nil, func(int, []evalsim.Delivery) error { stop(); return nil })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
