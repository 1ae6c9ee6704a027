package launcher

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"remap/internal/testkit/real"
	"remap/mapping"
)

// openMPI4 has the real Open MPI parse a rankfile for invented hosts, and returns
// what it says. Its exit status is always 0; that it got as far as assigning
// processors on a host means that it took the file. It believes every host to
// be like this one, and ends without a word when a slot is beyond its
// processors: hence the synthetic host with enough of them.
func openMPI4(t *testing.T, program string, ranks int, hosts []string, slots int, rankfile []byte) string {
	t.Helper()
	folder := t.TempDir()
	names, list := bytes.NewBufferString("127.0.0.1 localhost\n"), &bytes.Buffer{}
	for i, h := range hosts {
		fmt.Fprintf(names, "127.1.%d.%d %s\n", i/250, i%250+1, h)
		fmt.Fprintf(list, "%s slots=%d\n", h, slots)
	}
	for name, text := range map[string][]byte{"hosts": names.Bytes(), "hostfile": list.Bytes(),
		"rankfile": rankfile} {
		if err := os.WriteFile(filepath.Join(folder, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	command := exec.CommandContext(t.Context(), "unshare", "--mount", "sh", "-c", fmt.Sprintf(
		"mount --bind hosts /etc/hosts && exec %s --allow-run-as-root -np %d --hostfile hostfile "+
			"--rankfile rankfile --do-not-launch true", program, ranks))
	command.Dir = folder
	command.Env = append(os.Environ(), fmt.Sprintf("HWLOC_SYNTHETIC=pack:1 core:%d pu:1", slots))
	output, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("mpirun: %v\n%s", err, output)
	}
	return string(output)
}

const accepted = "attempt to assign hardware locations"

// 4096 ranks on 256 hosts, in random places, are taken; the same file with a
// rank twice or an unknown host is not.
func TestRealOpenMPITakesRankfile(t *testing.T) {
	program := real.OpenMPI4(t)
	real.Need(t, "unshare")
	machine := mustNetwork(t, "torus:16x16")
	a := &mapping.Allocation{Hosts: mapping.Identity(256)}
	for range a.Hosts {
		a.Slots = append(a.Slots, 16)
	}
	m := make(mapping.Mapping, 4096)
	for r := range m {
		m[r] = int32(r * 1237 % 4096)
	}
	var text bytes.Buffer
	if err := Write(&text, "openmpi-rankfile", machine, a, m); err != nil {
		t.Fatal(err)
	}
	said := openMPI4(t, program, len(m), machine.HostNames, 16, text.Bytes())
	if !strings.Contains(said, accepted) {
		t.Errorf("Open MPI does not take the rankfile: %s", said)
	}
	for said, wrong := range map[string][2]string{
		"A rank is missing its location specification":  {"rank 7=", "rank 8="},
		"claimed that a host was either not\nallocated": {"=n0 ", "=m0 "},
		"invalid syntax in the rankfile":                {"rank 7=n", "rank 7 n"},
	} {
		changed := strings.Replace(text.String(), wrong[0], wrong[1], 1)
		got := openMPI4(t, program, len(m), machine.HostNames, 16, []byte(changed))
		if !strings.Contains(got, said) || strings.Contains(got, accepted) {
			t.Errorf("%s instead of %s: Open MPI does not complain: %s", wrong[1], wrong[0], got)
		}
	}
}

// The real parser takes and refuses the host names that we take and refuse.
// (We also refuse a@b, which means user a on host b, and a,b.)
func TestRealOpenMPIHostNames(t *testing.T) {
	program := real.OpenMPI4(t)
	real.Need(t, "unshare")
	for _, name := range []string{"node-0", "node_1", "0node", "12", "a.x", "10.0.0.5", "slotted", "rank",
		"slots", "user-name", "3com.x"} {
		said := openMPI4(t, program, 2, []string{name, "other"}, 1,
			fmt.Appendf(nil, "rank 0=other slot=0\nrank 1=%s slot=0\n", name))
		if took := strings.Contains(said, accepted); took != (refusedName(name) == "") {
			t.Errorf("host %s: Open MPI takes it: %t; our check says %q", name, took, refusedName(name))
		}
	}
}
