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
	var file []string
	for _, line := range strings.Split(strings.TrimSpace(text.String()), "\n") {
		if file = append(file, "`"+line+"`"); len(file) == 3 {
			break
		}
	}
	var b strings.Builder
	row := func(what, text string) { fmt.Fprintf(&b, "| %s | %s |\n", what, text) }
	fmt.Fprintf(&b, "## %s\n\n", f.name)
	row(f.name, strings.ToUpper(f.doc[:1])+f.doc[1:])
	b.WriteString("|---|---|\n")
	row("file", strings.Join(file, "<br>"))
	launches := Launches(f.name, "FILE", "FILE"+CompanionSuffix, shown, Options{})
	for _, l := range launches {
		row(l.Launcher, "`"+l.Line("PROGRAM")+"`")
	}
	row("holds", f.what())
	if len(f.binds) > 0 {
		var binds []string
		for _, bind := range f.binds {
			binds = append(binds, string(bind))
		}
		row("`--bind`", strings.Join(binds, ", "))
	}
	if err := Check(f.name, anywhere, Options{}); err != nil {
		row("refused", err.Error())
	}
	for _, l := range launches {
		for _, note := range l.Notes {
			row("note", note)
		}
	}
	b.WriteString("\n")
	return b.String()
}

// what says what of a mapping the format holds.
func (f format) what() string {
	switch {
	case HoldsSlots(f.name):
		return "the host and the slot of every rank"
	case f.numbers:
		return "the order of ranks over hosts that the job has in a known order, not their names"
	case f.holds != nil:
		return "hosts whose ranks are consecutive"
	}
	return "the host of every rank; slots follow the order of ranks"
}
