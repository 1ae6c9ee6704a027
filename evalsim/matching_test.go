package evalsim

import (
	"context"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"remap/topology"
	"remap/workload"
)

// library is matching as the MPI standard words it, with lists and searches.
type library struct {
	arrived [][]bool // by sender and number: it is there, perhaps before its forerunners
	next    []int    // by sender: number of the first message that has not arrived
	here    []int32  // operations of messages that have arrived in order, without a receive
	posted  []int32  // operations of receives without a message
	got     map[int32]int32
	ops     []workload.Op
	sender  func(op int32) int32
	number  func(op int32) int
	opOf    func(sender int32, number int) int32
}

func (l *library) fits(receive, message int32) bool {
	want, is := &l.ops[receive], &l.ops[message]
	return (want.Peer == workload.AnySource || want.Peer == l.sender(message)) &&
		(want.Tag == workload.AnyTag || want.Tag == is.Tag)
}

func (l *library) arrive(message int32) {
	from := l.sender(message)
	l.arrived[from][l.number(message)] = true
	for l.next[from] < len(l.arrived[from]) && l.arrived[from][l.next[from]] {
		message := l.opOf(from, l.next[from])
		l.next[from]++
		i := slices.IndexFunc(l.posted, func(receive int32) bool { return l.fits(receive, message) })
		if i < 0 {
			l.here = append(l.here, message)
			continue
		}
		l.got[message] = l.posted[i]
		l.posted = slices.Delete(l.posted, i, i+1)
	}
}

func (l *library) post(receive int32) {
	i := slices.IndexFunc(l.here, func(message int32) bool { return l.fits(receive, message) })
	if i < 0 {
		l.posted = append(l.posted, receive)
		return
	}
	l.got[l.here[i]] = receive
	l.here = slices.Delete(l.here, i, i+1)
}

// Whatever arrives and is posted in whatever order, messages and receives find
// each other as in the standard. Messages are requests to send, so that both
// sides remain to be looked at.
func TestMatchingAsTheStandardSays(t *testing.T) {
	top, err := topology.Parse("torus:3")
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		const senders = 3
		p := &workload.Program{Offsets: []int32{0}, VolumeScale: 1}
		tag := rapid.Uint16Range(0, 2)
		for range senders {
			for range rapid.IntRange(0, 8).Draw(t, "messages") {
				p.Ops = append(p.Ops, workload.Op{Kind: workload.Isend, Peer: senders, Bytes: 10,
					Tag: tag.Draw(t, "tag")})
			}
			p.Offsets = append(p.Offsets, int32(len(p.Ops)))
		}
		messages := int32(len(p.Ops))
		for range rapid.IntRange(1, 20).Draw(t, "receives") {
			op := workload.Op{Kind: workload.Ireceive, Peer: rapid.Int32Range(-1, senders-1).Draw(t, "source"),
				Tag: tag.Draw(t, "wanted")}
			if op.Tag == 2 {
				op.Tag = workload.AnyTag
			}
			p.Ops = append(p.Ops, op)
		}
		p.Offsets = append(p.Offsets, int32(len(p.Ops)))
		sender := func(op int32) int32 {
			s := int32(0)
			for op >= p.Offsets[s+1] {
				s++
			}
			return s
		}
		l := &library{ops: p.Ops, next: make([]int, senders), got: map[int32]int32{}, sender: sender,
			number: func(op int32) int { return int(op - p.Offsets[sender(op)]) },
			opOf:   func(sender int32, number int) int32 { return p.Offsets[sender] + int32(number) }}
		for r := range senders {
			l.arrived = append(l.arrived, make([]bool, p.Offsets[r+1]-p.Offsets[r]))
		}
		s := atRest(t, top, p, make([]int32, senders+1))
		for id := range messages {
			s.sendNowhere(sender(id), id)
		}
		arrivals := rapid.Permutation(numbers(messages)).Draw(t, "arrivals")
		for now := int64(1); len(arrivals) > 0 || s.ranks[senders].op+1 < int32(len(p.Ops)); now++ {
			if len(arrivals) == 0 || s.ranks[senders].op+1 < int32(len(p.Ops)) && rapid.Bool().Draw(t, "post") {
				k := &s.ranks[senders]
				k.op++
				l.post(k.op)
				s.receive(senders, &p.Ops[k.op], now, s.newRequest(senders))
			} else {
				l.arrive(arrivals[0])
				s.offer(arrivals[0], now)
				arrivals = arrivals[1:]
			}
			for id := range messages {
				want, matched := l.got[id]
				if v := s.envelopes[id].receive; matched != (v >= 0) || matched && s.receives[v].op != want {
					t.Fatalf("message %d: receive %d, want operation %d (%v)", id, v, want, matched)
				}
			}
		}
	})
}

func numbers(n int32) []int32 {
	list := make([]int32, n)
	for i := range list {
		list[i] = int32(i)
	}
	return list
}

// atRest is a simulator of one job whose ranks have not begun; all its messages
// with bytes ask first.
func atRest(t *rapid.T, top *topology.Topology, p *workload.Program, hosts []int32) *simulator {
	o := DefaultOptions()
	o.EagerBytes = 1
	simulation, err := New(top, []Job{{Program: p, Hosts: hosts}}, o)
	if err != nil {
		t.Fatal(err)
	}
	s := newSimulator(simulation.network, simulation.jobs, &simulation.options)
	s.reset(1)
	for r := range s.ranks {
		s.ranks[r] = rank{op: p.Offsets[r] - 1, end: p.Offsets[r+1]}
	}
	return s
}

// sendNowhere makes the message of a non-blocking send; it does not leave.
func (s *simulator) sendNowhere(r, op int32) {
	id := s.newMessage()
	job := &s.jobs[0]
	s.messages[id] = message{link: -1, flow: job.opFlow[op], rank: r, peer: job.Program.Ops[op].Peer, op: op}
	s.enclose(id, &job.Program.Ops[op], s.newRequest(r))
}

// A simulator that has played a program once plays it again without allocating.
func TestSteadyStateDoesNotAllocate(t *testing.T) {
	top, err := topology.Parse("torus:4x4")
	if err != nil {
		t.Fatal(err)
	}
	const ranks = 40
	p := &workload.Program{Offsets: []int32{0}, VolumeScale: 1}
	for r := range int32(ranks) {
		for round := range int32(20) {
			for _, far := range []int32{1, 7, 16} {
				p.Ops = append(p.Ops, workload.Op{Kind: workload.Isend, Peer: (r + far) % ranks,
					Bytes: int64(round) * 700, Tag: uint16(far)},
					workload.Op{Kind: workload.Ireceive, Peer: (r - far + ranks) % ranks, Tag: uint16(far)})
			}
			p.Ops = append(p.Ops, workload.Op{Kind: workload.WaitAll}, workload.Op{Kind: workload.Compute, Bytes: 500})
		}
		p.Offsets = append(p.Offsets, int32(len(p.Ops)))
	}
	hosts := make([]int32, ranks)
	for r := range hosts {
		hosts[r] = int32(r) % 16
	}
	o := DefaultOptions()
	o.EagerBytes, o.MaxInFlight, o.ComputeNoise = 4096, 2, 0.3
	simulation, err := New(top, []Job{{Program: p, Hosts: hosts}}, o)
	if err != nil {
		t.Fatal(err)
	}
	s := newSimulator(simulation.network, simulation.jobs, &simulation.options)
	if n := testing.AllocsPerRun(3, func() {
		s.reset(5)
		if err := s.run(context.Background()); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%g allocations a run", n)
	}
	if len(s.requests) != ranks*6 {
		t.Errorf("%d requests are remembered, 6 of each of %d ranks are enough", len(s.requests), ranks)
	}
	if err := s.outcome(); err != nil {
		t.Error(err)
	}
}
