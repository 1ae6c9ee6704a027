package topology

import (
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"remap/input"
)

// Fat trees by `fattree:` and the two thesis networks stay what they have
// always been, down to the order of links, names, candidates and divisors:
// simulations of one seed rest on all of these.
func TestFatTreesStay(t *testing.T) {
	for spec, want := range map[string]uint64{
		"fattree:nodes-per-leaf=4,leaves-per-pod=1,pods=1,aggs-per-pod=0,cores=0":              0x2b671de2c7a97369,
		"fattree:nodes-per-leaf=1,leaves-per-pod=1,pods=1,aggs-per-pod=2,cores=0":              0x1da4e7ee95ae9c2,
		"fattree:nodes-per-leaf=3,leaves-per-pod=4,pods=1,aggs-per-pod=2,cores=0,leaf-links=2": 0xb210166b4c8002ab,
		"fattree:nodes-per-leaf=2,leaves-per-pod=3,pods=4,aggs-per-pod=2,cores=4,up=6":         0x6c84aaa2163b2dac,
		"fattree:nodes-per-leaf=1,leaves-per-pod=2,pods=2,aggs-per-pod=2,cores=2,leaf-links=3": 0x8b79504440a61680,
		"fattree:nodes-per-leaf=2,leaves-per-pod=1,pods=3,aggs-per-pod=1,cores=1":              0xe472c447e12fa9f5,
		"fattree:nodes-per-leaf=2,leaves-per-pod=2,pods=1,aggs-per-pod=2,cores=4,up=2":         0xa75362ba9e61c02,
		"tapered": 0x8d8e25bc9d51681b,
		"full":    0xca3b8bcba5fb76a7,
		"fattree:nodes-per-leaf=3,leaves-per-pod=2,pods=3,aggs-per-pod=2,cores=4,up=4,leaf-links=2,gbps=25," +
			"latency-ns=7": 0x85ab6bda54762bc0,
	} {
		n := mustParse(t, spec)
		h := fnv.New64a()
		fmt.Fprint(h, n.HostNames, n.SwitchNames, n.Links, n.Levels, n.firstLink, n.reverse)
		r := n.Routes
		fmt.Fprint(h, r.VirtualChannels, r.Switches, r.Offsets, r.Channels, r.Intervals, r.StaticDivisor)
		if h.Sum64() != want {
			t.Errorf("%s has changed", spec)
		}
	}
}

func join(numbers []int) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(numbers), " ", "x"), "[]")
}

func isTree(spec string) bool {
	return strings.HasPrefix(spec, "fattree") || strings.HasPrefix(spec, "xgft")
}

// drawTree draws an `xgft:` spec of 1 to 4 levels with few hosts.
func drawTree(t *rapid.T) string {
	levels := rapid.IntRange(1, 4).Draw(t, "levels")
	numbers := func(most int, label string) string {
		return join(rapid.SliceOfN(rapid.IntRange(1, most), levels, levels).Draw(t, label))
	}
	return fmt.Sprintf("xgft:down=%s,up=%s,parallel=%s", numbers(3, "down"), numbers(2, "up"),
		numbers(2, "parallel"))
}

// The same network said in two ways is the same network but for names and the
// order of ports: hosts, levels, distances and numbers of candidates.
func TestFatTreeIsXGFT(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := func(low, high int) int { return rapid.IntRange(low, high).Draw(t, "n") }
		hosts, leaves, aggs, leafLinks := number(1, 4), number(1, 4), number(1, 3), number(1, 3)
		pods, group, parallel := number(1, 4), number(1, 3), number(1, 3)
		tree := fmt.Sprintf("fattree:nodes-per-leaf=%d,leaves-per-pod=%d,aggs-per-pod=%d,"+
			"leaf-links=%d", hosts, leaves, aggs, leafLinks)
		down, up, copies := []int{hosts, leaves}, []int{1, aggs}, []int{1, leafLinks}
		if rapid.Bool().Draw(t, "three levels") {
			tree += fmt.Sprintf(",pods=%d,cores=%d,up=%d", pods, aggs*group, group*parallel)
			down, up, copies = append(down, pods), append(up, group), append(copies, parallel)
		} else {
			tree += ",pods=1,cores=0"
		}
		a, err := Parse(tree)
		if err != nil {
			t.Fatal(err)
		}
		b, err := Parse(fmt.Sprintf("xgft:down=%s,up=%s,parallel=%s", join(down), join(up), join(copies)))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(a.HostNames, b.HostNames) || a.Summary() != b.Summary() {
			t.Fatalf("%s: %s, and %s: %s", a.Name, a.Summary(), b.Name, b.Summary())
		}
		for i := range a.Levels {
			if a.Levels[i].Name != b.Levels[i].Name || !slices.Equal(a.Levels[i].Group, b.Levels[i].Group) {
				t.Fatalf("%s and %s differ in level %s", a.Name, b.Name, a.Levels[i].Name)
			}
		}
		for s := range int32(a.Switches()) {
			for _, to := range leafSwitches(a) {
				if a.SwitchDistance(s, to) != b.SwitchDistance(s, to) ||
					len(a.Routes.Candidates(s, to)) != len(b.Routes.Candidates(s, to)) {
					t.Fatalf("%s and %s differ from %s to %s", a.Name, b.Name, a.SwitchNames[s], a.SwitchNames[to])
				}
			}
		}
	})
}

// Öhring et al. 1995, section 2: level k of XGFT(h; m; w) has
// m(k+1)...m(h) x w(1)...w(k) nodes; those above the hosts have m(k) p(k) links
// down and w(k+1) p(k+1) up.
func TestTreeCounts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec := drawTree(t)
		s, err := readSpec(spec)
		if err != nil {
			t.Fatal(err)
		}
		p, err := s.xgft()
		if err != nil {
			t.Fatal(err)
		}
		n, err := p.build()
		if err != nil {
			t.Fatal(err)
		}
		at := int32(0)
		for k := range p.down {
			count, ports := 1, p.down[k]*p.parallel[k]
			for i := range p.down {
				if i > k {
					count *= p.down[i]
				} else {
					count *= p.up[i]
				}
			}
			if k+1 < len(p.down) {
				ports += p.up[k+1] * p.parallel[k+1]
			}
			for range count {
				first, end := n.Out(n.NodeOf(at))
				if int(end-first) != ports {
					t.Fatalf("%s: %s has %d ports, want %d", spec, n.SwitchNames[at], end-first, ports)
				}
				at++
			}
		}
		if int(at) != n.Switches() {
			t.Fatalf("%s: %d switches, want %d", spec, n.Switches(), at)
		}
		if first, end := n.Out(0); int(end-first) != p.up[0]*p.parallel[0] {
			t.Fatalf("%s: %d rails, want %d x %d", spec, end-first, p.up[0], p.parallel[0])
		}
	})
}

// Where parents and parallel links divide the hosts, destination-modulo routing
// of everybody to everybody loads all links of a kind alike, up and down. Of a
// tree that comes back from a dump, three levels are known to be so.
func TestTreeStaticRoutingSpreads(t *testing.T) {
	for _, spec := range []string{"xgft:down=4x4,up=1x4", "xgft:down=4x4,up=1x2," +
		"parallel=1x2", "xgft:down=8x4x4,up=1x2x2,parallel=1x4x4",
		"xgft:down=4x2x2x2,up=1x2x2x2,parallel=1x2x1x2", "xgft:down=4x4x4," +
			"up=1x4x4", "xgft:down=4x4x4,up=1x4x4 dumped", "xgft:down=4x4x2,up=2x2x2," +
			"parallel=1x2x2", "xgft:down=2x2x2x2x2,up=1x2x2x2x2"} {
		spec, dumped := strings.CutSuffix(spec, " dumped")
		n := mustParse(t, spec)
		if dumped {
			n = readText(t, dump(t, n))
		}
		load := make([]int, len(n.Links))
		for _, from := range leafSwitches(n) {
			for host := range int32(n.Hosts()) {
				for _, in := range n.Ejection(host) {
					to := n.SwitchOf(n.Links[in].From)
					for at := from; at != to && n.SwitchDistance(from, to) >= 0; {
						candidates := n.Routes.Candidates(at, to)
						l := candidates[host/n.Routes.StaticDivisor[at]%int32(len(candidates))]
						load[l]++
						at = n.SwitchOf(n.Links[l].To)
					}
				}
			}
		}
		level := func(node int32) string {
			if name := n.NodeName(node); strings.Contains(name, "level") {
				return name[:strings.LastIndex(name, "-")][strings.Index(name, "level"):]
			}
			return "leaf"
		}
		same := map[string]int{}
		for i, l := range n.Links {
			if n.IsHost(l.From) || n.IsHost(l.To) {
				continue
			}
			kind := level(l.From) + " to " + level(l.To)
			if want, ok := same[kind]; !ok {
				same[kind] = load[i]
			} else if load[i] != want || want == 0 {
				t.Fatalf("%s: one link %s carries %d, another %d", spec, kind, load[i], want)
			}
		}
	}
}

func TestTreeErrors(t *testing.T) {
	for spec, reason := range map[string]string{
		"xgft":                          "down, up must be given",
		"xgft:down=2x2":                 "up must be given",
		"xgft:4x4,up=1x2":               `field "4x4" is not KEY=VALUE`,
		"xgft:down=2x2,up=1":            "down has 2 levels and up has 1",
		"xgft:down=2,up=1,parallel=1x2": "down has 1 levels and parallel has 2",
		"xgft:down=2x0,up=1x1":          "every number of down must be at least 1",
		"xgft:down=2x2,up=0x1":          "every number of up must be at least 1",
		"xgft:down=2xx2,up=1x1x1":       `every number of down must be a whole number, not ""`,
		"xgft:down=2,up=1,pods=3":       `xgft has no field "pods"`,
		"xgft:down=1x1x1x1x1x1x1x1x1,up=1x1x1x1x1x1x1x1x1": "at most 8 levels of switches, not 9",
		"xgft:down=4096x4097,up=1x1":                       "are too many",
		"xgft:down=1x1x1x1x1x1x1x1," +
			"up=16777216x16777216x16777216x16777216x16777216x16777216x16777216x16777216": "are too many",
		"xgft:down=1x1,up=1x1,parallel=1x16777216": "are too many",
	} {
		_, err := Parse(spec)
		var e *input.Error
		if !errors.As(err, &e) || !strings.Contains(e.Reason, reason) || !strings.Contains(e.Hint, "xgft:") {
			t.Errorf("Parse(%q) = %v, want %q", spec, err, reason)
		}
	}
}
