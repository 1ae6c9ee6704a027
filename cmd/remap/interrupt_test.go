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

	"remap/internal/testkit/tier"
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
func long(pattern, output string) []string {
	return []string{"optimize", "--topology", "torus:4x4", "--pattern", pattern, "--max-packets", "100000000",
		"--strategies", "random,cyclic", "--rounds", "1000", "--repeats", "150", "--workers", "1",
		"--output", output, "--progress", "always"}
}

// waitFor waits until a pattern has been printed. A busy machine is slow: only the limit of
// the whole run, -timeout, ends the waiting.
func waitFor(seen *safeBuffer, pattern string) {
	for show := regexp.MustCompile(pattern); !show.MatchString(seen.String()); {
		time.Sleep(20 * time.Millisecond)
	}
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

// interrupted starts a process, sends it a signal once it has printed a pattern, or with ""
// after a second, and waits for its end. Just before the signal it calls the functions.
func interrupted(t *testing.T, c *exec.Cmd, signal os.Signal, when string, before ...func()) (stderr string,
	err error) {
	t.Helper()
	var seen safeBuffer
	c.Stderr = &seen
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	ready, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		err = c.Wait()
	}()
	go func() {
		defer close(ready)
		if when == "" {
			time.Sleep(1200 * time.Millisecond)
			return
		}
		waitFor(&seen, when)
	}()
	select {
	case <-ready:
		for _, look := range before {
			look()
		}
		c.Process.Signal(signal)
		<-ended
	case <-ended:
		t.Fatalf("it ended before it was interrupted: %v; stderr:\n%s", err, seen.String())
	}
	return seen.String(), err
}

// An interrupt keeps the best so far, says so and writes it whole.
func TestInterruptKeepsTheBest(t *testing.T) {
	folder := t.TempDir()
	output, report := filepath.Join(folder, "best.csv"), filepath.Join(folder, "best.html")
	var stdout bytes.Buffer
	c := remapCommand(t, append(long("uniform:16,rounds=4", output), "--json", "--report", report)...)
	c.Stdout = &stdout
	stderr, err := interrupted(t, c, os.Interrupt, `evaluating mappings [1-9]`)
	if err != nil {
		t.Fatalf("%v; stderr:\n%s", err, stderr)
	}
	if !strings.Contains(stderr, "interrupted: best so far after ") {
		t.Errorf("stderr does not say that the best so far was written:\n%s", stderr)
	}
	if !strings.Contains(stdout.String(), `"interrupted": true`) {
		t.Errorf("the JSON does not say it was interrupted:\n%s", stdout.String())
	}
	content, err := os.ReadFile(output)
	if err != nil {
		t.Fatal(err)
	}
	if rows := bytes.Count(content, []byte("\n")); rows != 17 {
		t.Errorf("the mapping has %d lines, want 17", rows)
	}
	page, err := os.ReadFile(report)
	if err != nil || !bytes.Contains(page, []byte("The search was interrupted: this is the best of ")) ||
		!bytes.HasSuffix(page, []byte("</html>\n")) {
		t.Errorf("the page: %v\n%s", err, page)
	}
	if entries, _ := os.ReadDir(folder); len(entries) != 2 {
		t.Errorf("%d files in the folder, want 2", len(entries))
	}
}

// An interrupt before anything was evaluated writes nothing and fails.
func TestInterruptTooEarly(t *testing.T) {
	tier.Long(t, "three interrupts: four seconds")
	signals := []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP}
	for _, signal := range signals {
		if ossignal.Ignored(signal) { // as under nohup, which the program respects
			t.Logf("skipped: %v is ignored here", signal)
			continue
		}
		folder := t.TempDir()
		c := remapCommand(t, long("uniform:16,rounds=100000", filepath.Join(folder, "best.csv"))...)
		checkNothingWritten(t, folder, c, signal, `evaluating mappings 0`)
	}
}

// An interrupt ends the other commands soon, also while costs are counted, and
// leaves no file.
func TestInterruptOfOthers(t *testing.T) {
	tier.Long(t, "a torus of 32,768 hosts: four seconds")
	for _, args := range [][]string{{"map", "--strategy", "random"},
		{"compare", "--strategies", "random", "--format", "csv"}} {
		folder := t.TempDir()
		c := remapCommand(t, append(args, "--topology", "torus:32x32x32", "--pattern", "stencil3d27:32x32x32",
			"--output", filepath.Join(folder, "m.csv"))...)
		checkNothingWritten(t, folder, c, os.Interrupt, "")
	}
}

// checkNothingWritten interrupts a command that writes into a folder: it fails and says so.
func checkNothingWritten(t *testing.T, folder string, c *exec.Cmd, signal os.Signal, when string) {
	t.Helper()
	stderr, err := interrupted(t, c, signal, when)
	exit, ok := err.(*exec.ExitError)
	if !ok || exit.ExitCode() != exitFailed || !strings.Contains(stderr, "remap: error: "+
		"interrupted: nothing was written\n") {
		t.Errorf("%s, %v: %v, stderr:\n%s", c.Args[1], signal, err, stderr)
	}
	if entries, _ := os.ReadDir(folder); len(entries) != 0 {
		t.Errorf("%s, %v: %d files left in the folder", c.Args[1], signal, len(entries))
	}
}
