package topology

import (
	"encoding/binary"
	"slices"
)

// fabricLevels finds the hierarchy of an arbitrary network: hosts with the
// same set of switches form a leaf; a coarser level stands for a distance d
// only where "at most d apart" divides the hosts into groups, as it does at
// every level of a fat tree.
func (t *Topology) fabricLevels() {
	group := make([]int32, t.Hosts())
	var members []int32 // the first host of every group
	known := map[string]int32{}
	var switches []int32
	var key []byte
	for h := range int32(t.Hosts()) {
		first, end := t.Out(h)
		switches, key = switches[:0], key[:0]
		for l := first; l < end; l++ {
			switches = append(switches, t.Links[l].To)
		}
		slices.Sort(switches)
		for _, s := range slices.Compact(switches) {
			key = binary.LittleEndian.AppendUint32(key, uint32(s))
		}
		g, ok := known[string(key)]
		if !ok {
			g = int32(len(members))
			known[string(key)] = g
			members = append(members, h)
		}
		group[h] = g
	}
	t.addLevel(Level{"leaf", group})
	if len(members) > maxLevelGroups || len(t.Levels) == 0 {
		return
	}
	t.coarserLevels(group, members)
}

// coarserLevels tries every path length between groups as a level.
func (t *Topology) coarserLevels(leaf, members []int32) {
	count := len(members)
	apart := make([]int16, count*count)
	var lengths []int16
	for i := range count {
		for j := range i {
			d := max(t.PathLength(members[i], members[j]), t.PathLength(members[j], members[i]))
			apart[i*count+j], apart[j*count+i] = int16(d), int16(d)
			if at, found := slices.BinarySearch(lengths, int16(d)); !found {
				lengths = slices.Insert(lengths, at, int16(d))
			}
		}
	}
	for _, d := range lengths {
		coarse, ok := within(apart, count, d)
		if !ok {
			continue
		}
		group := make([]int32, len(leaf))
		for h, g := range leaf {
			group[h] = coarse[g]
		}
		t.addLevel(Level{t.nextLevel(), group})
	}
}

// within groups what is at most d apart; false when that is no equivalence.
func within(apart []int16, count int, d int16) ([]int32, bool) {
	group, groups := make([]int32, count), int32(0)
	for i := range group {
		group[i] = -1
	}
	for i := range count {
		if group[i] < 0 {
			for j := range count {
				if apart[i*count+j] <= d {
					if group[j] >= 0 {
						return nil, false
					}
					group[j] = groups
				}
			}
			groups++
		}
		for j := range count {
			if (apart[i*count+j] <= d) != (group[i] == group[j]) {
				return nil, false
			}
		}
	}
	return group, true
}
