package mapping

import (
	"math"
	"os"
	"strings"
	"testing"

	"remap/commgraph"
	"remap/topology"
)

// Hosts a and b have a rail on each of two switches, c only on the second; two
// parallel cables join the switches.
const twoRails = `Switch	4 "S-1"	# "left"
[1]	"H-a1"[1]	# "a one" lid 1 4xEDR
[2]	"H-b1"[1]	# "b one" lid 2 4xEDR
[3]	"S-2"[3]	# "right" lid 3 4xEDR
[4]	"S-2"[4]	# "right" lid 3 4xEDR

Switch	5 "S-2"	# "right"
[1]	"H-a2"[1]	# "a two" lid 4 4xEDR
[2]	"H-b2"[1]	# "b two" lid 5 4xHDR
[5]	"H-c"[1]	# "c one" lid 6 4xEDR
[3]	"S-1"[3]	# "left" lid 7 4xEDR
[4]	"S-1"[4]	# "left" lid 7 4xEDR

Ca	1 "H-a1"	# "a one"
[1]	"S-1"[1]	# "left" lid 7 4xEDR
Ca	1 "H-b1"	# "b one"
[1]	"S-1"[2]	# "left" lid 7 4xEDR
Ca	1 "H-a2"	# "a two"
[1]	"S-2"[1]	# "right" lid 3 4xEDR
Ca	1 "H-b2"	# "b two"
[1]	"S-2"[2]	# "right" lid 3 4xHDR
Ca	1 "H-c"	# "c one"
[1]	"S-2"[5]	# "right" lid 3 4xEDR
`

// Bytes between hosts of two rails divide over both planes; those to the host
// of one rail take the rail nearest to it. Rates count: the HDR rail is done
// in half the time.
func TestRailsOfLeastDistance(t *testing.T) {
	machine, err := topology.ReadIBNetDiscover("two rails", strings.NewReader(twoRails))
	if err != nil {
		t.Fatal(err)
	}
	const second = 12.5e9 // bytes an EDR link carries
	traffic, err := commgraph.NewTraffic(3, []commgraph.Flow{{From: 0, To: 1, Bytes: 2 * second},
		{From: 1, To: 2, Bytes: second}, {From: 2, To: 0, Bytes: 4 * second}}, false)
	if err != nil {
		t.Fatal(err)
	}
	loads := LinkLoads(machine, allHosts(machine), traffic, Identity(3))
	got := map[string]float64{}
	for l, seconds := range loads {
		got[machine.NodeName(machine.Links[l].From)+">"+machine.NodeName(machine.Links[l].To)] += seconds
	}
	for link, want := range map[string]float64{
		"a>left": 1, "a>right": 1, "left>b": 1, "right>b": 0.5, // a to b: half each way, HDR twice as fast
		"b>left": 0, "b>right": 0.5, "right>c": 1, // b to c: all on the right
		"c>right": 4, "right>a": 4, "left>a": 0, // c to a: all on the right
		"left>right": 0, "right>left": 0,
	} {
		if math.Abs(got[link]-want) > 1e-12 {
			t.Errorf("%s takes %g s, want %g", link, got[link], want)
		}
	}
}

// On a real fabric of mixed rates with service nodes all bytes arrive: what
// the named hosts eject is what was sent.
func TestFabricOfMixedRates(t *testing.T) {
	const path = "../../shared/data/ib-loginoff/topo.ibnetdiscover"
	file, err := os.Open(path)
	if err != nil {
		t.Skip("shared/data/ib-loginoff is not here: loads on a real fabric are not tested")
	}
	defer file.Close()
	machine, err := topology.ReadIBNetDiscover(path, file)
	if err != nil {
		t.Fatal(err)
	}
	a := allHosts(machine)
	n := machine.Hosts()
	var flows []commgraph.Flow
	for r := range n {
		flows = append(flows, commgraph.Flow{From: int32(r), To: int32((r*7 + 3) % n), Bytes: 1000})
	}
	traffic, err := commgraph.NewTraffic(n, flows, false)
	if err != nil {
		t.Fatal(err)
	}
	m := Identity(n)
	costs := mustEvaluate(t, machine, a, traffic, m, nil)
	var sent, links float64
	for l, seconds := range LinkLoads(machine, a, traffic, m) {
		links += seconds * machine.Links[l].BytesPerSecond
		if machine.IsHost(machine.Links[l].From) {
			sent += seconds * machine.Links[l].BytesPerSecond
		}
	}
	total := float64(traffic.Graph().TotalWeight())
	if math.Abs(sent-total) > 1e-6*total {
		t.Errorf("hosts inject %g bytes of %g", sent, total)
	}
	if want := float64(costs.HopBytes) + 2*total; math.Abs(links-want) > 1e-6*want {
		t.Errorf("links carry %g bytes, want %g", links, want)
	}
}
