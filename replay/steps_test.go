package replay_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"remap/replay"
)

// lines is the output of a job, in any order, with lines of others.
func lines(ranks, steps int) []string {
	var all []string
	for r := range ranks {
		all = append(all, fmt.Sprintf("start rank %d %d", r, 1000+r))
		for k := range steps {
			all = append(all, fmt.Sprintf("step %d rank %d %d", k, r, 1_000_000_000*(k+1)+1000*((r+k)%ranks)))
		}
	}
	return all
}

func TestSteps(t *testing.T) {
	foreign := []string{"mpirun: warning", "step one rank 2 is late", "start rank", strings.Repeat("x", 10000)}
	all := append(lines(4, 3), foreign...)
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	var others bytes.Buffer
	output := strings.NewReader(strings.Join(all, "\r\n"))
	steps, err := replay.Steps(iotest.OneByteReader(output), 4, 3, &others)
	if err != nil {
		t.Fatal(err)
	}
	// The start ends at 1003 ns; the ranks that end last have 3000 ns more than the second.
	want := []replay.Step{{Seconds: 1.000001997, Slowest: 3}, {Seconds: 1, Slowest: 2}, {Seconds: 1, Slowest: 1}}
	if !reflect.DeepEqual(steps, want) {
		t.Errorf("steps %v, not %v", steps, want)
	}
	for _, line := range foreign {
		if !strings.Contains(others.String(), line) {
			t.Errorf("%.40q was not passed on", line)
		}
	}
	if strings.Contains(others.String(), "rank 0") {
		t.Errorf("passed on: %.200q", others.String())
	}
}

func TestStepsIncomplete(t *testing.T) {
	for _, c := range []struct {
		name, drop, add, want string
		complete              int
	}{
		{"a step", "step 2 rank 1 ", "", "did not print its step 2 of 3 on rank 1", 2},
		{"a start", "start rank 3 ", "", "did not print its start on rank 3", 0},
		{"the end", "step 1 rank", "", "did not print its step 1 of 3 on rank 0, 1, 2, 3", 1},
		{"one more step", "none", "step 3 rank 0 5", "the job has 3 steps", 3},
		{"one more rank", "none", "step 2 rank 4 5", "the job has 4 ranks", 3},
		{"a line again", "none", "step 1 rank 0 5", "has said this before", 3},
		{"time goes back", "step 1 rank 2 ", "step 1 rank 2 5", "rank 2 ends step 1 before it begins", 1},
	} {
		var kept []string
		for _, line := range append(lines(4, 3), c.add) {
			if !strings.HasPrefix(line, c.drop) || line == c.add {
				kept = append(kept, line)
			}
		}
		steps, err := replay.Steps(strings.NewReader(strings.Join(kept, "\n")), 4, 3, io.Discard)
		if err == nil || !strings.Contains(err.Error(), c.want) || len(steps) != c.complete {
			t.Errorf("%s: %d steps, error %v; not %d steps, %q", c.name, len(steps), err, c.complete, c.want)
		}
	}
}

func TestStepsReadError(t *testing.T) {
	broken := errors.New("broken")
	output := io.MultiReader(strings.NewReader(strings.Join(lines(2, 1), "\n")+"\n"), iotest.ErrReader(broken))
	steps, err := replay.Steps(output, 2, 1, io.Discard)
	if !errors.Is(err, broken) || len(steps) != 1 {
		t.Errorf("%d steps, error %v", len(steps), err)
	}
	if _, err := replay.Steps(strings.NewReader(""), 1<<20, 1<<20, io.Discard); err == nil {
		t.Error("too many steps and ranks are taken")
	}
}

// No output makes the parser fail; what it does not use is passed on, what it returns is plausible.
func FuzzSteps(f *testing.F) {
	f.Add(strings.Join(lines(2, 2), "\n"))
	f.Add("start rank 0 1\nstep 0 rank 0 18446744073709551615\nstep 0 rank +1 2\n")
	f.Add("step 0 rank 0 5")
	f.Fuzz(func(t *testing.T, output string) {
		var others bytes.Buffer
		steps, err := replay.Steps(strings.NewReader(output), 2, 2, &others)
		if len(steps) > 2 || err == nil && len(steps) != 2 || others.Len() > len(output) {
			t.Fatalf("%d steps, %d bytes passed on, error %v", len(steps), others.Len(), err)
		}
		for _, s := range steps {
			if s.Seconds < 0 || s.Slowest < 0 || s.Slowest > 1 {
				t.Fatalf("step %v", s)
			}
		}
		if !strings.Contains(output, "rank") && others.String() != output {
			t.Fatalf("%q was not passed on, but %q", output, others.String())
		}
	})
}
