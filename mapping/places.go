package mapping

import (
	"cmp"
	"slices"

	"remap/topology"
)

// Places is the hierarchy of a set of slots: slots on one host, hosts on one
// leaf switch, leaf switches of one pod, and so on. Slots are listed so that
// every place of every level is one run:
//
//	Slots     0 1 2 3 | 8 9 | 4 5 6 7     in order of each place's first slot
//	Levels[0] [0 1][2 3][8 9][4 5][6 7]   hosts
//	Levels[1] [0 1  2 3  8 9][4 5  6 7]   leaf switches
//
// Levels that say nothing are left out: places of one slot each, one place for
// all, and the same places as the level below.
type Places struct {
	Slots []int32
	// Levels: finest first.
	Levels []PlaceLevel
}

// HostLevel is the name of the level whose places are hosts of several slots.
const HostLevel = "host"

// PlaceLevel is one grouping of the slots.
type PlaceLevel struct {
	// Name: HostLevel, or the name of the topology's level.
	Name string
	// Bounds (length places+1, from 0 to len(Slots), ascending): place i is
	// Slots[Bounds[i]:Bounds[i+1]].
	Bounds []int32
}

// Places is the number of places of the level.
func (l *PlaceLevel) Places() int { return len(l.Bounds) - 1 }

// Size is the number of slots of place i.
func (l *PlaceLevel) Size(i int) int { return int(l.Bounds[i+1] - l.Bounds[i]) }

// Unit is the greatest common divisor of the places' sizes: the size itself
// when they are all equal.
func (l *PlaceLevel) Unit() int {
	unit := 0
	for i := range l.Places() {
		a, b := unit, l.Size(i)
		for b != 0 {
			a, b = b, a%b
		}
		unit = a
	}
	return unit
}

// NewPlaces arranges slots of an allocation (nil = all) by the levels of the
// machine. O(slots log slots x levels).
func NewPlaces(machine *topology.Topology, a *Allocation, slots []int32) *Places {
	if slots == nil {
		slots = Identity(a.SlotCount())
	} else {
		slots = slices.Clone(slots)
		slices.Sort(slots)
	}
	hosts := a.HostOfSlot()
	names := []string{HostLevel}
	keys := [][]int32{firstSeen(slots, machine.Hosts(), func(s int32) int32 { return hosts[s] })}
	for i := range machine.Levels {
		level := &machine.Levels[i]
		names = append(names, level.Name)
		keys = append(keys, firstSeen(slots, level.Groups(), func(s int32) int32 { return level.Group[hosts[s]] }))
	}
	order := make([]int32, len(slots)) // indexes into slots
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(x, y int32) int {
		for l := len(keys) - 1; l >= 0; l-- {
			if c := cmp.Compare(keys[l][x], keys[l][y]); c != 0 {
				return c
			}
		}
		return cmp.Compare(x, y)
	})
	p := &Places{Slots: make([]int32, len(slots))}
	for i, o := range order {
		p.Slots[i] = slots[o]
	}
	for l := range keys {
		p.addLevel(names[l], order, keys[l])
	}
	return p
}

// firstSeen numbers the groups of slots 0.. in order of their first slot.
func firstSeen(slots []int32, groups int, group func(slot int32) int32) []int32 {
	number := make([]int32, groups)
	keys := make([]int32, len(slots))
	var seen int32
	for i, s := range slots {
		g := group(s)
		if number[g] == 0 {
			seen++
			number[g] = seen
		}
		keys[i] = number[g] - 1
	}
	return keys
}

// addLevel appends the level unless it says nothing new.
func (p *Places) addLevel(name string, order, keys []int32) {
	bounds := []int32{0}
	for i := 1; i < len(order); i++ {
		if keys[order[i]] != keys[order[i-1]] {
			bounds = append(bounds, int32(i))
		}
	}
	places := len(bounds)
	below := len(p.Slots)
	if n := len(p.Levels); n > 0 {
		below = p.Levels[n-1].Places()
	}
	if places > 1 && places < below {
		p.Levels = append(p.Levels, PlaceLevel{Name: name, Bounds: append(bounds, int32(len(order)))})
	}
}

// Compact chooses count of the slots, as whole places as far as possible: from
// the top level down, the largest places first, and for the rest the smallest
// place that holds it; ties go to the place that comes first. The result is
// ascending. count must not exceed the slots.
func (p *Places) Compact(count int) []int32 {
	chosen := p.choose(make([]int32, 0, count), len(p.Levels)-1, 0, int32(len(p.Slots)), int32(count))
	slices.Sort(chosen)
	return chosen
}

// run is a place as a range of Places.Slots.
type run struct{ first, end int32 }

// choose appends count of the slots between first and end, which is one place
// of the level above.
func (p *Places) choose(chosen []int32, level int, first, end, count int32) []int32 {
	if count == end-first || level < 0 {
		return append(chosen, p.Slots[first:first+count]...)
	}
	bounds := p.Levels[level].Bounds
	at, _ := slices.BinarySearch(bounds, first)
	var runs []run
	for ; bounds[at] < end; at++ {
		runs = append(runs, run{bounds[at], bounds[at+1]})
	}
	slices.SortStableFunc(runs, func(x, y run) int { return cmp.Compare(y.end-y.first, x.end-x.first) })
	for i := 0; count > 0; i++ {
		if size := runs[i].end - runs[i].first; size <= count {
			chosen = append(chosen, p.Slots[runs[i].first:runs[i].end]...)
			count -= size
			continue
		}
		fit := i
		for j := i; j < len(runs) && runs[j].end-runs[j].first >= count; j++ {
			if runs[j].end-runs[j].first < runs[fit].end-runs[fit].first {
				fit = j
			}
		}
		return p.choose(chosen, level-1, runs[fit].first, runs[fit].end, count)
	}
	return chosen
}
