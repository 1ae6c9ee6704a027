package exchange

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"remap/mapping"
	"remap/topology"
)

// Distances are the same with the matrix and without.
func TestDistancesWithoutMatrix(t *testing.T) {
	onEach(t, func(t *rapid.T, machine *topology.Topology) {
		p := drawProblem(t, machine)
		s := newSites(p)
		with, without := newDistances(p, s, matrixSites), newDistances(p, s, 0)
		for a := range int32(s.count()) {
			for b := range int32(s.count()) {
				if a == b && with.other[a] < 0 {
					continue // no two hosts
				}
				if x, y := with.between(a, b), without.between(a, b); x != y {
					t.Fatalf("from site %d to %d: %d by the matrix, %d without", a, b, x, y)
				}
			}
		}
	})
}

// Lists of links are the same when there is room for one or two of them only.
func TestListsForgotten(t *testing.T) {
	onEach(t, func(t *rapid.T, machine *topology.Topology) {
		p := drawProblem(t, machine)
		s := newSites(p)
		k := newLinks(p, s)
		roomy, narrow := newLists(machine, s, k), newLists(machine, s, k)
		narrow.size = 1
		site, slot := rapid.Int32Range(0, int32(s.count()-1)), rapid.Int32Range(0, int32(len(s.host)-1))
		for range 100 {
			a, b := site.Draw(t, "from"), slot.Draw(t, "to")
			x, y := roomy.between(a, b), narrow.between(a, b)
			if !slices.Equal(x.entries, y.entries) || x.out != y.out || x.in != y.in {
				t.Fatalf("from site %d to slot %d: %v, and %v in little room", a, b, x, y)
			}
		}
	})
}

// Every slot stands once on a site, on one with its host's switches, and no
// site is beside itself.
func TestSites(t *testing.T) {
	onEach(t, func(t *rapid.T, machine *topology.Topology) {
		p := drawProblem(t, machine)
		s := newSites(p)
		seen := make([]bool, p.Allocation.SlotCount())
		for site := range int32(s.count()) {
			for _, slot := range s.at(site) {
				if seen[slot] || s.of[slot] != site ||
					machine.LeafSwitch(s.host[slot]) != machine.LeafSwitch(s.sample[site]) {
					t.Fatalf("slot %d on site %d", slot, site)
				}
				seen[slot] = true
			}
			for _, other := range s.beside(site) {
				if other == site {
					t.Fatalf("site %d is beside itself", site)
				}
			}
		}
		if at := slices.Index(seen, false); at >= 0 {
			t.Fatalf("slot %d is on no site", at)
		}
	})
}

// The greatest of values that change, and of those without a mark, are those
// of a plain search.
func TestPeaks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(0, 10), 1, 20).Draw(t, "values")
		p := newMaxTree(len(values))
		p.setAll(func(i int) float64 { return values[i] }, len(values))
		marks := make([]int32, len(values))
		for range 20 {
			i := rapid.IntRange(0, len(values)-1).Draw(t, "index")
			values[i] = rapid.Float64Range(0, 10).Draw(t, "value")
			marks[rapid.IntRange(0, len(values)-1).Draw(t, "marked")] = 1
			p.set(int32(i), values[i])
			unmarked := 0.5
			for i, v := range values {
				if marks[i] == 0 {
					unmarked = max(unmarked, v)
				}
			}
			if p.greatest() != slices.Max(values) || values[p.where()] != p.greatest() ||
				p.greatestBut(marks, 1, 1, 0.5) != unmarked {
				t.Fatalf("of %v with marks %v: %g at %d, %g without marks", values, marks, p.greatest(),
					p.where(), p.greatestBut(marks, 1, 1, 0.5))
			}
		}
	})
}

// Options out of bounds are refused by name.
func TestOptions(t *testing.T) {
	p := patternProblem(t, "torus:4", "ring:4")
	for _, change := range []func(o *Options){
		func(o *Options) { o.Partners = 0 }, func(o *Options) { o.Near = -1 },
		func(o *Options) { o.Slots = 0 },
		func(o *Options) { o.Trials = 0 }, func(o *Options) { o.Work = -1 }, func(o *Options) { o.Heat = -1 },
	} {
		options := DefaultOptions
		change(&options)
		if m, err := Refine(t.Context(), p, mapping.Identity(4), options); err == nil || m != nil {
			t.Errorf("%+v gives %v", options, m)
		}
	}
}
