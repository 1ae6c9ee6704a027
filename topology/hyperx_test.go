package topology

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Every two switches that differ in exactly one coordinate have a link, no
// others do; all links that correct a coordinate are candidates.
func TestHyperXDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		extents := rapid.SliceOfN(rapid.IntRange(1, 5), 1, 4).Draw(t, "extents")
		hosts := rapid.IntRange(1, 3).Draw(t, "hosts")
		n, err := Parse(fmt.Sprintf("hyperx:%s,hosts=%d",
			strings.Trim(strings.ReplaceAll(fmt.Sprint(extents), " ", "x"), "[]"), hosts))
		if err != nil {
			t.Fatal(err)
		}
		switches, degree, long := 1, 0, int32(0)
		for _, extent := range extents {
			switches *= extent
			degree += extent - 1
			long += min(int32(extent-1), 1)
		}
		if n.Switches() != switches || n.Hosts() != switches*hosts || len(n.Links) != switches*(degree+2*hosts) {
			t.Fatalf("%s: %s", n.Name, n.Summary())
		}
		if n.Routes.VirtualChannels != max(2, 2*long) {
			t.Fatalf("%s: %d virtual channels", n.Name, n.Routes.VirtualChannels)
		}
		from := int32(rapid.IntRange(0, switches-1).Draw(t, "from"))
		links := map[int32]int32{}
		first, end := n.Out(n.NodeOf(from))
		for l := first; l < end; l++ {
			if to := n.Links[l].To; !n.IsHost(to) {
				links[n.SwitchOf(to)] = l
			}
		}
		for to := range int32(switches) {
			a, b, stride := int(from), int(to), 1
			var want []int32
			for _, extent := range extents {
				if a%extent != b%extent {
					link, ok := links[from+int32((b%extent-a%extent)*stride)]
					if !ok {
						t.Fatalf("%s: %d has no link toward %d", n.Name, from, to)
					}
					want = append(want, link)
				}
				a, b, stride = a/extent, b/extent, stride*extent
			}
			if n.SwitchDistance(from, to) != int32(len(want)) {
				t.Fatalf("%s: %d links from %d to %d, %d coordinates "+
					"differ", n.Name, n.SwitchDistance(from, to), from, to, len(want))
			}
			if got := n.MinimalNext(nil, n.NodeOf(from), to); !slices.Equal(got, want) {
				t.Fatalf("%s: next links %v from %d to %d, want %v", n.Name, got, from, to, want)
			}
		}
	})
}

func TestHyperXLevels(t *testing.T) {
	for spec, want := range map[string]string{
		"hyperx:8x8,hosts=8": "512 hosts, 64 switches, 1024+896 links of 100 Gb/s, levels leaf(64) box8x1(8)",
		"hyperx:3x1x2x2": "12 hosts, 12 switches, 24+48 links of 100 Gb/s, levels leaf(12) box3x1x1x1(4) " +
			"box3x1x2x1(2)",
		"hyperx:1,hosts=4": "4 hosts, 1 switches, 8+0 links of 100 Gb/s",
	} {
		if got := mustParse(t, spec).Summary(); got != want {
			t.Errorf("%s: %s, want %s", spec, got, want)
		}
	}
}

// The candidates of the hot loop cost no allocation in any network.
func TestCandidatesInAllocatesNothing(t *testing.T) {
	scratch := make([]int32, 0, 8)
	for _, spec := range []string{"hyperx:4x4x4", "dragonfly:groups=9,routers=4,hosts=2," +
		"global=2", "torus:4x4x4", "tapered"} {
		n := mustParse(t, spec)
		if !n.Routes.Grouped() != (n.Routes.Group(0, 1) < 0) {
			t.Errorf("%s: group %d", spec, n.Routes.Group(0, 1))
		}
		if count := testing.AllocsPerRun(100, func() {
			n.Routes.CandidatesIn(scratch, 0,
				int32(len(n.HostNames)%7+1))
		}); count != 0 {
			t.Errorf("%s: %v allocations", spec, count)
		}
	}
}
