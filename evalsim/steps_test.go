package evalsim_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"remap/evalsim"
	"remap/internal/testkit/tier"
	"remap/workload"
)

// pattern is the program of a spec.
func patternOf(t testing.TB, spec string) *workload.Program {
	t.Helper()
	p, err := workload.ParsePattern(spec)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func inSteps(t testing.TB, topology string, p *workload.Program, steps int, seed uint64) *evalsim.Result {
	t.Helper()
	o := evalsim.DefaultOptions()
	o.Steps, o.Seed = steps, seed
	r, err := evalsim.Run(context.Background(), network(t, topology),
		[]evalsim.Job{{Program: p, Hosts: identity(p.Ranks())}}, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Where all ranks are alike and nothing crowds a link, n steps are the program written n
// times, and a step in steady state takes the time that its bytes take on a host's link.
func TestStepsAreRepetitions(t *testing.T) {
	const spec = "mesh:1,hosts=8"
	for _, pattern := range []string{"ring:8", "ring:8," +
		"compute-ns=5000", "stencil2d:4x2,wait=true,sends=nonblocking"} {
		whole := inSteps(t, spec, patternOf(t, pattern+",rounds=5"), 1, 1)
		steps := inSteps(t, spec, patternOf(t, pattern), 5, 1)
		if math.Abs(whole.Makespan-steps.Makespan) > 1 || whole.Packets != steps.Packets {
			t.Errorf("%s: 5 rounds take %.1f ns and %d packets, 5 steps %.1f and %d", pattern,
				whole.Makespan, whole.Packets, steps.Makespan, steps.Packets)
		}
		if want := steps.Makespan / 5; math.Abs(steps.StepTime[0]-want) > 0.01 || steps.Steps[0] != 5 {
			t.Errorf("%s: %d steps of %.1f ns, want 5 of %.1f", pattern, steps.Steps[0], steps.StepTime[0], want)
		}
	}
	p := patternOf(t, "ring:8,compute-ns=5000")
	bytes := 0.0
	for _, op := range p.RankOps(0) {
		if op.Kind.IsSend() {
			bytes += float64(op.Bytes)
		}
	}
	steady := inSteps(t, spec, p, 0, 1)
	if want := 5000 + bytes/12.5; math.Abs(steady.StepTime[0]-want) > 0.001*want || steady.Steps[0] != 8 {
		t.Errorf("a step of a ring takes %.1f ns after %d steps, want %.1f "+
			"after 8", steady.StepTime[0], steady.Steps[0], want)
	}
}

// The mean of the steps that count in steady state is that of many steps, and never less
// than what the busiest host's link needs.
func TestSteadyStateIsThatOfManySteps(t *testing.T) {
	tier.Long(t, "a sweep of simulations: two seconds")
	t.Parallel()
	for _, c := range []struct{ topology, pattern string }{
		{"torus:4x4x4", "stencil3d7:4x4x4"},
		{"fattree:nodes-per-leaf=8,leaves-per-pod=4,pods=2,aggs-per-pod=4,cores=4", "uniform:64"},
		{"fattree:nodes-per-leaf=4,leaves-per-pod=8,pods=1,aggs-per-pod=2,cores=0", "stencil2d:4x8,wait=true"},
		{"dragonfly:groups=5,routers=4,hosts=2,global=1", "geometric:40"},
	} {
		p := patternOf(t, c.pattern)
		long := inSteps(t, c.topology, p, 60, 1)
		want, mean := long.StepTime[0], 0.0
		for seed := range uint64(4) {
			r := inSteps(t, c.topology, p, 0, seed)
			mean += r.StepTime[0] / 4
		}
		if math.Abs(mean-want) > 0.08*want {
			t.Errorf("%s on %s: %.1f us a step in steady state, %.1f in the mean "+
				"of 60", c.pattern, c.topology, mean/1e3, want/1e3)
		}
	}
}

// n steps send n times the packets of one, whatever the program, and take at least as long
// as n times the busiest link sends.
func TestStepsOfRandomPrograms(t *testing.T) {
	t.Parallel()
	check(t, func(t *rapid.T) {
		top, p, hosts, o := randomCase(t)
		jobs := []evalsim.Job{{Program: p, Hosts: hosts}}
		run := func(steps int) *evalsim.Result {
			o.Steps = steps
			r, err := evalsim.Run(context.Background(), top, jobs, o)
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
		one, n := run(1), rapid.IntRange(2, 5).Draw(t, "steps")
		more := run(n)
		if more.Packets != int64(n)*one.Packets || more.Steps[0] != n {
			t.Fatalf("%d packets in %d of %d steps, %d in one", more.Packets, more.Steps[0], n, one.Packets)
		}
		for i, l := range top.Links {
			if busy := float64(more.Links[i].Bytes) / l.BytesPerSecond * 1e9; busy > float64(
				n,
			)*more.StepTime[0]*(1+1e-9)+0.01 {
				t.Fatalf("link %d sends for %g ns in %d steps of %g", i, busy, n, more.StepTime[0])
			}
		}
		steady := run(0)
		if again := run(0); again.StepTime[0] != steady.StepTime[0] || again.Packets != steady.Packets {
			t.Fatal("the same seed gives another steady state")
		}
		if one.Packets > 0 && (steady.Steps[0] < 3 || steady.Steps[0] > 24 || steady.Packets < 3*one.Packets) {
			t.Fatalf("%d packets in %d steps, %d in one", steady.Packets, steady.Steps[0], one.Packets)
		}
	})
}

// Programs that receive, wait for single requests, and leave requests open repeat too: each
// step ends with the requests of its own.
func TestStepsOfRequests(t *testing.T) {
	t.Parallel()
	p := ops(
		[]workload.Op{isend(1, 9000), ireceive(1), wait(1), wait(0), isend(1, 100)},
		[]workload.Op{ireceive(0), isend(0, 20000), compute(500), wait(0), ireceive(0), waitAll})
	for _, eager := range []int64{0, 1} {
		for steps := range 7 {
			o := evalsim.DefaultOptions()
			o.Steps, o.EagerBytes = steps, eager
			r, err := evalsim.Run(context.Background(), network(t, "mesh:1,"+
				"hosts=2"), []evalsim.Job{{Program: p, Hosts: []int32{0, 1}}}, o)
			if err != nil {
				t.Fatalf("%d steps: %v", steps, err)
			}
			if steps > 0 && r.Steps[0] != steps || len(r.Warnings) > 0 {
				t.Errorf("%d steps: %d are complete; %v", steps, r.Steps[0], r.Warnings)
			}
		}
	}
}

// Jobs go on until all are steady, and beside endless ones too.
func TestStepsOfSeveralJobs(t *testing.T) {
	t.Parallel()
	top := network(t, "fattree:nodes-per-leaf=8,leaves-per-pod=4,pods=1,aggs-per-pod=2,cores=0")
	hosts := func(first, step int32) []int32 {
		h := identity(8)
		for i := range h {
			h[i] = first + step*h[i]
		}
		return h
	}
	o := evalsim.DefaultOptions()
	o.Steps = 0
	jobs := []evalsim.Job{
		{Program: patternOf(t, "alltoall:8"), Hosts: hosts(0, 4)},
		{Program: patternOf(t, "ring:8,bytes=20000"), Hosts: hosts(1, 4)},
		{Program: patternOf(t, "uniform:8"), Hosts: hosts(2, 4), Endless: true},
	}
	r, err := evalsim.Run(context.Background(), top, jobs, o)
	if err != nil {
		t.Fatal(err)
	}
	alone, err := evalsim.Run(context.Background(), top, jobs[:1], o)
	if err != nil {
		t.Fatal(err)
	}
	if r.Steps[0] < 3 || r.Steps[1] <= r.Steps[0] || r.Steps[2] != 0 {
		t.Errorf("%v steps: want some, more of the short job, none of the endless one", r.Steps)
	}
	if r.StepTime[0] <= alone.StepTime[0] || r.Elapsed[0] != r.Elapsed[1] || r.Elapsed[0] < 3*r.StepTime[0]*0.9 {
		t.Errorf("a step takes %g ns, alone %g; the run %v", r.StepTime[0], alone.StepTime[0],
			fmt.Sprint(r.Elapsed))
	}
}

// A step that leaves a message nobody asked for cannot be followed by another.
func TestStepsThatDoNotEnd(t *testing.T) {
	p := ops([]workload.Op{isend(1, 9000)}, []workload.Op{isend(0, 10), ireceive(0), compute(5)})
	q := ops([]workload.Op{isend(1, 9000), ireceive(1)}, []workload.Op{isend(0, 10)})
	for _, c := range []*workload.Program{p, q} {
		o := evalsim.DefaultOptions()
		o.EagerBytes, o.Steps = 1, 0
		_, err := evalsim.Run(context.Background(), network(t, "mesh:1,"+
			"hosts=2"), []evalsim.Job{{Program: c, Hosts: []int32{0, 1}}}, o)
		if err == nil {
			t.Error("a program whose messages are not received is repeated")
		} else {
			t.Log(err)
		}
	}
}
