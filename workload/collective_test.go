package workload

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
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
	if os.Getenv("REMAP_LONG") != "" {
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
				c := Collective{Operation: operation, Algorithm: algorithm, Bytes: rapid.Int64Range(0, 300).Draw(t, "bytes")}
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
		t.Fatalf("counted %d operations and %d bytes, there are %d and %d", counted.operations, counted.bytes, len(p.Ops), bytes)
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
			c := Collective{Operation: rapid.SampledFrom(Operations()).Draw(t, "operation"), Bytes: rapid.Int64Range(0, 9000).Draw(t, "bytes")}
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

// unitTime is how long a program takes if every message takes 1 to leave its
// host, one after the other, and comes at once: the rounds of a collective.
// Receives must name their senders.
func unitTime(t rapid.TB, p *Program) (rounds int) {
	t.Helper()
	type clock struct {
		now, link int
		at        int32
		requests  []int // their ends; those of receives are not used
	}
	clocks := make([]clock, p.Ranks())
	arrivals := map[[2]int32][]int{}
	for moved := true; moved; {
		moved = false
		for r := range clocks {
			k := &clocks[r]
		rank:
			for ops := p.RankOps(int32(r)); int(k.at) < len(ops); k.at++ {
				op := ops[k.at]
				if op.Kind.IsSend() {
					k.link = max(k.link, k.now) + 1
					pair := [2]int32{int32(r), op.Peer}
					arrivals[pair] = append(arrivals[pair], k.link)
				}
				switch op.Kind {
				case Send:
					k.now = k.link
				case Isend, Ireceive:
					k.requests = append(k.requests, k.link)
				case Wait:
					k.now = max(k.now, k.requests[op.Bytes])
				case WaitAll:
					k.now = max(k.now, k.link)
				}
				if op.Kind == Receive {
					pair := [2]int32{op.Peer, int32(r)}
					if len(arrivals[pair]) == 0 {
						break rank
					}
					k.now, arrivals[pair] = max(k.now, arrivals[pair][0]), arrivals[pair][1:]
				}
				moved = true
				rounds = max(rounds, k.now, k.link)
			}
		}
	}
	for r := range clocks {
		if int(clocks[r].at) < len(p.RankOps(int32(r))) {
			t.Fatalf("rank %d waits for ever", r)
		}
	}
	return rounds
}

// ceilingLog2 of n, which is at least 1.
func ceilingLog2(n int) (log int64) {
	for 1<<log < n {
		log++
	}
	return log
}

// form is what an algorithm costs.
type form struct {
	name            string // "2 " before it: for powers of two only
	each            bool   // messages and bytes are those of every member, otherwise of all together
	messages, bytes int64
	rounds          int64
}

// closedForms are the formulas of Thakur, Rabenseifner and Gropp (2005) for
// vectors of size pieces and blocks of one.
func closedForms(size int, piece int64) []form {
	n, log, floor := int64(size), ceilingLog2(size), ceilingLog2(powerOfTwo(size))
	whole := piece * n
	return []form{
		{"bcast/binomial", false, n - 1, (n - 1) * whole, log},
		{"bcast/linear", false, n - 1, (n - 1) * whole, n - 1},
		{"2 bcast/scatter-ring", false, n*n - 1, treeSum(size)*piece + n*(n-1)*piece, log + n - 1},
		{"2 bcast/scatter-recursive-doubling", false, n - 1 + n*log, treeSum(size)*piece + n*(n-1)*piece, 2 * log},
		{"reduce/binomial", false, n - 1, (n - 1) * whole, floor},
		{"reduce/linear", false, n - 1, (n - 1) * whole, min(1, n-1)},
		{"2 reduce/rabenseifner", false, n*log + n - 1, n*(n-1)*piece + treeSum(size)*piece, 2 * log},
		{"scatter/binomial", false, n - 1, treeSum(size) * piece, log},
		{"scatter/linear", false, n - 1, (n - 1) * piece, n - 1},
		{"gather/binomial", false, n - 1, treeSum(size) * piece, floor},
		{"gather/linear", false, n - 1, (n - 1) * piece, min(1, n-1)},
		{"allreduce/ring", true, 2 * (n - 1), 2 * (n - 1) * piece, 2 * (n - 1)},
		{"2 allreduce/recursive-doubling", true, log, log * whole, log},
		{"2 allreduce/rabenseifner", true, 2 * log, 2 * (n - 1) * piece, 2 * log},
		{"allreduce/linear", false, 2 * (n - 1), 2 * (n - 1) * whole, min(1, n-1) + n - 1},
		{"allreduce/reduce-bcast", false, 2 * (n - 1), 2 * (n - 1) * whole, floor + log},
		{"allgather/ring", true, n - 1, (n - 1) * piece, n - 1},
		{"allgather/bruck", true, log, (n - 1) * piece, log},
		{"2 allgather/recursive-doubling", true, log, (n - 1) * piece, log},
		{"2 allgather/neighbor-exchange", true, n / 2, (n - 1) * piece, n / 2},
		{"alltoall/pairwise", true, n - 1, (n - 1) * piece, n - 1},
		{"alltoall/linear", true, n - 1, (n - 1) * piece, n - 1},
		{"alltoall/scattered", true, n - 1, (n - 1) * piece, n - 1},
		{"alltoall/bruck", true, log, bitSum(size) * piece, log},
		{"reduce-scatter/pairwise", true, n - 1, (n - 1) * piece, n - 1},
		{"reduce-scatter/ring", true, n - 1, (n - 1) * piece, n - 1},
		{"2 reduce-scatter/recursive-halving", true, log, (n - 1) * piece, log},
		{"barrier/dissemination", true, log, 0, log},
		{"2 barrier/recursive-doubling", true, log, 0, log},
	}
}

// TestClosedForms: messages, bytes and rounds of every algorithm.
func TestClosedForms(t *testing.T) {
	const piece = 24
	for _, size := range []int{1, 2, 3, 4, 5, 7, 8, 12, 16, 31, 32, 33, 64} {
		n := int64(size)
		for _, want := range closedForms(size, piece) {
			name, only := strings.CutPrefix(want.name, "2 ")
			if only && !isPowerOfTwo(size) {
				continue
			}
			operation, algorithm, _ := strings.Cut(name, "/")
			c := Collective{Operation: operation, Algorithm: algorithm, Bytes: n * piece}
			switch {
			case operation == "barrier":
				c.Bytes = 0
			case findOperation(operation).blocks:
				c.Bytes = piece
			}
			p := oneCall(t, c, size)
			if got := int64(unitTime(t, p)); got != want.rounds {
				t.Errorf("%s of %d: %d rounds, want %d", name, size, got, want.rounds)
			}
			if want.each {
				want.messages, want.bytes = n*want.messages, n*want.bytes
			}
			var messages, bytes int64
			for r := range int32(size) {
				own, sent := sentBy(p, r)
				messages, bytes = messages+own, bytes+sent
				if want.each && (n*own != want.messages || n*sent != want.bytes) {
					t.Errorf("%s of %d: rank %d sends %d messages of %d bytes, want a %dth of %d and %d", name, size, r,
						own, sent, n, want.messages, want.bytes)
				}
			}
			if messages != want.messages || bytes != want.bytes {
				t.Errorf("%s of %d: %d messages of %d bytes, want %d of %d", name, size, messages, bytes, want.messages, want.bytes)
			}
		}
	}
}

// TestFoldedForms: a number of members that is no power of two costs two more
// rounds and two messages for each member beyond one.
func TestFoldedForms(t *testing.T) {
	for _, size := range []int{3, 5, 6, 7, 9, 12, 31, 33, 48} {
		core := powerOfTwo(size)
		extra, log := int64(size-core), ceilingLog2(core)
		for _, want := range []struct {
			operation, algorithm    string
			messages, bytes, rounds int64 // of the core alone, for a vector of size*core bytes
		}{
			{"allreduce", "recursive-doubling", int64(core) * log, int64(core) * log * int64(size*core), log},
			{"allreduce", "rabenseifner", 2 * int64(core) * log, 2 * int64(core) * int64(core-1) * int64(size), 2 * log},
			{"barrier", "recursive-doubling", int64(core) * log, int64(core) * log * int64(size*core), log},
		} {
			vector := int64(size * core)
			p := oneCall(t, Collective{Operation: want.operation, Algorithm: want.algorithm, Bytes: vector}, size)
			var messages, bytes int64
			for r := range int32(size) {
				own, sent := sentBy(p, r)
				messages, bytes = messages+own, bytes+sent
			}
			rounds := int64(unitTime(t, p))
			if messages != want.messages+2*extra || bytes != want.bytes+2*extra*vector || rounds != want.rounds+2 {
				t.Errorf("%s/%s of %d: %d messages of %d bytes in %d rounds; want %d of %d in %d", want.operation, want.algorithm, size,
					messages, bytes, rounds, want.messages+2*extra, want.bytes+2*extra*vector, want.rounds+2)
			}
		}
	}
}

// TestReductionIsCharged: what a rank computes is what it combines.
func TestReductionIsCharged(t *testing.T) {
	for _, algorithm := range Algorithms("allreduce") {
		p := oneCall(t, Collective{Operation: "allreduce", Algorithm: algorithm, Bytes: 8000, ReductionRate: 1e9}, 8)
		var combined, most int64
		for r := range int32(8) {
			own := int64(0)
			for i, op := range p.RankOps(r) {
				if op.Kind == Compute {
					own += op.Bytes
					if before := p.RankOps(r)[i-1]; before.Kind != Receive || before.Bytes != op.Bytes {
						t.Fatalf("%s: %d ns after %+v", algorithm, op.Bytes, before)
					}
				}
			}
			combined, most = combined+own, max(most, own)
		}
		// 7 vectors must be combined with an eighth, by somebody.
		want := map[string][2]int64{"ring": {56000, 7000}, "rabenseifner": {56000, 7000}, "recursive-doubling": {8 * 24000, 24000},
			"reduce-bcast": {56000, 24000}, "linear": {56000, 56000}}[algorithm]
		if combined != want[0] || most != want[1] {
			t.Errorf("%s: %d ns in all, %d at one rank; want %v", algorithm, combined, most, want)
		}
	}
}

func oneCall(t rapid.TB, c Collective, ranks int) *Program {
	t.Helper()
	plan, err := c.Plan(ranks)
	if err != nil {
		t.Fatal(err)
	}
	return trace(t, ranks, func(b *Builder) { b.Collective(plan, 0) }).Program
}

// sentBy counts a rank's messages and their bytes.
func sentBy(p *Program, r int32) (messages, bytes int64) {
	for _, op := range p.RankOps(r) {
		if op.Kind.IsSend() {
			messages, bytes = messages+1, bytes+op.Bytes
		}
	}
	return messages, bytes
}

// treeSum is the pieces that cross the edges of a binomial tree when each node but
// the root is to have one: the sum of their depths, which are their bits.
func treeSum(n int) int64 { return bitSum(n) }

// bitSum is the number of bits in all numbers below n.
func bitSum(n int) (sum int64) {
	for i := range n {
		for ; i > 0; i &= i - 1 {
			sum++
		}
	}
	return sum
}
