package benchmarks

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"remap/fixtures"
	"remap/mapping"
	"remap/topology"
)

// externalStrategies are the mappings of other tools, made at once; what they
// are called says what was asked. Tools that are missing are told of.
func externalStrategies(t testing.TB, u *fixtures.Setup) []mapping.Strategy {
	t.Helper()
	e := &external{Setup: u, t: t, folder: t.TempDir()}
	writeText(t, filepath.Join(e.folder, "graph"), e.graph())
	var list []mapping.Strategy
	if installed(t, "scotch", "gcv", "scotch_gmap", "amk_grf") {
		list = append(list, fixed("Scotch", e.scotch()))
	}
	if installed(t, "metis", "gpmetis") {
		list = append(list, fixed("METIS", e.metis(false)))
		if u.Problem.Allocation.Slots != nil && u.Problem.Allocation.Slots[0] > 1 {
			list = append(list, fixed("METIS, by hosts", e.metis(true)))
		}
	}
	return list
}

// installed is `has` for benchmarks too.
func installed(t testing.TB, source string, programs ...string) bool {
	for _, program := range programs {
		if _, err := exec.LookPath(program); err != nil {
			t.Logf("%s (Debian package %s) is not installed: its mapping is left out", program, source)
			return false
		}
	}
	return true
}

// fixed is a strategy that always gives one mapping.
func fixed(name string, m mapping.Mapping) mapping.Strategy {
	return mapping.Strategy{Name: name, Map: func(context.Context, *mapping.Problem) (mapping.Mapping,
		error) {
		return slices.Clone(m), nil
	}}
}

// external runs other tools on a scenario.
type external struct {
	*fixtures.Setup
	t      testing.TB
	folder string
}

func (e *external) run(name string, arguments ...string) {
	e.t.Helper()
	cmd := exec.Command(name, arguments...)
	cmd.Dir = e.folder
	if out, err := cmd.CombinedOutput(); err != nil {
		e.t.Fatalf("%s: %s: %v: %s", e.Name, name, err, out)
	}
}

func writeText(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// graph is the problem's graph as METIS reads it. Weights are divided by what
// they have in common, and more where their sum would not fit 31 bits.
func (e *external) graph() string {
	g := e.Problem.Graph
	divisor, sum := int64(0), int64(0)
	for _, w := range g.Weights {
		for a, b := divisor, w; ; a, b = b, a%b {
			if b == 0 {
				divisor = a
				break
			}
		}
		sum += w
	}
	divisor = max(1, divisor, sum>>30)
	var text strings.Builder
	fmt.Fprintf(&text, "%d %d 1\n", g.Vertices(), len(g.Neighbors)/2)
	for v := range int32(g.Vertices()) {
		first, end := g.Row(v)
		for i := first; i < end; i++ {
			fmt.Fprintf(&text, "%d %d ", g.Neighbors[i]+1, max(1, g.Weights[i]/divisor))
		}
		text.WriteByte('\n')
	}
	return text.String()
}

// scotch maps with Scotch's default strategy onto the slots: those of a tree as
// a part of the whole tree, on a torus all of it, elsewhere what amk_grf makes of
// the cables. Ranks too many on a slot move to the nearest free one.
func (e *external) scotch() mapping.Mapping {
	e.t.Helper()
	places := mapping.Identity(e.Problem.Allocation.SlotCount())
	kind, extents, _ := strings.Cut(e.Topology, ":")
	switch whole := len(e.Problem.Allocation.Hosts) == e.Problem.Machine.Hosts(); {
	case (kind == "tapered" || kind == "fattree") && len(e.Problem.Machine.Levels) > 1:
		writeText(e.t, filepath.Join(e.folder, "target"), e.tree())
	case kind == "torus" && whole:
		writeText(e.t, filepath.Join(e.folder, "target"), fmt.Sprintf("torus3D "+
			"%s\n", strings.ReplaceAll(extents, "x", " ")))
	default:
		cables, _ := scotchNetwork(e.Problem.Machine)
		var hosts strings.Builder
		fmt.Fprintln(&hosts, len(e.Problem.Allocation.Hosts))
		for _, h := range e.Problem.Allocation.Hosts {
			fmt.Fprintln(&hosts, h)
		}
		writeText(e.t, filepath.Join(e.folder, "cables"), cables)
		writeText(e.t, filepath.Join(e.folder, "hosts"), hosts.String())
		e.run("amk_grf", "cables", "target", "-2", "-lhosts")
		places = nil
	}
	e.run("gcv", "-ic", "-os", "graph", "source")
	e.run("scotch_gmap", "source", "target", "map")
	numbers := e.numbers("map")[1:]
	if places == nil { // amk_grf numbers the hosts by themselves
		places = mapping.Identity(len(e.Problem.Allocation.Hosts))
	}
	m := make(mapping.Mapping, e.Problem.Ranks())
	for i := 0; i < len(numbers); i += 2 {
		m[numbers[i]-1] = places[numbers[i+1]] // ranks are numbered as in METIS files, from 1
	}
	return e.repaired(m)
}

// tree is a fat tree as Scotch's `tleaf`, one leaf a slot, of which the job's
// slots are the part that can be used.
func (e *external) tree() string {
	machine, a := e.Problem.Machine, e.Problem.Allocation
	pods, leaves, slots := machine.Levels[1].Groups(), machine.Levels[0].Groups(), int32(1)
	if a.Slots != nil {
		slots = slices.Max(a.Slots)
	}
	var text strings.Builder
	fmt.Fprintf(&text, "sub\n%d", a.SlotCount())
	for i, h := range a.Hosts {
		count := int32(1)
		if a.Slots != nil {
			count = a.Slots[i]
		}
		for s := range count {
			fmt.Fprintf(&text, " %d", h*slots+s)
		}
	}
	fmt.Fprintf(&text, "\ntleaf %d %d 20 %d 20 %d 20", 3+min(1, slots-1), pods, leaves/pods,
		machine.Hosts()/leaves)
	if slots > 1 {
		fmt.Fprintf(&text, " %d 1", slots)
	}
	return text.String() + "\n"
}

// metis cuts with METIS's recursive bisection into parts of the size of the
// allocated share of each leaf switch, or of each host, and gives them these in
// order; ranks of a part in order.
func (e *external) metis(byHost bool) mapping.Mapping {
	e.t.Helper()
	group := make([]int32, e.Problem.Allocation.SlotCount()) // by slot
	sizes := map[int32]int{}
	for slot, h := range e.Problem.Allocation.HostOfSlot() {
		if group[slot] = h; !byHost {
			group[slot] = e.Problem.Machine.LeafSwitch(h)
		}
		sizes[group[slot]]++
	}
	order := slices.Compact(slices.Clone(group))
	var weights strings.Builder
	for i, g := range order {
		fmt.Fprintf(&weights, "%d = %.9f\n", i, float64(sizes[g])/float64(len(group)))
	}
	writeText(e.t, filepath.Join(e.folder, "weights"), weights.String())
	e.run("gpmetis", "-ptype=rb", "-ufactor=1", "-seed=1", "-tpwgts=weights", "graph", fmt.Sprint(len(order)))
	first := map[int32]int32{}
	for slot := int32(len(group)) - 1; slot >= 0; slot-- {
		first[group[slot]] = slot
	}
	parts := e.numbers(fmt.Sprintf("graph.part.%d", len(order)))
	m := make(mapping.Mapping, len(parts))
	held := make([]int32, len(order))
	for r, part := range parts {
		g := order[part]
		m[r] = first[g] + min(held[part], int32(sizes[g])-1)
		held[part]++
	}
	return e.repaired(m)
}

// numbers reads the whole numbers of a file.
func (e *external) numbers(file string) []int32 {
	e.t.Helper()
	text, err := os.ReadFile(filepath.Join(e.folder, file))
	if err != nil {
		e.t.Fatal(err)
	}
	var list []int32
	for _, word := range strings.Fields(string(text)) {
		var n int32
		if _, err := fmt.Sscan(word, &n); err != nil {
			e.t.Fatalf("%s: %v", file, err)
		}
		list = append(list, n)
	}
	return list
}

// repaired moves ranks too many on a slot to the nearest free one.
func (e *external) repaired(m mapping.Mapping) mapping.Mapping {
	hosts := e.Problem.Allocation.HostOfSlot()
	taken := make([]bool, len(hosts))
	var surplus []int
	for r, slot := range m {
		if taken[slot] {
			surplus = append(surplus, r)
		}
		taken[slot] = true
	}
	for _, r := range surplus {
		m[r] = nearestFree(e.Problem.Machine, hosts, taken, m[r])
		taken[m[r]] = true
	}
	return m
}

// nearestFree is the free slot with the shortest path to another's host.
func nearestFree(machine *topology.Topology, hosts []int32, taken []bool, from int32) int32 {
	best, least := int32(-1), int32(0)
	for slot := range int32(len(hosts)) {
		if taken[slot] {
			continue
		}
		if length := machine.PathLength(hosts[from], hosts[slot]); best < 0 || length < least {
			best, least = slot, length
		}
	}
	return best
}
