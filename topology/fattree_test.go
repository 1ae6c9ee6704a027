package topology

import (
	"strings"
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
			t.Errorf("%s: %s, want %d hosts, %d switches, %d links", want.spec, n.Summary(), want.hosts,
				want.switches, 2*want.cable)
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
				t.Errorf("%s: switch %s uses %d ports, want %d of %d", want.spec, n.SwitchNames[s], end-first, ports,
					want.radix)
			}
		}
		last := int32(n.Hosts() - 1)
		perLeaf, perPod := int32(want.hosts/want.leaves), int32(want.hosts/want.pods)
		for _, pair := range []struct{ a, b, length int32 }{{0, 0, 0}, {0, perLeaf - 1, 1}, {0, perLeaf, 3},
			{0, perPod - 1, 3}, {0, perPod, 5}, {0, last, 5}} {
			if got := n.PathLength(pair.a, pair.b); got != pair.length {
				t.Errorf("%s: path length %d-%d is %d, want %d", want.spec, pair.a, pair.b, got, pair.length)
			}
		}
	}
}

func TestSummary(t *testing.T) {
	const want = "4608 hosts, 288 switches, 9216+9216 links of 100 Gb/s, levels leaf(144) pod(6)"
	if got := mustParse(t, "tapered").Summary(); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := mustParse(t, "mesh:2x2,gbps=12.5,hosts=3").Summary(); got != "12 hosts, 4 switches, 24+8 "+
		"links of 12.5 Gb/s, levels leaf(4) box2x1(2)" {
		t.Error(got)
	}
}

// Destination-modulo routing must load the links between switches evenly
// when everybody sends to everybody: at every level no link carries more than
// the mean and a little.
func TestStaticRoutingSpreads(t *testing.T) {
	for _, spec := range []string{"tapered", "full"} {
		n := mustParse(t, spec)
		load := make([]int, len(n.Links))
		for _, from := range leafSwitches(n) {
			for host := range int32(n.Hosts()) {
				to := n.LeafSwitch(host)
				for at := from; at != to; {
					candidates := n.Routes.Candidates(at, to)
					l := candidates[host/n.Routes.StaticDivisor[at]%int32(len(candidates))]
					load[l]++
					at = n.SwitchOf(n.Links[l].To)
				}
			}
		}
		// Links of a kind: from the same level to the same level of switches.
		level := func(node int32) string { return strings.TrimRight(n.NodeName(node), "0123456789")[:3] }
		sum, count, most := map[string]int{}, map[string]int{}, map[string]int{}
		for i, l := range n.Links {
			if n.IsHost(l.From) || n.IsHost(l.To) {
				continue
			}
			kind := level(l.From) + " to " + level(l.To)
			sum[kind] += load[i]
			count[kind]++
			most[kind] = max(most[kind], load[i])
		}
		if len(sum) != 4 {
			t.Fatalf("%s: kinds of links %v", spec, count)
		}
		for kind := range sum {
			if mean := float64(sum[kind]) / float64(count[kind]); float64(most[kind]) > 1.1*mean {
				t.Errorf("%s: a link %s carries %d, the mean is %.1f", spec, kind, most[kind], mean)
			}
		}
	}
}
