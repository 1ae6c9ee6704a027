package evalsim_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"remap/evalsim"
	"remap/internal/testkit/tier"
	"remap/workload"
)

func anyHosts(t *rapid.T, ranks, hosts int) []int32 {
	return rapid.SliceOfN(rapid.Int32Range(0, int32(hosts)-1), ranks, ranks).Draw(t, "hosts")
}

// matched makes a program that cannot block: there is one order of all messages,
// every rank does its sends and receives in that order, and what is not blocking
// may be waited for at any time after. Receivers that take any source are sent
// eager messages only, since they may take messages out of that order.
func matched(t *rapid.T, eager int64) (p *workload.Program, control int64) {
	ranks := rapid.IntRange(1, 9).Draw(t, "ranks")
	random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "program"), 0))
	lists := make([][]workload.Op, ranks)
	requests := make([]int64, ranks)
	wild := make([]bool, ranks)
	for r := range wild {
		wild[r] = random.IntN(4) == 0
	}
	add := func(r int, op workload.Op) {
		lists[r] = append(lists[r], op)
		if op.Kind.IsRequest() {
			requests[r]++
		}
		switch n := random.IntN(12); {
		case n == 0 && requests[r] > 0:
			lists[r] = append(lists[r], wait(random.Int64N(requests[r])))
		case n == 1:
			lists[r] = append(lists[r], compute(random.Int64N(3000)))
		case n == 2:
			lists[r] = append(lists[r], idle(random.Int64N(3000)))
		}
	}
	for range rapid.IntRange(0, 120).Draw(t, "messages") {
		from, to := random.IntN(ranks), random.IntN(ranks)
		bytes := []int64{0, 1, 64, 500, 501, 9000}[random.IntN(6)]
		if wild[to] && eager > 0 {
			bytes = min(bytes, eager)
		}
		if eager > 0 && bytes > eager {
			control += 2
		}
		out := tagged(workload.Op{Kind: []workload.OpKind{workload.Send, workload.Isend}[random.IntN(2)],
			Peer: int32(to), Bytes: bytes}, uint16(random.IntN(3)))
		in := tagged(workload.Op{Kind: []workload.OpKind{workload.Receive, workload.Ireceive}[random.IntN(2)],
			Peer: int32(from)}, out.Tag)
		if random.IntN(4) == 0 || wild[to] {
			in.Tag = workload.AnyTag
		}
		if wild[to] {
			in.Peer = workload.AnySource
		}
		if from == to && in.Kind == workload.Receive {
			out.Kind = workload.Isend // a rank cannot wait for itself
			lists[from] = append(lists[from], out)
			requests[from]++
			add(to, in)
			continue
		}
		if from == to {
			lists[to] = append(lists[to], in)
			requests[to]++
		} else {
			add(to, in)
		}
		add(from, out)
	}
	for r := range lists {
		if random.IntN(4) > 0 {
			lists[r] = append(lists[r], waitAll)
		}
	}
	return ops(lists...), control
}

// Programs that cannot block do not, whatever the network, and every message
// arrives: the packets are those of the messages and of the requests between
// hosts.
func TestMatchedProgramsEnd(t *testing.T) {
	check(t, func(t *rapid.T) {
		top := anyMachine(t)
		o := anyOptions(t, top)
		p, _ := matched(t, o.EagerBytes)
		hosts := anyHosts(t, p.Ranks(), top.Hosts())
		r, err := evalsim.Run(context.Background(), top, []evalsim.Job{{Program: p, Hosts: hosts}}, o)
		if err != nil {
			t.Fatal(err)
		}
		receives := slices.ContainsFunc(p.Ops, func(op workload.Op) bool { return op.Kind.IsReceive() })
		packets := int64(0)
		for from := range hosts {
			for _, op := range p.RankOps(int32(from)) {
				if op.Kind.IsSend() && hosts[from] != hosts[op.Peer] {
					packets += max(1, (op.Bytes+int64(o.PacketBytes)-1)/int64(o.PacketBytes))
					if receives && o.EagerBytes > 0 && op.Bytes > o.EagerBytes {
						packets += 2
					}
				}
			}
		}
		if r.Packets != packets || r.Warnings != nil {
			t.Fatalf("%d packets, want %d; warnings %q", r.Packets, packets, r.Warnings)
		}
	})
}

// abstract plays a program without time and without AnySource, and returns the
// rank and operation of everything that waits for ever.
type abstract struct {
	p        *workload.Program
	eager    int64
	at       []int            // by rank: operation in hand
	requests [][]*transaction // by rank
	sends    map[[2]int32][]*transaction
	receives map[[2]int32][]*transaction
	begun    []*transaction // by rank: of the blocking operation in hand
}

// transaction is a send or a receive.
type transaction struct {
	op      *workload.Op
	matched bool
	eager   bool
}

func (x *transaction) over() bool { return x.matched || x.eager }

func (a *abstract) run() (blocked []string) {
	n := a.p.Ranks()
	a.at, a.requests, a.begun = make([]int, n), make([][]*transaction, n), make([]*transaction, n)
	a.sends, a.receives = map[[2]int32][]*transaction{}, map[[2]int32][]*transaction{}
	for moved := true; moved; {
		moved = false
		for r := range int32(n) {
			for a.step(r) {
				moved = true
			}
		}
	}
	for r := range int32(n) {
		if a.at[r] < len(a.p.RankOps(r)) {
			blocked = append(blocked, fmt.Sprintf("%d:%d", r, a.at[r]))
		}
	}
	return blocked
}

// step does a rank's operation if it can end now.
func (a *abstract) step(r int32) bool {
	list := a.p.RankOps(r)
	if a.at[r] == len(list) {
		return false
	}
	op := &list[a.at[r]]
	goesOn := true
	switch {
	case op.Kind.IsSend() || op.Kind.IsReceive():
		if a.begun[r] == nil {
			a.begun[r] = a.begin(r, op)
		}
		if op.Kind.IsRequest() {
			a.requests[r] = append(a.requests[r], a.begun[r])
		} else {
			goesOn = a.begun[r].over()
		}
	case op.Kind == workload.Wait:
		goesOn = a.requests[r][op.Bytes].over()
	case op.Kind == workload.WaitAll:
		goesOn = !slices.ContainsFunc(a.requests[r], func(x *transaction) bool { return !x.over() })
	}
	if goesOn {
		a.at[r]++
		a.begun[r] = nil
	}
	return goesOn
}

func (a *abstract) begin(r int32, op *workload.Op) *transaction {
	x := &transaction{op: op}
	pair := [2]int32{op.Peer, r}
	if op.Kind.IsSend() {
		pair = [2]int32{r, op.Peer}
		x.eager = a.eager == 0 || op.Bytes <= a.eager
		a.sends[pair] = append(a.sends[pair], x)
	} else {
		a.receives[pair] = append(a.receives[pair], x)
	}
	for _, in := range a.receives[pair] {
		for _, out := range a.sends[pair] {
			if !in.matched && !out.matched && (in.op.Tag == out.op.Tag || in.op.Tag == workload.AnyTag) {
				in.matched, out.matched = true, true
			}
		}
	}
	return x
}

// Programs of any operations block in the same ranks and operations whatever
// the network, and in those that playing them without time finds.
func TestBlockedRanksAreTheProgramsOwn(t *testing.T) {
	ended, stuck := 0, 0
	check(t, func(t *rapid.T) {
		ranks := rapid.IntRange(1, 5).Draw(t, "ranks")
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "program"), 0))
		lists := make([][]workload.Op, ranks)
		for r := range lists {
			requests := int64(0)
			lists[r] = []workload.Op{ireceive(0)}
			for range random.IntN(rapid.IntRange(1, 14).Draw(t, "operations")) {
				op := tagged(workload.Op{Kind: workload.OpKind(random.IntN(int(workload.Compute) + 1)),
					Peer: int32(random.IntN(ranks))}, uint16(random.IntN(2)))
				requests = 1
				for _, op := range lists[r][1:] {
					if op.Kind.IsRequest() {
						requests++
					}
				}
				switch {
				case op.Kind.IsReceive() && random.IntN(3) == 0:
					op.Tag = workload.AnyTag
				case op.Kind.IsSend():
					op.Bytes = []int64{0, 400, 2000}[random.IntN(3)]
				case op.Kind == workload.Wait:
					op.Bytes = random.Int64N(requests)
				}
				lists[r] = append(lists[r], op)
			}
		}
		p := ops(lists...)
		top := anyMachine(t)
		o := anyOptions(t, top)
		_, err := evalsim.Run(context.Background(), top,
			[]evalsim.Job{{Program: p, Hosts: anyHosts(t, ranks, top.Hosts())}}, o)
		var blocked *evalsim.BlockedError
		var got []string
		if errors.As(err, &blocked) {
			for _, b := range blocked.Ranks {
				got = append(got, fmt.Sprintf("%d:%d", b.Rank, b.Operation))
			}
		} else if err != nil {
			t.Fatal(err)
		}
		want := (&abstract{p: p, eager: o.EagerBytes}).run()
		if !slices.Equal(got, want) {
			t.Fatalf("rank:operation %v wait for ever, want %v (%v)", got, want, err)
		}
		if len(want) == 0 {
			ended++
		} else {
			stuck++
		}
	})
	if tier.IsLong() && (ended == 0 || stuck == 0) {
		t.Errorf("%d programs ended, %d did not: one kind was never drawn", ended, stuck)
	}
}

// Every collective ends with every algorithm, eager and by rendezvous, also
// when one call follows the other and groups are no powers of two.
func TestCollectivesEnd(t *testing.T) {
	sizes := []int{2, 3, 8, 13}
	if tier.IsLong() {
		sizes = append(sizes, 16, 37, 64)
	}
	top := network(t, "fattree:nodes-per-leaf=4,leaves-per-pod=4,pods=2,aggs-per-pod=2,cores=2")
	for _, operation := range workload.Operations() {
		for _, algorithm := range workload.Algorithms(operation) {
			for _, size := range sizes {
				plan, err := workload.Collective{Operation: operation, Algorithm: algorithm, Bytes: 5000,
					ReductionRate: 10e9}.Plan(size)
				if err != nil {
					continue // some want powers of two
				}
				b := workload.NewBuilder(size, 0)
				for range size {
					b.Collective(plan, 1)
					b.Collective(plan, 2)
					b.EndRank()
				}
				p, err := b.Program()
				if err != nil {
					t.Fatal(err)
				}
				hosts := make([]int32, size)
				for r := range hosts {
					hosts[r] = int32(r*7%size) % int32(top.Hosts())
				}
				for _, eager := range []int64{0, 100} {
					o := options(func(o *evalsim.Options) { o.EagerBytes = eager })
					r, err := evalsim.Run(context.Background(), top, []evalsim.Job{{Program: p, Hosts: hosts}}, o)
					if err != nil {
						t.Fatalf("%s %s of %d ranks, eager up to %d: %v", operation, algorithm, size, eager, err)
					}
					if r.Warnings != nil || r.Makespan <= 0 {
						t.Errorf("%s %s of %d ranks: %g ns, %q", operation, algorithm, size, r.Makespan, r.Warnings)
					}
				}
			}
		}
	}
}
