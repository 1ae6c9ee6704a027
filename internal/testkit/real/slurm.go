package real

import (
	"bytes"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// Slurm starts a cluster of nodes n0, n1, ... on this machine, with so many processors each, and is
// the settings (NAME=VALUE) under which srun and sbatch use it. It is stopped at the end of the
// test, also if the test process dies. Tasks learn their node from SLURMD_NODENAME.
func Slurm(t testing.TB, nodes, cpus int) []string {
	t.Helper()
	Need(t, "munged", "mungekey", "slurmctld", "slurmd", "srun", "sbatch")
	if os.Geteuid() != 0 {
		t.Skip("skipped: only root can start the daemons of Slurm")
	}
	// Not t.TempDir: sockets are inside, whose paths end at 107 bytes.
	folder, err := os.MkdirTemp("", "slurm")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(folder); err != nil {
			t.Error(err)
		}
	})
	guard(t, folder)
	script := exec.CommandContext(t.Context(), Script(t, "slurm"), "up", folder, strconv.Itoa(nodes),
		strconv.Itoa(cpus))
	var said bytes.Buffer
	script.Stderr = &said
	path, err := script.Output()
	if err != nil {
		t.Fatalf("Slurm does not start: %v\n%s", err, said.Bytes())
	}
	return []string{"SLURM_CONF=" + strings.TrimSpace(string(path))}
}

// guard stops the cluster when the test is done, or when its process is no more: either ends the
// standard input of the script.
func guard(t testing.TB, folder string) {
	t.Helper()
	script := exec.Command(Script(t, "slurm"), "guard", folder) // ends by its input, not by a context
	script.SysProcAttr = &syscall.SysProcAttr{Setsid: true}     // Ctrl-C is for the test
	var said bytes.Buffer
	script.Stderr = &said
	input, err := script.StdinPipe()
	if err == nil {
		err = script.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = input.Close()
		if err := script.Wait(); err != nil {
			t.Errorf("Slurm does not stop: %v\n%s", err, said.Bytes())
		}
	})
}
