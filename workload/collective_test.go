package workload

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"remap/internal/testkit/tier"
)

// group is the data of a collective: of every member its parts, and of every
// part how often each member's contribution is in it; nil if it has none.
type group struct {
	t      rapid.TB
	plan   *Plan
	ranks  map[int32]int // members' numbers relative to the root
	parts  [][][]uint8   // by member and part
	came   [][]bool      // all-to-all: parts that have been replaced
	before [][][]uint8   // all-to-all: what a member has for others
}

func newGroup(t rapid.TB, p *Plan, members []int32) *group {
	g := &group{t: t, plan: p, ranks: map[int32]int{}}
	for at, r := range members {
		g.ranks[r] = modulo(at-p.root, p.size)
	}
	for member := range p.size {
		g.parts = append(g.parts, make([][]uint8, p.cut))
		g.came = append(g.came, make([]bool, p.cut))
		for i := range p.cut {
			if from := g.starts(member, i); from >= 0 {
				g.parts[member][i] = make([]uint8, p.size)
				g.parts[member][i][from] = 1
			}
		}
		g.before = append(g.before, slices.Clone(g.parts[member]))
	}
	return g
}

// starts is whose contribution a member's part holds at the beginning; -1 = none.
func (g *group) starts(member, part int) int {
	switch g.plan.operation.name {
	case "bcast":
		if member != 0 {
			return -1
		}
	case "scatter":
		if member != 0 {
			return -1
		}
		return part
	case "gather", "allgather":
		if member != part {
			return -1
		}
	}
	return member
}

// ends says how often member of's contribution must be in a member's part at
// the end; free if it does not matter.
func (g *group) ends(member, part, of int) (count uint8, free bool) {
	once := map[bool]uint8{true: 1}
	switch g.plan.operation.name {
	case "bcast":
		return once[of == 0], false
	case "scatter":
		return once[of == part], part != member
	case "gather":
		return once[of == part], member != 0
	case "allgather":
		return once[of == part], false
	case "alltoall":
		return once[of == modulo(member-part, g.plan.size)], false
	case "reduce":
		return 1, member != 0
	case "allreduce":
		return 1, false
	case "reduce-scatter":
		return 1, part != member
	}
	return 1, true // barrier: see check
}

// each visits the parts of a payload.
func (g *group) each(d payload, visit func(part int)) {
	for i := range g.plan.cut {
		if d.bit != 0 && i&d.bit != 0 || d.bit == 0 && modulo(i-d.first, g.plan.cut) < d.count {
			visit(i)
		}
	}
}

func (g *group) take(rank int32, d payload) any {
	member := g.ranks[rank]
	var sent [][]uint8
	g.each(d, func(i int) {
		have := g.parts[member][i]
		if g.plan.operation.name == "alltoall" && d.bit == 0 {
			have = g.before[member][i]
		}
		if have == nil {
			g.t.Fatalf("member %d sends part %d, which it does not have", member, i)
		}
		sent = append(sent, slices.Clone(have))
	})
	return sent
}

func (g *group) keep(rank int32, d payload, sent any) {
	member, come := g.ranks[rank], sent.([][]uint8)
	k := 0
	g.each(d, func(i int) {
		if k == len(come) {
			g.t.Fatalf("member %d expects more parts than the %d that came", member, k)
		}
		if !d.combine {
			g.parts[member][i] = come[k]
		} else {
			for of, n := range come[k] {
				g.parts[member][i][of] += n
			}
		}
		k++
	})
	if k != len(come) {
		g.t.Fatalf("member %d expects %d parts, %d came", member, k, len(come))
	}
}

// check looks at the result.
func (g *group) check() {
	for member, has := range g.parts {
		for i, got := range has {
			for of := range g.plan.size {
				want, free := g.ends(member, i, of)
				switch {
				case g.plan.operation.name == "barrier" && got[of] == 0:
					g.t.Fatalf("member %d leaves the barrier before member %d has come", member, of)
				case !free && (got == nil || got[of] != want):
					g.t.Fatalf("member %d, part %d: %v, want %d of member %d", member, i, got, want, of)
				}
			}
		}
	}
}

// each algorithm of each operation.
func eachAlgorithm(visit func(operation, algorithm string)) {
	for _, o := range Operations() {
		for _, a := range Algorithms(o) {
			visit(o, a)
		}
	}
}

// TestCollectives: after any operation by any algorithm, among any members, with
// any root, everyone has exactly what the operation promises, whatever the order in
// which ranks run and whether sends are eager or synchronous.
func TestCollectives(t *testing.T) {
	most := 34
	if tier.IsLong() {
		most = 70
	}
	eachAlgorithm(func(operation, algorithm string) {
		t.Run(operation+"/"+algorithm, func(t *testing.T) {
			t.Parallel()
			for size := 1; size <= 17; size++ {
				collect(t, Collective{Operation: operation, Algorithm: algorithm, Bytes: 1000}, size, uint64(size))
			}
			rapid.Check(t, func(t *rapid.T) {
				ranks := rapid.IntRange(1, most).Draw(t, "ranks")
				c := Collective{Operation: operation, Algorithm: algorithm,
					Bytes: rapid.Int64Range(0, 300).Draw(t, "bytes")}
				c.Members = drawMembers(t, ranks)
				c.Root = rapid.SampledFrom(c.Members).Draw(t, "root")
				if rapid.Bool().Draw(t, "charged") {
					c.ReductionRate = 3e9
				}
				collect(t, c, ranks, rapid.Uint64().Draw(t, "seed"))
			})
		})
	})
}

func drawMembers(t *rapid.T, ranks int) []int32 {
	all := make([]int32, ranks)
	for i := range all {
		all[i] = int32(i)
	}
	all = rapid.Permutation(all).Draw(t, "members")
	return all[:rapid.IntRange(1, ranks).Draw(t, "size")]
}

func collect(t rapid.TB, c Collective, ranks int, seed uint64) {
	t.Helper()
	plan, err := c.Plan(ranks)
	if err != nil {
		t.Fatal(err)
	}
	members := c.Members
	for r := int32(0); c.Members == nil && int(r) < ranks; r++ {
		members = append(members, r)
	}
	p := trace(t, ranks, func(b *Builder) { b.Collective(plan, 5) })
	mustEnd(t, fmt.Sprintf("%+v", c), p, seed, func() (memory, func()) {
		g := newGroup(t, plan, members)
		return g, g.check
	})
	counted := plan.measure(math.MaxInt64)
	traffic := mustFold(t, p.Program)
	var bytes int64
	for _, b := range traffic.Bytes {
		bytes += b
	}
	if counted.operations != int64(len(p.Ops)) || counted.bytes != bytes {
		t.Fatalf("counted %d operations and %d bytes, there are %d "+
			"and %d", counted.operations, counted.bytes, len(p.Ops), bytes)
	}
	for i, op := range p.Ops {
		if (op.Kind.IsSend() || op.Kind.IsReceive()) && op.Tag != CollectiveTags+5 {
			t.Fatalf("operation %d has tag %d", i, op.Tag)
		}
	}
}

// TestCollectivesDoNotMix: a sequence of different collectives among different
// groups ends in every order of events, and does not wait for requests that
// were open before: what answers them comes only afterwards.
func TestCollectivesDoNotMix(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ranks := rapid.IntRange(2, 12).Draw(t, "ranks")
		var plans []*Plan
		for range rapid.IntRange(1, 6).Draw(t, "calls") {
			c := Collective{Operation: rapid.SampledFrom(Operations()).Draw(t, "operation"),
				Bytes: rapid.Int64Range(0, 9000).Draw(t, "bytes")}
			c.Algorithm = rapid.SampledFrom(append(Algorithms(c.Operation), Auto)).Draw(t, "algorithm")
			c.Members = drawMembers(t, ranks)
			c.Root = c.Members[0]
			plan, err := c.Plan(ranks)
			if err != nil {
				t.Fatal(err)
			}
			plans = append(plans, plan)
		}
		p := trace(t, ranks, func(b *Builder) {
			next, before := (b.Rank()+1)%int32(ranks), (b.Rank()+int32(ranks)-1)%int32(ranks)
			open := b.Ireceive(before, 3, 9)
			for i, plan := range plans {
				b.Collective(plan, i)
			}
			b.Isend(next, 3, 9)
			b.Wait(open)
			b.WaitAll()
		})
		mustEnd(t, "sequence", p, rapid.Uint64().Draw(t, "seed"), nil)
	})
}
