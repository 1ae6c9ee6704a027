package replay_test

import (
	"bytes"
	"context"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"remap/evalsim"
	"remap/replay"
	"remap/topology"
	"remap/workload"
)

// patterns are all patterns, of few ranks, and variants that send without receives.
var patterns = []string{"stencil2d:4x4", "stencil2d:4x3,rounds=3,sends=nonblocking,edges=skip",
	"stencil2d:4x4,wait=true", "stencil3d7:3x2x2", "stencil3d27:3x2x2,sends=nonblocking,rounds=2",
	"ring:12", "uniform:12,rounds=5", "alltoall:12", "alltoall:12,algorithm=pairwise",
	"fft2d:planes=4,grid=2x2", "nas-cg:16", "geometric:16", "geometric:16,wait=true", "hotspot:16",
	"reduce-naive:12", "reduce:12", "allreduce:12",
	"allreduce:12,algorithm=ring,reduction-rate=1000000000", "bcast:12", "allgather:12", "gather:12",
	"scatter:12", "reduce-scatter:12", "barrier:12"}

func parse(t testing.TB, spec string) *workload.Program {
	t.Helper()
	p, err := workload.ParsePattern(spec)
	if err != nil {
		t.Fatalf("%s: %v", spec, err)
	}
	return p
}

// Every pattern of the table is among those tested.
func TestPatternsAreAll(t *testing.T) {
	for _, example := range workload.PatternNames() {
		name, _, _ := strings.Cut(example, ":")
		if !slices.ContainsFunc(patterns, func(p string) bool { return strings.HasPrefix(p, name+":") }) {
			t.Errorf("pattern %s is not tested", name)
		}
	}
}

func TestWithReceivesOfPatterns(t *testing.T) {
	for _, spec := range patterns {
		p := parse(t, spec)
		q, err := replay.WithReceives(p)
		if err != nil {
			t.Errorf("%s: %v", spec, err)
			continue
		}
		holds(t, spec, p, q)
	}
}

// random is a program of sends alone, with waits in between.
func random(t *rapid.T) *workload.Program {
	ranks := rapid.IntRange(1, 6).Draw(t, "ranks")
	b := workload.NewBuilder(ranks, 0)
	for range ranks {
		requests := int64(0)
		for range rapid.IntRange(0, 12).Draw(t, "operations") {
			peer := int32(rapid.IntRange(0, ranks-1).Draw(t, "peer"))
			bytes := int64(rapid.SampledFrom([]int{0, 1, 100, 70000}).Draw(t, "bytes"))
			tag := uint16(rapid.IntRange(0, 2).Draw(t, "tag"))
			b.Phase(rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "phase"))
			b.CallSite(rapid.SampledFrom([]string{"", "x", "y"}).Draw(t, "site"))
			switch rapid.IntRange(0, 5).Draw(t, "kind") {
			case 0:
				b.Send(peer, bytes, tag)
			case 1, 2:
				requests = b.Isend(peer, bytes, tag) + 1
			case 3:
				if requests > 0 {
					b.Wait(int64(rapid.IntRange(0, int(requests)-1).Draw(t, "request")))
				}
			case 4:
				b.WaitAll()
			default:
				b.Compute(1000)
			}
		}
		b.EndRank()
	}
	p, err := b.Program()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestWithReceivesOfRandomPrograms(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := random(t)
		q, err := replay.WithReceives(p)
		if err != nil {
			t.Fatal(err)
		}
		holds(t, "random", p, q)
	})
}

// holds tests what is promised of q, the complete form of p: the same traffic, names and
// operations besides receives and waits, one receive for each message, and no rank that waits for
// ever. A complete program is itself.
func holds(t rapid.TB, what string, p, q *workload.Program) {
	t.Helper()
	before, err1 := p.Traffic()
	after, err2 := q.Traffic()
	if err1 != nil || err2 != nil || !reflect.DeepEqual(before, after) {
		t.Fatalf("%s: the traffic has changed (%v, %v)", what, err1, err2)
	}
	if !reflect.DeepEqual(p.Phases, q.Phases) || !reflect.DeepEqual(p.CallSites, q.CallSites) ||
		!reflect.DeepEqual(p.Grid, q.Grid) || p.VolumeScale != q.VolumeScale {
		t.Fatalf("%s: names, grid or scale have changed", what)
	}
	balance := map[[3]int32]int{}
	for r := range int32(p.Ranks()) {
		if !reflect.DeepEqual(active(p, r), active(q, r)) {
			t.Fatalf("%s: the operations of rank %d have changed", what, r)
		}
		for _, op := range q.RankOps(r) {
			if op.Kind.IsSend() {
				balance[[3]int32{r, op.Peer, int32(op.Tag)}]++
			} else if op.Kind.IsReceive() {
				balance[[3]int32{op.Peer, r, int32(op.Tag)}]--
			}
		}
	}
	for c, n := range balance {
		if n != 0 {
			t.Fatalf("%s: from rank %d to rank %d with tag %d there are %d messages more than receives", what,
				c[0], c[1], c[2], n)
		}
	}
	if again, err := replay.WithReceives(q); err != nil || again != q {
		t.Fatalf("%s: a complete program is changed: %v", what, err)
	}
	if err := replay.Write(&bytes.Buffer{}, q); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	ends(t, what, q)
}

// operation is one that neither receives nor waits, with its call site.
type operation struct {
	op   workload.Op
	site uint16
}

func active(p *workload.Program, r int32) []operation {
	var ops []operation
	for i := p.Offsets[r]; i < p.Offsets[r+1]; i++ {
		op := p.Ops[i]
		if op.Kind.IsReceive() || op.Kind == workload.Wait || op.Kind == workload.WaitAll {
			continue
		}
		o := operation{op: op}
		if p.Sites != nil {
			o.site = p.Sites[i]
		}
		ops = append(ops, o)
	}
	return ops
}

// ends simulates several steps, with messages that need their receiver and without.
func ends(t rapid.TB, what string, p *workload.Program) {
	t.Helper()
	network, err := topology.Parse("fattree:nodes-per-leaf=16,leaves-per-pod=1,pods=1,aggs-per-pod=1,cores=0")
	if err != nil {
		t.Fatal(err)
	}
	hosts := make([]int32, p.Ranks())
	for r := range hosts {
		hosts[r] = int32(r)
	}
	for _, eager := range []int64{0, 50} {
		o := evalsim.DefaultOptions().Unsampled()
		o.Steps, o.EagerBytes = 3, eager
		_, err := evalsim.Run(context.Background(), network, []evalsim.Job{{Program: p, Hosts: hosts}}, o)
		if err != nil {
			t.Fatalf("%s, messages above %d bytes ask: %v", what, eager, err)
		}
	}
}

// Programs with receives are refused when counts do not agree, with the ranks and the tag.
func TestIncompletePrograms(t *testing.T) {
	any := int32(workload.AnySource)
	for _, c := range []struct {
		name, want string
		fill       func(b *workload.Builder)
	}{
		{"no receive", "1 messages from rank 0 to rank 1 with tag 7", func(b *workload.Builder) {
			b.Receive(any, 0, 8)
			b.Send(1, 10, 7)
			b.EndRank()
			b.Send(0, 10, 8)
			b.EndRank()
		}},
		{"no message", "1 receives of messages from rank 1 to rank 0 with tag 3", func(b *workload.Builder) {
			b.Receive(1, 0, 3)
			b.EndRank()
			b.Send(0, 10, 8)
			b.EndRank()
		}},
		{"wildcards too many", "those of messages from any rank to rank 0 with any tag",
			func(b *workload.Builder) {
				b.Receive(any, 0, workload.AnyTag)
				b.Receive(any, 0, workload.AnyTag)
				b.EndRank()
				b.Send(0, 10, 8)
				b.EndRank()
			}},
		{"wildcard of another tag", "1 receives of messages from any rank to rank 0 with tag 4 have 0",
			func(b *workload.Builder) {
				b.Receive(any, 0, 4)
				b.EndRank()
				b.Send(0, 10, 8)
				b.EndRank()
			}},
	} {
		b := workload.NewBuilder(2, 0)
		c.fill(b)
		p, err := b.Program()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := replay.WithReceives(p); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, not %q", c.name, err, c.want)
		}
		if err := replay.Write(&bytes.Buffer{}, p); err == nil {
			t.Errorf("%s: written without an error", c.name)
		}
	}
}

// The smaller volume of a scaled program gets its receives, too.
func TestWithReceivesOfScaled(t *testing.T) {
	p, _ := workload.Scale(parse(t, "stencil2d:4x4,rounds=100"), 4096, 10000)
	if p.Smaller == nil {
		t.Fatal("the program is not scaled")
	}
	q, err := replay.WithReceives(p)
	if err != nil {
		t.Fatal(err)
	}
	holds(t, "scaled", p.Smaller, q.Smaller)
}
