package workload

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"remap/input"
)

// TestDefaultsStay pins programs without options added later: published
// figures are measured with them.
func TestDefaultsStay(t *testing.T) {
	for spec, want := range map[string]uint64{
		"stencil2d:64x72":                           0xda8a464ddc5867e1,
		"stencil2d:5x4,rounds=3,bytes=77":           0x36dc8c57679fe42e,
		"stencil2d:5x4,edges=skip":                  0xdbd6312ff9373b03,
		"stencil3d7:4x3x5":                          0x3b50960055ef0ff2,
		"stencil3d27:4x3x5,rounds=2":                0xd4ccbbee88caf275,
		"stencil3d27:3x3x3,edges=skip,edge-bytes=9": 0xad733d2423f39737,
		"ring:9,rounds=4":                           0x6c4af778e0777201,
		"uniform:50,rounds=7,seed=3":                0xc1a91a1271f3e513,
		"alltoall:17,rounds=2":                      0xab78a005a1784e55,
		"fft2d:planes=3,grid=4x5,rounds=2":          0x87dbada944d57b45,
		"stencil2d:5x4,wait=false,sends=blocking,edges=skip,compute-ns=0": 0xdbd6312ff9373b03,
	} {
		p := mustParse(t, spec)
		h := fnv.New64a()
		binary.Write(h, binary.LittleEndian, p.Offsets)
		for _, op := range p.Ops {
			if op.Tag != 0 || op.Phase != 0 {
				t.Fatalf("%s: %+v", spec, op)
			}
			binary.Write(h, binary.LittleEndian, op.Kind)
			binary.Write(h, binary.LittleEndian, op.Peer)
			binary.Write(h, binary.LittleEndian, op.Bytes)
		}
		if got := h.Sum64(); got != want {
			t.Errorf("%s has changed: %#x, was %#x", spec, got, want)
		}
	}
}

// only lists a rank's operations of some kinds, tags and kind of send aside.
func only(p *Program, r int32, kinds ...OpKind) (found []Op) {
	for _, op := range p.RankOps(r) {
		if slices.Contains(kinds, op.Kind) {
			if op.Tag = 0; op.Kind == Isend {
				op.Kind = Send
			}
			found = append(found, op)
		}
	}
	return found
}

// TestStencilOptions: whatever the options, bytes and order of sends and idling
// are the same; with wait=true everything sent is received, in any order of
// events, and directions have their tags.
func TestStencilOptions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		side := func(name string) int { return rapid.IntRange(1, 4).Draw(t, name) }
		spec := fmt.Sprintf(
			"%s:%dx%dx%d,bytes=%d,rounds=%d,edges=%s",
			rapid.SampledFrom([]string{"stencil3d7", "stencil3d27"}).
				Draw(t, "name"),
			side("x"),
			side("y"),
			side("z"),
			rapid.IntRange(0, 5000).
				Draw(t, "bytes"),
			side("rounds"),
			rapid.SampledFrom([]string{"wait", "skip"}).Draw(t, "edges"),
		)
		plain := mustParse(t, spec)
		for _, options := range []string{",wait=true", ",sends=nonblocking", ",sends=nonblocking," +
			"wait=true", ",wait=true,compute-ns=5"} {
			p := mustParse(t, spec+options)
			for r := range int32(p.Ranks()) {
				if !slices.Equal(only(p, r, Send, Isend, Idle), plain.RankOps(r)) {
					t.Fatalf("%s%s: rank %d sends otherwise", spec, options, r)
				}
			}
			if strings.Contains(options, "wait=true") {
				mustEnd(t, spec+options, traced{p, make([]payload, len(p.Ops))}, 3, nil)
			}
			if strings.Contains(options, "nonblocking") &&
				slices.ContainsFunc(p.Ops, func(op Op) bool { return op.Kind == Send }) {
				t.Fatalf("%s%s: has blocking sends", spec, options)
			}
		}
	})
	p := mustParse(t, "stencil2d:3x3,wait=true,edges=skip")
	want := []Op{
		{Kind: Ireceive, Tag: 1, Peer: 3, Bytes: 131072},
		{Kind: Ireceive, Tag: 0, Peer: 5, Bytes: 131072},
		{Kind: Ireceive, Tag: 3, Peer: 1, Bytes: 131072},
		{Kind: Ireceive, Tag: 2, Peer: 7, Bytes: 131072},
		{
			Tag:   0,
			Peer:  3,
			Bytes: 131072,
		},
		{Tag: 1, Peer: 5, Bytes: 131072},
		{Tag: 2, Peer: 1, Bytes: 131072},
		{Tag: 3, Peer: 7, Bytes: 131072},
		{Kind: WaitAll},
	}
	if got := p.RankOps(4); !slices.Equal(got, want) {
		t.Errorf("the middle does %+v", got)
	}
}

// TestComputeOfPatterns: every pattern computes before each round, and is
// otherwise what it is without.
func TestComputeOfPatterns(t *testing.T) {
	for _, spec := range []string{"stencil2d:4x5,edges=skip", "stencil3d7:2x2x2", "stencil3d27:2x2x2",
		"ring:5", "uniform:9", "alltoall:6",
		"fft2d:planes=2,grid=2x3", "reduce-naive:5", "reduce:5", "allreduce:5", "bcast:5", "allgather:5",
		"gather:5", "scatter:5",
		"reduce-scatter:5", "barrier:5", "alltoall:6,algorithm=linear", "barrier:1"} {
		plain, p := mustParse(t, spec+",rounds=3"), mustParse(t, spec+",rounds=3,compute-ns=70")
		for r := range int32(p.Ranks()) {
			without := slices.DeleteFunc(
				slices.Clone(p.RankOps(r)),
				func(op Op) bool { return op == Op{Kind: Compute, Bytes: 70} },
			)
			if !slices.Equal(without, plain.RankOps(r)) || len(p.RankOps(r)) != len(without)+3 ||
				p.RankOps(r)[0].Kind != Compute {
				t.Errorf("%s: rank %d does %+v", spec, r, p.RankOps(r))
			}
		}
	}
}

// TestReductionsOfTheThesis: section 4.3, 50 arrays of 1024 integers of 4 bytes
// to rank 0 of 1024. Naive they take 16.76 ms into one link, and a binomial
// tree brings at most 102 times less to any.
func TestReductionsOfTheThesis(t *testing.T) {
	naive := mustParse(t, "reduce-naive:1024,bytes=4096,rounds=50")
	const total = 1023 * 50 * 4096
	if got := EjectionBound(naive, 12.5e9); got != InjectionTime(total, 12.5e9) ||
		got.Microseconds() != 16760 {
		t.Errorf("naive: %v, want 16.76 ms", got)
	}
	for r := int32(1); r < 1024; r++ {
		if ops := naive.RankOps(r); len(ops) != 50 ||
			slices.ContainsFunc(
				ops,
				func(op Op) bool { return op.Kind != Send || op.Peer != 0 || op.Bytes != 4096 },
			) {
			t.Fatalf("rank %d does %+v", r, ops)
		}
	}
	if got := only(naive, 0, Receive); len(got) != 50*1023 || len(naive.RankOps(0)) != len(got) {
		t.Errorf("the root receives %d messages", len(got))
	}
	tree := mustParse(t, "reduce:1024,bytes=4096,rounds=50")
	if got := float64(EjectionBound(naive, 12.5e9)) / float64(EjectionBound(tree, 12.5e9)); got < 102.2 ||
		got > 102.4 {
		t.Errorf("the tree has %.1f times less at one receiver, want 102.3", got)
	}
	moved := mustFold(t, mustParse(t, "reduce-naive:1024,bytes=4096,rounds=50,root=700"))
	if i := moved.Find(0, 700); moved.Bytes[i] != 50*4096 || len(moved.Bytes) != 1023 {
		t.Error("with another root the messages do not go there")
	}
}

// TestCollectivePatterns: patterns are the collectives they say, end, and
// successive rounds have tags of their own.
func TestCollectivePatterns(t *testing.T) {
	for spec, want := range map[string]Collective{
		"reduce-naive:9,bytes=80,root=3": {Operation: "reduce", Algorithm: "linear",
			Bytes: 80, Root: 3},
		"reduce:9,bytes=80000,root=8": {Operation: "reduce", Algorithm: "binomial",
			Bytes: 80000, Root: 8},
		"reduce:9,bytes=80000,algorithm=auto": {Operation: "reduce", Algorithm: "rabenseifner",
			Bytes: 80000},
		"reduce:9,algorithm=naive": {Operation: "reduce", Algorithm: "linear",
			Bytes: 131072},
		"allreduce:9": {Operation: "allreduce",
			Algorithm: "rabenseifner", Bytes: 131072},
		"allreduce:9,algorithm=ring,reduction-rate=2000000000": {Operation: "allreduce", Algorithm: "ring",
			Bytes: 131072, ReductionRate: 2e9},
		"bcast:9,bytes=0,root=2": {Operation: "bcast", Algorithm: "binomial",
			Root: 2},
		"allgather:8,bytes=10": {Operation: "allgather",
			Algorithm: "recursive-doubling", Bytes: 10},
		"gather:9": {Operation: "gather", Algorithm: "binomial",
			Bytes: 131072},
		"scatter:9,algorithm=linear,root=4": {Operation: "scatter", Algorithm: "linear",
			Bytes: 131072, Root: 4},
		"reduce-scatter:9,bytes=90": {Operation: "reduce-scatter",
			Algorithm: "recursive-halving", Bytes: 90},
		"barrier:9": {Operation: "barrier", Algorithm: "dissemination"},
		"barrier:9,algorithm=recursive-doubling": {Operation: "barrier",
			Algorithm: "recursive-doubling"},
		"alltoall:9,algorithm=auto": {Operation: "alltoall", Algorithm: "pairwise",
			Bytes: 131072},
		"alltoall:9,algorithm=bruck,bytes=9": {Operation: "alltoall", Algorithm: "bruck",
			Bytes: 9},
	} {
		p := mustParse(t, spec+",rounds=2")
		plan, err := want.Plan(p.Ranks())
		if err != nil {
			t.Fatal(err)
		}
		q := trace(t, p.Ranks(), func(b *Builder) { b.Collective(plan, 0); b.Collective(plan, 1) })
		if !slices.Equal(p.Ops, q.Ops) {
			t.Errorf("%s is not %+v", spec, want)
		}
		mustEnd(t, spec, q, 4, nil)
		for r := range int32(p.Ranks()) {
			ops := p.RankOps(r)
			for i, op := range ops {
				if tag := CollectiveTags + uint16(2*i/len(ops)); op.Kind.IsSend() && op.Tag != tag {
					t.Fatalf("%s: rank %d has tag %d in operation %d of %d", spec, r, op.Tag, i, len(ops))
				}
			}
		}
	}
}

// TestTags: numbers of calls wrap around before the tag that stands for all.
func TestTags(t *testing.T) {
	plan, err := Collective{Operation: "bcast"}.Plan(2)
	if err != nil {
		t.Fatal(err)
	}
	for number, want := range map[int]uint16{0: 32768, 32766: 65534, 32767: 32768, -1: 65534} {
		p := trace(t, 2, func(b *Builder) { b.Collective(plan, number) })
		if p.Ops[0].Tag != want || p.Ops[1].Tag != want {
			t.Errorf("call %d has tag %d, want %d", number, p.Ops[0].Tag, want)
		}
	}
}

// The operations of a pattern are counted to the last one before it is built.
func TestOperationsAreCounted(t *testing.T) {
	for _, spec := range []string{"bcast:9,rounds=3", "bcast:9,rounds=3," +
		"compute-ns=5", "allreduce:6,reduction-rate=7," +
		"compute-ns=1", "barrier:5,compute-ns=1", "alltoall:70,algorithm=scattered"} {
		count := int64(len(mustParse(t, spec).Ops))
		if _, err := parsePattern(spec, count); err != nil {
			t.Errorf("%s with %d operations: %v", spec, count, err)
		}
		if _, err := parsePattern(spec, count-1); err == nil {
			t.Errorf("%s with room for %d operations has one more", spec, count-1)
		}
	}
}

// A scattered all-to-all has at most 32 messages each way under way.
func TestScatteredInBatches(t *testing.T) {
	for _, size := range []int{2, 32, 33, 34, 70, 97} {
		p := mustParse(t, fmt.Sprintf("alltoall:%d,algorithm=scattered", size))
		for r := range int32(size) {
			open, most, waits := 0, 0, 0
			for _, op := range p.RankOps(r) {
				switch op.Kind {
				case Isend, Ireceive:
					open++
					most = max(most, open)
				case WaitAll:
					open, waits = 0, waits+1
				}
			}
			if most != 2*min(32, size-1) || waits != (size-1+31)/32 || open != 0 {
				t.Fatalf(
					"%d ranks: rank %d has %d requests open at most, waits %d times, and leaves %d",
					size,
					r,
					most,
					waits,
					open,
				)
			}
		}
	}
}

func TestCollectivePatternErrors(t *testing.T) {
	for _, test := range []struct{ spec, reason, hint string }{
		{"reduce:9,root=9", "option root is \"9\", must be a whole number from 0 to 8", "reduce:64"},
		{"reduce:9,algorithm=tree", "must be one of auto, binomial, linear", ""},
		{"reduce-naive:9,algorithm=linear", "unknown option algorithm", "root"},
		{"allreduce:9,root=0", "unknown option root", "algorithm"},
		{"allreduce:9,reduction-rate=-1", "option reduction-rate", ""},
		{"allreduce:2,bytes=10000000,reduction-rate=1", "combining 10000000 bytes", ""},
		{"allreduce:2,bytes=4000000,reduction-rate=1,rounds=3", "computing for more than", "less computing"},
		{"reduce-naive:4,bytes=1000,reduction-rate=1,rounds=1502", "computing for more than", "less computing"},
		{"barrier:0", "from 1 to", "barrier:64"},
		{"bcast:1000000,rounds=20", "more than 24000000 operations", "fewer"},
		{"allreduce:200000,algorithm=ring", "more than 24000000 operations", "fewer"},
		{"alltoall:200000,algorithm=linear", "more than 24000000 operations", "fewer"},
		{"gather:8,bytes=4503599627370496", "option bytes", ""},
		{"bcast:8,bytes=562949953421312,rounds=2", "total volume", "smaller"},
		{"ring:8,compute-ns=4503599627370496,rounds=2", "computing for more than", ""},
		{"ring:8,compute-ns=-1", "option compute-ns", ""},
		{"ring:8000000,compute-ns=1,rounds=2", "more than 24000000 operations", ""},
		{"stencil2d:4x4,wait=yes", "must be one of false, true", ""},
		{"stencil2d:4x4,sends=both", "must be one of blocking, nonblocking", ""},
		{"ring:8,wait=true", "unknown option wait", "compute-ns"},
	} {
		_, err := ParsePattern(test.spec)
		var e *input.Error
		if !errors.As(err, &e) || !strings.Contains(e.Reason, test.reason) ||
			!strings.Contains(e.Hint, test.hint) {
			t.Errorf(
				"%s: error %v, hint %q; want %q, %q",
				test.spec,
				err,
				input.Hint(err),
				test.reason,
				test.hint,
			)
		}
	}
}
