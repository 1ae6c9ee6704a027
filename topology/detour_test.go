package topology

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"remap/internal/testkit/tier"
)

// Detours by their definition, on networks whole or degraded before: what is on
// the way stays there with all ways that are left; what is off the way takes a
// shortest path, on a channel for the links to the way, which become fewer.
func TestDetoursKeepWays(t *testing.T) {
	again, lost := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		n, err := Parse(drawSpec(t))
		if err != nil {
			t.Fatal(err)
		}
		for step := range 3 {
			texts, failed := drawFaults(t, n)
			d, err := Degrade(n, texts, nil)
			if err != nil || d.Routes.Detours == nil {
				return
			}
			off := map[[2]int32]int32{} // links off the way, of pairs that are
			for to := range int32(n.Switches()) {
				for s := range int32(n.Switches()) {
					if s != to && len(ways(n, failed, s, to)) == 0 {
						off[[2]int32{s, to}] = -1
					}
				}
			}
			for to := range int32(n.Switches()) {
				for length := int32(1); checkDetours(t, n, d, failed, off, to, length); length++ {
				}
			}
			again, lost = again+min(step, 1), lost+len(off)
			n = d
		}
	})
	if tier.IsLong() && (again == 0 || lost == 0) {
		t.Errorf("%d networks degraded again, %d pairs off the way: a side is not tested", again, lost)
	}
}

// checkDetours checks the switches that are so many links from a destination;
// false when there are none.
func checkDetours(t *rapid.T, n, d *Topology, failed map[int32]bool, off map[[2]int32]int32, to,
	length int32) (found bool) {
	for s := range int32(n.Switches()) {
		if d.SwitchDistance(s, to) != length {
			continue
		}
		found = true
		var got, want []int32 // channels by the first network's links
		for _, c := range d.Routes.Candidates(s, to) {
			got = append(got, d.LinkNumber(c/d.Routes.VirtualChannels)*maxChannels+c%d.Routes.VirtualChannels)
		}
		if _, isOff := off[[2]int32{s, to}]; !isOff {
			for _, c := range ways(n, failed, s, to) {
				want = append(want, n.LinkNumber(c/n.Routes.VirtualChannels)*maxChannels+c%n.Routes.VirtualChannels)
			}
			if n.SwitchDistance(s, to) != length {
				t.Fatalf("%s: %d to %d is on the way, %d links and "+
					"now %d", n.Name, s, to, n.SwitchDistance(s, to), length)
			}
		} else {
			want = offTheWay(n, d, off, s, to, length)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%s: %d to %d by %v, want %v", n.Name, s, to, got, want)
		}
	}
	return found
}

// offTheWay gives the candidates at a switch off the way, and notes how far off
// it is.
func offTheWay(n, d *Topology, off map[[2]int32]int32, s, to, length int32) (want []int32) {
	first, end := d.Out(d.NodeOf(s))
	nearest := int32(math.MaxInt32)
	for l := first; l < end; l++ {
		if v := d.Links[l].To; !d.IsHost(v) && d.SwitchDistance(d.SwitchOf(v), to) == length-1 {
			nearest = min(nearest, off[[2]int32{d.SwitchOf(v), to}])
		}
	}
	off[[2]int32{s, to}] = nearest + 1
	channel := int32(0)
	if !n.Routes.PerHop {
		channel = n.Routes.VirtualChannels + nearest
	}
	for l := first; l < end; l++ {
		if v := d.Links[l].To; !d.IsHost(v) && d.SwitchDistance(d.SwitchOf(v), to) == length-1 &&
			off[[2]int32{d.SwitchOf(v), to}] == nearest {
			want = append(want, d.LinkNumber(l)*maxChannels+channel)
		}
	}
	return want
}

// A failed cable in a large network changes little, and takes little.
func TestDetoursOfLargeNetworks(t *testing.T) {
	for _, c := range []struct {
		spec, failed string
		most         int // pages
	}{
		// destinations on the other side, whose 24 switches share a page
		{"torus:24x24x24", "s0-0-0:s1-0-0", 24*24*24 + 1},
		{"dragonfly:groups=99,routers=14,hosts=7,global=7", "group0-router0:group0-router1", 2000},
	} {
		n := mustParse(t, c.spec)
		d, err := Degrade(n, []string{c.failed}, nil)
		if err != nil {
			t.Fatal(err)
		}
		route := d.Routes.Detours
		if pages := len(route.groups) / detourPage; d.Routes.Table != nil || pages > c.most || pages < 2 {
			t.Errorf("%s: %d pages, want %d at most", c.spec, pages, c.most)
		}
	}
	n := mustParse(t, "torus:257x256")
	if _, err := Degrade(n, []string{"s0-0:s1-0"}, nil); err == nil ||
		!strings.Contains(err.Error(), "65792 switches") {
		t.Errorf("%s: %v", n.Name, err)
	}
}

// What detours are for: a torus with a failed cable keeps shortest paths and
// few virtual channels, where up*/down* would crowd the links near its root.
func TestTorusDetours(t *testing.T) {
	whole := mustParse(t, "torus:8x8x8")
	d, err := Degrade(whole, []string{"s0-0-0:s1-0-0"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	upDown := *d
	if err := upDown.routeUpDown(nil); err != nil {
		t.Fatal(err)
	}
	before, loadBefore := meanLinks(whole)
	after, loadAfter := meanLinks(d)
	tables, loadTables := meanLinks(&upDown)
	t.Logf("mean links and heaviest load: %.3f %.0f whole, %.3f %.0f by detours on %d virtual channels, "+
		"%.3f %.0f by up*/down*",
		before, loadBefore, after, loadAfter, d.Routes.VirtualChannels, tables, loadTables)
	if math.Abs(after-before) > 0.001 || loadAfter > 1.5*loadBefore || d.Routes.VirtualChannels > 4 ||
		tables < 1.1*before || loadTables < 5*loadBefore {
		t.Error("not as the comment of Degrade says")
	}
}

// Many failures in grids large enough for detours that could wait in a circle.
func TestGridDetours(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		side := rapid.IntRange(4, 7)
		n, err := Parse(fmt.Sprintf("%s:%dx%d", rapid.SampledFrom([]string{"torus", "mesh"}).Draw(t, "kind"),
			side.Draw(t, "x"), side.Draw(t, "y")))
		if err != nil {
			t.Fatal(err)
		}
		links := rapid.SliceOfN(rapid.SampledFrom(linksBetween(n)), 2, 16).Draw(t, "links")
		var texts []string
		for _, l := range links {
			texts = append(texts, fmt.Sprint(l))
		}
		if d, err := Degrade(n, texts, nil); err == nil {
			checkNetwork(t, d, d.Routes.VirtualChannels > 1)
		}
	})
}

// Where detours would need more virtual channels than switches have, ways over
// intermediate switches go first, then the detours.
func TestChannelBounds(t *testing.T) {
	for _, c := range []struct {
		spec         string
		keep         func(a, b int32) bool
		channels     int32
		perHop, ways bool
	}{
		{"hyperx:8", chained, 14, true, true},   // paths of up to 7 links, twice
		{"hyperx:12", chained, 11, true, false}, // 22 are too many
		{"hyperx:17", chained, 16, true, false}, // all there are
		{"hyperx:18", chained, 1, false, false}, // one too many
		{"hyperx:20", chained, 1, false, false}, // 19 are too many
		// 2, and 9 to come to the switch from which the other way is as short
		{"torus:20", notClosed, 11, false, false},
		{"torus:40", notClosed, 1, false, false}, // 21 are too many
	} {
		n := mustParse(t, c.spec)
		var texts []string
		for _, l := range linksBetween(n) {
			if a, b := n.SwitchOf(n.Links[l].From), n.SwitchOf(n.Links[l].To); a < b && !c.keep(a, b) {
				texts = append(texts, fmt.Sprint(l))
			}
		}
		d, err := Degrade(n, texts, nil)
		if err != nil {
			t.Fatal(err)
		}
		checkNetwork(t, d, true)
		if r := d.Routes; r.VirtualChannels != c.channels || r.PerHop != c.perHop ||
			(r.Intermediate != nil) != c.ways {
			t.Errorf("%s: %d virtual channels, per hop %v, %d intermediate switches, "+
				"want %+v", c.spec, r.VirtualChannels, r.PerHop, len(r.Intermediate), c)
		}
	}
}

func chained(a, b int32) bool   { return b == a+1 }
func notClosed(a, b int32) bool { return a > 0 || b == 1 }
