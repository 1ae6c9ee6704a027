package robustness

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"remap/evalsim"
	"remap/mapping"
	"remap/topology"
	"remap/workload"
)

func patternOf(t require, text string) *workload.Program {
	program, err := workload.ParsePattern(text)
	if err != nil {
		t.Fatal(err)
	}
	return program
}

func networkOf(t require, spec string) *topology.Topology {
	machine, err := topology.Parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	return machine
}

// require is what *testing.T and *rapid.T have in common.
type require interface{ Fatal(...any) }

// The first model is that of the search; every other one differs from it in one
// thing alone, is one that the simulator takes, and has a name of its own.
func TestModelVariants(t *testing.T) {
	machines := []*topology.Topology{networkOf(t, "torus:3x4"),
		networkOf(t, "dragonfly:groups=3,routers=2,hosts=2,global=1"), networkOf(t, "hyperx:3x3"),
		networkOf(t, "fattree:nodes-per-leaf=2,leaves-per-pod=3,pods=2,aggs-per-pod=2,cores=2")}
	rapid.Check(t, func(t *rapid.T) {
		machine := rapid.SampledFrom(machines).Draw(t, "machine")
		o := evalsim.DefaultOptions()
		o.PacketBytes = rapid.IntRange(1, 65536).Draw(t, "packet")
		o.BufferBytes = rapid.IntRange(2*o.PacketBytes, 1<<20).Draw(t, "buffer")
		o.Switching = evalsim.Switching(rapid.IntRange(0, 1).Draw(t, "switching"))
		last := evalsim.Static
		if len(machine.Routes.Intermediate) > 0 {
			last = evalsim.UGAL
		}
		o.Routing = evalsim.Routing(rapid.IntRange(0, int(last)).Draw(t, "routing"))
		var others []evalsim.Job
		if rapid.Bool().Draw(t, "background") {
			others = []evalsim.Job{{Program: patternOf(t, "ring:4"), Hosts: []int32{0, 1, 2, 3},
				Endless: rapid.Bool().Draw(t, "endless")}}
		}
		o.Steps = rapid.SampledFrom([]int{0, 1, 10}).Draw(t, "steps")
		ring := patternOf(t, "ring:2")
		variants := Conditions(o, machine.Routes, ring, others)
		names := map[string]bool{}
		levels := 0
		for i, v := range variants {
			if names[v.Name] {
				t.Errorf("two are called %s", v.Name)
			}
			names[v.Name] = true
			changed := 0
			for _, differs := range []bool{v.Options.PacketBytes != o.PacketBytes,
				v.Options.BufferBytes != o.BufferBytes,
				v.Options.Routing != o.Routing, v.Options.Switching != o.Switching, v.Options.Steps != o.Steps,
				v.Program != ring,
				v.Level, v.Name == "background of other partners"} {
				if differs {
					changed++
				}
			}
			if v.Level {
				levels++
			}
			rest := v.Options
			rest.PacketBytes, rest.BufferBytes, rest.Routing = o.PacketBytes, o.BufferBytes, o.Routing
			rest.Switching = o.Switching
			rest.Steps = o.Steps
			if rest != o || changed != min(i, 1) {
				t.Errorf("%s (number %d) changes %d things: %+v of %+v", v.Name, i, changed, v.Options, o)
			}
			jobs := append([]evalsim.Job{{Program: v.Program, Hosts: []int32{4, 5}}}, v.Others...)
			if _, err := evalsim.New(machine, jobs, v.Options); err != nil {
				t.Errorf("%s: %v", v.Name, err)
			}
		}
		if len(others) > 0 && levels != 3 || len(others) == 0 && levels != 0 {
			t.Errorf("%d levels of %d other jobs", levels, len(others))
		}
		if variants[0].Name != AsSearched || len(variants) > 22 {
			t.Errorf("%d variants, the first is %s", len(variants), variants[0].Name)
		}
	})
}

// Routings are variants where packets have several ways.
func TestRoutingVariants(t *testing.T) {
	for _, c := range []struct {
		network string
		this    evalsim.Routing
		want    string
	}{
		{"torus:3x5", evalsim.Adaptive, "[]"},
		{"torus:3x5", evalsim.Static, "[]"},
		{"torus:3x4", evalsim.Adaptive, "[two-choices random hash static]"}, // half-way round the ring of 4
		{"torus:3x4", evalsim.Static, "[adaptive two-choices random hash]"},
		{"fattree:nodes-per-leaf=2,leaves-per-pod=3,pods=2,aggs-per-pod=2,cores=2", evalsim.Adaptive,
			"[two-choices random hash static]"},
		{"fattree:nodes-per-leaf=2,leaves-per-pod=3,pods=2,aggs-per-pod=2,cores=2", evalsim.Static,
			"[adaptive two-choices random hash]"},
		{"hyperx:3x3", evalsim.UGAL, "[adaptive two-choices random hash static valiant]"},
		{"hyperx:5", evalsim.Static, "[valiant ugal]"}, // a full mesh
		{"dragonfly:groups=3,routers=2,hosts=2,global=1", evalsim.Valiant, "[adaptive ugal]"},
		{"dragonfly:groups=3,routers=2,hosts=2,global=1", evalsim.Static, "[valiant ugal]"},
	} {
		if got := fmt.Sprint(otherRoutings(c.this, networkOf(t, c.network).Routes)); got != c.want {
			t.Errorf("%s, %v: %s, want %s", c.network, c.this, got, c.want)
		}
	}
}

// A mapping Wins where the whole interval is below 1; seen from the other side it
// Loses.
func TestVerdict(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		low := rapid.Float64Range(0.01, 10).Draw(t, "low")
		high := rapid.Float64Range(low, 20).Draw(t, "high")
		opposite := map[string]string{Wins: Loses, Loses: Wins, Level: Level}
		if a, b := verdictOf(low, high), verdictOf(1/high, 1/low); b != opposite[a] {
			t.Errorf("[%g, %g] is %s, its inverse %s", low, high, a, b)
		}
		if (verdictOf(low, high) == Wins) != (high < 1) {
			t.Errorf("[%g, %g]: %s", low, high, verdictOf(low, high))
		}
	})
	if verdictOf(1, 1) != Level || verdictOf(0.9, 1) != Level || verdictOf(1, 1.1) != Level {
		t.Error("an interval that holds 1 is not level")
	}
}

// Ratios are paired: a best that takes a share of the other's time in every repeat
// has that ratio, whatever the repeats' own times.
func TestVariantRow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		times := rapid.SliceOfN(rapid.Float64Range(1, 1e9), LeastRepeats, 20).Draw(t, "times")
		share := rapid.SampledFrom([]float64{0.5, 1, 2}).Draw(t, "share")
		against := rapid.IntRange(0, 1).Draw(t, "against")
		best := make([]float64, len(times))
		for i := range best {
			best[i] = share * times[i]
		}
		all := [3][]float64{best, best, best}
		all[against] = times
		c := &Contenders{against: against}
		row := c.row("v", &all, 0)
		want := map[float64]string{0.5: Wins, 1: Level, 2: Loses}[share]
		if row.Verdict != want || *row.Ratio != share || *row.RatioLow != share || *row.RatioHigh != share ||
			row.Against != contenderNames[against] {
			t.Errorf("%+v, want %s at %g", row, want, share)
		}
		all[against] = make([]float64, len(times))
		if row := c.row("v", &all, 0); row.Ratio != nil || row.Verdict != Level {
			t.Errorf("against no time: %+v", row)
		}
	})
}

// The best is held against the best static mapping, if it is another, else against the start.
func TestContenders(t *testing.T) {
	a, b, c := mapping.Mapping{0, 1, 2}, mapping.Mapping{1, 0, 2}, mapping.Mapping{2, 1, 0}
	for _, k := range []struct {
		start, static, best mapping.Mapping
		against, different  int
	}{{a, b, c, 1, 3}, {a, b, b, 0, 2}, {a, a, b, 1, 2}, {a, b, a, 1, 2}, {a, a, a, -1, 1}} {
		if got := NewContenders(k.start, k.static, k.best); got.against != k.against ||
			got.Different() != k.different {
			t.Errorf("%v %v %v: against %d of %d different ones, want %d of %d", k.start, k.static, k.best,
				got.against, got.Different(), k.against, k.different)
		}
	}
}

// The sentence counts every variant once, and not the model of the search.
func TestModelSentence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := []Row{{Variant: AsSearched, Verdict: Loses}}
		count := map[string]int{}
		for i := range rapid.IntRange(1, 12).Draw(t, "rows") {
			verdict := rapid.SampledFrom([]string{Wins, Level, Loses}).Draw(t, "verdict")
			count[verdict]++
			rows = append(rows, Row{Variant: fmt.Sprintf("v%d.", i), Verdict: verdict})
		}
		got := (&Report{Rows: rows, against: 1}).Sentence()
		want := fmt.Sprintf("wins in %d of %d variants of the model, is level in %d and loses in ", count[Wins],
			len(rows)-1, count[Level])
		if !strings.Contains(got, want) || strings.HasSuffix(got, "none") != (count[Loses] == 0) {
			t.Errorf("%q has no %q", got, want)
		}
		for _, r := range rows {
			if strings.Contains(got, r.Variant) != (r.Verdict == Loses && r.Variant != AsSearched) {
				t.Errorf("%q, %s %s", got, r.Variant, r.Verdict)
			}
		}
	})
	if got := (&Report{}).Sentence(); got != "" {
		t.Errorf("of no rows: %q", got)
	}
}

// Jobs that end have half and twice the volume, message by message.
func TestLevelsOfFiniteJobs(t *testing.T) {
	for _, text := range []string{"uniform:8,rounds=3", "allreduce:8,algorithm=ring,bytes=10000",
		"stencil2d:4x2,wait=true,sends=nonblocking,compute-ns=500"} {
		job := evalsim.Job{Program: patternOf(t, text), Hosts: make([]int32, 8)}
		for factor, changed := range map[float64][]evalsim.Job{0.5: halved([]evalsim.Job{job}),
			2: doubled([]evalsim.Job{job})} {
			program := changed[0].Program
			if err := program.Check(); err != nil || len(changed) != 1 ||
				program.VolumeScale != job.Program.VolumeScale || program.SizeScale != factor {
				t.Fatalf("%s x %g: %d jobs, scale %g, %v", text, factor, len(changed), program.SizeScale, err)
			}
			for i, op := range program.Ops {
				was := job.Program.Ops[i]
				want := was.Bytes
				if was.Kind != workload.Wait && was.Bytes > 0 {
					want = int64(math.Round(factor * float64(was.Bytes)))
				}
				if op.Bytes != want || op.Kind != was.Kind || op.Peer != was.Peer {
					t.Fatalf("%s x %g: %+v became %+v", text, factor, was, op)
				}
			}
		}
	}
}

// Endless jobs with the network to themselves send at half the rate; two on the
// same hosts send no more than one that fills its links, and more than one that
// pauses, at most twice as much.
func TestLevelsOfEndlessJobs(t *testing.T) {
	machine := networkOf(t, "fattree:nodes-per-leaf=18,leaves-per-pod=1,pods=1,aggs-per-pod=1,cores=0")
	hosts := make([]int32, 16)
	for i := range hosts {
		hosts[i] = int32(i)
	}
	rate := func(others []evalsim.Job) float64 {
		jobs := append([]evalsim.Job{{Program: patternOf(t, "ring:2,rounds=100"), Hosts: []int32{16, 17}}},
			others...)
		results, err := evalsim.Repeat(context.Background(), machine, jobs, evalsim.DefaultOptions(), 1, 1, nil)
		if err != nil {
			t.Fatal(err)
		}
		return endlessRate(jobs, results)
	}
	full := []evalsim.Job{{Program: patternOf(t, "ring:16"), Hosts: hosts, Endless: true}}
	usual, half := rate(full), rate(halved(full))
	if got := half / usual; math.Abs(got-0.5) > 0.015 {
		t.Errorf("half the level has %.3f of the rate", got)
	}
	if got := rate(doubled(full)) / usual; math.Abs(got-1) > 0.03 {
		t.Errorf("two that fill their links have %.3f of the rate of one", got)
	}
	if got := rate(doubled(halved(full))) / half; got <= 1 || got > 2 {
		t.Errorf("two that pause have %.3f of the rate of one", got)
	}
	if got := rate(nil); got != 0 {
		t.Errorf("nobody sends at %g", got)
	}
}

// Pauses keep all messages, and take as long as sending them would; the parts
// before messages differ from rank to rank.
func TestPauses(t *testing.T) {
	program := patternOf(t, "uniform:64,rounds=2,compute-ns=100")
	paused := withPauses(program)
	if err := paused.Check(); err != nil {
		t.Fatal(err)
	}
	before := map[int64]bool{}
	for r := range int32(program.Ranks()) {
		var sends []workload.Op
		sent, idle, computed := int64(0), int64(0), int64(0)
		ops := paused.RankOps(r)
		for i, op := range ops {
			switch op.Kind {
			case workload.Send:
				if len(sends) == 0 {
					before[ops[i-1].Bytes] = true
				}
				sends, sent = append(sends, op), sent+op.Bytes
			case workload.Idle:
				idle += op.Bytes
			case workload.Compute:
				computed += op.Bytes
			}
		}
		if sent != idle || computed != 2*100*2 {
			t.Errorf("rank %d sends %d bytes, idles %d, computes %d ns", r, sent, idle, computed)
		}
		for _, op := range program.RankOps(r) {
			if op.Kind == workload.Send {
				if op != sends[0] {
					t.Fatalf("rank %d: %+v, was %+v", r, sends[0], op)
				}
				sends = sends[1:]
			}
		}
	}
	if len(before) != program.Ranks() {
		t.Errorf("%d ranks begin in %d ways", program.Ranks(), len(before))
	}
}
