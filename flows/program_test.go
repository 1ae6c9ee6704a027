package flows

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"remap/workload"
)

// drawProgram draws a program that can be repeated. Messages are drawn in one order over all
// ranks; each is a send of one rank and a receive of another, in this order, so that no rank
// waits for ever. The receives of a rank name their messages, or some leave out the tag, or
// all leave out tag and sender.
func drawProgram(t *rapid.T) *workload.Program {
	ranks := rapid.IntRange(1, 6).Draw(t, "ranks")
	rank := rapid.Int32Range(0, int32(ranks)-1)
	ops, requests := make([][]workload.Op, ranks), make([]int64, ranks)
	wildcards := rapid.SliceOfN(rapid.IntRange(0, 2), ranks, ranks).Draw(t, "wildcards")
	add := func(r int32, op workload.Op) {
		if rapid.Bool().Draw(t, "nonblocking") {
			op.Kind = map[workload.OpKind]workload.OpKind{
				workload.Send: workload.Isend, workload.Receive: workload.Ireceive}[op.Kind]
			requests[r]++
		}
		ops[r] = append(ops[r], op)
	}
	for range rapid.IntRange(0, 30).Draw(t, "messages") {
		from, to := rank.Draw(t, "from"), rank.Draw(t, "to")
		tag := rapid.Uint16Range(0, 2).Draw(t, "tag")
		bytes := rapid.SampledFrom([]int64{0, 1, 5000, chunk - headerBytes, chunk, 300000}).Draw(t, "bytes")
		add(from, workload.Op{Kind: workload.Send, Peer: to, Tag: tag, Bytes: bytes})
		receive := workload.Op{Kind: workload.Receive, Peer: from, Tag: tag, Bytes: bytes}
		if wildcards[to] > 0 && (wildcards[to] == 2 || rapid.Bool().Draw(t, "any tag")) {
			receive.Tag = workload.AnyTag
		}
		if wildcards[to] == 2 {
			receive.Peer = workload.AnySource
		}
		add(to, receive)
		switch r := rank.Draw(t, "other"); rapid.IntRange(0, 5).Draw(t, "kind") {
		case 0:
			ops[r] = append(ops[r], workload.Op{Kind: workload.WaitAll})
		case 1:
			ops[r] = append(ops[r], workload.Op{Kind: workload.Compute, Bytes: 10000})
		case 2:
			if requests[r] > 0 {
				request := rapid.Int64Range(0, requests[r]-1).Draw(t, "request")
				ops[r] = append(ops[r], workload.Op{Kind: workload.Wait, Bytes: request})
			}
		}
	}
	p := &workload.Program{Offsets: []int32{0}}
	for _, of := range ops {
		p.Ops = append(p.Ops, of...)
		p.Offsets = append(p.Offsets, int32(len(p.Ops)))
	}
	return p
}

// TestRandomPrograms: programs that can be repeated come to their end, and all bytes arrive.
func TestRandomPrograms(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawProgram(t)
		place := make([]int32, p.Ranks())
		for r := range place {
			place[r] = rapid.Int32Range(0, int32(p.Ranks())-1).Draw(t, "host")
		}
		o := DefaultOptions()
		o.Steps = rapid.Int64Range(1, 4).Draw(t, "steps")
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		j := start(t, ctx, p, place, o)
		if err := j.Wait(); err != nil {
			t.Fatal(err)
		}
		if ctx.Err() != nil {
			t.Fatal("the job did not end: ranks wait for ever")
		}
		checkBytes(t, j, p, place, o.Steps)
		for r, player := range j.players {
			if len(player.box.posted) > 0 {
				t.Errorf("rank %d is left with %d receives", r, len(player.box.posted))
			}
		}
		for _, l := range j.links {
			if len(l.unexpected) > 0 {
				t.Errorf("%s: %d messages are left", l.name, len(l.unexpected))
			}
		}
	})
}

// program makes a program of the operations of each rank.
func program(ranks ...[]workload.Op) *workload.Program {
	p := &workload.Program{Offsets: []int32{0}}
	for _, ops := range ranks {
		p.Ops = append(p.Ops, ops...)
		p.Offsets = append(p.Offsets, int32(len(p.Ops)))
	}
	return p
}

// TestRefusedPrograms: what cannot be played is an error that says why.
func TestRefusedPrograms(t *testing.T) {
	type ops = []workload.Op
	send := func(peer int32, tag uint16) workload.Op { return workload.Op{Peer: peer, Tag: tag} }
	receive := func(peer int32, tag uint16) workload.Op {
		return workload.Op{Kind: workload.Receive, Peer: peer, Tag: tag}
	}
	ireceive := workload.Op{Kind: workload.Ireceive, Peer: 0, Tag: 7}
	two := []int32{0, 1}
	for _, test := range []struct {
		program *workload.Program
		place   []int32
		change  func(o *Options, hosts []Host)
		want    string
	}{
		{program(ops{send(1, 0)}, ops{receive(0, 0)}), two, nil, ""},
		{program(ops{send(1, 0)}, ops{}), two, nil, ""},
		{program(ops{send(5, 0)}, ops{}), two, nil, "receiver 5 among 2 ranks"},
		{program(ops{send(1, 0), send(1, 0)}, ops{receive(0, 0)}), two, nil,
			"rank 1 receives 1 messages a step and is sent 2"},
		{program(ops{}, ops{receive(0, 0)}), two, nil, "rank 1 receives 1 messages a step and is sent 0"},
		{program(ops{send(1, 3)}, ops{receive(0, 7)}), two, nil,
			"rank 1 waits for ever in operation 0 (receive): no message of rank 0 with tag 7 comes"},
		{program(ops{send(1, 3)}, ops{ireceive}), two, nil, "rank 1 waits for ever at the end of a step"},
		{program(ops{send(1, 3)}, ops{ireceive, {Kind: workload.WaitAll}}), two, nil, "operation 1 (waitall)"},
		{program(ops{send(1, 3)}, ops{ireceive, {Kind: workload.Wait}}), two, nil, "operation 1 (wait)"},
		{program(ops{receive(1, 0), send(1, 0)}, ops{receive(workload.AnySource, workload.AnyTag), send(0, 0)}),
			two, nil, "rank 0 waits for ever in operation 0"},
		{program(ops{{Kind: workload.Idle, Bytes: 5}}), []int32{0}, nil, "idle operations"},
		{program(ops{}), two, nil, "2 ranks have hosts, the program has 1 ranks"},
		{program(ops{}), []int32{2}, nil, "rank 0: host 2 among 2 hosts"},
		{program(ops{}), []int32{0}, func(_ *Options, h []Host) { h[0].Address = "n0" }, `"n0" is not an IP`},
		{program(ops{}), []int32{0}, func(o *Options, _ []Host) { o.Steps = -1 }, "steps -1"},
		{program(ops{}), []int32{0}, func(o *Options, _ []Host) { o.SendBuffer = -1 }, "send buffer -1"},
		{program(ops{}), []int32{0}, func(o *Options, _ []Host) { o.Duration = -1 }, "duration"},
		{program(ops{send(1, 0)}, ops{}), two, func(_ *Options, h []Host) {
			h[1].Inside = func(func() error) error { return errors.New("no such namespace") }
		}, "host n1 cannot listen: no such namespace"},
		{program(ops{send(1, 0)}, ops{}), two, func(_ *Options, h []Host) {
			h[0].Inside = func(func() error) error { return errors.New("no such namespace") }
		}, "rank 0 on n0 to rank 1 on n1: cannot connect: no such namespace"},
	} {
		o, hosts := DefaultOptions(), loopback(2)
		o.Steps = 1
		if test.change != nil {
			test.change(&o, hosts)
		}
		j, err := Start(t.Context(), test.program, hosts, test.place, o)
		switch {
		case test.want == "" && err != nil,
			test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
			t.Errorf("%v, want %q", err, test.want)
		case err == nil:
			if err := j.Wait(); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestMatching: the earliest message of peer and tag is taken, and the earliest receive.
func TestMatching(t *testing.T) {
	any := uint16(workload.AnyTag)
	box := newMailbox()
	for from := range int32(2) {
		l := &link{from: from, box: &box, room: make(chan struct{}, 1)}
		box.links = append(box.links, l)
		box.bySender[from] = l
	}
	arrive := func(from int32, tag uint16) { box.deliver(box.links[from], tag) }
	post := func(peer int32, tag uint16) *request {
		q := &request{peer: peer, tag: tag}
		box.post(q)
		return q
	}
	left := func(want0, want1 int) {
		t.Helper()
		got := [2]int{len(box.links[0].unexpected), len(box.links[1].unexpected)}
		if want := [2]int{want0, want1}; got != want {
			t.Errorf("%d messages are left, want %d", got, want)
		}
	}
	arrive(1, 5)
	arrive(0, 5)
	arrive(0, 6)
	post(0, 6) // not the first of its sender
	left(1, 1)
	post(workload.AnySource, any) // that of rank 1 came first
	left(1, 0)
	waiting := []*request{post(1, 5), post(0, 9), post(workload.AnySource, 9), post(1, any)}
	arrive(1, 9)
	arrive(1, 5)
	for i, want := range []bool{true, false, true, false} {
		if waiting[i].done != want {
			t.Errorf("receive %d is done: %v, want %v", i, waiting[i].done, want)
		}
	}
	arrive(1, 8)
	arrive(0, 9)
	if !waiting[1].done || !waiting[3].done {
		t.Error("receives are left")
	}
	left(1, 0)
}
