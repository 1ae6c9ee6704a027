package record_test

import (
	"fmt"
	"testing"

	"remap/commgraph"
	"remap/workload"
)

// flows are messages between ranks.
type flows []commgraph.Flow

// send adds messages of a size.
func (f *flows) send(from, to int, bytes, messages int64) {
	*f = append(*f, commgraph.Flow{From: int32(from), To: int32(to), Bytes: bytes * messages,
		Messages: messages})
}

// sendAny is send, unless the message is empty.
func (f *flows) sendAny(from, to int, bytes, messages int64) {
	if bytes > 0 {
		f.send(from, to, bytes, messages)
	}
}

// collective is what calls of a collective of all ranks send, by the package workload.
func collective(t *testing.T, ranks, calls int, c workload.Collective) flows {
	t.Helper()
	plan, err := c.Plan(ranks)
	if err != nil {
		t.Fatal(err)
	}
	b := workload.NewBuilder(ranks, 0)
	for range ranks {
		for call := range calls {
			b.Collective(plan, call)
		}
		b.EndRank()
	}
	program, err := b.Program()
	if err != nil {
		t.Fatal(err)
	}
	traffic, err := program.Traffic()
	if err != nil {
		t.Fatal(err)
	}
	var all flows
	for r := range int32(ranks) {
		first, end := traffic.Row(r)
		for i := first; i < end; i++ {
			all = append(all, commgraph.Flow{From: r, To: traffic.Destinations[i], Bytes: traffic.Bytes[i],
				Messages: traffic.Messages[i]})
		}
	}
	return all
}

// pairs is what calls send in which every rank sends every other one a block.
func pairs(n int, calls int64, bytes func(from, to int) int64) (f flows) {
	for from := range n {
		for to := range n {
			if from != to {
				f.sendAny(from, to, bytes(from, to), calls)
			}
		}
	}
	return f
}

// doubling is what calls of allreduce send by recursive doubling. If the ranks are no power of
// two, the first of them stand in pairs, and the odd one takes part for both, as in MPICH and
// Open MPI.
func doubling(n int, calls, bytes int64) (f flows) {
	core := 1
	for 2*core <= n {
		core *= 2
	}
	var inside []int
	for r := range n {
		switch paired := r < 2*(n-core); {
		case !paired:
			inside = append(inside, r)
		case r%2 == 0:
			f.send(r, r+1, bytes, calls)
		default:
			inside = append(inside, r)
			f.send(r, r-1, bytes, calls)
		}
	}
	for i, r := range inside {
		for mask := 1; mask < core; mask *= 2 {
			f.send(r, inside[i^mask], bytes, calls)
		}
	}
	return f
}

// third is 8 (rank % 3).
func third(rank int) int64 { return int64(8 * (rank % 3)) }

// messagesOf are the point-to-point messages of testdata/traffic.c by phase.
func messagesOf(n int) map[int]flows {
	all := map[int]flows{}
	add := func(phase, from, to int, bytes, messages int64) {
		f := all[phase]
		f.send(from, to, bytes, messages)
		all[phase] = f
	}
	for r := range n {
		next, last := (r+1)%n, (r+n-1)%n
		for _, bytes := range []int64{100, 200, 400, 800} {
			add(1, r, next, bytes, 1)
			add(2, r, last, bytes, 1)
		}
		add(3, r, next, 24, 1)
		add(3, r, next, 48, 1)
		add(3, r, r, 5, 1)
		add(4, r, next, 80, 5)
		for _, bytes := range []int64{8, 16, 32} {
			add(4, r, next, bytes, 2)
		}
		add(5, r, next, 5*3*2*8, 1)
		if r < n-1 { // numbers are reversed: rank r is number n-1-r
			add(6, n-1, r, int64(10+n-1-r), 1)
		}
		if r >= 2 {
			add(7, r%2, r, 1000, 1)
		}
		if r < n/2 {
			add(8, r, n/2+r, 77, 1)
		}
		add(50, r, r, 4, 1000)
	}
	return all
}

// otherMessages adds to those the rest of testdata/traffic.c but the collectives of all ranks.
func otherMessages(n int, all map[int]flows) {
	var inter, sided, byRequest, ring, graph flows
	for r := range n {
		next, last := (r+1)%n, (r+n-1)%n
		if r < n/2 {
			for far := n / 2; far < n; far++ {
				inter.send(r, far, 16, 1)
				inter.send(far, r, 16, 1)
			}
		} else {
			inter.send(0, r, 8, 1)
		}
		for _, doubles := range []int64{10, 20, 1} {
			sided.send(r, next, 8*doubles, 1)
			byRequest.send(r, next, 8*doubles, 1)
		}
		sided.send(r, next, 8, 1)
		for _, doubles := range []int64{30, 1} {
			sided.send(next, r, 8*doubles, 1)
			byRequest.send(next, r, 8*doubles, 1)
		}
		sided.send(next, r, 8, 1)
		for _, bytes := range []int64{24, 32, 8, 8} {
			ring.send(r, last, bytes, 2)
		}
		for _, bytes := range []int64{24, 32, 16, 8} {
			ring.send(r, next, bytes, 2)
		}
		graph.send(r, next, 48, 1)
		if r < n-1 {
			graph.send(r, 0, 48, 1)
		}
	}
	all[9], all[10], all[11], all[12], all[13] = inter, sided, byRequest, ring, graph
}

// collectivesOf are the collectives of all ranks of testdata/traffic.c by phase.
func collectivesOf(t *testing.T, n int) map[int]flows {
	by := func(calls int, operation, algorithm string, bytes int64) flows {
		c := workload.Collective{Operation: operation, Algorithm: algorithm, Bytes: bytes}
		if operation == "bcast" || operation == "reduce" || operation == "gather" || operation == "scatter" {
			c.Root = 1
		}
		return collective(t, n, calls, c)
	}
	short := "bruck"
	if n&(n-1) == 0 {
		short = "recursive-doubling"
	}
	all := map[int]flows{
		20: by(2, "barrier", "dissemination", 0),
		21: by(2, "bcast", "binomial", 800),
		22: by(3, "reduce", "binomial", 800),
		23: by(3, "gather", "binomial", 24),
		24: by(3, "scatter", "binomial", 24),
		30: by(3, "allgather", short, 80),
		31: by(1, "allgather", "ring", 1<<17),
		33: pairs(n, 3, func(int, int) int64 { return 24 }),
		40: doubling(n, 3, 800),
		41: by(1, "allreduce", "ring", 80024),
		42: pairs(n, 2, func(_, to int) int64 { return third(to) }),
		43: pairs(n, 2, func(int, int) int64 { return 24 }),
	}
	all[34] = pairs(n, 3, func(from, to int) int64 { return third(from + to) })
	all[35] = all[34]
	var toRoot, fromRoot, ring, scan flows
	for r := range n {
		if r != 1 {
			toRoot.sendAny(r, 1, third(r), 2)
			fromRoot.sendAny(1, r, third(r), 2)
		}
		for block := range n {
			if block != (r+1)%n {
				ring.sendAny(r, (r+1)%n, third(block), 2)
			}
		}
		for mask := 1; mask < n; mask *= 2 {
			if r^mask < n {
				scan.send(r, r^mask, 24, 4)
			}
		}
	}
	all[25], all[26], all[32], all[44] = toRoot, fromRoot, ring, scan
	return all
}

// Every call that is intercepted is counted as record.h says, from C, and alike under both
// libraries.
func TestRealEveryCall(t *testing.T) {
	folders := map[int][]map[string]string{}
	for _, l := range libraries {
		t.Run(l.name, func(t *testing.T) {
			program, preload := l.build(t, "testdata/traffic.c")
			for _, n := range []int{5, 8} {
				folder, _ := l.launch(t, n, preload, nil, program)
				folders[n] = append(folders[n], contents(t, folder))
				want := messagesOf(n)
				want[1] = append(want[1], collective(t, n, 1, workload.Collective{Operation: "barrier"})...)
				otherMessages(n, want)
				for phase, f := range collectivesOf(t, n) {
					want[phase] = f
				}
				got := recorded(t, folder)
				if len(got) != len(want)+1 {
					t.Errorf("%d files, want %d", len(got), len(want)+1)
				}
				var total flows
				for phase, f := range want {
					checkTraffic(t, fmt.Sprintf("phase %d", phase), got[phase], n, f)
					total = append(total, f...)
				}
				// Outside phases: a barrier of phase 2 and two of phase 4.
				total = append(total, collective(t, n, 3, workload.Collective{Operation: "barrier"})...)
				checkTraffic(t, l.name+", everything", got[-1], n, total)
			}
		})
	}
	for _, of := range folders {
		checkSame(t, of)
	}
}

// The user's messages are those that Open MPI's monitoring sees, as far as it can: Open MPI
// 4.1 does not see persistent requests, and takes its own messages of MPI_Intercomm_create for
// the user's.
func TestRealMonitoringAgrees(t *testing.T) {
	program, preload := openMPI.build(t, "testdata/traffic.c")
	const n = 6
	want := messagesOf(n)
	delete(want, 4)
	delete(want, 8)
	var total flows
	for _, f := range want {
		total = append(total, f...)
	}
	user, err := commgraph.NewTraffic(n, monitored(t, n, program, "sends"), true)
	if err != nil {
		t.Fatal(err)
	}
	checkTraffic(t, "monitoring", user, n, total)
	folder, _ := openMPI.launch(t, n, preload, nil, program, "sends")
	got := recorded(t, folder)
	want[1] = append(want[1], collective(t, n, 1, workload.Collective{Operation: "barrier"})...)
	for phase, f := range want {
		checkTraffic(t, fmt.Sprintf("phase %d", phase), got[phase], n, f)
	}
}

// The heat solver of fixtures/record: its messages are those that monitoring sees, its
// reductions recursive doubling, under both libraries.
func TestRealHeat(t *testing.T) {
	const n, iterations = 16, 20
	arguments := []string{"4", "4", "64", "20"}
	var all []map[string]string
	for _, l := range libraries {
		t.Run(l.name, func(t *testing.T) {
			program, preload := l.build(t, "../../../fixtures/record/heat.c")
			folder, _ := l.launch(t, n, preload, nil, program, arguments...)
			all = append(all, contents(t, folder))
			want := doubling(n, 1+2*iterations, 8)
			if l.name == openMPI.name {
				user := monitored(t, n, program, arguments...)
				checkTraffic(t, l.name, recorded(t, folder)[-1], n, append(user, want...))
			}
			for r := range n {
				for _, far := range []struct {
					to     int
					inside bool
				}{{r - 1, r%4 > 0}, {r + 1, r%4 < 3}, {r - 4, r >= 4}, {r + 4, r < n-4}} {
					if far.inside {
						want.send(r, far.to, 64*8, iterations)
					}
				}
			}
			checkTraffic(t, l.name, recorded(t, folder)[-1], n, want)
		})
	}
	checkSame(t, all)
}

// Calls from Fortran, by the modules mpi and mpi_f08, are counted once.
func TestRealFortran(t *testing.T) {
	const n = 5
	want := map[int]flows{
		4: collective(t, n, 1, workload.Collective{Operation: "barrier"}),
		5: collective(t, n, 1, workload.Collective{Operation: "bcast", Algorithm: "binomial", Bytes: 80, Root: 1}),
		6: doubling(n, 3, 24),
		7: pairs(n, 2, func(from, to int) int64 { return third(from + to) }),
	}
	var sends, persistent, reversed flows
	for r := range n {
		for _, doubles := range []int64{3, 5, 7} {
			sends.send(r, (r+1)%n, 8*doubles, 1)
		}
		persistent.send(r, (r+1)%n, 16, 3)
		persistent.send(r, (r+1)%n, 32, 1)
	}
	reversed.send(n-1, n-2, 8, 1)
	want[1], want[2], want[3] = sends, persistent, reversed
	var all []map[string]string
	for _, l := range libraries {
		for module, options := range map[string][]string{"mpi": nil, "mpi_f08": {"-DF08"}} {
			t.Run(l.name+", "+module, func(t *testing.T) {
				program, preload := l.build(t, "testdata/traffic.F90", options...)
				folder, _ := l.launch(t, n, preload, nil, program)
				all = append(all, contents(t, folder))
				got := recorded(t, folder)
				var total flows
				for phase, f := range want {
					checkTraffic(t, fmt.Sprintf("phase %d", phase), got[phase], n, f)
					total = append(total, f...)
				}
				checkTraffic(t, "everything", got[-1], n, total)
			})
		}
	}
	checkSame(t, all)
}
