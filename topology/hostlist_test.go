package topology

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"sort"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"remap/input"
)

func namesOf(hosts []HostSlots) []string {
	names := make([]string, len(hosts))
	for i, h := range hosts {
		names[i] = h.Name
	}
	return names
}

var hostLists = map[string]string{
	"n0":                          "n0",
	"n[0-2,7],rack[1-2]-n[08-10]": "n0 n1 n2 n7 rack1-n08 rack1-n09 rack1-n10 rack2-n08 rack2-n09 rack2-n10",
	"n[8-11]":                     "n8 n9 n10 n11",
	"n[08-11]":                    "n08 n09 n10 n11",
	"n[098-101]":                  "n098 n099 n100 n101",
	"n[2,1,0]":                    "n2 n1 n0",
	"n[0-1,3-4,9]":                "n0 n1 n3 n4 n9",
	"a,b,c[1-2]":                  "a b c1 c2",
	"r[0-1]c[0-1]s[0-1]":          "r0c0s0 r0c0s1 r1c0s0 r1c0s1 r0c1s0 r0c1s1 r1c1s0 r1c1s1",
	"node-1,node-01":              "node-1 node-01",
	"r[1,0]c[0-2]s[5]t[9-10]": "r1c0s5t9 r1c0s5t10 r0c0s5t9 r0c0s5t10 r1c1s5t9 r1c1s5t10 r0c1s5t9 " +
		"r0c1s5t10 r1c2s5t9 r1c2s5t10 r0c2s5t9 r0c2s5t10",
	"n[1],n[02]": "n1 n02",
}

func TestParseHostList(t *testing.T) {
	for expression, want := range hostLists {
		got, err := ParseHostList(expression)
		if err != nil || strings.Join(namesOf(got), " ") != want {
			t.Errorf("%s = %v, %v, want %s", expression, got, err, want)
		}
	}
	got, err := ParseHostList("n[0-1]:4, m:2\tk")
	want := []HostSlots{{"n0", 4}, {"n1", 4}, {"m", 2}, {"k", 0}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("with slots: %v, %v", got, err)
	}
}

// Slurm itself is the oracle where it is installed.
func TestHostListAgainstSlurm(t *testing.T) {
	scontrol, err := exec.LookPath("scontrol")
	if err != nil {
		t.Skip("scontrol is not installed: no oracle for host lists")
	}
	conf := filepath.Join(t.TempDir(), "slurm.conf")
	if err := os.WriteFile(conf, []byte("ClusterName=test\nSlurmctldHost=localhost\nAuthType=auth/"+
		"none\nCredType=cred/none\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for expression, want := range hostLists {
		command := exec.Command(scontrol, "show", "hostnames", expression)
		command.Env = append(os.Environ(), "SLURM_CONF="+conf)
		out, err := command.Output()
		if err != nil {
			t.Fatalf("scontrol: %v", err)
		}
		if got := strings.Join(strings.Fields(string(out)), " "); got != want {
			t.Errorf("scontrol says %s = %s, want %s", expression, got, want)
		}
	}
}

func TestHostListErrors(t *testing.T) {
	for expression, want := range map[string]struct {
		column int
		reason string
	}{
		"":                       {0, "names no host"},
		" \t":                    {0, "names no host"},
		",n0":                    {1, "a comma without a host before it"},
		"n0,,n1":                 {4, "a comma without a host before it"},
		"n0,":                    {3, "a comma without a host behind it"},
		"n[0-2":                  {2, "the bracket is not closed"},
		"n0]":                    {3, "a closing bracket without"},
		"n[0-[1]]":               {5, "a bracket inside the bracket of column 2"},
		"n[]":                    {3, "expected NUMBER or LOW-HIGH"},
		"n[1,]":                  {5, "expected NUMBER or LOW-HIGH"},
		"n[1-2-3]":               {3, "expected NUMBER or LOW-HIGH"},
		"n[a]":                   {3, "expected NUMBER or LOW-HIGH"},
		"n[1,5-3]":               {5, "range 5-3 ends before it starts"},
		"n[0-99999999]":          {3, "more than 1048576 hosts"},
		"n[0-9999]m[0-9999]":     {11, "more than 1048576 hosts"},
		"n[0-16000000]":          {3, "more than 1048576 hosts"},
		"n[9999999999999999999]": {3, "at most 18 digits"},
		"m,n0,n[0-1]":            {6, "host n0 is named twice"},
		"n0:0":                   {4, "slots must be a number from 1"},
		"n0:x":                   {4, "slots must be a number from 1"},
		"n0:":                    {4, "slots must be a number from 1"},
		":4":                     {1, "slots without a host name"},
		"n[0:2]":                 {3, "expected NUMBER or LOW-HIGH"},
		"a\x01b":                 {2, "control character"},
	} {
		_, err := ParseHostList(expression)
		var e *input.Error
		if !errors.As(err, &e) || e.Column != want.column || !strings.Contains(e.Reason, want.reason) {
			t.Errorf("ParseHostList(%q) = %v, want column %d: %s", expression, err, want.column, want.reason)
		}
	}
}

func TestReadHostList(t *testing.T) {
	got, err := ReadHostList("hosts", strings.NewReader("# all\nn[0-1] # two\n\n  m slots=4 "+
		"max_slots=8\nk:2 j\r\n"))
	want := []HostSlots{{"n0", 0}, {"n1", 0}, {"m", 4}, {"k", 2}, {"j", 0}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
	if marked, err := ReadHostList("hosts", strings.NewReader("\xef\xbb\xbfn[0-1]\n")); err != nil ||
		len(marked) != 2 || marked[0].Name != "n0" {
		t.Errorf("after a byte order mark: %v, %v", marked, err)
	}
	for text, place := range map[string]string{
		"":                   "hosts: the file names no host",
		"n0\n\nn1,n[0-":      "hosts:3:5: the bracket is not closed",
		"n0\nn0:2":           "hosts:2:1: host n0 is named twice",
		"n0:2\nn0":           "hosts:2:1: host n0 is named twice",
		"n0 slots=0":         "hosts:1:4: slots must be a number",
		"n0 slots=2 garbage": "hosts:1:12: expected KEY=VALUE",
	} {
		if _, err := ReadHostList("hosts", strings.NewReader(text)); err == nil ||
			!strings.HasPrefix(err.Error(), place) {
			t.Errorf("%q: %v, want %s", text, err, place)
		}
	}
}

func TestFormatHostList(t *testing.T) {
	for _, want := range []string{"n[0-2,7]", "n[08-10]", "n[8-10]", "a,b,n1,c", "n[2,1,0]", "node-[1,01]",
		"login,n[0-4607]"} {
		hosts, err := ParseHostList(want)
		if err != nil {
			t.Fatal(err)
		}
		if got := FormatHostList(namesOf(hosts)); got != want {
			t.Errorf("FormatHostList of %s is %s", want, got)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfNDistinct(rapid.StringMatching(`[a-c-]{0,2}[0-3]{0,3}[a]?0?[0-9]{0,20}`).
			Filter(func(s string) bool { return s != "" }), 1, 30, rapid.ID).
			Draw(t, "names")
		if rapid.Bool().Draw(t, "sorted") {
			sort.Slice(names, func(i, j int) bool { return NaturalLess(names[i], names[j]) })
		}
		text := FormatHostList(names)
		hosts, err := ParseHostList(text)
		if err != nil || !slices.Equal(namesOf(hosts), names) {
			t.Fatalf("%q became %s became %v, %v", names, text, hosts, err)
		}
	})
}

func TestNaturalOrder(t *testing.T) {
	sorted := []string{"", "-1", "2", "10", "n", "n1", "n01", "n1a", "n2", "n10", "n10-2", "n10-10",
		"stage2", "stage10"}
	for i, a := range sorted {
		for j, b := range sorted {
			want := i < j
			if a == "n1" && b == "n01" || a == "n01" && b == "n1" {
				want = a < b
			}
			if NaturalLess(a, b) != want {
				t.Errorf("NaturalLess(%q, %q) is %v", a, b, !want)
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringMatching(`[ab]{0,2}[01]{0,3}[a]?[0-2]{0,2}`)
		a, b, c := name.Draw(t, "a"), name.Draw(t, "b"), name.Draw(t, "c")
		if (naturalCompare(a, b) == 0) != (a == b) || naturalCompare(a, b) != -naturalCompare(b, a) {
			t.Fatalf("%q and %q: no total order", a, b)
		}
		if NaturalLess(a, b) && NaturalLess(b, c) && !NaturalLess(a, c) {
			t.Fatalf("%q, %q, %q: not transitive", a, b, c)
		}
	})
}

func FuzzParseHostList(f *testing.F) {
	for expression := range hostLists {
		f.Add(expression)
	}
	f.Add("n[0-3]:4,m slots=2")
	f.Add("\u0085 0")
	f.Fuzz(func(t *testing.T, text string) {
		list := hostList{limit: 5000, seen: map[string]int{}}
		if err := list.add(text, 0); err != nil {
			if err.Column < 1 || err.Column > len(text)+1 {
				t.Fatalf("%q: column %d", text, err.Column)
			}
			return
		}
		names := namesOf(list.hosts)
		again := hostList{limit: 5000, seen: map[string]int{}}
		if err := again.add(FormatHostList(names), 0); err != nil || !slices.Equal(namesOf(again.hosts), names) {
			t.Fatalf("%q: %q formats as %q: %v", text, names, FormatHostList(names), err)
		}
		if len(text) > 0 && len(names) < 100 {
			_, _ = ReadHostList("f", strings.NewReader(fmt.Sprintf("# x\n%s\n", text)))
		}
	})
}

// A node file has a line for every slot.
func TestNodeFile(t *testing.T) {
	list, err := ReadHostList("nodes", strings.NewReader("n1\nn1\nn0\nn1\nn2\nn0\n"))
	want := []HostSlots{{"n1", 3}, {"n0", 2}, {"n2", 0}}
	if err != nil || !slices.Equal(list, want) {
		t.Errorf("%v, %v; want %v", list, err, want)
	}
}
