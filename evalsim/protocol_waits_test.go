package evalsim_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"remap/evalsim"
	"remap/workload"
)

// A ring in which all send first and then receive needs what eager messages
// have: somewhere to wait.
func TestRingOfBlockingSends(t *testing.T) {
	lists := make([][]workload.Op, 9)
	for r := range lists {
		lists[r] = []workload.Op{send(int32(r+1)%9, 1000), receive(int32(r+8) % 9)}
	}
	p := ops(lists...)
	near(t, "eager", place(t, "tapered", p, options(func(o *evalsim.Options) { o.EagerBytes = 1000 }),
		identity(9)...).Makespan, oneWay(1000), 0.1)
	if blocked := blockedOf(t, p, options(func(o *evalsim.Options) { o.EagerBytes = 999 })); len(
		blocked.Ranks,
	) != 9 {
		t.Errorf("%d of 9 ranks are blocked: %v", len(blocked.Ranks), blocked)
	}
}

// A wait ends with the request it names, WaitAll with the last of all.
func TestWaits(t *testing.T) {
	from := func(r int32, after int64) []workload.Op { return []workload.Op{compute(after), send(0, 100)} }
	one := func(last ...workload.Op) *workload.Program {
		list := append([]workload.Op{ireceive(2), ireceive(1)}, last...)
		return ops(append(list, compute(100000)), from(1, 1000), from(2, 7000))
	}
	for _, c := range []struct {
		name string
		last []workload.Op
		want float64
	}{
		{"the early one", []workload.Op{wait(1)}, 1000 + oneWay(100)},
		{"the late one", []workload.Op{wait(0)}, 7000 + oneWay(100)},
		{"both", []workload.Op{wait(1), wait(0)}, 7000 + oneWay(100)},
		{"all", []workload.Op{waitAll}, 7000 + oneWay(100)},
		{"one twice", []workload.Op{wait(1), wait(1), waitAll, wait(0)}, 7000 + oneWay(100)},
		{"none", nil, 0},
		{"late waits", []workload.Op{compute(9000), waitAll}, 9000},
	} {
		near(t, c.name, place(t, "tapered", one(c.last...), options(nil), 0, 1, 2).Makespan, c.want+100000, 0.1)
	}
}

// A request that was waited for stays complete, though its place is the next
// one's by then.
func TestWaitAgain(t *testing.T) {
	const bytes, work = 1 << 18, 1 << 20
	p := ops([]workload.Op{isend(1, bytes), wait(0), isend(1, bytes), wait(0), compute(work)}, nil)
	near(t, "the first again", place(t, "tapered", p, options(nil), 0, 1).Makespan, bytes/lineRate+work, 0.1)
}

// Each job has its own times and messages: beside another that is out of its
// way it runs as alone, whichever is named first.
func TestJobsApart(t *testing.T) {
	a, b := pingPong(3, 5000), ops([]workload.Op{isend(1, 30000), compute(4000), waitAll},
		[]workload.Op{receive(workload.AnySource), send(1, 10), receive(1)})
	o := options(func(o *evalsim.Options) { o.EagerBytes = 4096 })
	alone := [2]float64{place(t, "tapered", a, o, 0, 1).Makespan, place(t, "tapered", b, o, 2, 3).Makespan}
	jobs := []evalsim.Job{{Program: a, Hosts: []int32{0, 1}}, {Program: b, Hosts: []int32{2, 3}}}
	for _, order := range [][2]int{{0, 1}, {1, 0}} {
		r, err := evalsim.Run(context.Background(), network(t, "tapered"),
			[]evalsim.Job{jobs[order[0]], jobs[order[1]]}, o)
		if err != nil {
			t.Fatal(err)
		}
		for i, j := range order {
			if r.Elapsed[i] != alone[j] {
				t.Errorf("order %v: job %d takes %g ns, alone %g", order, j, r.Elapsed[i], alone[j])
			}
		}
	}
}

// Requests and their answers are packets like others: the samples weigh up to
// all ports crossed, and the counts of pairs to all packets.
func TestControlPacketsCount(t *testing.T) {
	r := place(t, "torus:5", pingPong(4, 9000), options(func(o *evalsim.Options) {
		o.EagerBytes,
			o.FlowCounts = 100, true
	}), 0, 2)
	var sampled, flows int64
	for i := range r.Samples[0].Links {
		sampled += int64(r.Samples[0].Links[i].Packets)
	}
	for _, f := range r.Flows[0] {
		flows += f.Packets
	}
	if sampled != r.PortHops || flows != r.Packets || r.Packets != 8*(3+2) {
		t.Errorf("samples weigh %d of %d port hops, pairs count %d of %d "+
			"packets", sampled, r.PortHops, flows, r.Packets)
	}
}

// Bounds of the options, and programs that compute for longer than time goes.
func TestProtocolOptions(t *testing.T) {
	for want, change := range map[string]func(*evalsim.Options){
		"eager bytes -1":        func(o *evalsim.Options) { o.EagerBytes = -1 },
		"messages in flight -2": func(o *evalsim.Options) { o.MaxInFlight = -2 },
		"compute noise -0.5":    func(o *evalsim.Options) { o.ComputeNoise = -0.5 },
		"start jitter 2h0m0s":   func(o *evalsim.Options) { o.StartJitter = 2 * time.Hour },
	} {
		if err := options(change).Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	p := ops([]workload.Op{compute(1 << 60)})
	_, err := evalsim.New(network(t, "tapered"), []evalsim.Job{{Program: p, Hosts: []int32{0}}}, options(nil))
	if err == nil || !strings.Contains(err.Error(), "rank 0 computes, idles or copies for up to 13344 days") {
		t.Errorf("computing for 36 years: %v", err)
	}
}
