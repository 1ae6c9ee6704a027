package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"remap/internal/testkit/real"
)

// realSlots are those of the hosts n0 to n7: 256 together, uneven.
var realSlots = []int{64, 3, 17, 40, 1, 56, 25, 50}

// realHosts is their host list.
func realHosts() string {
	var list []string
	for h, slots := range realSlots {
		list = append(list, fmt.Sprintf("n%d:%d", h, slots))
	}
	return strings.Join(list, ",")
}

// writeReal writes a mapping of 256 ranks as csv: ranks in blocks, the hosts in an order that no launcher
// has by itself, or each rank anywhere.
func writeReal(t *testing.T, name string, blocks bool) {
	t.Helper()
	var places [][2]int
	for _, h := range []int{5, 2, 7, 0, 3, 6, 1, 4} {
		for slot := range realSlots[h] {
			places = append(places, [2]int{h, slot})
		}
	}
	if !blocks {
		rand.New(rand.NewPCG(1, 2)).Shuffle(len(places),
			func(i, j int) { places[i], places[j] = places[j], places[i] })
	}
	var text strings.Builder
	text.WriteString("rank,host,slot\n")
	for r, p := range places {
		fmt.Fprintf(&text, "%d,n%d,%d\n", r, p[0], p[1])
	}
	if err := os.WriteFile(name, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
}

// verified runs verify --run on a file, against the plan.
func verified(t *testing.T, wantCode int, file, format, plan string, more ...string) (stdout, stderr string) {
	t.Helper()
	code, stdout, stderr := runHere(append([]string{"verify", "--mapping", file, "--mapping-format", format,
		"--plan", plan, "--hosts", realHosts(), "--run"}, more...)...)
	if code != wantCode {
		t.Errorf("%s: exit code %d, want %d\n%s%s", file, code, wantCode, stdout, stderr)
	}
	return stdout, stderr
}

// written converts a plan, and names the file.
func written(t *testing.T, plan, format string) string {
	t.Helper()
	file := strings.TrimSuffix(plan, ".csv") + "." + strings.ReplaceAll(format, "-", "_")
	if code, _, stderr := runHere("convert", "--mapping", plan, "--hosts", realHosts(), "--format", format,
		"--output", file, "--force"); code != 0 {
		t.Fatalf("%s: %s", format, stderr)
	}
	return file
}

// script writes a launcher that changes its arguments and starts the real one.
func script(t *testing.T, name, text string) string {
	t.Helper()
	path, err := filepath.Abs(name)
	if err == nil {
		err = os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o700)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func setenv(t *testing.T, environment []string) {
	for _, e := range environment {
		name, value, _ := strings.Cut(e, "=")
		t.Setenv(name, value)
	}
}

func realNames() []string {
	var names []string
	for h := range realSlots {
		names = append(names, fmt.Sprintf("n%d", h))
	}
	return names
}

// One mapping of 256 ranks on 8 hosts with uneven slots, written for Open MPI 4 and for Hydra and started by
// each, runs where it was planned, rank by rank; so does one in no order under Open MPI.
func TestRealVerifyMPI(t *testing.T) {
	mpirun := real.OpenMPI4(t)
	setenv(t, real.Hosts(t, realNames()))
	t.Chdir(t.TempDir())
	writeReal(t, "blocks.csv", true)
	writeReal(t, "anywhere.csv", false)
	for _, format := range []string{"openmpi-rankfile", "openmpi-seq", "openmpi-hostfile"} {
		verified(t, 0, written(t, "blocks.csv", format), format, "blocks.csv", "--launcher", mpirun)
	}
	for _, format := range []string{"openmpi-rankfile", "openmpi-seq"} {
		verified(t, 0, written(t, "anywhere.csv", format), format, "anywhere.csv", "--launcher", mpirun)
	}
	t.Run("found", func(t *testing.T) { findsWrong(t, mpirun) })
	t.Run("Hydra", func(t *testing.T) {
		real.Need(t, "mpiexec.hydra")
		for _, format := range []string{"mpich-hostfile", "pbs-nodefile"} {
			verified(t, 0, written(t, "blocks.csv", format), format, "blocks.csv")
		}
	})
}

// findsWrong: a launcher that swaps two ranks, and one that ignores the file, are found by running them, and
// so are, without, a file with two ranks swapped and a host that the job does not have.
func findsWrong(t *testing.T, mpirun string) {
	file := written(t, "anywhere.csv", "openmpi-rankfile")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(text), "\n")
	a, b := 3, 4
	for lines[a][len("rank 3="):len("rank 3=n0")] == lines[b][len("rank 3="):len("rank 3=n0")] {
		b++ // a rank on another host
	}
	_, seatA, _ := strings.Cut(lines[a], "=")
	_, seatB, _ := strings.Cut(lines[b], "=")
	lines[a], lines[b] = fmt.Sprintf("rank %d=%s", a, seatB), fmt.Sprintf("rank %d=%s", b, seatA)
	if err := os.WriteFile("swapped.rankfile", []byte(strings.Join(lines, "")), 0o600); err != nil {
		t.Fatal(err)
	}
	stdout, stderr := verified(t, exitNo, "swapped.rankfile", "openmpi-rankfile", "anywhere.csv")
	if !strings.Contains(stderr, "2 of 256 ranks are placed on other hosts") {
		t.Errorf("a swapped pair in the file:\n%s%s", stdout, stderr)
	}
	swaps := script(t, "swaps", "for a; do shift; [ \"$a\" = "+file+" ] && a=swapped.rankfile; set -- "+
		"\"$@\" \"$a\"; done\n"+
		"exec "+mpirun+" \"$@\"\n")
	stdout, stderr = verified(t, exitNo, file, "openmpi-rankfile", "anywhere.csv", "--launcher", swaps)
	if !strings.Contains(stderr, "2 of 256 ranks do not run where they should") ||
		!strings.Contains(stdout, fmt.Sprintf("\n %d ", a)) || !strings.Contains(stdout, fmt.Sprintf("\n %d ", b)) {
		t.Errorf("a launcher that swaps ranks %d and %d:\n%s%s", a, b, stdout, stderr)
	}
	ignores := script(t, "ignores", "case $1 in --version) exec "+mpirun+" --version;; esac\n"+
		"shift 6\nexec "+mpirun+" -np 256 --hostfile "+file+".hosts --bind-to none \"$@\"\n")
	stdout, stderr = verified(t, exitNo, file, "openmpi-rankfile", "anywhere.csv", "--launcher", ignores)
	if !strings.Contains(stderr, "seems not to have used the file: the ranks fill one host after the other") {
		t.Errorf("a launcher that ignores the file:\n%s%s", stdout, stderr)
	}
	missing := strings.Replace(string(text), "=n6 ", "=n9 ", 1)
	if err := os.WriteFile("missing.rankfile", []byte(missing), 0o600); err != nil {
		t.Fatal(err)
	}
	_, stderr = verified(t, exitNo, "missing.rankfile", "openmpi-rankfile", "anywhere.csv", "--launcher", mpirun)
	if !strings.Contains(stderr, "host n9 is not one of the job's hosts") {
		t.Errorf("a host that the job does not have: %s", stderr)
	}
}

// The same mappings under Slurm; and Slurm's own words for a host that it does not have.
func TestRealVerifySlurm(t *testing.T) {
	setenv(t, real.Slurm(t, 8, 64))
	t.Chdir(t.TempDir())
	for _, plan := range []string{"blocks.csv", "anywhere.csv"} {
		writeReal(t, plan, plan == "blocks.csv")
		verified(t, 0, written(t, plan, "slurm-hostfile"), "slurm-hostfile", plan)
	}
	text, err := os.ReadFile("blocks.slurm_hostfile")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("missing", []byte(strings.Replace(string(text), "n5\n", "n8\n", 1)),
		0o600); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := runHere("verify", "--mapping", "missing", "--mapping-format", "slurm-hostfile",
		"--run")
	if code != exitNo || !strings.Contains(stderr, "launcher: srun: error:") {
		t.Errorf("a host that Slurm does not have: exit code %d\n%s%s", code, stdout, stderr)
	}
}

// The same mapping under Open MPI 5, whose launch line is another one.
func TestRealVerifyOpenMPI5(t *testing.T) {
	mpirun, environment := real.OpenMPI5(t)
	setenv(t, environment)
	t.Chdir(t.TempDir())
	writeReal(t, "blocks.csv", true)
	writeReal(t, "anywhere.csv", false)
	for _, format := range []string{"openmpi-rankfile", "openmpi-seq"} {
		_, stderr := verified(t, 0, written(t, "anywhere.csv", format), format, "anywhere.csv", "--launcher",
			mpirun)
		if !strings.Contains(stderr, "--map-by") {
			t.Errorf("the launch line is not that of version 5: %s", stderr)
		}
	}
	verified(t, 0, written(t, "blocks.csv", "openmpi-hostfile"), "openmpi-hostfile", "blocks.csv",
		"--launcher", mpirun)
}
