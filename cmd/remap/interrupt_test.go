package main

import (
	"bytes"
	"os"
	"os/exec"
	ossignal "os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// remapCommand is this program as a process of its own.
func remapCommand(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	path, err := exec.LookPath("remap") // TestMain puts it there
	if err != nil {
		t.Fatal(err)
	}
	return exec.Command(path, args...)
}

// long is an optimization that runs for minutes if nobody stops it.
func long(output string) []string {
	return []string{"optimize", "--topology", "torus:8x8x8", "--pattern", "stencil3d27:8x8x8",
		"--strategies", "random,cyclic",
		"--rounds", "1000", "--repeats", "150", "--output", output}
}

// waitFor waits until a process has printed a pattern.
func waitFor(t *testing.T, seen *safeBuffer, pattern *regexp.Regexp) {
	t.Helper()
	for range 3000 { // five minutes: a busy machine is slow
		if pattern.MatchString(seen.String()) {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatalf("%v did not show within five minutes:\n%s", pattern, seen.String())
}

// safeBuffer is a buffer for two goroutines.
type safeBuffer struct {
	mutex sync.Mutex
	text  strings.Builder
}

func (b *safeBuffer) Write(p []byte) (int, error) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.text.Write(p)
}

func (b *safeBuffer) String() string {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.text.String()
}

// finish waits for a process, but not for ever.
func finish(t *testing.T, c *exec.Cmd, limit time.Duration) error {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- c.Wait() }()
	select {
	case err := <-done:
		return err
	case <-time.After(limit):
		c.Process.Kill()
		t.Fatalf("still running %v after the interrupt", limit)
		return nil
	}
}

// An interrupt keeps the best so far, says so and writes it whole.
func TestInterruptKeepsTheBest(t *testing.T) {
	folder := t.TempDir()
	output := filepath.Join(folder, "best.csv")
	var stdout bytes.Buffer
	var stderr safeBuffer
	c := remapCommand(t, append(long(output), "--json", "--progress", "always")...)
	c.Stdout, c.Stderr = &stdout, &stderr
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, &stderr, regexp.MustCompile(`evaluating mappings [1-9]`))
	if err := c.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := finish(t, c, time.Minute); err != nil {
		t.Fatalf("%v; stderr:\n%s", err, stderr.String())
	}
	if !strings.Contains(stderr.String(), "interrupted: best so far after ") {
		t.Errorf("stderr does not say that the best so far was written:\n%s", stderr.String())
	}
	if !strings.Contains(stdout.String(), `"interrupted": true`) {
		t.Errorf("the JSON does not say it was interrupted:\n%s", stdout.String())
	}
	content, err := os.ReadFile(output)
	if err != nil {
		t.Fatal(err)
	}
	if rows := bytes.Count(content, []byte("\n")); rows != 513 {
		t.Errorf("the mapping has %d lines, want 513", rows)
	}
	if entries, _ := os.ReadDir(folder); len(entries) != 1 {
		t.Errorf("%d files in the folder, want 1", len(entries))
	}
}

// An interrupt before anything was evaluated writes nothing and fails.
func TestInterruptTooEarly(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		if ossignal.Ignored(signal) { // as under nohup, which the program respects
			t.Logf("skipped: %v is ignored here", signal)
			continue
		}
		folder := t.TempDir()
		var stderr bytes.Buffer
		args := append(long(filepath.Join(folder, "best.csv")), "--topology", "tapered", "--pattern",
			"uniform:4608,rounds=100")
		c := remapCommand(t, args...)
		c.Stderr = &stderr
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(700 * time.Millisecond)
		if err := c.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		err := finish(t, c, time.Minute)
		exit, ok := err.(*exec.ExitError)
		if !ok || exit.ExitCode() != exitFailed || !strings.Contains(stderr.String(), "remap: error: "+
			"interrupted: nothing was written\n") {
			t.Errorf("%v: %v, stderr:\n%s", signal, err, stderr.String())
		}
		if entries, _ := os.ReadDir(folder); len(entries) != 0 {
			t.Errorf("%v: %d files left in the folder", signal, len(entries))
		}
	}
}

// An interrupt ends the other commands soon, also while costs are counted, and
// leaves no file.
func TestInterruptOfOthers(t *testing.T) {
	for _, args := range [][]string{{"map", "--strategy", "random"},
		{"compare", "--strategies", "random", "--format", "csv"}} {
		folder := t.TempDir()
		var stderr bytes.Buffer
		c := remapCommand(t, append(args, "--topology", "torus:32x32x32", "--pattern", "stencil3d27:32x32x32",
			"--output", filepath.Join(folder, "m.csv"))...)
		c.Stderr = &stderr
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(1200 * time.Millisecond)
		if err := c.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		err := finish(t, c, 30*time.Second)
		exit, ok := err.(*exec.ExitError)
		if !ok || exit.ExitCode() != exitFailed || !strings.Contains(stderr.String(), "remap: error: "+
			"interrupted: nothing was written\n") {
			t.Errorf("%s: %v, stderr:\n%s", args[0], err, stderr.String())
		}
		if entries, _ := os.ReadDir(folder); len(entries) != 0 {
			t.Errorf("%s: %d files left in the folder", args[0], len(entries))
		}
	}
}
