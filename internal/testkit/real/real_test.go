package real_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"remap/internal/testkit/real"
)

// slots of the hosts n0 to n7: uneven, 256 together.
var slots = []int{64, 3, 17, 40, 1, 56, 25, 50}

func names() []string {
	hosts := make([]string, len(slots))
	for h := range hosts {
		hosts[h] = fmt.Sprintf("n%d", h)
	}
	return hosts
}

// shuffled says for each of 256 ranks which host it is to run on, in no order.
func shuffled() []int {
	var places []int
	for h, n := range slots {
		for range n {
			places = append(places, h)
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	random.Shuffle(len(places), func(i, j int) { places[i], places[j] = places[j], places[i] })
	return places
}

// file writes lines to a file in a folder of its own.
func file(t *testing.T, lines []string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "places")
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func hostfile(t *testing.T) string {
	t.Helper()
	var lines []string
	for h, n := range slots {
		lines = append(lines, fmt.Sprintf("n%d slots=%d", h, n))
	}
	return file(t, lines)
}

func rankfile(t *testing.T, places []int) string {
	t.Helper()
	lines, used := make([]string, len(places)), make([]int, len(slots))
	for r, h := range places {
		lines[r] = fmt.Sprintf("rank %d=n%d slot=%d", r, h, used[h])
		used[h]++
	}
	return file(t, lines)
}

// sequential is a file with a line for each rank: its host.
func sequential(t *testing.T, places []int) string {
	t.Helper()
	lines := make([]string, len(places))
	for r, h := range places {
		lines[r] = fmt.Sprintf("n%d", h)
	}
	return file(t, lines)
}

// check runs a launcher whose ranks write their host to a file each, and compares every rank's with
// its place. What a launcher loses of standard output does not count.
func check(t *testing.T, places []int, env []string, says, launcher string, arguments ...string) {
	t.Helper()
	folder := t.TempDir()
	command := exec.CommandContext(t.Context(), launcher, append(arguments, "sh", "-c", says, "sh", folder)...)
	command.Env = append(os.Environ(), env...)
	command.Dir = folder
	said, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", command, err, said)
	}
	files, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != len(places) {
		t.Errorf("%d ranks ran, not %d; the launcher says %q", len(files), len(places), said)
	}
	for r, h := range places {
		host, err := os.ReadFile(filepath.Join(folder, strconv.Itoa(r)))
		if want := fmt.Sprintf("n%d\n", h); err != nil || string(host) != want {
			t.Errorf("rank %d runs on %q, not on %q (%v)", r, host, want, err)
		}
	}
}

// What a rank runs: it writes its host to the file of its number, in the folder $1. Open MPI 4.1.4 on
// a busy machine has left out ranks with exit status 0, when ranks end at once: about one run in 20.
// With the second of sleep it was not seen in 14 runs. The cause is not known.
const (
	openMPISays = `hostname >>"$1/$OMPI_COMM_WORLD_RANK"; sleep 1`
	hydraSays   = `hostname >>"$1/$PMI_RANK"`
	slurmSays   = `echo "$SLURMD_NODENAME" >>"$1/$SLURM_PROCID"`
)

func TestRealOpenMPI4(t *testing.T) {
	mpirun, env, places := real.OpenMPI4(t), real.Hosts(t, names()), shuffled()
	t.Run("rankfile", func(t *testing.T) {
		check(t, places, env, openMPISays, mpirun, "-np", "256", "--hostfile", hostfile(t),
			"--rankfile", rankfile(t, places))
	})
	t.Run("sequential", func(t *testing.T) {
		check(t, places, env, openMPISays, mpirun, "-np", "256", "--hostfile", sequential(t, places),
			"--mca", "rmaps", "seq")
	})
	t.Run("hostfile", func(t *testing.T) {
		check(t, blocks(), env, openMPISays, mpirun, "-np", "256", "--hostfile", hostfile(t), "--map-by", "slot",
			"--bind-to", "none")
	})
}

// blocks is the ranks in order of the hosts.
func blocks() []int {
	var places []int
	for h, n := range slots {
		for range n {
			places = append(places, h)
		}
	}
	return places
}

func TestRealOpenMPI5(t *testing.T) {
	mpirun, env := real.OpenMPI5(t)
	places := shuffled()
	t.Run("rankfile", func(t *testing.T) {
		check(t, places, env, openMPISays, mpirun, "-np", "256", "--hostfile", hostfile(t), "--map-by",
			"rankfile:FILE="+rankfile(t, places))
	})
	t.Run("sequential", func(t *testing.T) {
		check(t, places, env, openMPISays, mpirun, "-np", "256", "--hostfile", sequential(t, places),
			"--map-by", "seq", "--bind-to", "none")
	})
}

// A machine file as it is meant, a block for each host, with the hosts in no order; and a line for
// each rank, which Hydra follows as well, though with a connection for each.
func TestRealHydra(t *testing.T) {
	real.Need(t, "mpiexec.hydra")
	env := real.Hosts(t, names())
	t.Run("blocks", func(t *testing.T) {
		var places []int
		var lines []string
		for _, h := range []int{5, 0, 7, 4, 2, 6, 1, 3} {
			lines = append(lines, fmt.Sprintf("n%d:%d", h, slots[h]))
			for range slots[h] {
				places = append(places, h)
			}
		}
		check(t, places, env, hydraSays, "mpiexec.hydra", "-f", file(t, lines), "-n", "256")
	})
	t.Run("rank by rank", func(t *testing.T) {
		places := []int{3, 1, 1, 7, 3, 0, 5, 1, 7, 7, 2, 3, 4, 6, 1, 0}
		check(t, places, env, hydraSays, "mpiexec.hydra", "-f", sequential(t, places),
			"-n", "16")
	})
}

func TestRealSlurm(t *testing.T) {
	env, places := real.Slurm(t, len(slots), 64), shuffled()
	env = append(env, "SLURM_HOSTFILE="+sequential(t, places))
	check(t, places, env, slurmSays, "srun", "-n", "256", "-m", "arbitrary")
}
