package verify

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"pgregory.net/rapid"

	"remap/launcher"
	"remap/topology"
)

// Exactly the ranks whose hosts differ are wrong, those without a plan or without a report among them.
func TestCompare(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOf(rapid.SampledFrom([]string{"n0", "n1", "n2", ""}))
		planned, found := names.Draw(t, "planned"), names.Draw(t, "found")
		at := func(list []string, r int) string {
			if r < len(list) {
				return list[r]
			}
			return ""
		}
		wrong := Compare(planned, found)
		for r := range max(len(planned), len(found)) {
			listed := slices.ContainsFunc(wrong, func(w Wrong) bool { return w.Rank == r })
			if listed != (at(planned, r) != at(found, r)) {
				t.Fatalf("rank %d of %v and %v: wrong %t", r, planned, found, listed)
			}
		}
	})
}

func TestHostNames(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"n1", "N1", true}, {"n1", "n1.cluster.org", true}, {"n1.a", "n1.b", false}, {"n1", "n10", false},
		{"n1.a", "n1.a", true}, {"10.0.0.1", "10", false}, {"10.0.0.1", "10.0.0.1", true},
	} {
		if got := len(Compare([]string{c.a}, []string{c.b})) == 0; got != c.same {
			t.Errorf("%s and %s are one host: %t", c.a, c.b, got)
		}
	}
	// A short name that two planned hosts share is neither of them.
	if wrong := Compare([]string{"n1.a", "n1.b", "n2.a"}, []string{"n1", "n1", "n2"}); len(wrong) != 2 {
		t.Errorf("n1 passes for n1.a and n1.b: %v", wrong)
	}
}

// A launcher that did not use the file is told from one that has put a pair of ranks elsewhere.
func TestIgnored(t *testing.T) {
	planned := strings.Fields("n0 n1 n1 n0 n2 n2")
	for _, c := range []struct{ found, want string }{
		{"n0 n1 n1 n0 n2 n2", ""},
		{"n1 n0 n1 n0 n2 n2", ""},
		{"n0 n0 n1 n1 n2 n2", "one host after the other"},
		{"n0 n1 n2 n0 n1 n2", "dealt out"},
		{"vm vm vm vm vm vm", "all ranks run on vm"},
		{"n0 n0 - n1 n2 n2", "one host after the other"},
		{"n0 n1 - n0 n2 n2", ""}, // one is silent, none elsewhere
	} {
		found := strings.Fields(strings.ReplaceAll(c.found, "-", "?"))
		for r := range found {
			found[r] = strings.TrimPrefix(found[r], "?")
		}
		if got := Ignored(planned, found); got == "" != (c.want == "") ||
			!strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.found, got, c.want)
		}
	}
}

// standIn is a launcher of ours: like srun, it starts the program once for each line of SLURM_HOSTFILE, but
// does what is asked for wrong.
const standIn = `#!/bin/sh
[ "$WRONG" = fail ] && { echo "no such host" >&2; exit 7; }
[ "$WRONG" = hang ] && { sleep 1000 & echo $! >"$SLURM_HOSTFILE.child"; wait; }
[ "$WRONG" = leave ] && sleep 1000 &
shift 4 # -n N -m arbitrary
rank=0
while read -r host; do
	name=$host
	[ "$WRONG" = ignore ] && name=localhost
	[ "$WRONG" = once ] && [ "$rank" = 1 ] && [ ! -e "$SLURM_HOSTFILE.seen" ] && touch "$SLURM_HOSTFILE.seen" &&
		rank=2 && continue
	[ "$WRONG" = lose ] && [ "$rank" = 2 ] && rank=3 && continue
	SLURM_PROCID=$rank SLURMD_NODENAME=$name "$@" &
	[ "$WRONG" = twice ] && [ "$rank" = 0 ] && SLURM_PROCID=$rank SLURMD_NODENAME=n7 "$@" &
	ranks="$ranks $!"
	rank=$((rank + 1))
done <"$SLURM_HOSTFILE"
wait $ranks
echo "done" >&2
[ "$WRONG" = late ] && exit 3
exit 0
`

// start writes a file for Slurm and has the stand-in start its ranks.
func start(t *testing.T, wrong string, timeout time.Duration) (planned []string, path string, o *Outcome,
	err error) {
	t.Helper()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no sh on this machine: the stand-in for a launcher cannot run")
	}
	folder := filepath.Join(t.TempDir(), "it's $(here)")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(folder, "srun")
	path = filepath.Join(folder, "hosts")
	p := &launcher.Placement{Hosts: []topology.HostSlots{{Name: "n0", Slots: 2}, {Name: "n1", Slots: 2}},
		Host: []int32{1, 0, 0, 1}, Slot: []int32{0, 0, 1, 1}}
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(launcher.WritePlacement(file, "slurm-hostfile", p, launcher.Options{}), file.Close(),
		os.WriteFile(program, []byte(standIn), 0o700)); err != nil {
		t.Fatal(err)
	}
	t.Setenv("WRONG", wrong)
	run := Run{Launch: launcher.Launches("slurm-hostfile", path, "", p, launcher.Options{})[0],
		Ranks: 4, Timeout: timeout, Tries: 3, stay: "0"}
	run.Launch.Args[0] = program
	for r := range 4 {
		planned = append(planned, p.HostName(r))
	}
	run.Planned = planned
	o, err = run.Start(context.Background())
	return planned, path, o, err
}

func TestStart(t *testing.T) {
	for _, c := range []struct {
		wrong string
		ranks []int // that are elsewhere
		fails bool
		tries int
	}{
		{"", nil, false, 1}, {"ignore", []int{0, 1, 2, 3}, false, 1}, {"fail", []int{0, 1, 2, 3}, true, 1},
		{"lose", []int{2}, false, 3}, {"late", nil, true, 1}, {"once", nil, false, 2},
		{"twice", []int{0}, false, 1}, {"leave", nil, false, 1},
	} {
		planned, _, o, err := start(t, c.wrong, 0)
		if err != nil {
			t.Fatal(err)
		}
		var ranks []int
		for _, w := range Compare(planned, o.Found) {
			ranks = append(ranks, w.Rank)
		}
		if !slices.Equal(ranks, c.ranks) || (o.Err != nil) != c.fails || o.Tries != c.tries {
			t.Errorf("%q: ranks %v are elsewhere, want %v; %d tries, ended with %v, said %q", c.wrong, ranks, c.ranks,
				o.Tries, o.Err, o.Said)
		}
	}
}

// A launcher that hangs is ended with all that it has started.
func TestTimeout(t *testing.T) {
	planned, path, o, err := start(t, "hang", time.Second)
	if err != nil || o.Err == nil || !strings.Contains(o.Err.Error(), "1s") ||
		len(Compare(planned, o.Found)) != 4 {
		t.Errorf("%+v, %v", o, err)
	}
	text, err := os.ReadFile(path + ".child")
	if err != nil {
		t.Skip("the stand-in was ended before it had started its child")
	}
	child, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	for range 100 { // until the system has taken it away
		if syscall.Kill(child, 0) != nil {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	if state, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", child)); err != nil ||
		!strings.Contains(string(state),
			") Z ") {
		t.Errorf("the child %d of the launcher still runs: %s", child, state)
	}
}

func TestNotStarted(t *testing.T) {
	run := Run{Launch: launcher.Launch{Args: []string{"/no/such/launcher"}}, Ranks: 1}
	if _, err := run.Start(context.Background()); !errors.Is(err, ErrNotStarted) {
		t.Errorf("%v", err)
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	run.Launch.Args[0] = "sh"
	if _, err := run.Start(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// Of several launches that of the installed version is taken.
func TestChoose(t *testing.T) {
	p := &launcher.Placement{Hosts: []topology.HostSlots{{Name: "n0", Slots: 1}}, Host: []int32{0},
		Slot: []int32{0}}
	launches := launcher.Launches("openmpi-rankfile", "f", "h", p, launcher.Options{})
	for says, want := range map[string]string{
		"mpirun (Open MPI) 4.1.4": "Open MPI 4", "mpirun (Open MPI) 5.0.7": "Open MPI 5",
		"mpirun (Open MPI) 6.0.0rc2": "Open MPI 5", "HYDRA build details:": "",
	} {
		program := filepath.Join(t.TempDir(), "mpirun")
		if err := os.WriteFile(program, []byte("#!/bin/sh\necho '"+says+"'\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		l, err := Choose(context.Background(), launches, program)
		if l.Launcher != want || (err == nil) != (want != "") {
			t.Errorf("%s: %q, %v; want %q", says, l.Launcher, err, want)
		}
	}
	if _, err := Choose(context.Background(), launches, "/no/such/mpirun"); !errors.Is(err, ErrNotStarted) {
		t.Errorf("%v", err)
	}
}

// Other output of ranks and launchers between the answers does not matter, nor how it is cut into pieces, nor
// ranks that nobody planned.
func TestAnswers(t *testing.T) {
	text := "hello\nremap-verify rank=1 host=n1\n[n0] remap-verify rank=0 host=n0 \nremap-verify rank=x " +
		"host=y\n" +
		strings.Repeat("y", 1<<20) + "\nremap-verify rank=3 host=a.b\nremap-verify rank=99999999999 host=n0\n" +
		"remap-verify rank=0 host=$(x)\nremap-verify rank=4 host=n4\r\nremap-verify rank=1 host=n1"
	for _, piece := range []int{1, 7, len(text)} {
		o := &Outcome{Found: make([]string, 2)}
		a := &answers{outcome: o}
		for rest := []byte(text); len(rest) > 0; rest = rest[min(piece, len(rest)):] {
			a.Write(rest[:min(piece, len(rest))])
		}
		a.flush()
		if want := []string{"n0", "n1 and n1", "", "a.b", "n4"}; !slices.Equal(o.Found, want) {
			t.Errorf("%q, want %q", o.Found, want)
		}
	}
}
