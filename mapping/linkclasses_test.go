package mapping

import (
	"math"
	"math/rand/v2"
	"testing"

	"remap/commgraph"
	"remap/topology"
)

// TestLinkClassesCarryAlike: whatever the mapping and the traffic, links of one
// class carry the same; a fat tree has a class for each way out of and into
// every subtree, other networks one a link.
func TestLinkClassesCarryAlike(t *testing.T) {
	chance := rand.New(rand.NewPCG(1, 2))
	for _, test := range []struct {
		spec    string
		classes func(machine *topology.Topology) int
	}{
		{"fattree:nodes-per-leaf=3,leaves-per-pod=4,pods=3,aggs-per-pod=2," +
			"cores=4", func(m *topology.Topology) int { return 2*m.Hosts() + 2*12 + 2*3 }},
		{"fattree:nodes-per-leaf=4,leaves-per-pod=5,pods=1,aggs-per-pod=3," +
			"cores=0", func(m *topology.Topology) int { return 2*m.Hosts() + 2*5 }},
		{"torus:3x4", func(m *topology.Topology) int { return len(m.Links) }},
	} {
		machine, err := topology.Parse(test.spec)
		if err != nil {
			t.Fatal(err)
		}
		k := NewLinkClasses(machine)
		if got, want := len(k.Sizes), test.classes(machine); got != want {
			t.Errorf("%s: %d classes, want %d", test.spec, got, want)
		}
		a := &Allocation{Hosts: Identity(machine.Hosts())}
		for range 3 {
			m := make(Mapping, machine.Hosts())
			var flows []commgraph.Flow
			for r, s := range chance.Perm(len(m)) {
				m[r] = int32(s)
				flows = append(flows, commgraph.Flow{From: int32(r), To: int32(chance.IntN(len(m))),
					Bytes: int64(chance.IntN(1000))})
			}
			traffic, err := commgraph.NewTraffic(len(m), flows, false)
			if err != nil {
				t.Fatal(err)
			}
			loads := LinkLoads(machine, a, traffic, m)
			for l, mean := range k.Mean(loads) {
				if math.Abs(loads[l]-mean) > 1e-12*mean {
					t.Fatalf("%s: link %d carries %g, its class %g on average", test.spec, l, loads[l], mean)
				}
			}
		}
	}
}
