package mapping

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"remap/commgraph"
	"remap/topology"
)

// placesOf is where a mapping puts its ranks, as a profile would record it.
func placesOf(machine *topology.Topology, a *Allocation, m Mapping, core bool) *commgraph.Coordinates {
	grid := machine.Routes.Grid
	d := int(grid.Dimensions)
	first, slots := slotsBySwitch(machine, a)
	c := &commgraph.Coordinates{Dimensions: d}
	if core {
		c.Dimensions++
	}
	for r, h := range m.Hosts(a) {
		sw := machine.LeafSwitch(h)
		for _, x := range grid.Coordinates[int(sw)*d : (int(sw)+1)*d] {
			c.Values = append(c.Values, int32(x))
		}
		if core {
			at := slices.Index(slots[first[sw]:first[sw+1]], m[r])
			c.Values = append(c.Values, int32(at))
		}
	}
	return c
}

// TestAtCoordinates: with cores, the mapping comes back from its coordinates;
// without, every rank comes back to its switch.
func TestAtCoordinates(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec := rapid.SampledFrom([]string{"torus:3x2x2", "torus:2x2x2,hosts=3," +
			"double=true", "mesh:4x3,hosts=2", "torus:5"}).Draw(t, "machine")
		machine := mustNetwork(t, spec)
		a := drawAllocation(t, machine)
		slots := a.SlotCount()
		m := drawMapping(t, rapid.IntRange(1, slots).Draw(t, "ranks"), slots)
		got, err := AtCoordinates(machine, a, placesOf(machine, a, m, true))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, m) {
			t.Fatalf("%v, want %v", got, m)
		}
		loose, err := AtCoordinates(machine, a, placesOf(machine, a, m, false))
		if err != nil {
			t.Fatal(err)
		}
		if err := loose.Check(slots); err != nil {
			t.Fatal(err)
		}
		want := m.Hosts(a)
		for r, h := range loose.Hosts(a) {
			if machine.LeafSwitch(h) != machine.LeafSwitch(want[r]) {
				t.Fatalf("rank %d at %s, want %s", r, machine.HostNames[h], machine.HostNames[want[r]])
			}
		}
	})
}

func TestAtCoordinatesErrors(t *testing.T) {
	for _, test := range []struct {
		machine    string
		dimensions int
		values     []int32
		reason     string
	}{
		{"fattree:nodes-per-leaf=2,leaves-per-pod=2,pods=1,aggs-per-pod=1," +
			"cores=0", 2, []int32{0, 0}, "torus or mesh"},
		{"torus:3x3", 1, []int32{0}, "1 coordinates a rank for the 2 dimensions"},
		{"torus:3x3", 4, []int32{0, 0, 0, 0}, "4 coordinates a rank"},
		{"torus:3x3", 2, []int32{0, 0, -1, -1}, "rank 1 has no coordinates"},
		{"torus:3x3", 2, []int32{0, 3}, "rank 0 is at [0 3], outside"},
		{"torus:3x3", 3, []int32{0, 0, 1}, "on core 1, where the allocation has 1 slots"},
		{"torus:3x3", 2, []int32{0, 0, 0, 0}, "rank 1 is at [0 0] on core 1"},
		{"torus:3x3,hosts=2", 3, []int32{2, 1, 1, 2, 1, 1}, "rank 1 is at [2 1 1], and so is another"},
	} {
		machine := mustNetwork(t, test.machine)
		_, err := AtCoordinates(machine, allHosts(machine),
			&commgraph.Coordinates{Dimensions: test.dimensions, Values: test.values})
		if err == nil || !strings.Contains(err.Error(), test.reason) {
			t.Errorf("%s %v: %v, want %s", test.machine, test.values, err, test.reason)
		}
	}
}

// openRecorded opens a file of the profiles recorded on Vesta, or skips.
func openRecorded(t *testing.T, name string) *os.File {
	t.Helper()
	f, err := os.Open(filepath.Join("../../shared/data/par-comm-data", name))
	if err != nil {
		t.Skipf("no recorded profiles with coordinates beside the project: %v", err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// TestRecordedHops: two applications on a Blue Gene/Q (32 nodes, 4 ranks each;
// Fujiwara et al. 2017). Placed by their recorded coordinates on a torus of
// these extents, every pair is as many links apart as was recorded, and every
// step of the recorded routes is one link of it.
func TestRecordedHops(t *testing.T) {
	for _, name := range []string{"MiniMD_Vesta_n32_c4_w", "MiniAMR_Vesta_n32_c4_s2"} {
		t.Run(name, func(t *testing.T) {
			sizes, routes := openRecorded(t, name+"_hopbyte.txt"), openRecorded(t, name+"_route.txt")
			traffic, hops, err := commgraph.ReadParComm(sizes.Name(), sizes)
			if err != nil {
				t.Fatal(err)
			}
			c, steps, err := commgraph.ReadRoutes(routes.Name(), routes)
			if err != nil {
				t.Fatal(err)
			}
			extents := c.Extents()
			spec := strings.ReplaceAll(strings.Trim(fmt.Sprint(extents[:5]), "[]"), " ", "x")
			machine := mustNetwork(t, "torus:"+spec+",double=true")
			a := allHosts(machine)
			a.Slots = slices.Repeat([]int32{int32(extents[5])}, machine.Hosts())
			m, err := AtCoordinates(machine, a, c)
			if err != nil {
				t.Fatal(err)
			}
			if traffic.Ranks() != 128 || len(m) != 128 || a.SlotCount() != 128 {
				t.Fatalf("%d ranks of traffic, %d with coordinates, %d slots", traffic.Ranks(), len(m), a.SlotCount())
			}
			hosts := m.Hosts(a)
			links := func(u, v int32) int32 { return max(0, machine.PathLength(hosts[u], hosts[v])-1) }
			length, hopBytes := map[[2]int32]int32{}, int64(0)
			for u := range int32(traffic.Ranks()) {
				first, end := traffic.Row(u)
				for i := first; i < end; i++ {
					v := traffic.Destinations[i]
					if links(u, v) != hops[i] {
						t.Errorf("%d -> %d: %d links, recorded %d", u, v, links(u, v), hops[i])
					}
					length[[2]int32{u, v}] = hops[i]
					hopBytes += traffic.Bytes[i] * int64(hops[i])
				}
			}
			taken := map[[2]int32]int32{}
			for _, s := range steps {
				pair := [2]int32{s.Source, s.Destination}
				taken[pair]++
				if s.Number < 1 || s.Number > length[pair] || links(s.From, s.To) != 1 {
					t.Errorf("%+v is no step of %d links", s, length[pair])
				}
			}
			for pair, hops := range length {
				if taken[pair] != hops {
					t.Errorf("%v: %d steps of %d links", pair, taken[pair], hops)
				}
			}
			costs := mustEvaluate(t, machine, a, traffic, m, nil)
			if costs.HopBytes != hopBytes {
				t.Errorf("%d hop-bytes, recorded %d", costs.HopBytes, hopBytes)
			}
			t.Logf("torus:%s, %d pairs, %d steps, %d hop-bytes as recorded, mean path "+
				"%.4f", spec, len(hops), len(steps), hopBytes, costs.AvgPathLength)
		})
	}
}
