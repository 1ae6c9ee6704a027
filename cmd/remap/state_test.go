package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"remap/internal/testkit/tier"
)

// kept is an optimization of a second, among others' traffic, of three rounds and more.
func kept() []string {
	return []string{"optimize", "--topology", "fattree:nodes-per-leaf=4,leaves-per-pod=6,pods=1," +
		"aggs-per-pod=2,cores=0",
		"--hosts", "n[0-2,4-6,8-10,12-14,16-18,20-22]", "--pattern", "stencil2d:4x4,bytes=65536",
		"--background", "ring:6,endless=true@n[3,11,19,7,15,23]", "--start-jitter-ns", "1000",
		"--rounds", "8", "--repeats", "2", "--validation-repeats", "6", "--strategies", "rcm,bisection", "--json"}
}

// stated runs with a folder of state, or "" for none, and gives the JSON and the mapping.
func stated(t *testing.T, args []string, state string, more ...string) (result, mapping string) {
	t.Helper()
	output := filepath.Join(t.TempDir(), "best.csv")
	args = append(slices.Clone(args), "--output", output)
	if state != "" {
		args = append(args, "--state", state)
	}
	code, stdout, stderr := runHere(append(args, more...)...)
	if code != exitDone {
		t.Fatalf("code %d: %s", code, stderr)
	}
	content, err := os.ReadFile(output)
	if err != nil {
		t.Fatal(err)
	}
	return stdout, string(content)
}

// killed starts a run of its own and ends it, at the latest when it is done, by a
// signal as soon as the journal says so. It gives the time it took until then.
func killed(t *testing.T, args []string, state string, signal syscall.Signal, now func(journal []byte) bool) {
	t.Helper()
	folder := t.TempDir()
	c := remapCommand(t, append(slices.Clone(args), "--state", state, "--output",
		filepath.Join(folder, "best.csv"))...)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		c.Wait()
	}()
	for waiting := true; waiting; {
		select {
		case <-done:
			waiting = false
		case <-time.After(500 * time.Microsecond):
			journal, _ := os.ReadFile(filepath.Join(state, "journal"))
			waiting = !now(journal)
		}
	}
	c.Process.Signal(signal)
	<-done
	if best, err := os.ReadFile(filepath.Join(state, "best.csv")); err == nil &&
		(!bytes.HasPrefix(best, []byte("rank,host,slot\n")) || best[len(best)-1] != '\n') {
		t.Errorf("the best mapping so far is half-written:\n%s", best)
	}
}

// grown says when a journal has a size.
func grown(size int) func([]byte) bool {
	return func(journal []byte) bool { return len(journal) >= size }
}

// size is that of the journal in a folder of state.
func size(t *testing.T, state string) int {
	t.Helper()
	info, err := os.Stat(filepath.Join(state, "journal"))
	if err != nil {
		t.Fatal(err)
	}
	return int(info.Size())
}

// inRound says when a journal has got to a round.
func inRound(round int) func([]byte) bool {
	step := []byte(fmt.Sprintf("map %d ", round))
	return func(journal []byte) bool { return bytes.Contains(journal, step) }
}

// A run that is killed in the first of its rounds, then once more at a random moment, ends
// with the bytes of an undisturbed one; so does one that is interrupted, one of another
// number of workers, and one that had a budget before.
func TestKilledRunsGoOn(t *testing.T) {
	tier.Long(t, "six runs, killed and continued: five seconds")
	args := kept()
	whole := t.TempDir()
	result, mapping := stated(t, args, "")
	same := func(what, state string, more ...string) {
		t.Helper()
		if r, m := stated(t, args, state, more...); r != result || m != mapping {
			t.Errorf("%s: another result:\n%s\nwant\n%s", what, r, result)
		}
	}
	same("undisturbed, with state", whole, "--workers", "1")
	same("all is known", whole, "--workers", "2")

	state := t.TempDir()
	killed(t, args, state, syscall.SIGKILL, inRound(1))
	if full := size(t, whole); size(t, state) >= full {
		t.Fatal("the run was over before it was killed")
	}
	random := rand.New(rand.NewPCG(6, 5))
	killed(t, args, state, syscall.SIGKILL, grown(size(t, state)+random.IntN(size(t, whole)-size(t, state))))
	same("killed", state)

	state = t.TempDir()
	killed(t, args, state, syscall.SIGINT, inRound(1))
	same("interrupted", state)

	state = t.TempDir()
	for code := 1; code != exitDone; { // until a mapping was evaluated in time
		code, _, _ = runHere(append(slices.Clone(args), "--state", state, "--budget", "150ms")...)
	}
	same("a budget before", state, "--control=true")
}

// The same for runs that are killed at many random moments.
func TestKilledManyTimes(t *testing.T) {
	tier.Long(t, "four searches, killed many times: a minute")
	random := rand.New(rand.NewPCG(6, 8))
	for _, c := range [][]string{kept(), kept(), kept(),
		{"optimize", "--scenario", "io-gateway-small", "--rounds", "8", "--repeats", "2",
			"--validation-repeats", "6", "--strategies", "rcm", "--json"}}[tier.Cases(0, 2, 0):] {
		whole, state := t.TempDir(), t.TempDir()
		result, mapping := stated(t, c, whole)
		kills := 0
		for at := 0; at < size(t, whole); kills++ {
			moment := grown(at + random.IntN(size(t, whole)/4))
			extra := random.IntN(30)
			killed(t, c, state, syscall.SIGKILL, func(journal []byte) bool {
				if moment(journal) {
					extra--
				}
				return extra < 0
			})
			at = max(at+1, size(t, state))
		}
		if r, m := stated(t, c, state); r != result || m != mapping {
			t.Errorf("after %d kills another result:\n%s\nwant\n%s", kills, r, result)
		}
		t.Logf("%d kills", kills)
	}
}

// More rounds go on behind the old end, and give what a run with as many from the
// beginning gives; so do fewer.
func TestMoreRounds(t *testing.T) {
	tier.Long(t, "three searches, each twice: three seconds")
	state := t.TempDir()
	for _, rounds := range []string{"1", "3", "2"} {
		args := append(kept(), "--rounds", rounds)
		result, mapping := stated(t, args, "")
		if r, m := stated(t, args, state); r != result || m != mapping {
			t.Errorf("%s rounds: another result:\n%s\nwant\n%s", rounds, r, result)
		}
	}
}

// The folder of another command is refused by the name of the option, a folder in use as
// such, and what is no state is not touched.
func TestStateRefused(t *testing.T) {
	folder := t.TempDir()
	state := filepath.Join(folder, "state")
	write := func(name, text string) string {
		t.Helper()
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	sizes, others := "0,900,0,0\n900,0,5,0\n0,5,0,700\n0,0,700,0\n", "ring.txt"
	graph := write("a/size.csv", sizes)
	args := func(graph, hosts string, more ...string) []string {
		return append([]string{"optimize", "--topology", "torus:4x4", "--graph", graph, "--strategies", "rcm",
			"--rounds", "1", "--repeats", "2", "--quiet", "--json",
			"--hosts", "n[0-7]", "--background", "ring:4@" + hosts, "--state", state}, more...)
	}
	hosts := write(others, "n8\nn9\nn10\nn11\n")
	run := func(args []string) (string, string) {
		code, stdout, stderr := runHere(args...)
		if (code == exitDone) != (stdout != "") || code != exitDone && strings.Count(stderr, "\n") != 2 {
			t.Errorf("code %d, %q", code, stderr)
		}
		return stdout, stderr
	}
	first, problem := run(args(graph, hosts))
	if first == "" {
		t.Fatal(problem)
	}
	before, _ := os.ReadFile(filepath.Join(state, "journal"))
	if again, problem := run(args(write("b/size.csv", sizes), hosts)); strings.ReplaceAll(again,
		"/b/size.csv", "/a/size.csv") != first {
		t.Errorf("the same file in another folder: %s%s", again, problem)
	}
	for want, args := range map[string][]string{
		`it has --gain "4", this run has --gain "2"`: args(graph, hosts, "--gain", "2"),
		`it has --graph "size.csv" with content `: args(
			write("c/size.csv", strings.Replace(sizes, "5", "6", 2)), hosts),
		`it has --background "ring:4@ring.txt" with`: args(graph, write("d/"+others, "n8\nn9\nn10\nn12\n")),
		`it has --seed "1", this run has --seed "2"`: args(graph, hosts, "--seed", "2"),
		"--state: the value is empty":                args(graph, hosts, "--state", ""),
	} {
		if _, problem := run(args); !strings.Contains(problem, want) {
			t.Errorf("want %q: %s", want, problem)
		}
	}
	if after, _ := os.ReadFile(filepath.Join(state, "journal")); !bytes.Equal(before, after) {
		t.Error("a refusal has changed the journal")
	}
	letter := write("other/journal", "Dear diary\n")
	if _, problem := run(args(graph, hosts, "--state", filepath.Dir(letter))); !strings.Contains(problem,
		"this is not the state of a run") {
		t.Error(problem)
	}
	if text, _ := os.ReadFile(letter); string(text) != "Dear diary\n" {
		t.Error("a file that is no state was changed")
	}
	if _, problem := run(args(graph, hosts, "--state", letter)); !strings.Contains(problem, "not a directory") {
		t.Error(problem)
	}
}

// A second process on the same folder is told so, while the first goes on undisturbed.
func TestStateInUse(t *testing.T) {
	args, state := kept(), t.TempDir()
	result, mapping := stated(t, args, "")
	killed(t, args, state, syscall.SIGKILL, func(journal []byte) bool {
		if !inRound(1)(journal) {
			return false
		}
		code, stdout, stderr := runHere(append(slices.Clone(args), "--state", state)...)
		if code != exitFailed || stdout != "" || !strings.HasPrefix(stderr, "remap: error: "+
			"--state: ") || !strings.Contains(stderr, "another run is writing this state\nremap: hint: wait") {
			t.Errorf("code %d, %s", code, stderr)
		}
		return true
	})
	if r, m := stated(t, args, state); r != result || m != mapping {
		t.Errorf("another result:\n%s\nwant\n%s", r, result)
	}
}
