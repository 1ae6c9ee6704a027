package mapping

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Slots are those given, every place is one run of slots that agree on their
// group, places of one group are not split, and levels nest and mean something.
func TestPlacesAreRuns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		machine := drawNetwork(t)
		a := drawAllocation(t, machine)
		all := Identity(a.SlotCount())
		given := rapid.Permutation(all).Draw(t, "slots")[:rapid.IntRange(0, len(all)).Draw(t, "count")]
		p := NewPlaces(machine, a, given)
		if !slices.Equal(slices.Sorted(slices.Values(p.Slots)), slices.Sorted(slices.Values(given))) {
			t.Fatalf("slots %v of %v", p.Slots, given)
		}
		hosts := a.HostOfSlot()
		below := len(given)
		for i := range p.Levels {
			level := &p.Levels[i]
			if level.Places() < 2 || level.Places() >= below || level.Bounds[0] != 0 ||
				int(level.Bounds[level.Places()]) != len(given) {
				t.Fatalf("level %s: %v below %d places", level.Name, level.Bounds, below)
			}
			below = level.Places()
			checkRuns(t, p, level, func(slot int32) int32 {
				for _, l := range machine.Levels {
					if l.Name == level.Name {
						return l.Group[hosts[slot]]
					}
				}
				return hosts[slot]
			})
			if i > 0 {
				for _, b := range level.Bounds {
					if _, ok := slices.BinarySearch(p.Levels[i-1].Bounds, b); !ok {
						t.Fatalf("bound %d of %s is not one of %v", b, level.Name, p.Levels[i-1].Bounds)
					}
				}
			}
		}
	})
}

func checkRuns(t *rapid.T, p *Places, level *PlaceLevel, group func(slot int32) int32) {
	seen := map[int32]bool{}
	for i := range level.Places() {
		run := p.Slots[level.Bounds[i]:level.Bounds[i+1]]
		if seen[group(run[0])] {
			t.Fatalf("group %d of level %s stands twice", group(run[0]), level.Name)
		}
		seen[group(run[0])] = true
		for _, s := range run {
			if group(s) != group(run[0]) {
				t.Fatalf("place %d of level %s mixes groups", i, level.Name)
			}
		}
	}
}

// At most one place of every parent is used in part.
func TestCompactKeepsPlacesWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		machine := drawNetwork(t)
		a := drawAllocation(t, machine)
		p := NewPlaces(machine, a, nil)
		count := rapid.IntRange(0, len(p.Slots)).Draw(t, "count")
		chosen := p.Compact(count)
		if len(chosen) != count || !slices.IsSorted(chosen) || len(slices.Compact(slices.Clone(chosen))) != count {
			t.Fatalf("%d slots chosen: %v", count, chosen)
		}
		for i := range p.Levels {
			level := &p.Levels[i]
			partial := 0
			for k := range level.Places() {
				used := 0
				for _, s := range p.Slots[level.Bounds[k]:level.Bounds[k+1]] {
					if _, ok := slices.BinarySearch(chosen, s); ok {
						used++
					}
				}
				if used > 0 && used < level.Size(k) {
					partial++
				}
			}
			if partial > 1 {
				t.Fatalf("%d of %d slots use %d places of level %s in part", count, len(p.Slots), partial, level.Name)
			}
		}
	})
}

func TestCompactTakesTheSmallestThatHolds(t *testing.T) {
	machine := mustNetwork(t, "fattree:nodes-per-leaf=4,leaves-per-pod=4,pods=1,aggs-per-pod=1,cores=0")
	// Leaves hold 1, 4, 3 and 2 of the hosts.
	a := &Allocation{Hosts: []int32{0, 4, 5, 6, 7, 8, 9, 10, 12, 13}}
	p := NewPlaces(machine, a, nil)
	for count, want := range map[int][]int32{
		1: {0}, 2: {8, 9}, 3: {5, 6, 7}, 4: {1, 2, 3, 4}, 6: {1, 2, 3, 4, 8, 9}, 8: {0, 1, 2, 3, 4, 5, 6, 7},
	} {
		if got := p.Compact(count); !slices.Equal(got, want) {
			t.Errorf("%d slots: %v, want %v", count, got, want)
		}
	}
	if unit := p.Levels[0].Unit(); unit != 1 {
		t.Errorf("unit %d of sizes 1, 4, 3 and 2", unit)
	}
}
