package launcher

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"remap/input"
	"remap/internal/testkit/tier"
	"remap/mapping"
	"remap/topology"
)

// drawPlacement draws hosts in any order with uneven slots, and ranks on them: in any places, in blocks,
// or on the first slots in any order, so that every format has some that it can hold.
func drawPlacement(t *rapid.T) *Placement {
	hosts := rapid.IntRange(1, 6).Draw(t, "hosts")
	p := &Placement{}
	for _, h := range rapid.Permutation(mapping.Identity(hosts)).Draw(t, "order") {
		slots := rapid.Int32Range(1, 4).Draw(t, "slots")
		p.Hosts = append(p.Hosts, topology.HostSlots{Name: "n" + strconv.Itoa(int(h)), Slots: slots})
	}
	slots := int(p.firstSlots()[hosts])
	ranks := rapid.IntRange(1, slots).Draw(t, "ranks")
	m := mapping.Identity(slots)
	switch rapid.SampledFrom([]string{"anywhere", "blocks", "first slots"}).Draw(t, "kind") {
	case "anywhere":
		m = rapid.Permutation(m).Draw(t, "mapping")
	case "first slots":
		m = rapid.Permutation(m[:ranks]).Draw(t, "mapping")
	}
	return placed(p.Hosts, m[:ranks])
}

// order is what formats hold that name no slots: the host of every rank, and the place of the rank among
// the ranks of that host. Those that list a host's ranks keep it in the order of slots; those that list
// hosts by rank have ranks take slots in order.
func (p *Placement) order(byRank bool) [][2]int32 {
	order := make([][2]int32, p.Ranks())
	for h, ranks := range p.byHost() {
		if byRank {
			slices.Sort(ranks)
		}
		for i, r := range ranks {
			order[r] = [2]int32{int32(h), int32(i)}
		}
	}
	return order
}

// What a format can hold is the same when read by name, and by content where content shows it: hosts
// always, slots where the format has them, else the order of a host's ranks.
func TestRoundTrip(t *testing.T) {
	held := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		p := drawPlacement(t)
		for _, f := range table() {
			var text bytes.Buffer
			err := WritePlacement(&text, f.name, p, Options{})
			if refused := f.holds != nil && f.holds(p) != ""; refused {
				if !errors.Is(err, ErrCannotHold) || text.Len() > 0 {
					t.Fatalf("%s: %v, and %d bytes written", f.name, err, text.Len())
				}
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			held[f.name]++
			for _, expected := range []int{0, p.Ranks()} {
				for _, start := range []string{"", "\xef\xbb\xbf"} {
					back, err := ReadPlacement("m", strings.NewReader(start+text.String()), f.name, p.Hosts, expected)
					checkSame(t, f.name, p, back, err, text.String())
				}
			}
			if known := Recognise(text.Bytes()); known != "" {
				back, err := ReadPlacement("m", bytes.NewReader(text.Bytes()), "", p.Hosts, p.Ranks())
				checkSame(t, f.name+" read as "+known, p, back, err, text.String())
			} else {
				t.Fatalf("%s is not recognised:\n%s", f.name, text.String())
			}
		}
	})
	if tier.IsLong() {
		for _, name := range Formats() {
			if held[name] == 0 {
				t.Errorf("no mapping was written as %s", name)
			}
		}
	}
}

func checkSame(t *rapid.T, name string, p, back *Placement, err error, text string) {
	if err != nil {
		t.Fatalf("%s: %v of\n%s", name, err, text)
	}
	name, _, _ = strings.Cut(name, " ")
	switch name {
	case "csv", "json", "openmpi-rankfile":
		if !slices.Equal(back.Host, p.Host) || !slices.Equal(back.Slot, p.Slot) {
			t.Fatalf("%s: %v, want %v, of\n%s", name, back, p, text)
		}
	case "cray-rank-order", "lsf-task-geometry", "permutation":
		if !slices.Equal(back.order(false), p.order(false)) {
			t.Fatalf("%s: %v, want %v, of\n%s", name, back, p, text)
		}
	default:
		if !slices.Equal(back.order(true), p.order(true)) {
			t.Fatalf("%s: %v, want %v, of\n%s", name, back, p, text)
		}
	}
}

// A file that names hosts can be read without knowing them: it has all hosts that hold ranks.
func TestHostsIn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPlacement(t)
		for _, f := range table() {
			var text bytes.Buffer
			if WritePlacement(&text, f.name, p, Options{}) != nil {
				continue
			}
			hosts, err := HostsIn("m", bytes.NewReader(text.Bytes()), f.name)
			if f.numbers {
				if !errors.Is(err, ErrNoHosts) {
					t.Fatalf("%s names no hosts, and %v, %v were found", f.name, hosts, err)
				}
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			back, err := ReadPlacement("m", bytes.NewReader(text.Bytes()), f.name, hosts, p.Ranks())
			if err != nil {
				t.Fatal(err)
			}
			for r := range p.Ranks() {
				if back.HostName(r) != p.HostName(r) {
					t.Fatalf("%s: rank %d is on %s, want %s", f.name, r, back.HostName(r), p.HostName(r))
				}
			}
		}
	})
}

// Forced, every format that has comments says what it does not hold, and every rank is still there once.
func TestForced(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPlacement(t)
		for _, f := range table() {
			err := Check(f.name, p, Options{})
			if err == nil {
				continue
			}
			var text bytes.Buffer
			forced := WritePlacement(&text, f.name, p, Options{Force: true})
			if !f.comments { // no place for the warning
				if !errors.Is(forced, ErrCannotHold) || text.Len() > 0 || strings.Contains(input.Hint(err), "--force") {
					t.Fatalf("%s: %v, hint %q, written:\n%s", f.name, forced, input.Hint(err), text.String())
				}
				continue
			}
			if forced != nil {
				t.Fatal(forced)
			}
			warned := strings.HasPrefix(text.String(), "# warning: "+f.name+" cannot hold this mapping: ")
			if warned != f.comments {
				t.Fatalf("%s has comments: %t; written:\n%s", f.name, f.comments, text.String())
			}
			wide := slices.Clone(p.Hosts) // numbering forgets gaps: any host may get any rank
			for i := range wide {
				wide[i].Slots = int32(p.Ranks())
			}
			back, err := ReadPlacement("m", &text, f.name, wide, p.Ranks())
			if err != nil || back.Ranks() != p.Ranks() {
				t.Fatalf("%s: %v, %v", f.name, back, err)
			}
		}
	})
}

// sample is four ranks on two hosts, in an order that block formats cannot hold.
func sample() *Placement {
	return &Placement{Hosts: []topology.HostSlots{{Name: "node0", Slots: 2}, {Name: "node1", Slots: 2}},
		Host: []int32{1, 0, 0, 1}, Slot: []int32{0, 1, 0, 1}}
}

func TestTexts(t *testing.T) {
	interleaved, blocks := sample(), sample()
	blocks.Host = []int32{1, 1, 0, 0}
	blocks.Slot = []int32{0, 1, 0, 1}
	for name, want := range map[string][2]string{
		"csv": {"rank,host,slot\n0,node1,0\n1,node0,1\n2,node0,0\n3,node1,1\n", ""},
		"openmpi-rankfile": {"rank 0=node1 slot=0\nrank 1=node0 slot=1\nrank 2=node0 slot=0\n" +
			"rank 3=node1 slot=1\n", ""},
		"openmpi-seq":       {"node1\nnode0\nnode0\nnode1\n", "node1\nnode1\nnode0\nnode0\n"},
		"openmpi-hostfile":  {"", "node1 slots=2\nnode0 slots=2\n"},
		"mpich-hostfile":    {"", "node1:2\nnode0:2\n"},
		"intel-machinefile": {"", "node1:2\nnode0:2\n"},
		"slurm-hostfile":    {"node1\nnode0\nnode0\nnode1\n", ""},
		"cray-rank-order":   {"2,1,0,3\n", "2,3,0,1\n"},
		"flux-taskmap":      {"[[1,1,1,1],[0,1,2,1],[1,1,1,1]]\n", "[[1,1,2,1],[0,1,2,1]]\n"},
		"flux-hostfile":     {"node1\nnode0\nnode0\nnode1\n", ""},
		"lsf-task-geometry": {"LSB_TASK_GEOMETRY=\"{(2,1)(0,3)}\"\n", "LSB_TASK_GEOMETRY=\"{(2,3)(0,1)}\"\n"},
		"lsf-hostfile":      {"node1 1\nnode0 2\nnode1 1\n", "node1 2\nnode0 2\n"},
		"pbs-nodefile":      {"", "node1\nnode1\nnode0\nnode0\n"},
		"permutation":       {"rank,new_rank\n0,2\n1,1\n2,0\n3,3\n", ""},
		"hosts":             {"node1\nnode0\nnode0\nnode1\n", ""},
	} {
		for i, p := range []*Placement{interleaved, blocks} {
			var text bytes.Buffer
			err := WritePlacement(&text, name, p, Options{})
			switch {
			case want[i] != "" && (err != nil || text.String() != want[i]):
				t.Errorf("%s: %v,\n%s, want\n%s", name, err, text.String(), want[i])
			case i == 0 && want[0] == "" && !errors.Is(err, ErrCannotHold):
				t.Errorf("%s holds ranks that are not consecutive:\n%s", name, text.String())
			}
		}
	}
}

// The example of Flux RFC 34: block, cyclic and cyclic by two of four hosts with four tasks each.
func TestTaskMapIsShort(t *testing.T) {
	for _, c := range []struct {
		stride int
		want   []mapBlock
	}{{4, []mapBlock{{0, 4, 4, 1}}}, {1, []mapBlock{{0, 4, 1, 4}}}, {2, []mapBlock{{0, 4, 2, 2}}}} {
		p := &Placement{}
		for h := range 4 {
			p.Hosts = append(p.Hosts, topology.HostSlots{Name: "n" + strconv.Itoa(h), Slots: 4})
		}
		for r := range int32(16) {
			p.Host = append(p.Host, r/int32(c.stride)%4)
			p.Slot = append(p.Slot, r%int32(c.stride)+r/int32(4*c.stride)*int32(c.stride))
		}
		if got := taskBlocks(p); !slices.Equal(got, c.want) {
			t.Errorf("stride %d: %v, want %v", c.stride, got, c.want)
		}
	}
}

// What formats cannot hold names the reason, the formats that can, and the host list that would help.
func TestRefusals(t *testing.T) {
	uneven := sample()
	uneven.Host, uneven.Slot = []int32{0, 1, 1}, []int32{0, 0, 1}
	spare := sample()
	spare.Hosts = append([]topology.HostSlots{{Name: "empty", Slots: 2}}, spare.Hosts...)
	for i := range spare.Host {
		spare.Host[i]++
	}
	for _, c := range []struct {
		format       string
		p            *Placement
		reason, hint string
	}{
		{"openmpi-hostfile", sample(), "not consecutive, and Open MPI adds up", "openmpi-rankfile, openmpi-seq"},
		{"mpich-hostfile", sample(), "without shared memory", "slurm-hostfile"},
		{"cray-rank-order", uneven, "1 of 2 slots of host node0 stay free", "openmpi-rankfile"},
		{"permutation", uneven, "1 of 2 slots of host node0 stay free", "--hosts 'node0:1,node1:2'"},
		{"cray-rank-order", spare, "2 of 2 slots of host empty stay free", "--hosts 'node0:2,node1:2'"},
		{"flux-taskmap", spare, "1 of 3 hosts, such as empty, hold no rank", "--hosts 'node0:2,node1:2'"},
		{"lsf-task-geometry", spare, "such as empty", "lsf-hostfile"},
		{"permutation", spare, "stay free", "--force"},
		{"pbs-nodefile", sample(), "add up the lines", "openmpi-rankfile"},
	} {
		err := Check(c.format, c.p, Options{})
		if !errors.Is(err, ErrCannotHold) || !strings.Contains(err.Error(), c.reason) ||
			!strings.Contains(input.Hint(err), c.hint) {
			t.Errorf("%s: %v (hint %s); want %s, %s", c.format, err, input.Hint(err), c.reason, c.hint)
		}
	}
	uneven.Hosts[0].Slots = 1
	if err := Check("cray-rank-order", uneven, Options{}); !errors.Is(err, ErrCannotHold) ||
		!strings.Contains(err.Error(), "as many on each") {
		t.Errorf("hosts of one and two ranks: %v", err)
	}
	if err := Check("permutation", uneven, Options{}); err != nil {
		t.Error(err)
	}
}

func TestFormatOf(t *testing.T) {
	for path, want := range map[string]string{
		"a/job.csv": "csv", "job.json": "json", "heat.rankfile": "openmpi-rankfile",
		"x/MPICH_RANK_ORDER": "cray-rank-order",
		"job.taskmap":        "flux-taskmap", "job.geometry": "lsf-task-geometry", "job.hosts": "", "job": "",
		".csv":         "",
		"job.nodefile": "pbs-nodefile",
	} {
		if got := FormatOf(path); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}

// A real shell takes launch lines as the words that are started, whatever the path is.
func TestLaunchLinesInShell(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no sh on this machine: launch lines are not shown to a shell")
	}
	folder := t.TempDir()
	for _, path := range []string{"job.file", "my job", "it's", "-x",
		"$(touch pwned)", "a;touch pwned", "`touch pwned`",
		"new\nline", "a\"b", "<script>"} {
		if err := os.WriteFile(filepath.Join(folder, path), []byte("A=1\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, f := range table() {
			for _, l := range Launches(f.name, path, path+CompanionSuffix, sample(), Options{}) {
				command := exec.Command(shell, "-c", strings.Replace(l.Line("PROGRAM"), l.Args[0]+" ",
					"env printf '%s\\000' "+l.Args[0]+" ", 1))
				command.Dir = folder
				output, err := command.Output()
				words := strings.Split(strings.TrimSuffix(string(output), "\x00"), "\x00")
				want := append(slices.Clone(l.Args), "PROGRAM")
				if l.FromFile {
					want[len(want)-2] += "A=1"
				}
				if err != nil || !slices.Equal(words, want) {
					t.Errorf("%s, path %q: %v, words %q, want %q", f.name, path, err, words, want)
				}
			}
		}
	}
	if _, err := os.Stat(filepath.Join(folder, "pwned")); err == nil {
		t.Error("a launch line ran the command in a name")
	}
}

func TestLaunchLines(t *testing.T) {
	p := sample()
	for name, want := range map[string]string{
		"openmpi-rankfile":  "mpirun -np 4 --hostfile F.hosts --rankfile F PROGRAM",
		"openmpi-seq":       "mpirun -np 4 --hostfile F --mca rmaps seq PROGRAM",
		"openmpi-hostfile":  "mpirun -np 4 --hostfile F --map-by slot PROGRAM",
		"mpich-hostfile":    "mpiexec.hydra -f F -n 4 PROGRAM",
		"intel-machinefile": "mpirun -machinefile F -n 4 PROGRAM",
		"slurm-hostfile":    "SLURM_HOSTFILE=F srun -n 4 -m arbitrary PROGRAM",
		"cray-rank-order": "MPICH_RANK_REORDER_METHOD=3 MPICH_RANK_REORDER_FILE=F srun -n 4 --ntasks-per-node=2 " +
			"-m block PROGRAM",
		"flux-taskmap":      `flux run -N 2 -n 4 --taskmap=manual:"$(cat F)" PROGRAM`,
		"flux-hostfile":     "flux run -N 2 -n 4 --taskmap=hostfile:F PROGRAM",
		"lsf-task-geometry": "set -a; . ./F; set +a; bsub -n 4 mpirun PROGRAM",
		"lsf-hostfile":      "bsub -hostfile F mpirun PROGRAM",
		"pbs-nodefile":      "PBS_NODEFILE=F mpiexec.hydra -n 4 PROGRAM",
	} {
		lines := Launches(name, "F", "F.hosts", p, Options{})
		if len(lines) == 0 || lines[0].Line("PROGRAM") != want {
			t.Errorf("%s: %+v, want %s", name, lines, want)
		}
	}
	for _, name := range []string{"csv", "json", "permutation", "hosts", "nonsense"} {
		if lines := Launches(name, "F", "", p, Options{}); lines != nil {
			t.Errorf("%s: launch lines %v of a format that no launcher reads", name, lines)
		}
	}
}

func TestBinding(t *testing.T) {
	p := sample()
	for _, c := range []struct {
		o     Options
		slots string // of ranks 0 to 3
	}{
		{Options{}, "0 1 0 1"},
		{Options{Bind: BindCore}, "0 1 0 1"},
		{Options{Bind: BindNone, Cores: Cores{2, 8}}, "0-15 0-15 0-15 0-15"},
		{Options{Bind: BindCore, Cores: Cores{2, 8}}, "0:0 1:0 0:0 1:0"},
		{Options{Bind: BindSocket, Cores: Cores{2, 8}}, "0:0-7 1:0-7 0:0-7 1:0-7"},
		{Options{Bind: BindCore, Cores: Cores{1, 2}}, "0:0 0:1 0:0 0:1"},
	} {
		var text bytes.Buffer
		if err := WritePlacement(&text, "openmpi-rankfile", p, c.o); err != nil {
			t.Fatal(err)
		}
		var slots []string
		for _, line := range strings.Split(strings.TrimSpace(text.String()), "\n") {
			_, slot, _ := strings.Cut(line, "slot=")
			slots = append(slots, slot)
		}
		if got := strings.Join(slots, " "); got != c.slots {
			t.Errorf("%+v: slots %s, want %s", c.o, got, c.slots)
		}
		back, err := ReadPlacement("m", &text, "", p.Hosts, 4)
		same := err == nil && slices.Equal(back.Host, p.Host) // ranks that share processors lose their slots
		if same && c.o.Bind != BindNone {
			same = slices.Equal(back.order(false), p.order(false))
		}
		if !same {
			t.Errorf("%+v: read %v, %v", c.o, back, err)
		}
	}
	for _, c := range []struct {
		format string
		o      Options
		want   string
	}{
		{"openmpi-rankfile", Options{Bind: BindCore, Cores: Cores{1, 1}}, "would share a core"},
		{"openmpi-rankfile", Options{Bind: BindSocket}, "those of the hosts are not known"},
		{"openmpi-rankfile", Options{Bind: BindNone}, "those of the hosts are not known"},
		{"openmpi-seq", Options{Bind: BindCore}, "cannot bind"},
		{"flux-taskmap", Options{Bind: BindSocket}, "cannot bind"},
		{"csv", Options{Bind: BindCore}, "cannot bind"},
		{"hosts", Options{Bind: BindNone}, "cannot bind"},
	} {
		if err := Check(c.format, p, c.o); err == nil || !strings.Contains(err.Error(), c.want) ||
			input.Hint(err) == "" {
			t.Errorf("%s with %+v: %v", c.format, c.o, err)
		}
	}
	for _, text := range []string{"", "2", "2x", "x3", "0x4", "2x16x2", "70000x1", "-1x2"} {
		if c, err := ParseCores(text); err == nil || input.Hint(err) == "" {
			t.Errorf("%q are the cores %v", text, c)
		}
	}
}

// Names that would break a line, a shell or a page reach no file but those that quote, forced or not.
func TestHostileNames(t *testing.T) {
	for _, name := range []string{"; rm -rf ~", "$(reboot)",
		"<script>alert(1)</script>", "a\nb", "a\rb", "a b", "a,b",
		"a:2", "a'b", `a"b`, "a`b`", "-np", ".", "#x", "a\x00", "\x1b[31m", "n\u00f6", "a/b",
		"a\\b", "a=b", "*", "", "7"} {
		p := sample()
		p.Hosts[0].Name = name
		for _, f := range table() {
			var text bytes.Buffer
			err := WritePlacement(&text, f.name, p, Options{Force: true})
			switch f.name {
			case "csv", "json":
				back, wrong := ReadPlacement("m", &text, f.name, p.Hosts, 4)
				if strings.ContainsAny(name, "\r") && f.name == "csv" {
					continue // the csv package reads \r\n as \n
				}
				if err != nil || wrong != nil || !slices.Equal(back.Host, p.Host) {
					t.Errorf("%s with host %q: %v, %v", f.name, name, err, wrong)
				}
			case "permutation":
				if strings.Contains(text.String(), name) && len(name) > 1 {
					t.Errorf("%s holds the host %q", f.name, name)
				}
			default:
				if f.name == "openmpi-rankfile" && name == "7" {
					continue // a rankfile may have it
				}
				if err == nil || text.Len() > 0 {
					t.Errorf("%s takes the host %q:\n%s", f.name, name, text.String())
				}
			}
		}
	}
}
