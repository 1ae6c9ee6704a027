package benchmarks

import (
	"context"
	"math"
	"slices"
	"testing"
	"time"

	"remap/evalsim"
	"remap/fixtures"
	"remap/internal/testkit/tier"
	"remap/mapping"
	"remap/sampling"
	"remap/topology"
)

// reduce43 plays a scenario of section 4.3, ranks 0 and root exchanged.
func reduce43(t *testing.T, name string, root int32, o evalsim.Options) (*topology.Topology,
	*evalsim.Result) {
	t.Helper()
	s, err := fixtures.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	program, _, problem, err := s.Load(1)
	if err != nil {
		t.Fatal(err)
	}
	m := mapping.Identity(program.Ranks())
	m[0], m[root] = m[root], m[0]
	r, err := evalsim.Run(context.Background(), problem.Machine,
		[]evalsim.Job{{Program: program, Hosts: m.Hosts(problem.Allocation)}}, o)
	if err != nil {
		t.Fatal(err)
	}
	return problem.Machine, r
}

// slices43 plays the naive reduction in five slices, by packets' arrivals, and
// logs its congestion tree in each, as figure 4.11 does. It returns the share of
// congested hops of each slice.
func slices43(t *testing.T, o evalsim.Options, makespan float64) []float64 {
	t.Helper()
	o.SliceLength = time.Duration(makespan/5) + 1
	machine, r := reduce43(t, "reduction-naive", 0, o)
	if len(r.Parts) != 5 {
		t.Fatalf("%d slices", len(r.Parts))
	}
	congested := make([]float64, 5)
	t.Log("| ms | congested of all hops | by samples: root's link | links down | links up " +
		"|\n|---|---|---|---|---|")
	for i := range r.Parts {
		part := &r.Parts[i]
		congested[i] = float64(part.Congested) / float64(part.PortHops)
		into, down, up := part.Samples.Fraction(machine.Ejection(0)[0]), sampling.Entry{}, sampling.Entry{}
		for l := range part.Samples.Links {
			e, to := &part.Samples.Links[l], machine.Links[l].To
			if machine.IsHost(to) || machine.IsHost(machine.Links[l].From) {
				continue
			}
			sum := &up
			if to < machine.Links[l].From { // leaf switches come first, then the ones above them
				sum = &down
			}
			sum.Packets += e.Packets
			sum.Congested += e.Congested
		}
		t.Logf("| %.1f to %.1f | %.3f | %.3f | %.3f | %.3f |",
			float64(i)*makespan/5e6, float64(i+1)*makespan/5e6, congested[i], into.Value,
			down.Congested/down.Packets, up.Congested/up.Packets)
	}
	return congested
}

// TestReduction43 repeats section 4.3 of the 2018 thesis (Taffet): 50 arrays of
// 4 KiB from 1024 ranks, sent straight to rank 0 and reduced by a tree.
//
// With -v it prints the table with the published setting and with the default.
func TestReduction43(t *testing.T) {
	tier.Long(t, "reductions of 1024 ranks: 2 s")
	for _, set := range publishedSettings() {
		t.Run(set.name, func(t *testing.T) { reductionWith(t, set) })
	}
}

func reductionWith(t *testing.T, set setting) {
	o := set.options
	machine, naive := reduce43(t, "reduction-naive", 0, o)
	_, tree := reduce43(t, "reduction-tree", 0, o)
	_, moved := reduce43(t, "reduction-naive", 388, o)

	gain := naive.Makespan / tree.Makespan
	if gain < 50 || gain > 102.5 {
		t.Errorf("the tree is faster by %.1f", gain)
	}
	change := math.Abs(moved.Makespan/naive.Makespan - 1)
	if change >= 0.01 {
		t.Errorf("moving the root to rank 388's host changes the time by %.3f %%", 100*change)
	}
	into := func(r *evalsim.Result, host int32) (exact float64, link int32) {
		link = machine.Ejection(host)[0]
		return float64(r.Links[link].Congested) / float64(r.Links[link].Packets), link
	}
	exact, link := into(naive, 0)
	estimate := naive.Samples[0].Fraction(link)
	if exact <= 0.99 || estimate.High <= 0.99 {
		t.Errorf("congested fraction of the root's link %.4f, estimated %.4f [%.4f, "+
			"%.4f]", exact, estimate.Value, estimate.Low, estimate.High)
	}
	if exact, _ := into(moved, 388); exact <= 0.99 {
		t.Errorf("the tree's root did not move: congested fraction %.4f there", exact)
	}
	rate := naive.Samples[0].Bandwidth(link, float64(o.PacketBytes), naive.Makespan/1e9)
	gbps := func(bytesPerSecond float64) float64 { return bytesPerSecond * 8 / 1e9 }
	if low, high := gbps(rate.Low), gbps(rate.High); high < 99 || low > 101 {
		t.Errorf("estimated rate of the root's link [%.1f, %.1f] Gb/s, it is full", low, high)
	}
	grown := slices43(t, o, naive.Makespan)
	// Buffers of 128 KiB take the queues of the links up for a while in the middle.
	if !set.first && !slices.IsSorted(grown) || grown[4] < 1.2*grown[0] {
		t.Errorf("congested hops by slice: %.3f: the tree does not grow", grown)
	}
	treeExact, _ := into(tree, 0)
	t.Logf("\n| | ours | thesis |\n|---|---|---|\n"+
		"| straight | %.2f ms | 18 ms |\n| tree is faster by | %.1f (bound 102.3) | 86.9 |\n"+
		"| root's link: congested fraction | %.4f; from samples %.3f [%.3f, %.3f] | > 0.998 |\n"+
		"| root's link: rate, from samples | %.1f Gb/s [%.1f, %.1f] | 92.6 |\n| root on rank 388's host | %.4f "+
		"%% | < 0.01 %% |\n"+
		"with the tree, congested fraction of the root's link "+
		"%.4f", naive.Makespan/1e6, gain, exact, estimate.Value, estimate.Low, estimate.High,
		gbps(rate.Value), gbps(rate.Low), gbps(rate.High), 100*change, treeExact)
}
