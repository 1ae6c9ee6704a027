package replay_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"remap/internal/testkit/real"
	"remap/replay"
	"remap/workload"
)

// need skips the test where MPI programs cannot be compiled and run.
func need(t *testing.T) (mpirun string, e replay.Executables) {
	t.Helper()
	mpirun = real.OpenMPI4(t)
	real.Need(t, "mpicc")
	e, err := replay.Compile(t.Context(), folder)
	if err != nil {
		t.Fatal(err)
	}
	return mpirun, e
}

// folder is where all tests compile to.
var folder string

func TestMain(m *testing.M) {
	var err error
	if folder, err = os.MkdirTemp("", "replay"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(folder)
	os.Exit(code)
}

// launch runs an application on this machine and returns what it prints. One minute must suffice.
func launch(t *testing.T, mpirun string, command []string, ranks int, options ...string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	arguments := append([]string{"--oversubscribe", "--mca", "btl", "tcp,self", "--mca", "btl_tcp_if_include",
		"lo", "--mca", "mpi_yield_when_idle", "1", "--bind-to", "none", "-np", fmt.Sprint(ranks)}, options...)
	c := exec.CommandContext(ctx, mpirun, append(arguments, command...)...)
	c.Env = append(os.Environ(), "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
	c.Dir = t.TempDir()
	said, err := c.CombinedOutput() // standard input is /dev/null
	return string(said), err
}

// write writes a program to a file.
func write(t *testing.T, p *workload.Program) string {
	t.Helper()
	var text bytes.Buffer
	if err := replay.Write(&text, p); err != nil {
		t.Fatal(err)
	}
	return put(t, text.Bytes())
}

func put(t *testing.T, text []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Real ranks play every pattern: all messages come, in order, with the content that was sent.
func TestRealPatterns(t *testing.T) {
	mpirun, executables := need(t)
	for _, spec := range patterns {
		p, err := replay.WithReceives(parse(t, spec))
		if err != nil {
			t.Fatal(err)
		}
		o := replay.DefaultOptions()
		o.Steps = 3
		said, err := launch(t, mpirun, executables.Command(replay.Play(write(t, p), p), o), p.Ranks())
		if err != nil {
			t.Fatalf("%s: %v\n%s", spec, err, said)
		}
		var others bytes.Buffer
		steps, err := replay.Steps(strings.NewReader(said), p.Ranks(), o.Steps, &others)
		if err != nil || others.Len() > 0 {
			t.Errorf("%s: %v\n%s", spec, err, others.String())
		}
		t.Logf("%s: %v", spec, steps)
	}
}

// A rank that is told a wrong file says which line, and the job fails.
func TestRealBadFiles(t *testing.T) {
	mpirun, executables := need(t)
	b := workload.NewBuilder(2, 0)
	b.Isend(1, 10, 3)
	b.WaitAll()
	b.EndRank()
	b.Receive(0, 10, 3)
	b.EndRank()
	p, err := b.Program()
	if err != nil {
		t.Fatal(err)
	}
	var good bytes.Buffer
	if err := replay.Write(&good, p); err != nil {
		t.Fatal(err)
	}
	const text = "remap-replay 1 2\n0 5 1 2\n23 8 1 1\n1\nisend 1 3 10\nwaitall\n0\nreceive 0 3 10 1\n"
	if good.String() != text {
		t.Fatalf("the file is %q, not %q", good.String(), text)
	}
	for _, c := range []struct{ old, new, want string }{
		{"remap-replay 1", "remap-replay 2", ":1: this is no program for replay"},
		{"remap-replay 1 2", "remap-replay 1 3", ":1: the program is for 3 ranks, not 2"},
		{"isend 1 3 10", "isend 2 3 10", "rank 0: FILE:5: there is no such rank"},
		{"isend 1 3 10", "isend 1 3 10 1", "rank 0: FILE:5: there is more on the line than belongs there"},
		{"isend 1 3 10", "isend 1 3 1x", "rank 0: FILE:5: there is more on the line than belongs there"},
		{"isend 1 3 10", "isend 1 3", "rank 0: FILE:5: a number is missing or too large"},
		{"isend 1 3 10", "issue 1 3 10", "rank 0: FILE:5: there is no such operation"},
		{"isend 1 3 10", "isend 1 65535 10", "rank 0: FILE:5: there is no such tag"},
		{"isend 1 3 10", "isend 1 3 9999999999", "rank 0: FILE:5: a message has 0 to 2^30 bytes"},
		{"waitall", "wait 1", "rank 0: FILE:6: it waits for a request that was not made before"},
		{"receive 0 3 10 1\n", "", "rank 1: FILE:8: the file ends too early"},
		{"receive 0 3 10 1\n", "receive 0 3", "rank 1: FILE:8: the line is cut off or too long"},
		{"receive 0 3 10 1", "receive 0 3 12 1", "a message of 10 bytes from rank 0, tag 3, not of 12 bytes"},
		{"receive 0 3 10 1", "receive 0 3 5 1", "rank 1: step 0, FILE:8: MPI_ERR_TRUNCATE"},
		{"23 8 1 1", "-3 8 1 1", "rank 1: FILE:3: a number is out of its bounds"},
	} {
		path := put(t, []byte(strings.Replace(text, c.old, c.new, 1)))
		o := replay.DefaultOptions()
		want := strings.ReplaceAll(c.want, "FILE", path)
		// A file of another length misleads the other rank, too. The first to find a mistake ends both, and
		// what the other says can be lost: it is asked again.
		for range 10 {
			said, err := launch(t, mpirun, executables.Command(replay.Play(path, p), o), 2)
			if err == nil {
				t.Errorf("%q: no error, said %q", c.new, said)
			}
			if strings.Contains(said, want) {
				want = ""
				break
			}
			t.Logf("%q: said %q, not %q", c.new, said, want)
		}
		if want != "" {
			t.Errorf("%q: %q was never said", c.new, want)
		}
	}
}

// Receives of any rank and any tag, from fast and slow ranks, over several steps.
func TestRealWildcards(t *testing.T) {
	mpirun, executables := need(t)
	const ranks = 6
	b := workload.NewBuilder(ranks, 0)
	for r := range ranks {
		if r == 0 {
			for range ranks - 2 {
				b.Ireceive(workload.AnySource, 0, 1)
			}
			b.Receive(ranks-1, 0, workload.AnyTag)
			b.Receive(ranks-1, 0, workload.AnyTag)
			b.Idle(3_000_000)
		} else if r == ranks-1 {
			b.Send(0, 100_000, 7)
			b.Isend(0, 5, 8)
		} else {
			b.Compute(int64(r) * 1_000_000)
			b.Isend(0, int64(30000*(r-1)), 1)
		}
		b.WaitAll()
		b.EndRank()
	}
	p, err := b.Program()
	if err != nil {
		t.Fatal(err)
	}
	o := replay.DefaultOptions()
	said, err := launch(t, mpirun, executables.Command(replay.Play(write(t, p), p), o), ranks)
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	steps, err := replay.Steps(strings.NewReader(said), ranks, o.Steps, &bytes.Buffer{})
	if err != nil {
		t.Error(err)
	}
	// Idle takes 3 ms at 1 GB/s. Step 0 is timed from when the last rank has left the barrier, and rank 0 may
	// have begun before.
	for k, s := range steps {
		if k > 0 && s.Seconds < 0.003 {
			t.Errorf("step %d takes %v s", k, s.Seconds)
		}
	}
}
