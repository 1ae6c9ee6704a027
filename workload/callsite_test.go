package workload

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestCheckCallSites(t *testing.T) {
	for _, test := range []struct {
		names []string
		sites []uint16
		want  string
	}{
		{nil, nil, ""},
		{[]string{"a.c:7"}, nil, ""},
		{nil, []uint16{0, 0}, ""},
		{[]string{"", "a.c:7"}, []uint16{1, 0}, ""},
		{[]string{"", "a.c:7"}, []uint16{1}, "call sites of 1 of 2 operations"},
		{[]string{"", "a.c:7"}, []uint16{0, 2}, "operation 1 of all ranks: call site 2 of 2"},
		{nil, []uint16{1, 0}, "call site 1 of 1"},
		{make([]string, MaxCallSites), []uint16{MaxCallSites - 1, 0}, ""},
		{make([]string, MaxCallSites+1), nil, "65537 call sites"},
	} {
		p := &Program{Offsets: []int32{0, 2}, Ops: make([]Op, 2), CallSites: test.names, Sites: test.sites}
		err := p.Check()
		if test.want == "" && err != nil || test.want != "" &&
			(err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%d names, sites %v: %v, want %q", len(test.names), test.sites, err, test.want)
		}
	}
}

// sitesOf are the names of the call sites of a rank's operations.
func sitesOf(p *Program, rank int32) []string {
	var names []string
	for i := p.Offsets[rank]; i < p.Offsets[rank+1]; i++ {
		name := "none"
		if len(p.CallSites) > 0 {
			name = p.CallSites[p.Site(i)]
		}
		names = append(names, name)
	}
	return names
}

// Sites are known by name on all ranks; what is before the first one, and the
// beginning of every rank, has none.
func TestBuilderCallSites(t *testing.T) {
	b := NewBuilder(3, 0)
	b.Compute(1)
	b.Send(1, 1, 0)
	b.CallSite("solver.c:117")
	b.Isend(1, 2, 0)
	b.CallSite("solver.c:120")
	b.WaitAll()
	b.EndRank()
	b.Send(0, 4, 0)
	b.CallSite("solver.c:120")
	b.Send(0, 5, 0)
	b.CallSite("")
	b.Send(0, 6, 0)
	b.CallSite("solver.c:117")
	b.EndRank()
	b.Compute(1)
	b.EndRank()
	p, err := b.Program()
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"", "solver.c:117", "solver.c:120"}; !slices.Equal(p.CallSites, want) {
		t.Errorf("call sites %q, want %q", p.CallSites, want)
	}
	for r, want := range [][]string{{"", "", "solver.c:117", "solver.c:120"}, {"", "solver.c:120", ""}, {""}} {
		if got := sitesOf(p, int32(r)); !slices.Equal(got, want) {
			t.Errorf("rank %d: %q, want %q", r, got, want)
		}
	}
	small, _ := Scale(p, 1, 3)
	if small == p {
		t.Fatal("nothing was scaled")
	}
	for r := range int32(3) {
		if got, want := sitesOf(small, r), sitesOf(p, r); !slices.Equal(got, want) {
			t.Errorf("scaled, rank %d: %q, want %q", r, got, want)
		}
	}
}

func TestMostCallSites(t *testing.T) {
	b := NewBuilder(1, 0)
	for i := range MaxCallSites - 1 {
		b.CallSite(fmt.Sprint(i))
	}
	b.Compute(1)
	b.CallSite("7")
	b.Compute(1)
	b.EndRank()
	p, err := b.Program()
	if err != nil || len(p.CallSites) != MaxCallSites || p.Site(0) != MaxCallSites-1 || p.Site(1) != 8 {
		t.Errorf("as many call sites as there can be: %v", err)
	}
	b = NewBuilder(1, 0)
	for i := range MaxCallSites {
		b.CallSite(fmt.Sprint(i))
	}
	b.EndRank()
	if _, err := b.Program(); err == nil || !strings.Contains(err.Error(), "more than the 65536") {
		t.Errorf("one more: %v", err)
	}
}

// All operations of a collective are of one call site: the one in hand, or that of
// its name.
func TestCollectiveCallSites(t *testing.T) {
	for _, operation := range Operations() {
		for _, algorithm := range Algorithms(operation) {
			plan, err := Collective{Operation: operation, Algorithm: algorithm, Bytes: 64, ReductionRate: 1e9,
				Members: []int32{0, 2, 3, 4, 6}}.Plan(7)
			if err != nil {
				t.Fatal(err)
			}
			b := NewBuilder(7, 0)
			var calls [7][3]int // operations after each call
			for r := range calls {
				for i, site := range []string{"", "main.c:9", ""} {
					b.CallSite(site)
					b.Collective(plan, i)
					calls[r][i] = len(b.program.Ops) - int(b.program.Offsets[r])
				}
				b.Compute(1)
				b.EndRank()
			}
			p, err := b.Program()
			if err != nil {
				t.Fatal(err)
			}
			for r, ends := range calls {
				for i, site := range sitesOf(p, int32(r)) {
					want := operation
					if i >= ends[0] && i < ends[1] {
						want = "main.c:9"
					} else if i == ends[2] {
						want = "" // the computing after it
					}
					if site != want {
						t.Fatalf("%s %s, rank %d, operation %d: %q, want %q", operation, algorithm, r, i, site, want)
					}
				}
			}
		}
	}
}

// The call sites of a stencil are the directions to the peers, and a rank's missing
// neighbours; computing and waiting have none.
func TestPatternCallSites(t *testing.T) {
	for _, text := range []string{"stencil2d:3x4", "stencil3d7:3x2x4,rounds=2," +
		"compute-ns=5", "stencil3d27:3x3x2,wait=true,rounds=2", "stencil2d:4x4,edges=skip,wait=true," +
		"sends=nonblocking"} {
		p := mustParse(t, text)
		box := [3]int{1, 1, 1}
		copy(box[:], p.Grid)
		for r := range int32(p.Ranks()) {
			for i, site := range sitesOf(p, r) {
				op := p.RankOps(r)[i]
				want := ""
				if op.Kind.IsSend() || op.Kind.IsReceive() {
					want = direction(r, op.Peer, box)
				} else if op.Kind == Idle {
					if want = beyond(site, r, box); want == "" {
						t.Fatalf("%s, rank %d: waits for %q", text, r, site)
					}
				}
				if site != want {
					t.Fatalf("%s, rank %d, %v with %d: %q, want %q", text, r, op.Kind, op.Peer, site, want)
				}
			}
		}
	}
	p := mustParse(t, "fft2d:planes=2,grid=3x4,compute-ns=9,rounds=2")
	round := []string{"", "row", "row", "column", "column", "column"}
	if got, want := sitesOf(p, 17), slices.Concat(round, round); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	for _, text := range []string{"ring:5", "uniform:5", "alltoall:5"} {
		if p := mustParse(t, text); p.CallSites != nil || p.Sites != nil {
			t.Errorf("%s has call sites", text)
		}
	}
}

// direction is the name of the way from a rank to another next to it.
func direction(from, to int32, box [3]int) (name string) {
	for axis, extent := range box {
		if d := int(to)%extent - int(from)%extent; d != 0 {
			name += map[int]string{-1: "-", 1: "+"}[d] + "xyz"[axis:axis+1]
		}
		from, to = from/int32(extent), to/int32(extent)
	}
	return name
}

// beyond is the direction, if it leads out of the grid.
func beyond(direction string, rank int32, box [3]int) string {
	for i := 0; i+1 < len(direction); i += 2 {
		at := int(rank)
		axis := strings.IndexByte("xyz", direction[i+1])
		for _, extent := range box[:axis] {
			at /= extent
		}
		if at %= box[axis]; direction[i] == '-' && at == 0 || direction[i] == '+' && at == box[axis]-1 {
			return direction
		}
	}
	return ""
}
