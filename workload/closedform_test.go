package workload

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

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
				t.Errorf("%s of %d: %d messages of %d bytes, want %d "+
					"of %d", name, size, messages, bytes, want.messages, want.bytes)
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
			{"allreduce", "rabenseifner", 2 * int64(core) * log, 2 * int64(core) * int64(core-1) * int64(size),
				2 * log},
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
				t.Errorf("%s/%s of %d: %d messages of %d bytes in %d rounds; want %d of %d "+
					"in %d", want.operation, want.algorithm, size,
					messages, bytes, rounds, want.messages+2*extra, want.bytes+2*extra*vector, want.rounds+2)
			}
		}
	}
}

// TestReductionIsCharged: what a rank computes is what it combines.
func TestReductionIsCharged(t *testing.T) {
	for _, algorithm := range Algorithms("allreduce") {
		p := oneCall(t, Collective{Operation: "allreduce", Algorithm: algorithm, Bytes: 8000,
			ReductionRate: 1e9}, 8)
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
		want := map[string][2]int64{"ring": {56000, 7000}, "rabenseifner": {56000, 7000},
			"recursive-doubling": {8 * 24000, 24000},
			"reduce-bcast":       {56000, 24000}, "linear": {56000, 56000}}[algorithm]
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
