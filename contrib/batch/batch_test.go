// Package batch_test runs the batch scripts that can be run on one machine.
package batch_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"remap/internal/testkit/real"
)

// run runs a program to its end, and fails the test with its output.
func run(t *testing.T, folder string, env []string, program string, arguments ...string) {
	t.Helper()
	command := exec.CommandContext(t.Context(), program, arguments...)
	command.Dir = folder
	command.Env = append(os.Environ(), env...)
	if said, err := command.CombinedOutput(); err != nil {
		log, _ := os.ReadFile(filepath.Join(folder, "job.out"))
		t.Fatalf("%s: %v\n%s%s", command, err, said, log)
	}
}

// app is what the batch script runs: it notes the node of each rank, and solves a heat problem.
const app = `#!/bin/sh
echo "$SLURMD_NODENAME" >"places/$SLURM_PROCID" && exec ./heat 8 4 64 2
`

// A job of 32 ranks on 8 nodes is recorded, mapped, verified and run; each rank runs on the node
// that the file says. A second job on the same nodes uses what the first has left.
func TestRealSlurmScript(t *testing.T) {
	real.Need(t, "mpicc.mpich", "make")
	env := real.Slurm(t, 8, 4)
	root, folder := real.Root(t), t.TempDir()
	run(t, root, nil, "go", "build", "-o", filepath.Join(folder, "remap"), "./cmd/remap")
	run(t, root, nil, "make", "-C", "contrib/record", "MPICC=mpicc.mpich", "OUT="+folder)
	run(t, root, nil, "mpicc.mpich", "-O2", "-o", filepath.Join(folder, "heat"), "fixtures/record/heat.c")
	write(t, filepath.Join(folder, "app"), app)
	env = append(env, "MPI=pmi2", "BUDGET=2s", "REMAP="+filepath.Join(folder, "remap"),
		"RECORD="+filepath.Join(folder, "libremap_record.so"),
		"FABRIC=fattree:nodes-per-leaf=2,leaves-per-pod=4,pods=1,aggs-per-pod=2,cores=0")
	script := filepath.Join(root, "contrib", "batch", "slurm.sh")
	var first [][]byte
	for range 2 {
		if err := os.Mkdir(filepath.Join(folder, "places"), 0o700); err != nil {
			t.Fatal(err)
		}
		run(t, folder, env, "sbatch", "--wait", "--output=job.out", script)
		var left [][]byte
		for _, name := range []string{"graph.csv", "hosts", "job.slurm-hostfile"} {
			left = append(left, read(t, folder, "remap-job", name))
		}
		places := strings.Fields(string(left[2]))
		if len(places) != 32 {
			t.Fatalf("the file has %d lines, not 32", len(places))
		}
		for r, want := range places {
			if got := strings.TrimSpace(string(read(t, folder, "places", strconv.Itoa(r)))); got != want {
				t.Errorf("rank %d runs on %s, not on %s", r, got, want)
			}
		}
		for i := range first {
			if !bytes.Equal(first[i], left[i]) {
				t.Errorf("the second job changes what the first has left: %s, was %s", left[i], first[i])
			}
		}
		first = left
		if err := os.RemoveAll(filepath.Join(folder, "places")); err != nil {
			t.Fatal(err)
		}
	}
}

func read(t *testing.T, path ...string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// Every script is accepted by a shell and by shellcheck.
func TestRealScriptsAreClean(t *testing.T) {
	real.Need(t, "shellcheck")
	root := real.Root(t)
	for _, pattern := range []string{"contrib/batch/*.sh", "tools/real/*"} {
		scripts, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil || len(scripts) == 0 {
			t.Fatalf("%s: no scripts (%v)", pattern, err)
		}
		run(t, root, nil, "shellcheck", scripts...)
	}
}

// The scripts for PBS and LSF run under Open MPI with the node file that either writes, its hosts in
// turns. Their directives, and Flux, are not tried: there is no PBS, LSF or Flux here.
func TestRealOpenMPIScripts(t *testing.T) {
	mpirun := real.OpenMPI4(t)
	real.Need(t, "mpicc.openmpi", "make")
	env := real.Hosts(t, []string{"n0", "n3", "n5", "n6"})
	root, tools := real.Root(t), t.TempDir()
	run(t, root, nil, "go", "build", "-o", filepath.Join(tools, "remap"), "./cmd/remap")
	run(t, root, nil, "make", "-C", "contrib/record", "MPICC=mpicc.openmpi", "OUT="+tools)
	run(t, root, nil, "mpicc.openmpi", "-O2", "-o", filepath.Join(tools, "heat"), "fixtures/record/heat.c")
	if err := os.Symlink(mpirun, filepath.Join(tools, "mpirun")); err != nil {
		t.Fatal(err)
	}
	env = append(env, "PATH="+tools+":"+os.Getenv("PATH"), "BUDGET=2s",
		"RECORD="+filepath.Join(tools, "libremap_record.so"),
		"FABRIC=fattree:nodes-per-leaf=2,leaves-per-pod=4,pods=1,aggs-per-pod=2,cores=0")
	for _, name := range []string{"pbs.sh", "lsf.sh"} {
		folder := t.TempDir()
		write(t, filepath.Join(folder, "nodes"), "n3\nn0\nn3\nn0\nn5\nn0\nn5\nn6\n")
		write(t, filepath.Join(folder, "app"),
			"#!/bin/sh\nhostname >place.$OMPI_COMM_WORLD_RANK && exec heat 4 2 32 3\n")
		run(t, folder, append(env, "PBS_NODEFILE="+filepath.Join(folder, "nodes"), "PBS_O_WORKDIR="+folder,
			"LSB_DJOB_HOSTFILE="+filepath.Join(folder, "nodes")),
			"sh", filepath.Join(root, "contrib", "batch", name))
		if got, want := string(read(t, folder, "remap-job", "hosts")), "n3:2\nn0:3\nn5:2\nn6:1\n"; got != want {
			t.Errorf("%s: hosts are %q, not %q", name, got, want)
		}
		lines := strings.Split(strings.TrimSpace(string(read(t, folder, "remap-job", "job.rankfile"))), "\n")
		ranks := 0
		for _, line := range lines {
			var rank int
			var host string
			if _, err := fmt.Sscanf(strings.ReplaceAll(line, "=", " "), "rank %d %s", &rank, &host); err != nil {
				continue // a comment
			}
			ranks++
			if got := strings.TrimSpace(string(read(t, folder, fmt.Sprint("place.", rank)))); got != host {
				t.Errorf("%s: rank %d runs on %s, not on %s", name, rank, got, host)
			}
		}
		if ranks != 8 {
			t.Errorf("%s: %d ranks are placed, not 8", name, ranks)
		}
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
}
