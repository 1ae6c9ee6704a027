package picture

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"remap/topology"
)

// turned is smallTree with other numbers: its pods are numbered the other way round, and so are the
// leaf switches of a pod and the hosts of a leaf switch. The names stay what they are.
func turned(t *testing.T) *topology.Topology {
	t.Helper()
	m := machine(t, smallTree)
	slices.Reverse(m.HostNames)
	slices.Reverse(m.SwitchNames[:12])
	for pod := range 3 {
		for agg := range 2 {
			m.SwitchNames[12+2*pod+agg] = fmt.Sprintf("pod%d-agg%d", 2-pod, agg)
		}
	}
	return m
}

// marksOf are the shapes of a scene without the numbers of links, sorted.
func marksOf(s *Scene) []string {
	var all []string
	for _, shape := range s.Shapes {
		shape.ID = ""
		all = append(all, fmt.Sprintf("%+v", shape))
	}
	slices.Sort(all)
	return all
}

// The order of hosts, switches and links in the network does not matter.
func TestOrderOfInputDoesNotMatter(t *testing.T) {
	a, b := machine(t, smallTree), turned(t)
	x := marksOf(draw(t, a, NetworkOptions{}, viewOf(a, "")))
	y := marksOf(draw(t, b, NetworkOptions{}, viewOf(b, "")))
	if len(x) != len(y) {
		t.Fatalf("%d shapes, in another order %d", len(x), len(y))
	}
	for i := range x {
		if x[i] != y[i] {
			t.Fatalf("%s\nin another order %s", x[i], y[i])
		}
	}
}

// Names that want to be markup, or to speak to a terminal, do not succeed.
func TestHostileNames(t *testing.T) {
	m := machine(t, smallTree)
	m.HostNames[0], m.SwitchNames[0] = `<script>alert("1")</script>`, "\x1b[2J'\"&<b>"
	v := viewOf(m, "")
	var svg bytes.Buffer
	if err := draw(t, m, NetworkOptions{}, v).WriteSVG(&svg); err != nil {
		t.Fatal(err)
	}
	if count := wellFormed(t, svg.Bytes()); count["script"]+count["b"] > 0 {
		t.Errorf("%v", count)
	}
	text, err := Terminal(m, []Panel{{"\x1b[31m", v}}, NetworkOptions{Title: "a\x07b"}, true)
	if err != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(text+svg.String(), "\x1b\x07") {
		t.Error("control characters pass")
	}
}

// A region has all hosts of its leaf switches and nothing else.
func TestCrop(t *testing.T) {
	m := machine(t, smallTree)
	for region, want := range map[string]string{"leaf1-leaf2": "n4 to n11", "leaf2-leaf1": "n4 to n11",
		"leaf3": "n12 to n15", "n5-n9": "n4 to n11", "n[0,7]": "n0 to n7"} {
		hosts, err := Crop(m, region)
		if err != nil {
			t.Fatal(err)
		}
		s := draw(t, m, NetworkOptions{Hosts: hosts}, viewOf(m, ""))
		var drawn []string
		for _, shape := range s.Shapes {
			if strings.HasPrefix(shape.ID, "h") {
				drawn = append(drawn, shape.ID)
			}
		}
		if got := "n" + drawn[0][1:] + " to n" + drawn[len(drawn)-1][1:]; got != want {
			t.Errorf("%s: hosts %s, want %s", region, got, want)
		}
		inside(t, region, s)
	}
	for _, region := range []string{"", "leaf99", "leaf0-leaf99", "core0", "n[0-99]", "<b>"} {
		if _, err := Crop(m, region); err == nil {
			t.Errorf("region %q was not refused", region)
		}
	}
}

// Terminal pictures fit in 80 columns, and in ASCII where only that is shown.
func TestTerminal(t *testing.T) {
	for _, spec := range networks {
		m := machine(t, spec)
		v := viewOf(m, "")
		for _, ascii := range []bool{true, false} {
			text, err := Terminal(m, []Panel{{"before", v}, {"after", v}}, NetworkOptions{Title: spec}, ascii)
			if err != nil {
				t.Fatal(err)
			}
			for _, line := range strings.Split(text, "\n") {
				if letters := []rune(line); len(letters) > terminalWidth || ascii && len(letters) != len(line) {
					t.Errorf("%s: %d columns, %d bytes: %s", spec, len(letters), len(line), line)
				}
			}
			if !strings.Contains(text, "most congested") || strings.Count(text, "congested 0 ") != 1 {
				t.Errorf("%s: %s", spec, text)
			}
		}
	}
}

// A character is as dark as the worst link of its switch.
func TestTerminalShades(t *testing.T) {
	m := machine(t, smallTree)
	v := viewOf(m, "")
	for i := range v.Links {
		v.Links[i].Congested.Value = 0
	}
	from, _ := m.Out(m.NodeOf(1)) // of leaf1
	for l := from; ; l++ {
		if !m.IsHost(m.Links[l].To) {
			v.Links[l].Bytes, v.Links[l].Congested.Value = 1e9, 1
			break
		}
	}
	text, err := Terminal(m, []Panel{{"", v}}, NetworkOptions{}, true)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(text, "\n") {
		if name, marks, _ := strings.Cut(line, "aggregation "); name == "leaf to " {
			if marks = strings.TrimLeft(marks, " "); marks[1] != '@' || strings.Count(marks, "@") != 1 {
				t.Errorf("%q", line)
			}
			return
		}
	}
	t.Errorf("no line of leaf switches: %s", text)
}
