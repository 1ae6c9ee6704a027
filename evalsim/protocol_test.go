package evalsim_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"remap/evalsim"
	"remap/workload"
)

// Short names for the operations of a test's program.
func send(to int32, bytes int64) workload.Op {
	return workload.Op{Kind: workload.Send, Peer: to, Bytes: bytes}
}
func isend(to int32, bytes int64) workload.Op {
	return workload.Op{Kind: workload.Isend, Peer: to, Bytes: bytes}
}
func receive(from int32) workload.Op  { return workload.Op{Kind: workload.Receive, Peer: from} }
func ireceive(from int32) workload.Op { return workload.Op{Kind: workload.Ireceive, Peer: from} }
func wait(request int64) workload.Op  { return workload.Op{Kind: workload.Wait, Bytes: request} }
func compute(ns int64) workload.Op    { return workload.Op{Kind: workload.Compute, Bytes: ns} }
func idle(bytes int64) workload.Op    { return workload.Op{Kind: workload.Idle, Bytes: bytes} }
func tagged(op workload.Op, tag uint16) workload.Op {
	op.Tag = tag
	return op
}

var waitAll = workload.Op{Kind: workload.WaitAll}

// ops makes the program whose rank i does the i-th list.
func ops(ranks ...[]workload.Op) *workload.Program {
	p := &workload.Program{Offsets: []int32{0}, VolumeScale: 1}
	for _, list := range ranks {
		p.Ops = append(p.Ops, list...)
		p.Offsets = append(p.Offsets, int32(len(p.Ops)))
	}
	return p
}

func options(change func(*evalsim.Options)) evalsim.Options {
	o := evalsim.DefaultOptions()
	if change != nil {
		change(&o)
	}
	return o
}

// place runs a program with its ranks on the hosts given.
func place(t testing.TB, spec string, p *workload.Program, o evalsim.Options,
	hosts ...int32) *evalsim.Result {
	t.Helper()
	r, err := evalsim.Run(context.Background(), network(t, spec), []evalsim.Job{{Program: p, Hosts: hosts}}, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// oneWay is the time of a message alone from host 0 to host 1 of a leaf: its
// transmission, two links and a switch.
func oneWay(bytes int64) float64 { return float64(bytes)/lineRate + 300 }

// pingPong sends back and forth so many times.
func pingPong(rounds int, bytes int64) *workload.Program {
	var a, b []workload.Op
	for range rounds {
		a = append(a, send(1, bytes), receive(1))
		b = append(b, receive(0), send(0, bytes))
	}
	return ops(a, b)
}

// A ping-pong takes one way's time twice a round; rendezvous adds a request and
// its answer to each way: the receiver of the next message has posted its
// receive by then, being done with sending before its message arrives.
func TestPingPongClosedForm(t *testing.T) {
	for _, bytes := range []int64{0, 1, 4096, 100000} {
		for _, limit := range []int64{0, 4096} {
			const rounds = 5
			way := oneWay(max(bytes, 0))
			control := int64(0)
			if limit > 0 && bytes > limit {
				way += 2 * oneWay(64)
				control = 2
			}
			r := place(t, "tapered", pingPong(rounds, bytes),
				options(func(o *evalsim.Options) { o.EagerBytes = limit }), 0, 1)
			near(t, fmt.Sprintf("%d bytes, eager up to %d", bytes, limit), r.Makespan, 2*rounds*way, 0.1)
			packets := max(1, (bytes+4095)/4096) + control
			if r.Packets != 2*rounds*packets || len(r.Warnings) != 0 {
				t.Errorf("%d packets, want %d; %v", r.Packets, 2*rounds*packets, r.Warnings)
			}
		}
	}
}

// Rendezvous data waits for the receive; eager data does not, and a sender goes
// on when it has left.
func TestLateReceive(t *testing.T) {
	const late, bytes = 50000, 20000
	p := ops([]workload.Op{send(1, bytes), compute(1000)}, []workload.Op{compute(late), receive(0)})
	near(t, "eager", place(t, "tapered", p, options(nil), 0, 1).Makespan, late, 0.01)
	rendezvous := options(func(o *evalsim.Options) { o.EagerBytes = 4096 })
	// The clearance leaves when the receive is posted; the sender computes after its last byte.
	near(t, "rendezvous", place(t, "tapered", p, rendezvous, 0, 1).Makespan, late+oneWay(64)+bytes/lineRate+
		1000, 0.1)
	// Within a host requests cost nothing; memory is the only delay.
	near(t, "eager, one host", place(t, "tapered", p, options(nil), 0, 0).Makespan, late, 0.01)
	near(t, "rendezvous, one host", place(t, "tapered", p, rendezvous, 0, 0).Makespan, late+bytes/20.0+1000, 0.1)
}

// Computing overlaps a non-blocking send and not a blocking one.
func TestOverlap(t *testing.T) {
	const bytes, work = 1 << 20, 50000
	near(t, "isend", place(t, "tapered", ops([]workload.Op{isend(1, bytes), compute(work), wait(0)}, nil),
		options(nil), 0, 1).Makespan, oneWay(bytes), 0.1)
	near(t, "send", place(t, "tapered", ops([]workload.Op{send(1, bytes), compute(work)}, nil), options(nil),
		0, 1).Makespan, bytes/lineRate+work, 0.1)
	near(t, "long work", place(t, "tapered", ops([]workload.Op{isend(1, bytes), compute(3 * bytes), wait(0)},
		nil), options(nil), 0, 1).Makespan, 3*bytes, 0.1)
}

// What counts into the elapsed time: computing, receiving and waiting do,
// idling at the end does not.
func TestElapsed(t *testing.T) {
	for _, c := range []struct {
		name string
		ops  []workload.Op
		want float64
	}{
		{"idle tail", []workload.Op{send(1, 1000), idle(1 << 20)}, oneWay(1000)},
		{"compute", []workload.Op{send(1, 1000), compute(9999)}, 1000/lineRate + 9999},
		{"compute, idle", []workload.Op{compute(7), idle(1 << 20)}, 7},
		{"idle, then wait", []workload.Op{isend(1, 1000), idle(125000), waitAll}, 10000},
		{"nothing", nil, 0},
	} {
		near(t, c.name, place(t, "tapered", ops(c.ops, nil), options(nil), 0, 1).Makespan, c.want, 0.1)
	}
}

// blockedOf runs a program that must block and returns the error.
func blockedOf(t *testing.T, p *workload.Program, o evalsim.Options) *evalsim.BlockedError {
	t.Helper()
	_, err := evalsim.Run(context.Background(), network(t, "tapered"),
		[]evalsim.Job{{Program: p, Hosts: identity(p.Ranks())}}, o)
	var blocked *evalsim.BlockedError
	if !errors.As(err, &blocked) {
		t.Fatalf("the error is %v, want a *BlockedError", err)
	}
	return blocked
}

// Every way to wait for ever is named.
func TestBlocked(t *testing.T) {
	rendezvous := options(func(o *evalsim.Options) { o.EagerBytes = 1000 })
	for _, c := range []struct {
		program *workload.Program
		want    []string
	}{
		{ops([]workload.Op{compute(5), tagged(receive(1), 3)}, []workload.Op{tagged(send(0, 10), 4)}),
			[]string{"1 rank waits for ever: rank 0, operation 1: receive from rank 1 " +
				"tag 3", "no receive took the message from rank 1 to rank 0 tag 4, 10 bytes"}},
		{ops([]workload.Op{send(1, 1001), receive(1)}, []workload.Op{send(0, 1001), receive(0)}),
			[]string{"2 ranks wait for ever: rank 0, operation 0: send to rank 1 tag 0 (rendezvous): no matching " +
				"receive; rank 1, operation 0: send to rank 0"}},
		{ops([]workload.Op{isend(1, 5), ireceive(1), tagged(ireceive(workload.AnySource), workload.AnyTag),
			wait(0), wait(2)}, []workload.Op{send(0, 5)}),
			[]string{"rank 0, operation 4: wait for request 2: receive from any rank any tag"}},
		{ops([]workload.Op{isend(1, 5000), ireceive(1), waitAll}, []workload.Op{tagged(receive(0), 2)}),
			[]string{"rank 0, operation 2: wait for all requests: 2 open, the first is request 0: send to rank 1 " +
				"tag 0 (rendezvous)"}},
		{ops([]workload.Op{send(0, 5000), receive(0)}), []string{"rank 0, operation 0: send to rank 0"}},
	} {
		text := blockedOf(t, c.program, rendezvous).Error()
		for _, want := range c.want {
			if !strings.Contains(text, want) {
				t.Errorf("%q does not say %q", text, want)
			}
		}
	}
	many := make([][]workload.Op, 40)
	for r := range many {
		many[r] = []workload.Op{receive(int32(r+1) % 40)}
	}
	blocked := blockedOf(t, ops(many...), rendezvous)
	if text := blocked.Error(); len(blocked.Ranks) != 40 || !strings.Contains(text, "40 ranks wait for ever") ||
		!strings.Contains(text, "rank 9, ") || strings.Contains(text, "rank 10, ") ||
		!strings.Contains(text, "and 30 more") {
		t.Errorf("%d ranks; %s", len(blocked.Ranks), text)
	}
}

// Messages that nobody receives are told of, in programs that receive at all.
func TestUnreceivedWarning(t *testing.T) {
	r := place(t, "tapered", ops([]workload.Op{send(1, 1), tagged(send(1, 77), 5), send(1, 3)},
		[]workload.Op{receive(0)}), options(nil), 0, 1)
	if len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], "2 messages, the first to arrive from rank "+
		"0 to rank 1 tag 5, 77 bytes") {
		t.Errorf("warnings %q", r.Warnings)
	}
	if r = place(t, "tapered", ops([]workload.Op{send(1, 1)}, nil), options(nil), 0, 1); r.Warnings != nil {
		t.Errorf("a program without receives: %q", r.Warnings)
	}
}

// Copies within a host share its memory in equal parts.
func TestMemoryIsShared(t *testing.T) {
	const rate = 20.0
	on := func(p *workload.Program, hosts ...int32) float64 {
		return place(t, "tapered", p, options(nil), hosts...).Makespan
	}
	one := ops([]workload.Op{send(1, 60000)}, nil)
	near(t, "alone", on(one, 0, 0), 60000/rate, 0.01)
	two := ops([]workload.Op{send(1, 60000)}, []workload.Op{send(0, 60000)})
	near(t, "two on one host", on(two, 0, 0), 2*60000/rate, 0.01)
	four := ops([]workload.Op{send(1, 60000)}, nil, []workload.Op{send(3, 60000)}, nil)
	near(t, "two hosts", on(four, 0, 0, 1, 1), 60000/rate, 0.01)
	// 30,000 bytes alone, then both until the short one has its 6000 and then computes.
	late := ops([]workload.Op{send(1, 60000)}, []workload.Op{compute(1500), send(0, 6000), compute(100000)})
	near(t, "overtaken", on(late, 0, 0), 1500+2*6000/rate+100000, 0.01)
	// Until 1500 alone, until 3000 two, then three: the first has had 30,000 + 15,000 bytes.
	third := ops([]workload.Op{send(1, 60000), compute(100000)},
		[]workload.Op{compute(1500), send(0, 60000)}, []workload.Op{compute(3000), send(0, 60000)})
	near(t, "three", on(third, 0, 0, 0), 3000+3*15000/rate+100000, 0.01)
	// The second rank is known to copy from 327.68 on before the first copy's end at 100.
	ahead := ops([]workload.Op{send(0, 2000), compute(100000)}, []workload.Op{send(2, 4096), send(0, 4096)}, nil)
	near(t, "known ahead", on(ahead, 0, 0, 1), 2000/rate+100000, 0.01)
	near(t, "to itself", on(ops([]workload.Op{isend(0, 1000), receive(0), send(0, 0), receive(0)}), 0),
		1000/rate, 0.01)
}

// The times of ranks' computing are the same for every mapping and change with
// the seed; their mean is what the noise says.
func TestNoiseIsPaired(t *testing.T) {
	const ranks, work = 2000, 100000
	lists := make([][]workload.Op, ranks)
	for r := range lists {
		lists[r] = []workload.Op{compute(work)}
	}
	p := ops(lists...)
	elapsed := func(seed uint64, noise float64, offset int32) float64 {
		hosts := identity(ranks)
		for i := range hosts {
			hosts[i] = (hosts[i] + offset) % 4608
		}
		return place(t, "tapered", p, options(func(o *evalsim.Options) {
			o.Seed, o.ComputeNoise = seed,
				noise
		}), hosts...).Makespan
	}
	near(t, "no noise", elapsed(1, 0, 0), work, 0)
	if a, b := elapsed(1, 0.1, 0), elapsed(1, 0.1, 1000); a != b {
		t.Errorf("two mappings: %g and %g", a, b)
	}
	// Beside another job each computes as alone, and not like the other.
	job := evalsim.Job{Program: p, Hosts: identity(ranks)}
	both, err := evalsim.Run(context.Background(), network(t, "tapered"), []evalsim.Job{job, job},
		options(func(o *evalsim.Options) { o.ComputeNoise = 0.1 }))
	if err != nil {
		t.Fatal(err)
	}
	if both.Elapsed[0] != elapsed(1, 0.1, 0) || both.Elapsed[1] == both.Elapsed[0] {
		t.Errorf("two jobs compute for %v ns, the first alone for %g", both.Elapsed, elapsed(1, 0.1, 0))
	}
	// The maximum of n exponentials is ln n + 0.577 with a deviation of 1.28.
	sum := 0.0
	for seed := range uint64(20) {
		sum += (elapsed(seed, 0.1, 0)/work - 1) / 0.1 / 20
	}
	near(t, "mean of the maxima", sum, 7.6+0.577, 3*1.28/4.47)
}

// Ranks begin within the jitter, not all at once.
func TestStartJitter(t *testing.T) {
	lists := make([][]workload.Op, 500)
	for r := range lists {
		lists[r] = []workload.Op{compute(0)}
	}
	r := place(
		t,
		"tapered",
		ops(lists...),
		options(func(o *evalsim.Options) { o.StartJitter = time.Millisecond }),
		identity(500)...)
	if r.Makespan > 1e6 || r.Makespan < 0.97e6 {
		t.Errorf("the last of 500 ranks begins at %g ns of 1e6", r.Makespan)
	}
}

// The messages of a rank share its link in turns, as many as may be in flight;
// the others wait in order.
func TestMaxInFlight(t *testing.T) {
	const packets, work = 10, 1 << 22
	message := func(to int32) workload.Op { return isend(to, packets*4096) }
	p := ops([]workload.Op{message(1), message(2), message(3), message(4), wait(0), compute(work)}, nil, nil,
		nil, nil)
	// The link is at rest when the first message comes: its first packet is cut
	// before there are others, and then it is the first of n whose turn comes.
	for limit, last := range map[int]float64{0: 2 + 4*(packets-2), 1: packets, 2: 2 + 2*(packets-2), 4: 2 +
		4*(packets-2), 9: 2 + 4*(packets-2)} {
		r := place(t, "tapered", p, options(func(o *evalsim.Options) { o.MaxInFlight = limit }), identity(5)...)
		near(t, fmt.Sprintf("%d in flight", limit), r.Makespan-work, last*4096/lineRate, 0.1)
	}
}

// A dissemination barrier of n ranks on one switch takes ceil(log2 n) messages
// one after the other.
func TestDisseminationBarrier(t *testing.T) {
	for n, rounds := range map[int]float64{2: 1, 3: 2, 8: 3, 13: 4, 32: 5} {
		for _, bytes := range []int64{0, 640} {
			plan, err := workload.Collective{Operation: "barrier", Algorithm: "dissemination", Bytes: bytes}.Plan(n)
			if err != nil {
				t.Fatal(err)
			}
			b := workload.NewBuilder(n, 0)
			for range n {
				b.Collective(plan, 0)
				b.EndRank()
			}
			p, err := b.Program()
			if err != nil {
				t.Fatal(err)
			}
			near(t, fmt.Sprintf("%d ranks", n), place(t, "tapered", p, options(nil), identity(n)...).Makespan,
				rounds*oneWay(bytes), 0.1)
		}
	}
}
