package workload

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"unsafe"
)

// TestCheck: what a program must not hold.
func TestCheck(t *testing.T) {
	if size := unsafe.Sizeof(Op{}); size != 16 {
		t.Errorf("an operation has %d bytes, want 16", size)
	}
	for _, test := range []struct {
		ops    []Op
		phases []string
		want   string
	}{
		{[]Op{{Kind: Receive, Peer: AnySource, Tag: AnyTag}, {Kind: Ireceive, Peer: 1}, {Kind: Wait},
			{Kind: WaitAll}, {Kind: Compute, Bytes: 5}, {Kind: Isend, Peer: 1, Tag: AnyTag - 1}}, nil, ""},
		{[]Op{{Phase: 1}}, []string{"a", "b"}, ""},
		{[]Op{{Kind: kinds}}, nil, "no such operation"},
		{[]Op{{Bytes: -1}}, nil, "size of -1"},
		{[]Op{{Peer: 2}}, nil, "receiver 2 among 2"},
		{[]Op{{Kind: Isend, Peer: AnySource}}, nil, "receiver -1"},
		{[]Op{{Tag: AnyTag}}, nil, "tag 65535"},
		{[]Op{{Kind: Receive, Peer: 2}}, nil, "sender 2"},
		{[]Op{{Kind: Ireceive, Peer: -2}}, nil, "sender -2"},
		{[]Op{{Kind: Wait}}, nil, "request 0 of 0"},
		{[]Op{{Kind: Isend}, {Kind: Send}, {Kind: Wait, Bytes: 1}, {Kind: Isend}}, nil, "request 1 of 1"},
		{[]Op{{Phase: 1}}, nil, "phase 1 of 1"},
		{[]Op{{Phase: 2}}, []string{"a", "b"}, "phase 2 of 2"},
		{nil, make([]string, 257), "257 phases"},
	} {
		p := &Program{Offsets: []int32{0, int32(len(test.ops)), int32(len(test.ops))}, Ops: test.ops,
			Phases: test.phases}
		err := p.Check()
		if test.want == "" && err != nil || test.want != "" &&
			(err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%+v: %v, want %q", test.ops, err, test.want)
		}
	}
	for _, offsets := range [][]int32{nil, {1, 1}, {0, 2}, {0, 1, 0, 1}, {0, 5, 1}, {0, -1, 1}} {
		if err := (&Program{Offsets: offsets, Ops: make([]Op, 1)}).Check(); err == nil {
			t.Errorf("offsets %v are accepted", offsets)
		}
	}
}

// TestFolding: non-blocking sends count as sends, everything else not at all.
func TestFolding(t *testing.T) {
	b := NewBuilder(2, 0)
	b.Send(1, 5000, 3)
	b.Isend(1, 10, 4)
	b.Isend(0, 70, 4)
	b.Receive(1, 9, 0)
	b.Ireceive(1, 9, 0)
	b.Compute(11)
	b.Idle(13)
	b.WaitAll()
	b.EndRank()
	b.EndRank()
	p, err := b.Program()
	if err != nil {
		t.Fatal(err)
	}
	if got := p.Packets(4096); got != 3 {
		t.Errorf("%d packets, want 3", got)
	}
	traffic := mustFold(t, p)
	if i := traffic.Find(0, 1); traffic.Bytes[i] != 5010 || traffic.Messages[i] != 2 || len(traffic.Bytes) != 2 {
		t.Errorf("%+v", traffic)
	}
	if got := EjectionBound(p, 1e9); got != 5010 {
		t.Errorf("ejection %v, want 5.01us", got)
	}
}

func TestBuilderPhases(t *testing.T) {
	b := NewBuilder(2, 0)
	b.Send(1, 1, 0)
	b.Phase("exchange")
	b.Send(1, 2, 0)
	b.Phase("sum")
	b.Send(1, 3, 0)
	b.EndRank()
	b.Send(0, 4, 0)
	b.Phase("sum")
	b.Send(0, 5, 0)
	b.Phase("")
	b.Send(0, 6, 0)
	b.EndRank()
	p, err := b.Program()
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"", "exchange", "sum"}; !slices.Equal(p.Phases, want) {
		t.Errorf("phases %q, want %q", p.Phases, want)
	}
	for i, want := range []uint8{0, 1, 2, 0, 2, 0} {
		if p.Ops[i].Phase != want {
			t.Errorf("operation %d is of phase %d, want %d", i, p.Ops[i].Phase, want)
		}
	}
	b = NewBuilder(1, 0)
	for i := range MaxPhases - 1 {
		b.Phase(fmt.Sprint(i))
	}
	b.Phase("7")
	b.Compute(1)
	b.EndRank()
	if p, err := b.Program(); err != nil || len(p.Phases) != MaxPhases || p.Ops[0].Phase != 8 {
		t.Errorf("as many phases as there can be: %v", err)
	}
}

func TestBuilderErrors(t *testing.T) {
	plan, err := Collective{Operation: "barrier"}.Plan(3)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		want string
		fill func(b *Builder)
	}{
		{"before rank 1 of 2", func(b *Builder) { b.EndRank() }},
		{"more than the 2 ranks", func(b *Builder) { b.EndRank(); b.EndRank(); b.EndRank() }},
		{"more than the 2 ranks", func(b *Builder) { b.EndRank(); b.EndRank(); b.Collective(plan, 0) }},
		{"request 3 of 0", func(b *Builder) { b.Wait(3); b.EndRank(); b.EndRank() }},
		{"a size of -5", func(b *Builder) { b.Compute(-5); b.EndRank(); b.EndRank() }},
		{"receiver 2 among 2", func(b *Builder) { b.EndRank(); b.Collective(plan, 0); b.EndRank() }},
		{"more than the 256", func(b *Builder) {
			for i := range MaxPhases {
				b.Phase(fmt.Sprint(i))
			}
		}},
	} {
		b := NewBuilder(2, 0)
		test.fill(b)
		if _, err := b.Program(); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v, want %q", err, test.want)
		}
	}
}

// TestPlanErrors: collectives that cannot be.
func TestPlanErrors(t *testing.T) {
	for _, test := range []struct {
		c    Collective
		want string
	}{
		{Collective{Operation: "allreduse"}, `did you mean "allreduce"`},
		{Collective{Operation: "x"}, "known: bcast, reduce"},
		{Collective{Operation: "bcast", Algorithm: "binominal"}, `did you mean "binomial"`},
		{Collective{Operation: "bcast", Algorithm: "x"}, "known: binomial, linear"},
		{Collective{Operation: "bcast", Members: []int32{0, 4}}, "member 4 is not a rank: there are 4"},
		{Collective{Operation: "bcast", Members: []int32{0, -1}}, "member -1 is not a rank"},
		{Collective{Operation: "bcast", Members: []int32{0, 2, 0}}, "rank 0 is a member twice"},
		{Collective{Operation: "reduce", Members: []int32{0, 2}, Root: 1}, "root 1 is not among the members"},
		{Collective{Operation: "gather", Root: 4}, "root 4 is not"},
		{Collective{Operation: "gather", Root: -1}, "root -1 is not"},
		{Collective{Operation: "allgather", Members: []int32{}}, "nobody takes part"},
		{Collective{Operation: "allgather", Bytes: -1}, "size is -1"},
		{Collective{Operation: "allgather", Bytes: maxTotal/4 + 1}, "must be from 0 to 1125899906842624"},
		{Collective{Operation: "reduce", ReductionRate: -1}, "reduction rate"},
		{Collective{Operation: "reduce", ReductionRate: math.NaN()}, "reduction rate"},
		{Collective{Operation: "reduce", ReductionRate: 1e-300, Bytes: 1}, "takes more than"},
	} {
		if _, err := test.c.Plan(4); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: %v, want %q", test.c, err, test.want)
		}
	}
	if _, err := (Collective{Operation: "barrier", Root: 17}).Plan(4); err != nil {
		t.Errorf("a root where there is none is not ignored: %v", err)
	}
	for _, name := range Operations() {
		if len(Algorithms(name)) < 2 {
			t.Errorf("%s has the algorithms %q", name, Algorithms(name))
		}
		for _, alias := range algorithmWords(name) {
			if _, err := (Collective{Operation: name, Algorithm: alias}).Plan(4); err != nil {
				t.Error(err)
			}
		}
	}
	if Algorithms("x") != nil {
		t.Error("an unknown operation has algorithms")
	}
}

// TestAuto: the choices of MPICH at its thresholds.
func TestAuto(t *testing.T) {
	for _, test := range []struct {
		operation string
		ranks     int
		bytes     int64
		want      string
	}{
		{"bcast", 64, 12287, "binomial"},
		{"bcast", 64, 12288, "scatter-recursive-doubling"},
		{"bcast", 64, 524288, "scatter-ring"},
		{"bcast", 63, 12288, "scatter-ring"},
		{"bcast", 7, 1 << 30, "binomial"},
		{"bcast", 8, 12288, "scatter-recursive-doubling"},
		{"reduce", 64, 2048, "binomial"},
		{"reduce", 64, 2049, "rabenseifner"},
		{"reduce", 1024, 8191, "binomial"},
		{"reduce", 1024, 8192, "rabenseifner"},
		{"allreduce", 64, 2048, "recursive-doubling"},
		{"allreduce", 64, 2049, "rabenseifner"},
		{"allreduce", 1023, 4095, "recursive-doubling"},
		{"allreduce", 1023, 4096, "rabenseifner"},
		{"allgather", 64, 8191, "recursive-doubling"},
		{"allgather", 64, 8192, "ring"},
		{"allgather", 10, 8191, "bruck"},
		{"allgather", 10, 8192, "ring"},
		{"alltoall", 8, 256, "bruck"},
		{"alltoall", 7, 256, "scattered"},
		{"alltoall", 8, 32768, "scattered"},
		{"alltoall", 8, 32769, "pairwise"},
		{"reduce-scatter", 9, 524287, "recursive-halving"},
		{"reduce-scatter", 9, 524288, "pairwise"},
		{"gather", 9, 1, "binomial"},
		{"scatter", 9, 1, "binomial"},
		{"barrier", 9, 0, "dissemination"},
	} {
		for _, algorithm := range []string{"", Auto} {
			plan, err := Collective{Operation: test.operation, Algorithm: algorithm,
				Bytes: test.bytes}.Plan(test.ranks)
			if err != nil {
				t.Fatal(err)
			}
			if got := plan.Algorithm(); got != test.want {
				t.Errorf("%s of %d ranks, %d bytes: %s, want %s", test.operation, test.ranks, test.bytes, got, test.want)
			}
		}
	}
}
