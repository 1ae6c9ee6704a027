package real

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// OpenMPI5 is the path of an mpirun of Open MPI 5 and the settings (NAME=VALUE) under which it
// starts ranks on hosts that do not exist. It runs in a tree of its own, which sees the current
// folder and the one for temporary files only. The first call of all makes the tree, in
// .tools/openmpi5 or in the folder REMAP_OPENMPI5, from the network.
//
// Sequential files need --bind-to none: without it Open MPI 5.0.7 starts no rank and exits with 0.
func OpenMPI5(t testing.TB) (mpirun string, env []string) {
	t.Helper()
	Need(t, "unshare")
	folder := os.Getenv("REMAP_OPENMPI5")
	if folder == "" {
		folder = filepath.Join(Root(t), ".tools", "openmpi5")
	}
	said, err := exec.CommandContext(t.Context(), Script(t, "openmpi5"), folder).Output()
	line := strings.TrimSpace(string(said))
	if strings.HasPrefix(line, "skipped:") {
		t.Skip(line)
	}
	if err != nil {
		t.Fatalf("%s: %v", Script(t, "openmpi5"), err)
	}
	return line, []string{"HWLOC_SYNTHETIC=" + synthetic}
}
