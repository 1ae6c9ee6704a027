package linkview_test

import (
	"math"
	"testing"

	"remap/counters"
	"remap/linkview"
	"remap/topology"
)

// The est_ columns of a links file give bytes and shares without a time; links that no packet is known to
// have crossed have no share.
func TestFromLinksFile(t *testing.T) {
	machine, err := topology.Parse("torus:3")
	if err != nil {
		t.Fatal(err)
	}
	n := len(machine.Links)
	port, _ := machine.Out(machine.NodeOf(0))
	s := &counters.Samples{Packets: make([]float64, n), Congested: make([]float64, n), Known: make([]bool, n)}
	s.Packets[port], s.Congested[port], s.Known[port] = 10, 4, true
	v := linkview.FromLinksFile(machine, s, 4096)
	l := v.Links[port]
	if l.Bytes != 40960 || l.Packets != 10 || !l.Sampled || l.Congested.Value != 0.4 || !math.IsNaN(v.Seconds) {
		t.Errorf("%+v of %g s", l, v.Seconds)
	}
	if other := v.Links[port+1]; other.Sampled || other.Bytes != 0 || !math.IsNaN(other.Congested.Value) {
		t.Errorf("not crossed: %+v", other)
	}
	if host := v.Links[0]; !math.IsNaN(host.Bytes) {
		t.Errorf("of a host: %+v", host)
	}
}
