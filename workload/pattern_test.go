package workload

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"remap/input"
)

func mustParse(t rapid.TB, spec string) *Program {
	t.Helper()
	p, err := ParsePattern(spec)
	if err != nil {
		t.Fatalf("%s: %v", spec, err)
	}
	if err := p.Check(); err != nil {
		t.Fatalf("%s: %v", spec, err)
	}
	return p
}

// TestStencil2DOfTheThesis: the closed forms of the 64 x 72 stencil.
func TestStencil2DOfTheThesis(t *testing.T) {
	p := mustParse(t, "stencil2d:64x72")
	if got := mustFold(t, p).Graph().Edges(); got != 9080 {
		t.Errorf("%d pairs, want 9080", got)
	}
	if got := p.Packets(4096); got != 18160*32 {
		t.Errorf("%d packets, want %d", got, 18160*32)
	}
	if !slices.Equal(p.Grid, []int{64, 72}) || p.VolumeScale != 1 {
		t.Errorf("grid %v, scale %g", p.Grid, p.VolumeScale)
	}
	for r := range int32(p.Ranks()) {
		if got := len(p.RankOps(r)); got != 4 {
			t.Fatalf("rank %d has %d operations, want 4", r, got)
		}
	}
	// 4 messages of 131072 bytes at 12.5e9 bytes a second.
	if got := InjectionBound(p, 12.5e9, 12.5e9); got != 41943*time.Nanosecond {
		t.Errorf("injection bound %v, want 41.943 us", got)
	}
	if got := EjectionBound(p, 12.5e9); got != 41943*time.Nanosecond {
		t.Errorf("ejection bound %v, want 41.943 us", got)
	}
}

// TestOrder pins the order of a rank's messages, which evaluations depend on.
func TestOrder(t *testing.T) {
	const wait = -1
	for _, test := range []struct {
		spec string
		rank int32
		want []int32
	}{
		{"stencil2d:3x3", 4, []int32{3, 5, 1, 7}},
		{"stencil2d:3x3", 0, []int32{wait, 1, wait, 3}},
		{"stencil2d:3x3,edges=skip", 8, []int32{7, 5}},
		{"stencil2d:2x1,rounds=2", 1, []int32{0, wait, wait, wait, 0, wait, wait, wait}},
		{"stencil2d:1x1", 0, []int32{wait, wait, wait, wait}},
		{"stencil3d7:3x3x3", 13, []int32{12, 14, 10, 16, 4, 22}},
		{"stencil3d27:3x3x3", 13, []int32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 15, 16, 17, 18, 19, 20,
			21, 22, 23, 24, 25, 26}},
		{"stencil3d27:2x2x1,edges=skip", 0, []int32{1, 2, 3}},
		{"ring:4", 0, []int32{3}},
		{"ring:4,rounds=2", 2, []int32{1, 1}},
		{"ring:1", 0, nil},
		{"uniform:1,rounds=5", 0, nil},
		{"uniform:2,rounds=3", 1, []int32{0, 0, 0}},
		{"alltoall:1", 0, nil},
		{"alltoall:4", 2, []int32{3, 0, 1}},
		{"alltoall:3,rounds=2", 0, []int32{1, 2, 1, 2}},
		// Plane 1, row 1, column 2 of 3 columns and 2 rows.
		{"fft2d:planes=2,grid=3x2", 11, []int32{9, 10, 8}},
		{"fft2d:grid=1x1", 0, nil},
	} {
		p := mustParse(t, test.spec)
		var got []int32
		for _, op := range p.RankOps(test.rank) {
			if op.Kind == Idle {
				op.Peer = wait
			}
			got = append(got, op.Peer)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: rank %d does %v, want %v", test.spec, test.rank, got, test.want)
		}
	}
}

// TestStencilBytes: faces, edges and corners, and waiting takes as long as
// sending would.
func TestStencilBytes(t *testing.T) {
	for spec, want := range map[string][3]int64{
		"stencil3d27:4x4x4":                                     {131072, 16384, 2048},
		"stencil3d27:4x4x4,bytes=10":                            {10, 1, 1},
		"stencil3d27:4x4x4,bytes=640,edge-bytes=7":              {640, 7, 10},
		"stencil3d27:4x4x4,bytes=5,edge-bytes=6,corner-bytes=0": {5, 6, 0},
	} {
		p := mustParse(t, spec)
		for r := range int32(p.Ranks()) {
			var sum int64
			for _, op := range p.RankOps(r) {
				sum += op.Bytes
			}
			if all := 6*want[0] + 12*want[1] + 8*want[2]; sum != all {
				t.Fatalf("%s: rank %d takes %d bytes of time, want %d", spec, r, sum, all)
			}
		}
		ops := p.RankOps(21) // inside: x = y = z = 1
		if got := [3]int64{ops[4].Bytes, ops[1].Bytes, ops[0].Bytes}; got != want {
			t.Errorf("%s: %v bytes, want %v", spec, got, want)
		}
	}
}

// TestPatternBounds: what is refused is refused by its size alone, and an
// all-to-all of the 4,608 hosts of the tapered network is not.
func TestPatternBounds(t *testing.T) {
	for _, text := range []string{"alltoall:4901", "stencil2d:5000x5000", "stencil3d27:64x64x64," +
		"rounds=100", "uniform:16777216,rounds=2", "ring:16777217"} {
		if _, err := ParsePattern(text); err == nil || input.Hint(err) == "" {
			t.Errorf("%s: %v, hint %q", text, err, input.Hint(err))
		}
	}
	s := parseSpec("alltoall:4608")
	if s.room(maxOps, load{ranks: 4608, rounds: 1, messages: 4607, bytes: defaultBytes}); s.err != nil {
		t.Error(s.err)
	}
}

// TestPatternCounts: number of pairs and messages against closed forms.
func TestPatternCounts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, y, z := rapid.IntRange(1, 6).Draw(t, "x"), rapid.IntRange(1, 6).Draw(t, "y"),
			rapid.IntRange(1, 6).Draw(t, "z")
		n := x * y * z
		lines := (x-1)*y*z + x*(y-1)*z + x*y*(z-1) // pairs of cells that share a face
		// Ordered pairs within distance 1 in every dimension, itself included.
		around := (3*x - 2) * (3*y - 2) * (3*z - 2)
		for spec, pairs := range map[string]int{
			fmt.Sprintf("stencil3d7:%dx%dx%d", x, y, z):             lines,
			fmt.Sprintf("stencil3d27:%dx%dx%d", x, y, z):            (around - n) / 2,
			fmt.Sprintf("stencil2d:%dx%d,edges=skip", x, y):         (x-1)*y + x*(y-1),
			fmt.Sprintf("alltoall:%d", n):                           n * (n - 1) / 2,
			fmt.Sprintf("fft2d:grid=%dx%d,planes=%d", x, y, z):      n * (x + y - 2) / 2,
			fmt.Sprintf("ring:%d,bytes=1", n):                       ringPairs(n),
			fmt.Sprintf("stencil3d7:%dx%dx%d,rounds=3", x, y, z):    lines,
			fmt.Sprintf("stencil3d27:%dx%dx%d,edges=skip", x, y, z): (around - n) / 2,
		} {
			p := mustParse(t, spec)
			traffic := mustFold(t, p)
			g := traffic.Graph()
			if g.Edges() != pairs {
				t.Fatalf("%s: %d pairs, want %d", spec, g.Edges(), pairs)
			}
			if s := traffic.Stats(); s.SelfBytes != 0 || pairs > 0 && !strings.HasPrefix(spec, "ring") &&
				s.Symmetry != 1 {
				t.Fatalf("%s: %+v", spec, s)
			}
		}
	})
}

func ringPairs(n int) int {
	if n < 3 {
		return n - 1
	}
	return n
}

// TestUniform: the seed alone decides, every other rank is drawn about
// equally often, and nobody sends to itself.
func TestUniform(t *testing.T) {
	const ranks, rounds = 8, 7000
	p := mustParse(t, "uniform:8,rounds=7000")
	if q := mustParse(t, "uniform:8,rounds=7000,seed=1"); !slices.Equal(p.Ops, q.Ops) {
		t.Error("the same seed draws other ranks")
	}
	if q := mustParse(t, "uniform:8,rounds=7000,seed=2"); slices.Equal(p.Ops, q.Ops) {
		t.Error("another seed draws the same ranks")
	}
	traffic := mustFold(t, p)
	for r := range int32(ranks) {
		for to := range int32(ranks) {
			i := traffic.Find(r, to)
			if r == to {
				if i >= 0 {
					t.Errorf("rank %d sends to itself", r)
				}
				continue
			}
			// 1000 expected with deviation 29: six of them.
			if i < 0 || traffic.Messages[i] < 825 || traffic.Messages[i] > 1175 {
				t.Errorf("%d -> %d: entry %d", r, to, i)
			}
		}
	}
}

func TestBounds(t *testing.T) {
	// Rank 0 sends 30 bytes to itself and 10 to rank 1, rank 1 waits 50 and sends 20 to rank 2.
	p := &Program{Offsets: []int32{0, 2, 4, 4}, Ops: []Op{{Peer: 0, Bytes: 30}, {Peer: 1, Bytes: 10},
		{Kind: Idle, Bytes: 50}, {Peer: 2, Bytes: 20}}}
	if got := InjectionBound(p, 1e9, 1e9); got != 70 {
		t.Errorf("injection %v, want 70ns", got)
	}
	if got := EjectionBound(p, 1e9); got != 20 {
		t.Errorf("ejection %v, want 20ns", got)
	}
	n := mustParse(t, "alltoall:9,bytes=1000")
	if i, e := InjectionBound(n, 1e9, 1e9), EjectionBound(n, 1e9); i != 8000 || e != 8000 {
		t.Errorf("all to all: %v and %v, want 8us", i, e)
	}
}

func TestParsePatternErrors(t *testing.T) {
	for _, test := range []struct{ spec, reason, hint string }{
		{"", `unknown pattern ""`, "stencil2d:64x72"},
		{"stencil4d:2x2", `unknown pattern "stencil4d"`, "fft2d"},
		{"nas-mg:64", "not supported yet", "alltoall"},
		{"nas-lu:64", "not supported yet", "ring"},
		{"stencil2d", "extents", "stencil2d:64x72"},
		{"stencil2d:64", "2 numbers", "stencil2d:64x72"},
		{"stencil2d:64x72x2", "2 numbers", ""},
		{"stencil2d:0x72", `"0" must be a whole number from 1`, ""},
		{"stencil2d:-1x72", `"-1"`, ""},
		{"stencil3d7:65536x65536x65536", "more than 16777216 ranks", ""},
		{"stencil2d:99999999999999999999x1", "must be a whole number", ""},
		{"stencil2d:64x72,bytes=-1", "option bytes", ""},
		{"stencil2d:64x72,bytes=1e6", "option bytes", ""},
		{"stencil2d:64x72,rounds=0", "option rounds", ""},
		{"stencil2d:64x72,rounds=100000", "more than 24000000 operations", "fewer"},
		{"stencil2d:64x72,bytes=4503599627370496", "total volume", "smaller"},
		{"stencil2d:64x72,edges=wrap", "must be one of wait, skip", ""},
		{"stencil2d:64x72,edges=wait,edges=skip", "edges is given twice", ""},
		{"stencil2d:64x72,byte=5", "unknown option byte", "bytes"},
		{"stencil2d:64x72,5", "not an option", "key=value"},
		{"ring:64,edges=wait", "unknown option edges", ""},
		{"ring:0", "from 1 to", "ring:64"},
		{"ring:", "number of ranks", ""},
		{"uniform:9,seed=-3", "option seed", ""},
		{"alltoall:100000", "operations", ""},
		{"fft2d:planes=32", "option grid", "fft2d:planes"},
		{"fft2d:planes=0,grid=2x2", "option planes", ""},
		{"fft2d:32,grid=2x2", "not an option", ""},
		{"fft2d:planes=100000,grid=1000x1000", "more than 16777216 ranks", ""},
		{"fft2d:planes=16777216,grid=1x1,rounds=2", "operations", ""},
	} {
		_, err := ParsePattern(test.spec)
		var e *input.Error
		if !errors.As(err, &e) || !strings.Contains(e.Reason, test.reason) || !strings.Contains(e.Hint, test.hint) {
			t.Errorf("%s: error %v, hint %q; want %q, %q", test.spec, err, input.Hint(err), test.reason, test.hint)
		}
	}
	for _, name := range PatternNames() {
		mustParse(t, name)
	}
}

// FuzzParsePattern: whatever the text, an error that says something or a
// program that holds together.
func FuzzParsePattern(f *testing.F) {
	for _, s := range append(PatternNames(), "stencil2d:3x3,"+
		"edges=skip", "ring:5,rounds=2", "uniform:9,seed=7,bytes=0",
		"stencil3d27:2x2x2,edge-bytes=5", "fft2d:grid=0x3", "nas-cg:64", "alltoall:99999999999", ",=:x",
		"stencil2d:3x3,wait=true,sends=nonblocking,compute-ns=5", "allreduce:7,algorithm=ring,rounds=3,"+
			"reduction-rate=9", "reduce:6,root=5,algorithm=auto,bytes=90000",
		"alltoall:9,algorithm=scattered", "barrier:13,"+
			"algorithm=recursive-doubling", "bcast:15", "scatter:3,"+
			"root=3", "gather:5,compute-ns=4503599627370496,rounds=2") {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, spec string) {
		const most = 1 << 14
		p, err := parsePattern(spec, most)
		if err != nil {
			var e *input.Error
			if !errors.As(err, &e) || e.Reason == "" {
				t.Fatalf("error without a reason: %#v", err)
			}
			return
		}
		if err := p.Check(); err != nil || len(p.Ops) > most || p.Ranks() < 1 || p.VolumeScale != 1 {
			t.Fatalf("%v: %d operations of %d ranks", err, len(p.Ops), p.Ranks())
		}
		mustFold(t, p)
		if slices.ContainsFunc(p.Ops, func(op Op) bool { return op.Kind.IsReceive() }) && len(p.Ops) < 2000 {
			mustEnd(t, spec, traced{p, make([]payload, len(p.Ops))}, 1, nil)
		}
	})
}
