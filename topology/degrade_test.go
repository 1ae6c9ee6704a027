package topology

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"remap/internal/testkit/tier"
)

// partition finds hosts without a path between them, link by link from the
// list of links alone: the oracle for what Degrade says.
func partition(n *Topology, failed map[int32]bool) bool {
	neighbors := make([][]int32, n.Hosts()+n.Switches())
	for i, l := range n.Links {
		if !failed[int32(i)] {
			neighbors[l.From] = append(neighbors[l.From], l.To)
		}
	}
	for from := range int32(n.Hosts()) {
		seen, queue := map[int32]bool{from: true}, []int32{from}
		for i := 0; i < len(queue); i++ {
			if i > 0 && n.IsHost(queue[i]) {
				continue // hosts do not forward
			}
			for _, v := range neighbors[queue[i]] {
				if !seen[v] {
					seen[v], queue = true, append(queue, v)
				}
			}
		}
		for to := range int32(n.Hosts()) {
			if !seen[to] {
				return true
			}
		}
		if len(neighbors[from]) == 0 {
			return true
		}
	}
	return false
}

func drawNetwork(t *rapid.T) *Topology {
	if rapid.Bool().Draw(t, "fabric") {
		return readText(t, strings.Join(drawFabric(t), ""))
	}
	n, err := Parse(drawSpec(t))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// linksBetween lists the links between switches.
func linksBetween(n *Topology) (links []int32) {
	for l := range n.Links {
		if !n.IsHost(n.Links[l].From) && !n.IsHost(n.Links[l].To) {
			links = append(links, int32(l))
		}
	}
	return links
}

// drawFaults draws cables by number, by names and by whole switches, and says
// which links they are.
func drawFaults(t *rapid.T, n *Topology) (texts []string, failed map[int32]bool) {
	failed = map[int32]bool{}
	add := func(text string, links ...int32) {
		texts = append(texts, text)
		for _, l := range links {
			failed[l], failed[n.Reverse(l)] = true, true
		}
	}
	// Mostly links between switches: without a host's only link nothing is left to test.
	between := linksBetween(n)
	if len(between) == 0 || rapid.IntRange(0, 15).Draw(t, "any") == 0 {
		between = ascending(len(n.Links))
	}
	for range rapid.IntRange(1, 4).Draw(t, "faults") {
		l := rapid.SampledFrom(between).Draw(t, "link")
		from, to := n.Links[l].From, n.Links[l].To
		var parallel []int32
		for k := range n.Links {
			if n.Links[k].From == from && n.Links[k].To == to {
				parallel = append(parallel, int32(k))
			}
		}
		pair := n.NodeName(from) + ":" + n.NodeName(to)
		switch rapid.IntRange(0, 5).Draw(t, "how") {
		case 0:
			add(pair, parallel...)
		case 1:
			add(fmt.Sprintf("%s/%d", pair, slices.Index(parallel, l)), l)
		case 2:
			if !n.IsHost(from) && rapid.IntRange(0, 3).Draw(t, "switch") == 0 {
				first, end := n.Out(from)
				add(n.NodeName(from), ascending(int(end))[first:]...)
			}
		default:
			add(fmt.Sprint(n.LinkNumber(l)), l)
		}
	}
	return texts, failed
}

// Whatever fails in whatever network: either hosts have no path between them,
// and the error says so, or all reach each other without deadlock.
func TestRandomFailures(t *testing.T) {
	split, whole := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		n := drawNetwork(t)
		links, routes := slices.Clone(n.Links), fmt.Sprint(*n.Routes)
		texts, failed := drawFaults(t, n)
		d, err := Degrade(n, texts, nil)
		if !reflect.DeepEqual(n.Links, links) || fmt.Sprint(*n.Routes) != routes || n.Origin != nil {
			t.Fatalf("%s: %v changed the network itself", n.Name, texts)
		}
		if apart := partition(n, failed); apart || err != nil {
			if !apart || err == nil || !strings.Contains(err.Error(), "cut off") {
				t.Fatalf("%s without %v: error %v, parted: %v", n.Name, texts, err, apart)
			}
			split++
			return
		}
		whole++
		checkLinks(t, n, d, failed)
		checkNetwork(t, d, n.Routes.Grid != nil && d.Routes.VirtualChannels > n.Routes.VirtualChannels ||
			n.Routes.HyperX != nil)
		if again, _ := Degrade(n, texts, nil); !reflect.DeepEqual(again, d) {
			t.Fatalf("%s without %v: not the same twice", n.Name, texts)
		}
	})
	if tier.IsLong() && (split == 0 || whole == 0) {
		t.Errorf("%d networks fell apart and %d did not: a side is not tested", split, whole)
	}
}

// checkLinks: what is left of a network is what has not failed, in its order,
// with ports, rates and levels.
func checkLinks(t failer, n, d *Topology, failed map[int32]bool) {
	t.Helper()
	at := int32(0)
	for i, l := range n.Links {
		if failed[int32(i)] {
			continue
		}
		if d.Links[at] != l || d.LinkNumber(at) != int32(i) || d.LinkNumber(d.Reverse(at)) != n.Reverse(int32(i)) {
			t.Fatalf("%s: link %d became %d", n.Name, i, d.LinkNumber(at))
		}
		at++
	}
	if int(at) != len(d.Links) || !reflect.DeepEqual(n.Levels, d.Levels) ||
		!slices.Equal(n.HostNames, d.HostNames) || !slices.Equal(n.SwitchNames, d.SwitchNames) {
		t.Fatalf("%s: %d links of %d are left, or names or levels changed", n.Name, len(d.Links), at)
	}
}

// Failures one after the other leave the same links as all at once, and link
// numbers mean the first network throughout.
func TestFailuresOneByOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := drawNetwork(t)
		texts, failed := drawFaults(t, n)
		d, step := n, make([]string, 1)
		for l := range int32(len(n.Links)) {
			if step[0] = fmt.Sprint(l); !failed[l] || n.Reverse(l) < l {
				continue
			}
			var err error
			if d, err = Degrade(d, step, nil); err != nil {
				if !partition(n, failed) {
					t.Fatalf("%s without %v: %v", n.Name, texts, err)
				}
				return
			}
		}
		checkLinks(t, n, d, failed)
		checkNetwork(t, d, false)
		for l := range failed {
			if _, err := Degrade(d, []string{fmt.Sprint(l)}, nil); err == nil {
				t.Fatalf("%s: link %d failed twice", n.Name, l)
			}
		}
	})
}

// ways lists the candidates of a whole network from which a path of the whole
// network is left, as channels.
func ways(n *Topology, failed map[int32]bool, at, to int32) (channels []int32) {
	for _, c := range n.Routes.Candidates(at, to) {
		l := c / n.Routes.VirtualChannels
		next := n.SwitchOf(n.Links[l].To)
		if !failed[l] && (next == to || len(ways(n, failed, next, to)) > 0) {
			channels = append(channels, c)
		}
	}
	return channels
}

// A tree with failed links where every two leaf switches have a path left that
// goes up and down as short as before keeps all of these, and only these.
func TestTreeKeepsItsPaths(t *testing.T) {
	kept := 0
	rapid.Check(t, func(t *rapid.T) {
		n, err := Parse(drawTree(t))
		if err != nil {
			t.Fatal(err)
		}
		texts, failed := drawFaults(t, n)
		d, err := Degrade(n, texts, nil)
		if err != nil {
			return
		}
		leaves := leafSwitches(d)
		for _, a := range leaves {
			for _, b := range leaves {
				if a != b && n.SwitchDistance(a, b) >= 0 && len(ways(n, failed, a, b)) == 0 {
					return
				}
			}
		}
		kept++
		if d.Routes.Table != nil && !slices.Equal(d.Routes.StaticDivisor, n.Routes.StaticDivisor) {
			t.Fatalf("%s without %v: static routing divides by %v, and before "+
				"by %v", n.Name, texts, d.Routes.StaticDivisor, n.Routes.StaticDivisor)
		}
		for s := range int32(n.Switches()) {
			for _, to := range leaves {
				if s == to || d.SwitchDistance(s, to) < 0 || len(ways(n, failed, s, to)) == 0 {
					continue
				}
				var links []int32
				for _, c := range d.Routes.Candidates(s, to) {
					links = append(links, d.LinkNumber(c))
				}
				if want := ways(n, failed, s, to); !slices.Equal(links, want) {
					t.Fatalf("%s without %v: from %s to %s by %v, want %v", n.Name, texts, n.SwitchNames[s],
						n.SwitchNames[to], links, want)
				}
			}
		}
	})
	if tier.IsLong() && kept == 0 {
		t.Error("no tree kept its paths")
	}
}

// Slowed cables change rates, both ways, and nothing else.
func TestSlowed(t *testing.T) {
	n := mustParse(t, "xgft:down=2x2,up=1x2,parallel=1x2,gbps=40")
	d, err := Degrade(n, nil, []string{"leaf0:level2-1=0.25", "n3:leaf1=0.5", "leaf1:level2-0/1=0.1"})
	if err != nil {
		t.Fatal(err)
	}
	rates := map[string]int{}
	for i, l := range d.Links {
		whole := n.Links[i]
		rates[fmt.Sprintf("%s %s %g", n.NodeName(l.From), n.NodeName(l.To),
			l.BytesPerSecond/whole.BytesPerSecond)]++
		whole.BytesPerSecond = l.BytesPerSecond
		if whole != l {
			t.Errorf("link %d was %v and is %v", i, n.Links[i], l)
		}
	}
	for text, count := range map[string]int{"leaf0 level2-1 " +
		"0.25": 2, "level2-1 leaf0 0.25": 2, "n3 leaf1 0.5": 1, "leaf1 n3 0.5": 1,
		"leaf1 level2-0 0.1": 1, "level2-0 leaf1 0.1": 1, "leaf1 level2-0 1": 1, "leaf0 level2-0 1": 2,
		"n2 leaf1 1": 1} {
		if rates[text] != count {
			t.Errorf("%d links %s, want %d", rates[text], text, count)
		}
	}
	twice, err := Degrade(d, nil, []string{"leaf0:level2-1=0.5"})
	if err != nil {
		t.Fatal(err)
	}
	for i := range d.Links {
		want := d.Links[i].BytesPerSecond
		if want == n.Links[i].BytesPerSecond/4 {
			want /= 2
		}
		if twice.Links[i].BytesPerSecond != want {
			t.Errorf("link %d slowed twice has %g B/s, want %g", i, twice.Links[i].BytesPerSecond, want)
		}
	}
	if d.Routes != n.Routes || d.Origin != nil || len(d.Links) != len(n.Links) {
		t.Error("slow links changed more than rates")
	}
	if same, err := Degrade(n, nil, nil); same != n || err != nil {
		t.Error("nothing failed, and the network is another")
	}
	// A slow link among failed ones is still slow, and a failed one is gone.
	d, err = Degrade(n, []string{"leaf1:level2-0/0"}, []string{"leaf1:level2-0/1=0.1", "leaf1:level2-0/0=0.3"})
	if err != nil {
		t.Fatal(err)
	}
	var left []float64
	for _, l := range d.Links {
		if d.NodeName(l.From) == "leaf1" && d.NodeName(l.To) == "level2-0" {
			left = append(left, l.BytesPerSecond*8/1e9)
		}
	}
	if !slices.Equal(left, []float64{4}) {
		t.Errorf("rates %v are left, want 4 Gb/s", left)
	}
}

// A host with several rails loses one and keeps the routes; one with one rail
// is cut off.
func TestFailedRails(t *testing.T) {
	n := mustParse(t, "xgft:down=2x2,up=2x2")
	d, err := Degrade(n, []string{"n1:rail0-leaf0"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	checkNetwork(t, d, true)
	if first, end := d.Out(1); end-first != 1 || d.Routes.Table != nil {
		t.Errorf("%d rails are left, want 1, and the routes as they were", end-first)
	}
	if d.PathLength(0, 1) != 1 || d.PathLength(1, 3) != 3 {
		t.Errorf("path lengths %d and %d, want 1 and 3", d.PathLength(0, 1), d.PathLength(1, 3))
	}
	// n0 on one plane alone, n1 on the other alone: each reaches all but the other.
	for _, c := range []struct{ failed, reason string }{
		{"n1:rail0-leaf0 n0:rail1-leaf0", "cut off one host from others: n1"},
		{"n1:rail0-leaf0 n1:rail1-leaf0", "cut off one host from others: n1"},
		{"rail0-leaf0 rail1-leaf0", "cut off 2 of 4 hosts from others: n[0-1]"},
	} {
		if _, err := Degrade(n, strings.Fields(c.failed), nil); err == nil ||
			!strings.Contains(err.Error(), c.reason) {
			t.Errorf("without %s: %v, want %s", c.failed, err, c.reason)
		}
	}
	if _, err := Degrade(mustParse(t, "full"), []string{"leaf2"}, nil); err == nil ||
		!strings.HasSuffix(err.Error(), "cut off 18 of 3564 hosts from others: n[36-53]") {
		t.Errorf("a leaf switch fails: %v", err)
	}
}

// meanLinks is the mean number of links between switches on the way of two
// hosts; heaviest, the load of the busiest link when everybody sends one unit
// to everybody and shares it over candidates.
func meanLinks(n *Topology) (mean, heaviest float64) {
	load, pairs := make([]float64, len(n.Links)), 0.0
	for _, to := range leafSwitches(n) {
		var order []int32
		at := make([]float64, n.Switches())
		for _, s := range leafSwitches(n) {
			order, at[s] = append(order, s), 1
			mean, pairs = mean+float64(n.SwitchDistance(s, to)), pairs+1
		}
		slices.SortStableFunc(order, func(a, b int32) int {
			return int(n.SwitchDistance(b,
				to) - n.SwitchDistance(a, to))
		})
		for _, s := range order {
			candidates := n.Routes.Candidates(s, to)
			for _, c := range candidates {
				l := c / n.Routes.VirtualChannels
				load[l] += at[s] / float64(len(candidates))
				at[n.SwitchOf(n.Links[l].To)] += at[s] / float64(len(candidates))
			}
		}
	}
	return mean / (pairs - float64(len(leafSwitches(n)))), slices.Max(load)
}
