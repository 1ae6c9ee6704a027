package topology

import (
	"os"
	"slices"
	"strings"
	"testing"
)

func openShared(t *testing.T, path string) *os.File {
	t.Helper()
	file, err := os.Open("../../shared/data/" + path)
	if err != nil {
		t.Skipf("%s is not there", path)
	}
	t.Cleanup(func() { file.Close() })
	return file
}

// The real fabrics: every spine that has links to both leaves is a candidate,
// with all its parallel links.
func TestRealFabrics(t *testing.T) {
	for _, want := range []struct {
		path                   string
		hosts, rails, switches int
		leaves                 []string
	}{
		{"ib-loginoff/topo.ibnetdiscover", 144, 145, 8, []string{"ib1:", "ib2:", "ib3:", "ib4:", "ib5:", "ib6:"}},
		{"ib-topograph/ibnetdiscover_example.out", 123, 542, 40, []string{"LEAF"}},
	} {
		t.Run(want.path, func(t *testing.T) {
			n, err := Read(want.path, openShared(t, want.path))
			if err != nil {
				t.Fatal(err)
			}
			if rails := int(n.firstLink[n.Hosts()]); n.Hosts() != want.hosts || rails != want.rails ||
				n.Switches() != want.switches {
				t.Errorf("%s, want %+v", n.Summary(), want)
			}
			checkNetwork(t, n, false)
			isLeaf := func(s int32) bool {
				return slices.ContainsFunc(
					want.leaves,
					func(part string) bool { return strings.Contains(n.SwitchNames[s], part) },
				)
			}
			for _, a := range leafSwitches(n) {
				for _, b := range leafSwitches(n) {
					if a == b || !isLeaf(a) || !isLeaf(b) {
						continue
					}
					if got, all := len(n.Routes.Candidates(a, b)), linksToCommonSpines(n, a, b, isLeaf); got != all ||
						all < 2 {
						t.Errorf("%s to %s: %d candidates, %d links to spines of "+
							"both", n.SwitchNames[a], n.SwitchNames[b], got, all)
					}
				}
			}
		})
	}
}

func linksToCommonSpines(n *Topology, a, b int32, isLeaf func(int32) bool) int {
	joined := func(s int32, node int32) bool {
		first, end := n.Out(n.NodeOf(s))
		return slices.ContainsFunc(n.Links[first:end], func(l Link) bool { return l.To == node })
	}
	count := 0
	first, end := n.Out(n.NodeOf(a))
	for _, l := range n.Links[first:end] {
		if !n.IsHost(l.To) && !isLeaf(n.SwitchOf(l.To)) && joined(b, l.To) {
			count++
		}
	}
	return count
}
