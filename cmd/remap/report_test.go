package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"remap/feedback"
	"remap/input"
	"remap/mapping"
	"remap/topology"
	"remap/workload"
)

// A table loses its least important columns, one by one, until it fits; what
// stays is as before, and without a width nothing goes.
func TestTableFits(t *testing.T) {
	full := func() *grid {
		g := &grid{header: append(simulatedHeader("strategy"), "ratio", "ranks", "alone congested %", "start us")}
		for i := range 2 {
			row := make([]string, len(g.header))
			for k := range row {
				row[k] = fmt.Sprint(g.header[k], i)
			}
			g.add(row...)
		}
		return g
	}
	widest := full().width()
	for width := range widest + 10 {
		g := full()
		g.fit(width)
		left := len(full().header) - len(g.header)
		if width == 0 && left > 0 || width >= widest && left > 0 {
			t.Errorf("%d columns left out of %d", left, width)
		}
		if width > 0 && g.width() > width && left < len(leastImportant) {
			t.Errorf("%d wide in %d, though only %d columns were left out", g.width(), width, left)
		}
		for _, name := range leastImportant[:left] {
			if slices.Contains(g.header, name) {
				t.Errorf("width %d: %s stays, a more important column does not", width, name)
			}
		}
		for i, row := range g.rows {
			for k := range row {
				if row[k] != fmt.Sprint(g.header[k], i) {
					t.Errorf("width %d: column %s holds %s", width, g.header[k], row[k])
				}
			}
		}
	}
	if got := terminalWidth(&strings.Builder{}); got != 0 {
		t.Errorf("a builder is %d wide", got)
	}
}

// No host keeps many more slots than there are ranks, and what is left is bounded.
func TestClipSlots(t *testing.T) {
	a := &mapping.Allocation{Hosts: []int32{0, 1, 2}, Slots: []int32{1, 4096, 1 << 20}}
	if err := clipSlots(a, 5, ""); err != nil || !slices.Equal(a.Slots, []int32{1, 4096, 4096}) {
		t.Errorf("%v, slots %v", err, a.Slots)
	}
	many := &mapping.Allocation{Hosts: make([]int32, 1<<14), Slots: slices.Repeat([]int32{4097}, 1<<14)}
	err := clipSlots(many, 4097, "file")
	if err == nil || !strings.Contains(err.Error(), "file: 67125248 slots on 16384 hosts are too many") || input.Hint(err) == "" {
		t.Errorf("4097 slots on 2^14 hosts: %v", err)
	}
	if err := clipSlots(many, 65, "file"); err != nil {
		t.Errorf("4096 slots on 2^14 hosts: %v", err)
	}
}

// Sends leave over the fastest rail, what is received comes in over all rails.
func TestFloorOfRails(t *testing.T) {
	machine, err := topology.Read("net", strings.NewReader("Switch 8 \"s\"\n"+
		"[1] \"A\"[1] # \"a\" 4xEDR\n[2] \"A\"[2] # \"a\" 4xSDR\n[3] \"B\"[1] # \"b\" 4xSDR\n[4] \"C\"[1] # \"c\" 4xSDR\n"+
		"Ca 2 \"A\" # \"a\"\n[1] \"s\"[1] # 4xEDR\n[2] \"s\"[2] # 4xSDR\nCa 1 \"B\" # \"b\"\n[1] \"s\"[3] # 4xSDR\nCa 1 \"C\" # \"c\"\n[1] \"s\"[4] # 4xSDR\n"))
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]floor{
		"ring:3,bytes=1000000": {"injection", 80000}, // 1 MB over 100 Gb/s
		"ring:1":               {},
	} {
		program, err := workload.ParsePattern(text)
		if err != nil {
			t.Fatal(err)
		}
		j := &job{machine: machine, whole: program, allocation: &mapping.Allocation{Hosts: []int32{0, 1, 2}, Slots: []int32{1, 1, 1}}}
		if got := j.floor(); got != want || (got.sentence(1) == "") == got.known() {
			t.Errorf("%s: %+v, want %+v", text, got, want)
		}
	}
	for best, want := range map[int64]floor{1000: {"injection", 1000}, 999: {"injection", 1000}, 998: {}} {
		if got := (floor{"injection", 1000}).unless(best); got != want {
			t.Errorf("best time %d ns: %+v, want %+v", best, got, want)
		}
	}
	gather := &workload.Program{Offsets: []int32{0, 0, 1, 2}, VolumeScale: 1,
		Ops: []workload.Op{{Kind: workload.Send, Peer: 0, Bytes: 1000000}, {Kind: workload.Send, Peer: 0, Bytes: 1000000}}}
	j := &job{machine: machine, whole: gather, allocation: &mapping.Allocation{Hosts: []int32{0, 1, 2}, Slots: []int32{1, 1, 1}}}
	// 2 MB over 100 + 8 Gb/s.
	if got := j.floor(); got.Bound != "ejection" || got.BoundNS != 148148 {
		t.Errorf("gather: %+v", got)
	}
}

// Every error has a hint, and one that fits.
func TestUsualHints(t *testing.T) {
	for _, c := range []struct {
		command string
		err     error
		want    string
	}{
		{"map", errors.New("odd"), "remap map --help"},
		{"", errors.New("odd"), "remap COMMAND --help"},
		{"map", &fs.PathError{Op: "open", Path: "x", Err: syscall.EACCES}, "permissions"},
		{"map", fmt.Errorf("x: %w", &fs.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}), "free some space"},
		{"map", usage("do this", "odd"), "do this"},
	} {
		var stderr strings.Builder
		reportError(&stderr, c.command, c.err)
		first, hint, _ := strings.Cut(stderr.String(), "\n")
		if !strings.HasPrefix(first, "remap: error: ") || !strings.HasPrefix(hint, "remap: hint: ") || !strings.Contains(hint, c.want) {
			t.Errorf("%v: %q, want a hint with %q", c.err, stderr.String(), c.want)
		}
	}
}

// What may not be read is no case for the list of specs.
func TestPermissionDenied(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("the superuser may read everything")
	}
	path := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(path, []byte("x"), 0); err != nil {
		t.Fatal(err)
	}
	_, _, stderr := runHere("map", "--topology", path, "--pattern", "ring:4", "--strategy", "identity")
	if !strings.Contains(stderr, "permission denied") || !strings.Contains(stderr, "check the file's permissions") {
		t.Errorf("stderr:\n%s", stderr)
	}
}

// Work of unknown length shows a sign of life after a second.
func TestMeterWithoutSteps(t *testing.T) {
	var screen safeBuffer
	p := &program{stderr: &screen, settings: settings{progress: "always"}}
	m := p.newMeter("mapping", 0)
	time.Sleep(progressDelay + 400*time.Millisecond)
	m.stop()
	if !strings.Contains(screen.String(), "mapping") {
		t.Errorf("shows %q", screen.String())
	}
}

// Candidates that were judged by the first repeats only say so, the others
// have no such field.
func TestDroppedRounds(t *testing.T) {
	p := &program{settings: settings{topology: "torus:4", pattern: "ring:4", ranksPerHost: 1, packetBytes: 4096,
		bufferBytes: 65536, switching: "cut-through", maxPackets: 1000000, unitBytes: 1}}
	j, err := p.load()
	if err != nil {
		t.Fatal(err)
	}
	candidate := func(dropped bool) feedback.Candidate {
		return feedback.Candidate{Strategy: "kl", Mapping: mapping.Identity(4), Dropped: dropped}
	}
	result, err := j.optimized(&feedback.Result{Start: candidate(false), Static: candidate(false), Best: candidate(false),
		Rounds: []feedback.Candidate{candidate(false), candidate(true), candidate(false)}})
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if err := encodeJSON(&text, result); err != nil {
		t.Fatal(err)
	}
	if strings.Count(text.String(), `"dropped"`) != 1 || !result.Rounds[1].Dropped {
		t.Errorf("%s", text.String())
	}
}
