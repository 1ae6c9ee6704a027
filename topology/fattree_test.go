package topology

import (
	"testing"
)

func mustParse(t *testing.T, spec string) *Topology {
	t.Helper()
	n, err := Parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// Taffet 2018, table 3.1: counts of the two networks, and the ports they use.
func TestThesisNetworks(t *testing.T) {
	for _, want := range []struct {
		spec                               string
		hosts, switches, leaf, agg, core   int
		leaves, pods, coreSwitches, radix  int
		sameLeaf, samePod, otherPod, cable int
	}{
		{"tapered", 4608, 288, 48, 48, 48, 144, 6, 48, 48, 1, 3, 5, 4608 + 144*16 + 96*24},
		{"full", 3564, 504, 36, 36, 33, 198, 11, 108, 36, 1, 3, 5, 3564 + 198*18 + 198*18},
	} {
		n := mustParse(t, want.spec)
		if n.Hosts() != want.hosts || n.Switches() != want.switches || len(n.Links) != 2*want.cable {
			t.Errorf("%s: %s, want %d hosts, %d switches, %d links", want.spec, n.Summary(), want.hosts, want.switches, 2*want.cable)
		}
		if n.Levels[0].Groups() != want.leaves || n.Levels[1].Groups() != want.pods {
			t.Errorf("%s: %s, want %d leaves, %d pods", want.spec, n.Summary(), want.leaves, want.pods)
		}
		for s := range int32(n.Switches()) {
			first, end := n.Out(n.NodeOf(s))
			ports := want.agg
			if int(s) < want.leaves {
				ports = want.leaf
			} else if int(s) >= n.Switches()-want.coreSwitches {
				ports = want.core
			}
			if int(end-first) != ports || int(end-first) > want.radix {
				t.Errorf("%s: switch %s uses %d ports, want %d of %d", want.spec, n.SwitchNames[s], end-first, ports, want.radix)
			}
		}
		last := int32(n.Hosts() - 1)
		perLeaf, perPod := int32(want.hosts/want.leaves), int32(want.hosts/want.pods)
		for _, pair := range []struct{ a, b, length int32 }{{0, 0, 0}, {0, perLeaf - 1, 1}, {0, perLeaf, 3}, {0, perPod - 1, 3}, {0, perPod, 5}, {0, last, 5}} {
			if got := n.PathLength(pair.a, pair.b); got != pair.length {
				t.Errorf("%s: path length %d-%d is %d, want %d", want.spec, pair.a, pair.b, got, pair.length)
			}
		}
	}
}
