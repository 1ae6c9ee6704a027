package evalsim_test

import (
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"remap/evalsim"
	"remap/topology"
	"remap/workload"
)

// One packet at a time, each of another flow, on an idle network: whatever has
// several ways to go takes all equally often, chi-squared, with consecutive
// candidates and scattered ones, few and many. Switches that prefer the lowest
// port are what users of other simulators complain about.
func TestTiesAreFair(t *testing.T) {
	const packets = 2400
	tree := network(t, "fattree:nodes-per-leaf=1,leaves-per-pod=2,pods=1,aggs-per-pod=6,cores=0")
	for name, top := range map[string]*topology.Topology{
		"5 spines":        network(t, "fattree:nodes-per-leaf=1,leaves-per-pod=2,pods=1,aggs-per-pod=5,cores=0"),
		"16 spines":       network(t, "fattree:nodes-per-leaf=1,leaves-per-pod=2,pods=1,aggs-per-pod=16,cores=0"),
		"70 spines":       network(t, "fattree:nodes-per-leaf=1,leaves-per-pod=2,pods=1,aggs-per-pod=70,cores=0"),
		"parallel links":  network(t, "xgft:down=1x2,up=1x3,parallel=1x3"),
		"6 spines, table": readBack(t, tree), "a spine less": withoutCables(t, tree, 1),
		"4 dimensions": network(t, "hyperx:2x2x2x2"), "3 dimensions": network(t, "hyperx:3x4x3"),
	} {
		far := int32(top.Hosts() - 1)
		candidates := top.Routes.Candidates(top.LeafSwitch(0), top.LeafSwitch(far))
		p, hosts := &workload.Program{Offsets: []int32{0}, VolumeScale: 1}, make([]int32, 2*packets)
		for r := range int32(2 * packets) {
			if hosts[r] = far; r < packets {
				hosts[r] = 0
				p.Ops = append(p.Ops, compute(int64(r)*5000), send(packets+r, 4096))
			}
			p.Offsets = append(p.Offsets, int32(len(p.Ops)))
		}
		for _, routing := range []evalsim.Routing{evalsim.Adaptive, evalsim.TwoChoices, evalsim.RandomPacket,
			evalsim.FlowHash} {
			o := evalsim.DefaultOptions()
			o.Routing = routing
			r := runJobs(t, top, []evalsim.Job{{Program: p, Hosts: hosts}}, o)
			want, squares, sum := packets/float64(len(candidates)), 0.0, int64(0)
			for _, c := range candidates {
				got := r.Links[c/top.Routes.VirtualChannels].Packets
				squares += (float64(got) - want) * (float64(got) - want) / want
				sum += got
			}
			limit := distuv.ChiSquared{K: float64(len(candidates) - 1)}.Quantile(1 - 1e-6)
			t.Logf("%s, %v: %d candidates, chi-squared %.1f, at most "+
				"%.1f", name, routing, len(candidates), squares, limit)
			if squares > limit || sum != packets || len(candidates) < 3 {
				t.Errorf("%s, %v: chi-squared %g over %d candidates, at most %g; %d of %d "+
					"packets", name, routing, squares, len(candidates), limit, sum, packets)
			}
		}
	}
}
