package replay_test

import (
	"bytes"
	"errors"
	"maps"
	"math"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"remap/commgraph"
	"remap/internal/testkit/real"
	"remap/replay"
	"remap/workload"
)

// The programs of applications are complete, and refuse what the C programs would refuse.
func TestApplications(t *testing.T) {
	for _, a := range applications(t) {
		if q, err := replay.WithReceives(a.Program); err != nil || q != a.Program {
			t.Errorf("%s: not complete: %v", a.Name, err)
		}
		ends(t, a.Name, a.Program)
	}
	for name, err := range map[string]error{
		"heat bytes":      second(replay.Heat(2, 2, 100)),
		"heat ranks":      second(replay.Heat(0, 2, 64)),
		"transpose power": second(replay.Transpose(4, 96)),
		"transpose ranks": second(replay.Transpose(3, 64)),
		"ring bytes":      second(replay.Ring(3, 32)),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// The arguments are what the C programs read; options out of bounds are named.
func TestCommand(t *testing.T) {
	executables := replay.Executables{"heat": "/e/heat-0", "replay": "/e/replay-0"}
	o := replay.Options{Steps: 7, IdleBytesPerSecond: 2.5e6, LongestSleep: 500 * time.Microsecond}
	heat := applications(t)[0]
	if got, want := executables.Command(heat, o), "/e/heat-0 4 2 6400 7 500"; strings.Join(got, " ") != want {
		t.Errorf("heat: %q, not %q", got, want)
	}
	got, want := executables.Command(replay.Play("/p", heat.Program), o), "/e/replay-0 /p 7 2500000 500"
	if strings.Join(got, " ") != want {
		t.Errorf("replay: %q, not %q", got, want)
	}
	if err := o.Validate(); err != nil {
		t.Error(err)
	}
	for want, change := range map[string]func(o *replay.Options){
		"steps":   func(o *replay.Options) { o.Steps = 0 },
		"idle":    func(o *replay.Options) { o.IdleBytesPerSecond = math.NaN() },
		"longest": func(o *replay.Options) { o.LongestSleep = 0 },
	} {
		bad := o
		change(&bad)
		if err := bad.Validate(); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// Without a compiler the error says so; what has been compiled is used again.
func TestRealCompile(t *testing.T) {
	_, executables := need(t)
	t.Setenv("PATH", "")
	again, err := replay.Compile(t.Context(), folder)
	if err != nil || !maps.Equal(executables, again) {
		t.Errorf("%v, not %v: %v", again, executables, err)
	}
	if _, err := replay.Compile(t.Context(), t.TempDir()); !errors.Is(err, exec.ErrNotFound) {
		t.Errorf("without mpicc: %v", err)
	}
}

func second(_ replay.Application, err error) error { return err }

// applications are the real programs, of 8 ranks each.
func applications(t *testing.T) []replay.Application {
	t.Helper()
	heat, err1 := replay.Heat(4, 2, 6400)
	transpose, err2 := replay.Transpose(8, 64)
	ring, err3 := replay.Ring(8, 64000)
	for _, err := range []error{err1, err2, err3} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return []replay.Application{heat, transpose, ring}
}

// Every application, on 1 rank and more, verifies its result.
func TestRealApplications(t *testing.T) {
	mpirun, executables := need(t)
	one, err1 := replay.Heat(1, 1, 64)
	line, err2 := replay.Heat(1, 5, 128)
	alone, err3 := replay.Transpose(1, 16)
	two, err4 := replay.Ring(2, 16)
	for _, err := range []error{err1, err2, err3, err4} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, a := range append(applications(t), one, line, alone, two) {
		o, ranks := replay.DefaultOptions(), a.Program.Ranks()
		o.Steps = 20
		said, err := launch(t, mpirun, executables.Command(a, o), ranks)
		if err != nil {
			t.Fatalf("%s: %v\n%s", a.Name, err, said)
		}
		var others bytes.Buffer
		if _, err := replay.Steps(strings.NewReader(said), ranks, o.Steps, &others); err != nil {
			t.Errorf("%s: %v", a.Name, err)
		}
		if !strings.HasPrefix(others.String(), "verified "+a.Name+": ") {
			t.Errorf("%s says %q", a.Name, others.String())
		}
	}
}

// A wrong bit in one message is found by all programs.
func TestRealCorruption(t *testing.T) {
	mpirun, executables := need(t)
	library := filepath.Join(t.TempDir(), "corrupt.so")
	said, err := exec.CommandContext(t.Context(), "mpicc", "-shared", "-fPIC", "-o", library,
		"testdata/corrupt.c").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	p := applications(t)[0].Program
	for _, a := range append(applications(t), replay.Play(write(t, p), p)) {
		want := "not verified: "
		if a.Name == "replay" {
			want = "is not what was sent: "
		}
		command := executables.Command(a, replay.DefaultOptions())
		said, err := launch(t, mpirun, command, a.Program.Ranks(), "-x", "LD_PRELOAD="+library)
		if err == nil || !strings.Contains(said, want) {
			t.Errorf("%s: %v, said %q, not %q", a.Name, err, said, want)
		}
	}
}

// What the library of contrib/record counts between two ranks is that of the program, in every
// step; so it is for what replay plays.
func TestRealTraffic(t *testing.T) {
	mpirun, executables := need(t)
	real.Need(t, "make")
	library := t.TempDir()
	build := exec.CommandContext(t.Context(), "make", "-C", filepath.Join("..", "contrib", "record"),
		"MPICC=mpicc", "OUT="+library)
	if said, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	all := applications(t)
	for _, spec := range []string{"geometric:16", "nas-cg:16", "allreduce:12"} {
		p, err := replay.WithReceives(parse(t, spec))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, replay.Play(write(t, p), p))
	}
	for _, a := range all {
		o := replay.DefaultOptions()
		o.Steps = 3
		prefix := filepath.Join(t.TempDir(), "r")
		said, err := launch(t, mpirun, executables.Command(a, o), a.Program.Ranks(), "-x",
			"LD_PRELOAD="+filepath.Join(library, "libremap_record.so"), "-x", "REMAP_RECORD="+prefix)
		if err != nil {
			t.Fatalf("%s: %v\n%s", a.Name, err, said)
		}
		compare(t, a, o.Steps, prefix+".phase1.csv")
	}
}

// compare holds the recorded flows against so many steps of a program.
func compare(t *testing.T, a replay.Application, steps int, path string) {
	t.Helper()
	recorded, err := commgraph.Open(path, "edges")
	if err != nil {
		t.Fatal(err)
	}
	want, err := repeated(a.Program, steps)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(recorded, want) {
		t.Errorf("%s %v: recorded %v, the program has %v", a.Name, a.Arguments, recorded, want)
	}
}

func repeated(p *workload.Program, steps int) (*commgraph.Traffic, error) {
	var flows []commgraph.Flow
	for r := range int32(p.Ranks()) {
		for _, op := range p.RankOps(r) {
			if op.Kind.IsSend() {
				flows = append(flows, commgraph.Flow{From: r, To: op.Peer, Bytes: op.Bytes * int64(steps),
					Messages: int64(steps)})
			}
		}
	}
	return commgraph.NewTraffic(p.Ranks(), flows, true)
}
