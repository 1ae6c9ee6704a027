package real

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// synthetic is the processors that Open MPI believes every host to have. A rankfile names slots up
// to that number; on the processors of this machine, mpirun ends without a word when a slot is
// beyond them. Ranks then run unbound, and --bind-to without a rankfile fails.
const synthetic = "pack:1 core:1024 pu:1"

// Hosts is the settings (NAME=VALUE) under which Open MPI 4 and Hydra start ranks on the named
// hosts, as root, without an option on their command line. It skips the test where ranks cannot
// get a host name of their own. Ranks on hosts that are called as this machine run on it directly.
//
// Hydra opens a connection for every run of lines of a host. After 8 to the same host it waits for
// 15 s, and says so on standard output. A larger HYDRA_LAUNCHER_SSH_LIMIT breaks Hydra 4.0.2.
func Hosts(t testing.TB, names []string) []string {
	t.Helper()
	Need(t, "unshare")
	if said, err := exec.CommandContext(t.Context(), "unshare", "--uts", "true").CombinedOutput(); err != nil {
		t.Skipf("skipped: ranks cannot get a host name of their own (unshare --uts): %s",
			strings.TrimSpace(string(said)))
	}
	for _, name := range names {
		if name == "localhost" || strings.HasPrefix(name, "127.") {
			t.Fatalf("host %s is this machine to every launcher: invent another name", name)
		}
	}
	agent := Script(t, "agent")
	if _, err := os.Stat(agent); err != nil {
		t.Fatal(err)
	}
	return []string{
		"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
		"OMPI_MCA_plm_rsh_agent=" + agent,
		"OMPI_MCA_plm=rsh", // not srun, in a job of Slurm
		// Without it mpirun asks the name server for every rank.
		"OMPI_MCA_if_base_do_not_resolve=1",
		"HWLOC_SYNTHETIC=" + synthetic,
		// MPI programs connect over the loopback interface.
		"OMPI_MCA_btl=tcp,self", "OMPI_MCA_btl_tcp_if_include=lo",
		"HYDRA_LAUNCHER=ssh", "HYDRA_LAUNCHER_EXEC=" + agent, "HYDRA_IFACE=lo",
	}
}
