// Package real starts real programs for tests: Chromium (Browser), and the launchers Open MPI 4 and 5,
// Hydra of MPICH, and Slurm, all on this machine. Ranks run on hosts that do not exist: each gets the
// host name that the launcher asked for. The scripts behind it are in tools/real; make test-real
// installs what is missing.
//
//	real.Need(t, "mpiexec.hydra")
//	command := exec.CommandContext(t.Context(), "mpiexec.hydra", "-f", file, "-n", "8", program)
//	command.Env = append(os.Environ(), real.Hosts(t, names)...)
package real

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Need skips a test unless REMAP_REAL is set and the programs are installed. The line of the skip
// names what is missing.
func Need(t testing.TB, programs ...string) {
	t.Helper()
	if os.Getenv("REMAP_REAL") == "" {
		t.Skip("skipped: runs real programs; set REMAP_REAL=1")
	}
	for _, program := range programs {
		if find(program) == "" {
			t.Skipf("skipped: %s is not installed; tools/real/install installs it", program)
		}
	}
}

// find is the path of a program; "" if it is not installed. Daemons are often not in PATH.
func find(program string) string {
	for _, name := range []string{program, "/usr/sbin/" + program} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// Script is the path of a script of tools/real.
func Script(t testing.TB, name string) string {
	t.Helper()
	return filepath.Join(Root(t), "tools", "real", name)
}

// Root is the folder of the module, which holds the folder that the test runs in.
func Root(t testing.TB) string {
	t.Helper()
	folder, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			return folder
		}
		if folder == filepath.Dir(folder) {
			t.Fatal("the test runs outside the module: no go.mod in any folder above")
		}
		folder = filepath.Dir(folder)
	}
}

// OpenMPI4 is the path of the mpirun of Open MPI 4. It skips the test where there is none, and
// where mpirun is that of another MPI, as it can be beside MPICH.
func OpenMPI4(t testing.TB) string {
	t.Helper()
	Need(t)
	for _, name := range []string{"mpirun.openmpi", "mpirun"} {
		path := find(name)
		if path == "" {
			continue
		}
		said, err := exec.CommandContext(t.Context(), path, "--version").CombinedOutput()
		if err == nil && strings.Contains(string(said), "(Open MPI) 4.") {
			return path
		}
	}
	t.Skip("skipped: there is no mpirun of Open MPI 4; tools/real/install installs it")
	return ""
}
