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

	"remap/feedback"
	"remap/job"
	"remap/mapping"
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
		if !strings.HasPrefix(first, "remap: error: ") || !strings.HasPrefix(hint, "remap: "+
			"hint: ") || !strings.Contains(hint, c.want) {
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
	if !strings.Contains(stderr, "permission denied") || !strings.Contains(stderr, "check the file's "+
		"permissions") {
		t.Errorf("stderr:\n%s", stderr)
	}
}

// Work of unknown length shows a sign of life after a second.
func TestMeterWithoutSteps(t *testing.T) {
	var screen safeBuffer
	p := &program{stderr: &screen, settings: settings{progress: "always"}}
	m := p.newMeter("mapping", 0)
	waitFor(&screen, "mapping")
	m.stop()
}

// Candidates that were evaluated by the first repeats only say so, the others
// have no such field.
func TestDroppedRounds(t *testing.T) {
	p := &program{settings: settings{Options: job.DefaultOptions()}}
	p.Topology, p.Pattern = "torus:4", "ring:4"
	j, err := p.load()
	if err != nil {
		t.Fatal(err)
	}
	candidate := func(dropped bool) feedback.Candidate {
		return feedback.Candidate{Strategy: "kl", Mapping: mapping.Identity(4), Dropped: dropped}
	}
	result, err := newSearchResult(j, &feedback.Result{Start: candidate(false), Static: candidate(false),
		Best:   candidate(false),
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
