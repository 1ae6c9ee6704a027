package mapping

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"remap/topology"
)

// drawTree draws a fat tree of one to four levels, of several planes, parallel
// links, and levels that have one child or one parent only.
func drawTree(t *rapid.T) *topology.Topology {
	levels := rapid.IntRange(1, 4).Draw(t, "levels")
	list := func(most int, name string) string {
		var words []string
		for range levels {
			words = append(words, fmt.Sprint(rapid.IntRange(1, most).Draw(t, name)))
		}
		return strings.Join(words, "x")
	}
	return mustNetwork(t, fmt.Sprintf("xgft:down=%s,up=%s,"+
		"parallel=%s", list(3, "down"), list(3, "up"), list(2, "parallel")))
}

// bySwitches is the bytes on every link, carried from switch to switch.
func bySwitches(machine *topology.Topology, demands []demand) []float64 {
	loads := make([]float64, len(machine.Links))
	spreadAll(machine, demands, loads)
	return loads
}

// In trees of all shapes, what subtrees send and get loads every link as if
// bytes had been carried from switch to switch by distances.
func TestTreeLoadsAgainstSwitchBySwitch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		machine := drawTree(t)
		tree := newTreeLoads(machine)
		if tree == nil {
			t.Fatal("a fat tree is not taken for one")
		}
		var demands []demand
		leaf := rapid.Int32Range(0, int32(len(tree.subtrees.Of[0])-1))
		for range rapid.IntRange(0, 20).Draw(t, "demands") {
			d := demand{leaf.Draw(t, "from"), leaf.Draw(t, "to"), float64(rapid.IntRange(1, 1000).Draw(t, "bytes"))}
			if d.from != d.to && machine.SwitchDistance(d.from, d.to) >= 0 {
				demands = append(demands, d)
				tree.add(d)
			}
		}
		got := make([]float64, len(machine.Links))
		tree.spread(got)
		for l, want := range bySwitches(machine, demands) {
			if math.Abs(got[l]-want) > 1e-9 {
				t.Fatalf("link %s to %s carries %g bytes, from switch to switch %g",
					machine.NodeName(machine.Links[l].From), machine.NodeName(machine.Links[l].To), got[l], want)
			}
		}
	})
}

// Whole jobs, with hosts on several planes and any number of slots: the loads
// are those of a tree carried from switch to switch.
func TestLinkLoadsOfTrees(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		machine := drawTree(t)
		a := drawAllocation(t, machine)
		ranks := rapid.IntRange(0, a.SlotCount()).Draw(t, "ranks")
		traffic, m := drawTraffic(t, ranks), drawMapping(t, ranks, a.SlotCount())
		want := make([]float64, len(machine.Links))
		var demands []demand
		hostLinks(machine, traffic, m.Hosts(a), want, func(d demand) { demands = append(demands, d) })
		spreadAll(machine, demands, want)
		for l, seconds := range LinkLoads(machine, a, traffic, m) {
			if bytes := seconds * machine.Links[l].BytesPerSecond; math.Abs(bytes-want[l]) > 1e-6 {
				t.Fatalf("link %d carries %g bytes, from switch to switch %g", l, bytes, want[l])
			}
		}
	})
}

// A tree that has lost a link is no longer even, and not taken for one that is.
func TestTreeWithoutLinkIsCarriedBySwitches(t *testing.T) {
	whole := mustNetwork(t, "fattree:nodes-per-leaf=2,leaves-per-pod=2,pods=2,aggs-per-pod=2,cores=2")
	left, err := topology.Degrade(whole, []string{"leaf0:pod0-agg1"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	traffic := mustTraffic(t, "alltoall:8,bytes=1000")
	loads := LinkLoads(left, allHosts(left), traffic, Identity(8))
	for l, link := range left.Links {
		if left.NodeName(link.From) != "leaf0" || left.IsHost(link.To) {
			continue
		}
		// All of 2 x 6 messages, where there were two links.
		if want := 12000 / link.BytesPerSecond; math.Abs(loads[l]-want) > 1e-12 {
			t.Errorf("the one link up from leaf0 takes %g s, want %g", loads[l], want)
		}
	}
}

// The loads of a random job on 512 leaf switches, by subtrees and from switch to switch.
func BenchmarkTreeLoads(b *testing.B) {
	machine := mustNetwork(b, "fattree:nodes-per-leaf=8,leaves-per-pod=32,pods=16,aggs-per-pod=8,cores=64")
	random := rand.New(rand.NewPCG(1, 1))
	var demands []demand
	for from := range int32(512) {
		for range 26 {
			if to := random.Int32N(512); to != from {
				demands = append(demands, demand{from, to, 1})
			}
		}
	}
	b.Run("way=subtrees", func(b *testing.B) {
		for b.Loop() {
			tree := newTreeLoads(machine)
			for _, d := range demands {
				tree.add(d)
			}
			tree.spread(make([]float64, len(machine.Links)))
		}
	})
	b.Run("way=switches", func(b *testing.B) {
		for b.Loop() {
			bySwitches(machine, demands)
		}
	})
}
