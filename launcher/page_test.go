package launcher

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"remap/internal/testkit/tier"
	"remap/topology"
)

// TestFormatsPage logs, of every format, three lines, the launch lines, what it holds, and what is said of a
// mapping that it cannot hold: the page docs/results/launchers.md.
func TestFormatsPage(t *testing.T) {
	tier.Table(t, "a table")
	anywhere := sample()
	anywhere.Hosts = append(anywhere.Hosts, topology.HostSlots{Name: "node2", Slots: 2})
	var page strings.Builder
	for _, f := range table() {
		p := anywhere
		for _, simpler := range []*Placement{sample(), inOrder()} {
			if f.holds != nil && f.holds(p) != "" {
				p = simpler
			}
		}
		page.WriteString(section(t, f, p, anywhere))
	}
	t.Logf("\n%s", page.String())
}

// inOrder is a mapping that every format holds.
func inOrder() *Placement {
	p := sample()
	p.Host, p.Slot = []int32{1, 1, 0, 0}, []int32{0, 1, 0, 1}
	return p
}

// section is what the page says of a format: shown is a mapping that it holds, anywhere one that some do not.
func section(t *testing.T, f format, shown, anywhere *Placement) string {
	t.Helper()
	var text bytes.Buffer
	if err := WritePlacement(&text, f.name, shown, Options{}); err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(text.String(), "\n")
	var b strings.Builder
	fmt.Fprintf(&b, "## %s\n\n%s.\n\n```\n%s```\n\n", f.name, strings.ToUpper(f.doc[:1])+f.doc[1:],
		strings.Join(lines[:min(3, len(lines))], ""))
	launches := Launches(f.name, "FILE", "FILE"+CompanionSuffix, shown, Options{})
	for _, l := range launches {
		fmt.Fprintf(&b, "    %s  # %s\n", l.Line("PROGRAM"), l.Launcher)
	}
	if len(launches) > 0 {
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "- holds: %s\n", f.what())
	if len(f.binds) > 0 {
		var binds []string
		for _, bind := range f.binds {
			binds = append(binds, string(bind))
		}
		fmt.Fprintf(&b, "- `--bind`: %s\n", strings.Join(binds, ", "))
	}
	if err := Check(f.name, anywhere, Options{}); err != nil {
		fmt.Fprintf(&b, "- refused: \"%s\"\n", err)
	}
	for _, l := range launches {
		for _, note := range l.Notes {
			fmt.Fprintf(&b, "- note: %s\n", note)
		}
	}
	b.WriteString("\n")
	return b.String()
}

// what says what of a mapping the format holds.
func (f format) what() string {
	switch {
	case f.name == Native || f.name == "json" || f.name == "openmpi-rankfile":
		return "the host and the slot of every rank"
	case f.numbers:
		return "the order of ranks over hosts that the job has in a known order, not their names"
	case f.holds != nil:
		return "hosts whose ranks are consecutive"
	}
	return "the host of every rank; slots follow the order of ranks"
}
