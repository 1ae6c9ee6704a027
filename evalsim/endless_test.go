package evalsim_test

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"remap/evalsim"
	"remap/workload"
)

const star = "fattree:nodes-per-leaf=4,leaves-per-pod=1,pods=1,aggs-per-pod=0,cores=0"

// parsed reads a pattern or fails the test.
func parsed(t rapid.TB, spec string) *workload.Program {
	t.Helper()
	p, err := workload.ParsePattern(spec)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestEndlessShares: a sender that shares the link into its receiver with one
// that never ends has half the rate for all its time, however short the other's
// program is, and the other ends with it.
func TestEndlessShares(t *testing.T) {
	top := network(t, star)
	const bytes = 64 << 12
	o := options(nil)
	for _, spell := range []int{4096, 5 * 4096, 2 * bytes} {
		jobs := []evalsim.Job{
			{Program: program(2, [3]int{0, 1, bytes}), Hosts: []int32{0, 2}},
			{Program: program(2, [3]int{0, 1, spell}), Hosts: []int32{1, 2}, Endless: true},
		}
		r, err := evalsim.Run(context.Background(), top, jobs, o)
		if err != nil {
			t.Fatal(err)
		}
		alone := run(t, top, program(2, [3]int{0, 1, bytes}), o).Makespan
		if ratio := r.Elapsed[0] / alone; ratio < 1.7 || ratio > 2.05 {
			t.Errorf("messages of %d: %.2f times as long as alone, want about 2", spell, ratio)
		}
		if r.Elapsed[1] > r.Elapsed[0] {
			t.Errorf("messages of %d: the endless job went on for %.0f ns", spell, r.Elapsed[1]-r.Elapsed[0])
		}
	}
}

// TestEndlessWithReceives: the job that counts may wait for messages; runs
// repeat exactly.
func TestEndlessWithReceives(t *testing.T) {
	top := network(t, "fattree:nodes-per-leaf=4,leaves-per-pod=4,pods=2,aggs-per-pod=2,cores=2")
	p := parsed(t, "stencil2d:4x4,wait=true,rounds=2")
	other := parsed(t, "uniform:16,rounds=2,bytes=65536")
	var hosts [2][]int32
	for h := range int32(32) {
		hosts[h%2] = append(hosts[h%2], h)
	}
	jobs := []evalsim.Job{{Program: p, Hosts: hosts[0]}, {Program: other, Hosts: hosts[1], Endless: true}}
	o := options(func(o *evalsim.Options) { o.EagerBytes, o.MaxInFlight = 16384, 2 })
	s, err := evalsim.New(top, jobs, o)
	if err != nil {
		t.Fatal(err)
	}
	first, err := s.Run(context.Background(), 3)
	if err != nil {
		t.Fatal(err)
	}
	again, err := s.Run(context.Background(), 3)
	if err != nil || !reflect.DeepEqual(first, again) {
		t.Errorf("the second run differs (%v)", err)
	}
	jobs[1].Endless = false
	once, err := evalsim.Run(context.Background(), top, jobs, o)
	if err != nil {
		t.Fatal(err)
	}
	if first.Jobs[0].Packets != once.Jobs[0].Packets {
		t.Errorf("%d packets of the job beside an endless one, %d beside a "+
			"short one", first.Jobs[0].Packets, once.Jobs[0].Packets)
	}
	if first.Jobs[1].Packets <= once.Jobs[1].Packets {
		t.Errorf("the endless job sent %d packets, once through it "+
			"has %d", first.Jobs[1].Packets, once.Jobs[1].Packets)
	}
}

// TestEndlessIdle: ranks with nothing to do, or nothing that takes time, do not
// keep a simulation from its end.
func TestEndlessIdle(t *testing.T) {
	top := network(t, star)
	empty := program(2, [3]int{0, 0, 0})
	r, err := evalsim.Run(context.Background(), top, []evalsim.Job{
		{Program: program(2, [3]int{0, 1, 1 << 20}), Hosts: []int32{0, 1}},
		{Program: empty, Hosts: []int32{2, 3}, Endless: true}}, options(nil))
	if err != nil {
		t.Fatal(err)
	}
	if want := run(t, top, program(2, [3]int{0, 1, 1 << 20}), options(nil)).Makespan; r.Elapsed[0] != want {
		t.Errorf("%.0f ns beside idle ranks, %.0f alone", r.Elapsed[0], want)
	}
}

// TestEndlessBlocked: a job that waits for what never comes is told of, although
// others never end; so is one whose request nobody answers.
func TestEndlessBlocked(t *testing.T) {
	top := network(t, star)
	other := evalsim.Job{Program: parsed(t, "ring:2,bytes=65536"), Hosts: []int32{2, 3}, Endless: true}
	for _, ops := range [][]workload.Op{
		{{Kind: workload.Receive, Peer: 0, Tag: 3}},
		{{Kind: workload.Ireceive, Peer: 0, Tag: 3}, {Kind: workload.WaitAll}},
	} {
		p := &workload.Program{Offsets: []int32{0, 1, int32(1 + len(ops))},
			Ops: append([]workload.Op{{Kind: workload.Send, Peer: 1, Tag: 4, Bytes: 1 << 20}}, ops...), VolumeScale: 1}
		o := options(func(o *evalsim.Options) { o.EagerBytes = 100 })
		_, err := evalsim.Run(context.Background(), top,
			[]evalsim.Job{{Program: p, Hosts: []int32{0, 1}}, other}, o)
		var blocked *evalsim.BlockedError
		if !errors.As(err, &blocked) || len(blocked.Ranks) != 2 {
			t.Errorf("error %v, want both ranks blocked", err)
		}
	}
	unasked := &workload.Program{Offsets: []int32{0, 1, 2}, VolumeScale: 1, Ops: []workload.Op{
		{Kind: workload.Isend, Peer: 1, Tag: 4, Bytes: 1 << 20}, {Kind: workload.Ireceive, Peer: 0, Tag: 3}}}
	r, err := evalsim.Run(context.Background(), top,
		[]evalsim.Job{{Program: unasked, Hosts: []int32{0, 1}}, other},
		options(func(o *evalsim.Options) { o.EagerBytes = 100 }))
	if err != nil || len(r.Warnings) == 0 {
		t.Errorf("warnings %v, error %v", r.Warnings, err)
	}
}

// TestOwnLinks: what the first job has on every link is its own: all there is
// when it is alone, and the rest is the other's.
func TestOwnLinks(t *testing.T) {
	top := network(t, "fattree:nodes-per-leaf=4,leaves-per-pod=4,pods=2,aggs-per-pod=2,cores=2")
	var hosts [2][]int32
	for h := range int32(32) {
		hosts[h%2] = append(hosts[h%2], h)
	}
	jobs := []evalsim.Job{{Program: parsed(t, "uniform:16,bytes=50000,"+
		"rounds=3"), Hosts: hosts[0]}, {Program: parsed(t, "uniform:16,bytes=50000,rounds=3,"+
		"seed=5"), Hosts: hosts[1]}}
	for _, at := range []evalsim.CongestionPoint{evalsim.AtQueueing, evalsim.AtDeparture} {
		o := options(func(o *evalsim.Options) { o.OwnLinks, o.Congestion.At = true, at })
		play := func(jobs ...evalsim.Job) *evalsim.Result {
			r, err := evalsim.Run(context.Background(), top, jobs, o)
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
		whole := func(r *evalsim.Result, part func(l int) evalsim.OwnLink) {
			t.Helper()
			for l, have := range r.Links {
				want := evalsim.OwnLink{Bytes: have.Bytes, Packets: have.Packets, Congested: have.Congested}
				if top.IsHost(top.Links[l].From) {
					want = evalsim.OwnLink{}
				}
				if got := part(l); got != want {
					t.Fatalf("link %d: %+v, want %+v", l, got, want)
				}
			}
		}
		alone := play(jobs[0])
		whole(alone, func(l int) evalsim.OwnLink { return alone.Own[l] })
		first := play(jobs...)
		if first.Jobs[0].Congested != sumCongested(first.Own) {
			t.Errorf("%d congested hops of the job, %d on its links", first.Jobs[0].Congested, sumCongested(first.Own))
		}
		var ports int64
		for _, l := range first.Own {
			ports += l.Packets
		}
		if first.Jobs[0].PortHops != ports {
			t.Errorf("%d switch ports crossed by the job, %d on its links", first.Jobs[0].PortHops, ports)
		}
	}
}

func sumCongested(own []evalsim.OwnLink) (sum int64) {
	for _, l := range own {
		sum += l.Congested
	}
	return sum
}

func TestEndlessRefused(t *testing.T) {
	top := network(t, star)
	plain := evalsim.Job{Program: program(2, [3]int{0, 1, 100}), Hosts: []int32{0, 1}}
	endless := plain
	endless.Endless = true
	waits := evalsim.Job{Program: parsed(t, "allreduce:2,bytes=100"), Hosts: []int32{2, 3}, Endless: true}
	for _, test := range []struct {
		jobs []evalsim.Job
		want string
	}{
		{[]evalsim.Job{endless}, "nothing says when to stop"},
		{[]evalsim.Job{plain, waits}, "an endless job only sends"},
	} {
		if _, err := evalsim.New(top, test.jobs, options(nil)); err == nil ||
			!strings.Contains(err.Error(), test.want) {
			t.Errorf("error %v, want %q", err, test.want)
		}
	}
}
