package topology

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"remap/input"
	"remap/internal/testkit/tier"
)

func readText(t failer, text string) *Topology {
	t.Helper()
	n, err := ReadIBNetDiscover("fabric", strings.NewReader(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return n
}

func dump(t failer, n *Topology) string {
	t.Helper()
	var b bytes.Buffer
	if err := WriteIBNetDiscover(&b, n); err != nil {
		t.Fatalf("%v", err)
	}
	return b.String()
}

// A fat tree that comes back from a dump has the same distances, the same
// candidates everywhere a packet can be, and the same levels: up*/down* by
// closeness finds the tree.
func TestDumpedFatTrees(t *testing.T) {
	specs := []string{}
	for _, spec := range smallSpecs {
		if isTree(spec) {
			specs = append(specs, spec)
		}
	}
	if tier.IsLong() {
		specs = append(specs, "tapered", "full")
	}
	for _, spec := range append(specs, "fattree:nodes-per-leaf=8,leaves-per-pod=6,pods=2,aggs-per-pod=4,"+
		"cores=12") {
		t.Run(spec, func(t *testing.T) { sameAfterDump(t, mustParse(t, spec)) })
	}
	rapid.Check(t, func(t *rapid.T) {
		spec := drawSpec(t)
		if !isTree(spec) {
			return
		}
		n, err := Parse(spec)
		if err != nil {
			t.Fatal(err)
		}
		sameAfterDump(t, n)
	})
}

func sameAfterDump(t failer, n *Topology) {
	t.Helper()
	m := readText(t, dump(t, n))
	if !slices.Equal(m.HostNames, n.HostNames) || len(m.Links) != len(n.Links) ||
		len(m.Levels) != len(n.Levels) {
		t.Fatalf("%s: %s came back as %s", n.Name, n.Summary(), m.Summary())
	}
	for i := range n.Levels {
		if !slices.Equal(n.Levels[i].Group, m.Levels[i].Group) || n.Levels[i].Name != m.Levels[i].Name {
			t.Fatalf("%s: level %s changed", n.Name, n.Levels[i].Name)
		}
	}
	back := map[string]int32{}
	for s, name := range m.SwitchNames {
		back[name] = int32(s)
	}
	targets := func(n *Topology, at, to int32) []string {
		var names []string
		for _, c := range n.Routes.Candidates(at, to) {
			names = append(names, n.NodeName(n.Links[c].To))
		}
		slices.Sort(names)
		return names
	}
	leaves := leafSwitches(n)
	for _, a := range leaves {
		for _, b := range leaves {
			if a == b || n.SwitchDistance(a, b) < 0 {
				continue
			}
			ma, mb := back[n.SwitchNames[a]], back[n.SwitchNames[b]]
			if n.SwitchDistance(a, b) != m.SwitchDistance(ma, mb) {
				t.Fatalf("%s: distance %s to %s was %d, is %d", n.Name, n.SwitchNames[a], n.SwitchNames[b],
					n.SwitchDistance(a, b), m.SwitchDistance(ma, mb))
			}
			if was, is := targets(n, a, b), targets(m, ma, mb); !slices.Equal(was, is) {
				t.Fatalf("%s: candidates %s to %s were %v, are %v", n.Name, n.SwitchNames[a], n.SwitchNames[b], was, is)
			}
		}
	}
}

// Tori and meshes from a dump are routed by up*/down* too: longer ways, no
// deadlock, always an arrival.
func TestDumpedGrids(t *testing.T) {
	for _, spec := range smallSpecs {
		if !isTree(spec) {
			checkNetwork(t, readText(t, dump(t, mustParse(t, spec))), false)
		}
	}
}

// drawFabric writes a random connected network in ibsim's syntax, every link
// at one end or at both.
func drawFabric(t *rapid.T) []string {
	number := func(low, high int) int { return rapid.IntRange(low, high).Draw(t, "n") }
	switches, hosts := number(1, 9), number(1, 8)
	blocks := make([][]string, switches+hosts)
	next := make([]int, switches+hosts)
	name := func(v int) string {
		if v < switches {
			return fmt.Sprintf("sw%d", v)
		}
		return fmt.Sprintf("node%d", v-switches)
	}
	join := func(a, b int) {
		next[a]++
		next[b]++
		ends := number(0, 2)
		if b >= switches && ends == 1 {
			ends = 0 // hosts of two ports that only switches mention are refused
		}
		if ends != 1 {
			blocks[a] = append(blocks[a], fmt.Sprintf("[%d] %q[%d]", next[a], name(b), next[b]))
		}
		if ends != 0 {
			blocks[b] = append(blocks[b], fmt.Sprintf("[%d] %q[%d]", next[b], name(a), next[a]))
		}
	}
	for s := 1; s < switches; s++ {
		join(number(0, s-1), s)
	}
	for range number(0, 2*switches) {
		if a, b := number(0, switches-1), number(0, switches-1); a != b {
			join(a, b)
		}
	}
	for h := range hosts {
		for range number(1, 2) {
			join(number(0, switches-1), switches+h)
		}
	}
	text := make([]string, len(blocks))
	for v, lines := range blocks {
		kind := "Switch"
		if v >= switches {
			kind = "Hca"
		}
		text[v] = fmt.Sprintf("%s 64 %q\n%s\n", kind, name(v), strings.Join(lines, "\n"))
	}
	return text
}

func TestRandomFabrics(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		blocks := drawFabric(t)
		n := readText(t, strings.Join(blocks, ""))
		checkNetwork(t, n, false)
		// The order of blocks does not matter.
		shuffled := slices.Clone(blocks)
		rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0)).Shuffle(len(shuffled), func(i, j int) {
			shuffled[i], shuffled[j] = shuffled[j], shuffled[i]
		})
		m := readText(t, strings.Join(shuffled, ""))
		n.Warnings, m.Warnings = nil, nil
		if !reflect.DeepEqual(n, m) {
			t.Fatalf("another order of blocks gives another network")
		}
		// What is written comes back.
		if m := readText(t, dump(t, n)); m.Summary() != n.Summary() ||
			!slices.Equal(m.SwitchNames, n.SwitchNames) || !slices.Equal(m.Routes.Table, n.Routes.Table) {
			t.Fatalf("%s came back as %s", n.Summary(), m.Summary())
		}
	})
}

// Names carry no meaning beyond their order: hosts renamed in reverse order
// give the mirrored network.
func TestRelabelledHosts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(drawFabric(t), "")
		n := readText(t, text)
		renamed := text
		for h := range 9 {
			renamed = strings.ReplaceAll(renamed, fmt.Sprintf("\"node%d\"", h), fmt.Sprintf("\"peer%d\"", 9-h))
		}
		m := readText(t, renamed)
		last := int32(n.Hosts() - 1)
		for a := range int32(n.Hosts()) {
			for b := range int32(n.Hosts()) {
				if n.PathLength(a, b) != m.PathLength(last-a, last-b) {
					t.Fatalf("path length %d-%d changes by other names\n%s", a, b, text)
				}
			}
		}
	})
}

const smallFabric = `#
# Topology file: generated on Sun Oct  5 21:59:42 2014
#
vendid=0x2c9
switchguid=0xf4(f4)
Switch	4 "S-1"		# "MF0;ib1:SX6036/U1" enhanced port 0 lid 128 lmc 0
[1]	"H-a"[1](a1) 		# "stage2 mlx4_0" lid 105 4xQDR
[2][ext 7]	"H-b"[1](b1)[ext 1] 		# "stage10 mlx4_0" lid 113 4xQDR
[3]	"S-2"[3]		# "MF0;ib2:SX6036/U1" lid 1 4xFDR10
[4]	"S-2"[4]		# "MF0;ib2:SX6036/U1" lid 1 4xFDR10

Switch	5 "S-2"		# "MF0;ib2:SX6036/U1" enhanced port 0 lid 1 lmc 0
[1]	"H-c"[1](c1) 		# "stage2 mlx4_1" lid 7 12xEDR
[3]	"S-1"[3]		# "MF0;ib1:SX6036/U1" lid 128 4xFDR10
[4]	"S-1"[4]		# "MF0;ib1:SX6036/U1" lid 128 4xFDR10
[5]	"H-d"[1](d1) 		# "Mellanox Technologies Aggregation Node" lid 9 4xNDR

caguid=0xa
Ca	2 "H-a"		# "stage2 mlx4_0"
[1](a1) 	"S-1"[1]		# lid 105 lmc 0 "MF0;ib1:SX6036/U1" lid 128 4xQDR

Ca	1 "H-z"		# "spare mlx4_0"
Ca	1 "H-b"		# "stage10 mlx4_0"
Ca	1 "H-c"		# "stage2 mlx4_1"
`

func TestIBNetDiscover(t *testing.T) {
	n := readText(t, smallFabric)
	if !slices.Equal(n.HostNames, []string{"stage2", "stage10"}) ||
		!slices.Equal(n.SwitchNames, []string{"MF0;ib1:SX6036/U1", "MF0;ib2:SX6036/U1"}) {
		t.Fatalf("hosts %v, switches %v", n.HostNames, n.SwitchNames)
	}
	type row struct {
		from, to string
		port     int32
		gbps     float64
	}
	var got []row
	for _, l := range n.Links {
		got = append(got, row{n.NodeName(l.From), n.NodeName(l.To), l.FromPort, l.BytesPerSecond * 8 / 1e9})
	}
	ib1, ib2 := n.SwitchNames[0], n.SwitchNames[1]
	want := []row{{"stage2", ib1, 1, 32}, {"stage2", ib2, 1, 300}, {"stage10", ib1, 1, 32},
		{ib1, "stage2", 1, 32}, {ib1, "stage10", 2, 32}, {ib1, ib2, 3, 40}, {ib1, ib2, 4, 40},
		{ib2, "stage2", 1, 300}, {ib2, ib1, 3, 40}, {ib2, ib1, 4, 40}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("links %v, want %v", got, want)
	}
	if e := n.Ejection(0); len(e) != 2 || n.Links[e[1]].From != n.NodeOf(1) {
		t.Errorf("ejection of the second rail is %v", e)
	}
	if len(n.Warnings) != 2 {
		t.Errorf("warnings %q, want one for the aggregation node and one for the adapter without links", n.Warnings)
	}
	if got := len(n.Routes.Candidates(0, 1)); got != 2 {
		t.Errorf("%d candidates over two parallel links", got)
	}
}

func TestIBSimSyntax(t *testing.T) {
	const leaf = "Switch 36 \"leaf0\"\n[1] \"node0\"[1]\n[2] \"node1\"[1]\n[3] \"node2\"[1]\n\n"
	for _, text := range []string{leaf, leaf + "Hca 1 \"node0\"\n[1] \"leaf0\"[1]\nHca 1 \"node1\"\nHca 1 " +
		"\"node2\"\n"} {
		n := readText(t, text)
		if n.Hosts() != 3 || n.Links[0].BytesPerSecond != 12.5e9 || len(n.Warnings) != 1 {
			t.Errorf("%s, warnings %q", n.Summary(), n.Warnings)
		}
	}
	_, err := ReadIBNetDiscover("f", strings.NewReader(leaf+"Hca 1 \"node0\"\n[1] \"leaf0\"[1]\n"))
	if err == nil || err.Error() != "f:3: adapter node1 is used here but never "+
		"described" || input.Hint(err) != cutHint {
		t.Errorf("a file that describes one of three adapters: %v, hint %q", err, input.Hint(err))
	}
}

// Wherever a file is cut, it is refused or no host is missing.
func TestCutFabric(t *testing.T) {
	for _, spec := range []string{"torus:3", "fattree:nodes-per-leaf=2,leaves-per-pod=2,pods=1," +
		"aggs-per-pod=1,cores=0,gbps=40"} {
		n := mustParse(t, spec)
		text := dump(t, n)
		read := 0
		for end := range len(text) {
			m, err := Read("f", strings.NewReader(text[:end]))
			if err != nil {
				continue
			}
			read++
			if !slices.Equal(m.HostNames, n.HostNames) || len(m.Links) != len(n.Links) {
				t.Fatalf("%s, cut after %d of %d bytes: %s, hosts %v", spec, end, len(text), m.Summary(), m.HostNames)
			}
		}
		if read == 0 || read > len(text)/10 {
			t.Errorf("%s: %d of %d cuts were read", spec, read, len(text))
		}
	}
}

// Machines that were never given a name of their own share the default one.
func TestManyAdapters(t *testing.T) {
	for adapters, warnings := range map[int]int{16: 1, 17: 2} {
		var b strings.Builder
		b.WriteString("Switch 36 \"S-1\"\n")
		for i := 1; i <= adapters; i++ {
			fmt.Fprintf(&b, "[%d] \"H-%d\"[1] # \"MT25408 HCA\"\n", i, i)
		}
		n := readText(t, b.String())
		if n.Hosts() != 1 || len(n.Warnings) != warnings {
			t.Errorf("%d adapters: %s, warnings %q", adapters, n.Summary(), n.Warnings)
		}
		if warnings == 2 && !strings.HasPrefix(n.Warnings[0], "host MT25408 has 17 adapters: probably a "+
			"default node description") {
			t.Errorf("warnings %q", n.Warnings)
		}
	}
}

func TestPortList(t *testing.T) {
	n := readText(t, `CA   134  1 0x1a 4x EDR - SW  1719 10 0x2a ( 'o0002 HCA-1' - 'ib-i1l1s01' )
CA   133  1 0x1b 4x EDR - SW  1719 11 0x2a ( 'o0010 HCA-1' - 'ib-i1l1s01' )
SW  1719 10 0x2a 4x EDR - CA   134  1 0x1a ( 'ib-i1l1s01' - 'o0002 HCA-1' )
SW  1719 12 0x2a 4x ???                                    'ib - i1l1s01'
`)
	if !slices.Equal(n.HostNames, []string{"o0002", "o0010"}) || n.Switches() != 1 ||
		n.Links[0].BytesPerSecond != 12.5e9 {
		t.Errorf("%s: %v", n.Summary(), n.HostNames)
	}
}

func TestFabricErrors(t *testing.T) {
	const head = "Switch 4 \"S-1\" # \"ib1\"\n"
	replaced := func(old, new string) string {
		if !strings.Contains(smallFabric, old) {
			t.Fatalf("%q is not in the sample", old)
		}
		return strings.Replace(smallFabric, old, new, 1)
	}
	for text, want := range map[string]string{
		"":                               "fabric: the file is empty",
		"# only a comment\n":             "fabric: no Switch or Ca block",
		"hello\n":                        "fabric:1:1: expected Switch",
		head:                             "fabric:1: no host in the file",
		"[1] \"x\"[1]\n":                 "fabric:1:1: a port before any Switch",
		head + "[5] \"H-a\"[1]\n":        "fabric:2: port 5 of S-1 (ib1), which has 4 ports",
		head + "[0] \"H-a\"[1]\n":        "fabric:2:1: port \"0\" is not a number from 1",
		head + "[1] \"S-1\"[2]\n":        "fabric:2: port 1 of S-1 (ib1) leads to the same device",
		head + "[1] \"H-a\"[1]\n" + head: "fabric:3:15: S-1 (ib1) is described twice, first on line 1",
		head + "[1] \"H-a\"[1]\n[1] \"H-b\"[1]\n": "fabric:3: port 1 of S-1 " +
			"(ib1) is used twice, first on line 2",
		head + "[1] \"H-a\"[1]\n[2] \"H-a\"[1]\n": "fabric:3: port 1 of H-a " +
			"leads to port 2 of S-1 (ib1) here, but to port 1",
		head + "[1] \"H-a\"[1] # \"x\" 4xWDR\n": "fabric:2: link rate " +
			"\"4xWDR\" is not known",
		head + "[1] \"H-a\"[1] # \"x\" 3xSDR\n": "fabric:2: link rate " +
			"\"3xSDR\" is not known",
		head + "[1] \"S-2\"[1]\n": "fabric:2: switch S-2 is " +
			"used but not described",
		head + "[1] \"sw2\"[1]\n[2] \"sw2\"[2]\n": "fabric:2: sw2 is used on " +
			"2 ports but not described",
		head + "[1] \"H-a\"[1] 4xSDR\n": "fabric:2:14: unexpected",
		"Ca 1 \"H-a\"\n[1] \"H-b\"[1]\nCa 1 \"H-b\"\n": "fabric:2: H-a and H-b " +
			"are joined without a switch",
		"Ca 1 \"H-a\" # \"one\"\n": "fabric:1: adapter H-a " +
			"(one) has no links",
		replaced("[1](a1) \t\"S-1\"[1]", "[1](a1) \t\"S-1\"[2]"): "fabric:20: port 1 of H-a " +
			"(stage2 mlx4_0) leads to port 2 of S-1 (MF0;ib1:SX6036/U1) here",
		replaced("lid 128 4xFDR10", "lid 128 4xQDR"): "fabric:14: the link of " +
			"port 3 of S-2 (MF0;ib2:SX6036/U1) runs at 32 Gb/s here, but at 40 Gb/s on line 9",
		replaced(" lid 7 12xEDR", ""): "fabric:13: the link of " +
			"port 1 of S-2 (MF0;ib2:SX6036/U1) has no rate",
		head + "[1] \"H-a\"[1]\nSwitch 4 \"S-2\"\n[1] \"H-b\"[1]\n[2] " +
			"\"H-c\"[1]\n": "fabric:2: the network is not connected: host H-a on switch S-1 (ib1)",
		smallFabric[:strings.Index(smallFabric, "stage10")+3]: "fabric:8:34: the quotes " +
			"of the node description are not closed",
		smallFabric[:strings.Index(smallFabric, "(b1)")+2]: "fabric:8:20: no ')' to " +
			"the end of the line",
		smallFabric[:strings.Index(smallFabric, "Switch\t5")]: "fabric:9: switch S-2 " +
			"(MF0;ib2:SX6036/U1) is used but not described",
		"CA 1 1 0x1 4x EDR - SW 2 3 0x2 ( 'a": "fabric:1:1: expected ( " +
			"'DESCRIPTION'",
		"CA 1 1 0x1 4x EDR - XX 2 3 0x2 ( 'a' - 'b' )": "fabric:1:1: node type \"XX\"",
	} {
		_, err := ReadIBNetDiscover("fabric", strings.NewReader(text))
		var e *input.Error
		if !errors.As(err, &e) || !strings.HasPrefix(err.Error(), want) || e.Hint == "" {
			t.Errorf("%q:\n got %v\nwant %s", text, err, want)
		}
	}
}

func TestBrokenFile(t *testing.T) {
	_, err := Read("example-bad.out", openShared(t, "ib-topograph/example-bad.out"))
	if err == nil || !strings.HasPrefix(err.Error(), "example-bad.out:10: adapter H-b8e92403009ca838") {
		t.Errorf("got %v", err)
	}
}

func FuzzReadIBNetDiscover(f *testing.F) {
	f.Add([]byte(smallFabric))
	f.Add([]byte("Switch 36 \"leaf0\"\n[1] \"node0\"[1]\n"))
	f.Add([]byte("CA 1 1 0x1 4x EDR - SW 2 3 0x2 ( 'a' - 'b' )\nSW 2 4 0x2 4x ???   'b'\n"))
	f.Add([]byte("Switch 2000000000 \"a\"\n[1] \"b\"[1]\nRt 2 \"R-1\"\n[1] \"a\"[2]\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		n, err := Read("f", bytes.NewReader(data))
		if err != nil {
			var e *input.Error
			if !errors.As(err, &e) || e.Reason == "" || e.Line > bytes.Count(data, []byte("\n"))+1 {
				t.Fatalf("%v is no good *input.Error", err)
			}
			return
		}
		checkNetwork(t, n, false)
	})
}
