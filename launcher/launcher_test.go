package launcher

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"remap/input"
	"remap/mapping"
	"remap/topology"
)

type fataler interface {
	Helper()
	Fatal(args ...any)
}

func mustNetwork(t fataler, spec string) *topology.Topology {
	t.Helper()
	machine, err := topology.Parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	return machine
}

func TestRankfileText(t *testing.T) {
	machine := mustNetwork(t, "torus:4")
	a := &mapping.Allocation{Hosts: []int32{3, 1}, Slots: []int32{2, 1}}
	var text bytes.Buffer
	err := Write(&text, "openmpi-rankfile", machine, a, mapping.Mapping{1, 2, 0})
	if want := "rank 0=n3 slot=1\nrank 1=n1 slot=0\nrank 2=n3 slot=0\n"; err != nil || text.String() != want {
		t.Errorf("%v\n%s, want\n%s", err, text.String(), want)
	}
}

func TestUnknownFormats(t *testing.T) {
	machine := mustNetwork(t, "torus:4")
	a := &mapping.Allocation{Hosts: []int32{0, 1}}
	err := Write(&bytes.Buffer{}, "openmpi-rankfil", machine, a, mapping.Mapping{0})
	if err == nil || !strings.HasPrefix(input.Hint(err), "did you mean openmpi-rankfile?") {
		t.Errorf("%v, hint %q", err, input.Hint(err))
	}
	if _, err := Read("m", strings.NewReader(""), "x", machine, a, 0); err == nil ||
		!strings.Contains(input.Hint(err), "csv, json, openmpi-rankfile, ") {
		t.Errorf("%v, hint %q", err, input.Hint(err))
	}
	for _, text := range []string{"", "\n# only a comment\n", "ranks\n", "[]", "n0 n1 n2\n",
		strings.Repeat("x", 1<<17)} {
		if m, err := Read("m", strings.NewReader(text), "", machine, a, 0); err == nil || input.Hint(err) == "" {
			t.Errorf("%.20q read as %v, %v", text, m, err)
		}
	}
}

func TestRankfileErrors(t *testing.T) {
	machine := mustNetwork(t, "torus:4")
	a := &mapping.Allocation{Hosts: []int32{0, 1}, Slots: []int32{2, 1}}
	for text, want := range map[string]string{
		"":                       "m: the rankfile is empty",
		"# nothing\n":            "m: the rankfile is empty",
		"# c\nrnk 0=n0 slot=0\n": "m:2:1: the line does not begin with rank",
		"rank x=n0 slot=0\n":     `m:1:6: rank "x"`,
		"rank 0 n0 slot=0\n":     "m:1:8: = after the rank is missing",
		// "slot" stands where the host belongs
		"rank 0= slot=0\n":                       "m:1:13: slot= is missing",
		"rank 0=\n":                              "m:1:8: the host is missing",
		"rank 0=n0\n":                            "m:1:10: slot= is missing",
		"rank 0=n0 slot\n":                       "m:1:15: = after slot is missing",
		"rank 0=n0 slot=x\n":                     `m:1:16: slot "x"`,
		"rank 0=n0 slot=0 x\n":                   `m:1:18: unexpected "x"`,
		"rank 0=+n0 slot=0\n":                    "m: rank 1 of 3 is missing",
		"rank 0=n7 slot=0\n":                     `m:1:8: unknown host "n7"`,
		"rank 0=n2 slot=0\n":                     "m:1:8: host n2 is not one of the job's hosts",
		"rank 3=n0 slot=0\n":                     "m:1:6: rank 3 of a job of 3 ranks",
		"rank 0=n0 slot=2\n":                     "m:1:16: slot 2 of host n0, which has 2",
		"rank 0=n0 slot=1\n\nrank 0=n0 slot=0\n": "m:3:6: rank 0 was placed already, on line 1",
		"rank 0=n0 slot=1\nrank 1=n0 slot=1\n": "m:2:16: slot 1 of host n0 was taken already, by rank 0 on " +
			"line 1",
		"rank 0=n0 slot=1\nrank 2=n0 slot=0\n": "m: rank 1 of 3 is missing",
	} {
		m, err := Read("m", strings.NewReader(text), "openmpi-rankfile", machine, a, 3)
		if err == nil || !strings.HasPrefix(err.Error(), want) || input.Hint(err) == "" {
			t.Errorf("%q gives %v, %v (hint %q); want an error that begins %q", text, m, err, input.Hint(err), want)
		}
	}
}

// What people write by hand and Open MPI takes.
func TestRankfileByHand(t *testing.T) {
	machine := mustNetwork(t, "torus:4")
	a := &mapping.Allocation{Hosts: []int32{0, 1}, Slots: []int32{2, 1}}
	text := "# two ranks\r\n\n  rank 1 = n0  slots = 1 # here\r\n// and\nrank\t0=n1 slot=0"
	m, err := Read("m", strings.NewReader(text), "openmpi-rankfile", machine, a, 0)
	if err != nil || !slices.Equal(m, mapping.Mapping{2, 1}) {
		t.Errorf("got %v, %v", m, err)
	}
}

// Relative hosts are those of the job in their order, and mean nothing without one.
func TestRelativeHosts(t *testing.T) {
	hosts := []topology.HostSlots{{Name: "b", Slots: 1}, {Name: "a", Slots: 1}}
	text := "rank 0=+n1 slot=0\nrank 1=+n0 slot=0\n"
	p, err := ReadPlacement("m", strings.NewReader(text), "", hosts, 0)
	if err != nil || p.HostName(0) != "a" || p.HostName(1) != "b" {
		t.Errorf("%v, %v", p, err)
	}
	_, err = ReadPlacement("m", strings.NewReader("rank 0=+n2 slot=0\n"), "", hosts, 0)
	if !errors.Is(err, mapping.ErrMisplaced) || !strings.HasPrefix(err.Error(), "m:1:8: host 2 of a job of 2") {
		t.Errorf("%v", err)
	}
	if _, err := HostsIn("m", strings.NewReader(text), ""); err == nil ||
		!strings.HasPrefix(err.Error(), "m:1:8: host +n1 is relative") {
		t.Errorf("%v", err)
	}
}

// Names as Open MPI 4.1.4 was seen to take or refuse them.
func TestRankfileHostNames(t *testing.T) {
	for _, good := range []string{"n0", "node-0", "node_1", "0node", "12", "0", "a.x", "10.0.0.5", "_a",
		"a-", "A", "slotted", "ranking"} {
		if reason := refusedName(good); reason != "" {
			t.Errorf("%s is refused: %s", good, reason)
		}
	}
	for _, bad := range []string{"", "rank", "slot", "slots", "username", "user-name", "user_name", "3com.x",
		"1a.b", "-a", ".a", "007",
		"99999999999", "a b", "a,b", "a@b", "a:1", "+n0", "n\u00f6", "a\n", "a\"", "a#b"} {
		if refusedName(bad) == "" {
			t.Errorf("%q is accepted", bad)
		}
	}
	machine := mustNetwork(t, "torus:4")
	machine.HostNames = []string{"a.x", "a.y", "b", "10.0.0.1"}
	var wrong *input.Error
	write := func(hosts ...int32) error {
		return Write(&bytes.Buffer{}, "openmpi-rankfile", machine, &mapping.Allocation{Hosts: hosts},
			mapping.Identity(len(hosts)))
	}
	if err := write(0, 2, 3); err != nil {
		t.Error(err)
	}
	if err := write(0, 1); !errors.As(err, &wrong) || !strings.Contains(err.Error(), "a.x and a.y") {
		t.Errorf("hosts that are one after the dot: %v", err)
	}
	if err := write(); !errors.As(err, &wrong) {
		t.Errorf("no ranks: %v", err)
	}
}

// Errors name the place of the word that is wrong, also where a part of it stands further left.
func TestErrorPlaces(t *testing.T) {
	hosts := []topology.HostSlots{{Name: "n0", Slots: 4}, {Name: "n1", Slots: 4}}
	for _, c := range []struct{ format, text, want string }{
		{"mpich-hostfile", "n0:2 0\n", "m:1:6: unexpected"},
		{"mpich-hostfile", "n0:0\n", `m:1:4: "0" is not a number of ranks`},
		{"mpich-hostfile", "# c\n  n0:2\nn2:1\n", "m:3:1: host n2"},
		{"hosts", "n0 n\n", "m:1:4: unexpected"},
		{"lsf-hostfile", "n0 2 2\n", "m:1:6: unexpected"},
		{"openmpi-hostfile", "n0 max_slots=0 slots=0\n", "m:1:22: "},
		{"lsf-task-geometry", "{(0)}{(1)}", "m:1:6: text behind the end"},
		{"lsf-task-geometry", "# a\n# b\nX={(0)(x)}", "m:3:1: the geometry does not begin"},
		{"lsf-task-geometry", "# a\n# b\n{(0)(x)}", "m:3:6: a rank of group 1"},
		{"lsf-task-geometry", "# a\n{(0)(0)}", "m:2:6: rank 0 was placed already, on line 2"},
		{"lsf-task-geometry", "\"{(0)(1)}", "m:1:10: the \" that"},
		{"lsf-task-geometry", "{(0)(1)(2)}", "m:1:9: host 2 of a job of 2 hosts"},
		{"permutation", "rank,new_rank\n5\n", "m:2:1: the new rank is missing"},
		{"permutation", "rank,new_rank\n0,99\n", "m:2:3: slot 99 of a job of 8 slots"},
		{"cray-rank-order", "0, 1,x\n", `m:1:6: "x" is no rank`},
		{"flux-taskmap", "[[0,1,\"a\",1]]", "m:1:9: a string stands where"},
		{"flux-taskmap", "[[0,1,1,1],\n[}", "m:2:2: "},
		{"flux-taskmap", "[[0,1,1,1],[5,1,1,1]]", "m:1: block 2 of the map: host 5"},
	} {
		p, err := ReadPlacement("m", strings.NewReader(c.text), c.format, hosts, 0)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) || input.Hint(err) == "" {
			t.Errorf("%s: %q gives %v, %v; want %s", c.format, c.text, p, err, c.want)
		}
	}
}

// A number in a file buys no memory: what it needs more than its ranks is refused.
func TestHostsInIsModest(t *testing.T) {
	for text, fine := range map[string]bool{
		"rank 0=n0 slot=67000000\n": false, "rank 0=n0 slot=1000\n": true, "n0:65536\n": true, "n0:65537\n": false,
		strings.Repeat("n0:65536\n", 100): false,
	} {
		if hosts, err := HostsIn("m", strings.NewReader(text), ""); (err == nil) != fine {
			t.Errorf("%.30q: %v, %v", text, hosts, err)
		}
	}
}

// Content tells the format, and the ending between those that look the same.
func TestGuess(t *testing.T) {
	for _, c := range []struct{ path, text, want string }{
		{"a.csv", "rank,new_rank\n", "permutation"}, {"a.nodefile", "n0\n", "pbs-nodefile"}, {"a", "n0\n", "hosts"},
		{"a.rankfile", "n0:2\n", "mpich-hostfile"}, {"a.rankfile", "rank 0=n0 slot=0\n", "openmpi-rankfile"},
		{"a.taskmap", "", "flux-taskmap"}, {"a", "", ""},
	} {
		if got := Guess(c.path, []byte(c.text)); got != c.want {
			t.Errorf("%s with %q: %s, want %s", c.path, c.text, got, c.want)
		}
	}
}
