// Package hierarchy groups the slots of an allocation by the places of the
// network - hosts, leaf switches, pods - and chooses slots that lie close
// together when there are more of them than ranks.
package hierarchy

import (
	"slices"

	"remap/mapping"
	"remap/topology"
)

// Tree is slots in network order, cut into nested blocks. Network order puts
// the slots of every block next to each other, so a block is a range of
// positions in Slots, and so is every group of blocks one level up.
//
//	position  0 1 2 3 | 4 5 6 7 || 8 9 ...
//	leaf          0   |    1    ||  2  ...
//	pod               0         ||     1 ...
type Tree struct {
	Slots  []int32 // length positions: slot of the allocation, in network order
	Levels []Level // at least one; finest first; each is strictly finer than the next
}

// Level is one way to cut the positions into blocks, numbered in network order.
type Level struct {
	Name   string  // "host", or the machine's name of the level, such as "leaf" or "pod"
	First  []int32 // length blocks+1: block b is positions First[b] to First[b+1], never empty
	Parent []int32 // length blocks: block of the next coarser level; nil at the coarsest
}

// Blocks is the number of blocks of the level.
func (l *Level) Blocks() int { return len(l.First) - 1 }

// Size is the number of positions of block b.
func (l *Level) Size(b int) int { return int(l.First[b+1] - l.First[b]) }

// OfPosition lists the block of every position; length positions.
func (l *Level) OfPosition() []int32 {
	blocks := make([]int32, l.First[l.Blocks()])
	for b := range l.Blocks() {
		for i := l.First[b]; i < l.First[b+1]; i++ {
			blocks[i] = int32(b)
		}
	}
	return blocks
}

// Children is the range of blocks of level l that lie in block b of level l+1,
// and all blocks for the level above the coarsest.
func (t *Tree) Children(l, b int) (first, end int) {
	level := &t.Levels[l]
	if level.Parent == nil {
		return 0, level.Blocks()
	}
	first, _ = slices.BinarySearch(level.Parent, int32(b))
	end, _ = slices.BinarySearch(level.Parent, int32(b+1))
	return first, end
}

// New groups all slots of the problem's allocation. Levels are those of the
// machine (leaf switches when it names none), below them "host" when some host
// has more than one slot. A level that cuts the slots no finer than the next
// one up is left out, and so is a level with a single block, except the finest.
func New(p *mapping.Problem) *Tree {
	slots := make([]int32, p.Allocation.SlotCount())
	for s := range slots {
		slots[s] = int32(s)
	}
	return build(p.Machine, p.Allocation, slots)
}

// Compact is New restricted to as many slots as there are ranks, chosen close
// together (see Tree.Choose).
func Compact(p *mapping.Problem) *Tree {
	t := New(p)
	if len(t.Slots) == p.Ranks() {
		return t
	}
	return build(p.Machine, p.Allocation, t.Choose(p.Ranks()))
}

// build sorts the slots into network order: by block of the coarsest level,
// then of the next finer one, last by slot number.
func build(machine *topology.Topology, a *mapping.Allocation, slots []int32) *Tree {
	names, groups := groupings(machine, a)
	t := &Tree{Slots: slices.Clone(slots)}
	slices.SortFunc(t.Slots, func(x, y int32) int {
		for l := len(groups) - 1; l >= 0; l-- {
			if d := groups[l][x] - groups[l][y]; d != 0 {
				return int(d)
			}
		}
		return int(x - y)
	})
	for l, group := range groups {
		first := cuts(t.Slots, group)
		if blocks := len(first) - 1; l > 0 {
			finer := &t.Levels[len(t.Levels)-1]
			if blocks <= 1 || blocks == finer.Blocks() {
				continue
			}
			finer.Parent = parents(finer.First, first)
		}
		t.Levels = append(t.Levels, Level{Name: names[l], First: first})
	}
	return t
}

// groupings lists names and, for every slot of the allocation, the group it is
// in, finest level first.
func groupings(machine *topology.Topology, a *mapping.Allocation) (names []string, groups [][]int32) {
	hosts := a.HostOfSlot()
	if len(hosts) > len(a.Hosts) {
		names, groups = append(names, "host"), append(groups, hosts)
	}
	ofSlots := func(name string, group func(host int32) int32) {
		list := make([]int32, len(hosts))
		for s, h := range hosts {
			list[s] = group(h)
		}
		names, groups = append(names, name), append(groups, list)
	}
	for i := range machine.Levels {
		level := &machine.Levels[i]
		ofSlots(level.Name, func(h int32) int32 { return level.Group[h] })
	}
	if len(machine.Levels) == 0 {
		ofSlots("leaf", machine.LeafSwitch)
	}
	return names, groups
}

// cuts lists where the group changes along the slots, both ends included.
func cuts(slots, group []int32) []int32 {
	first := []int32{0}
	for i, s := range slots {
		if i > 0 && group[s] != group[slots[i-1]] {
			first = append(first, int32(i))
		}
	}
	if len(slots) > 0 {
		first = append(first, int32(len(slots)))
	}
	return first
}

// parents lists the coarse block that holds each fine block.
func parents(fine, coarse []int32) []int32 {
	list := make([]int32, len(fine)-1)
	block := int32(0)
	for b := range list {
		for fine[b] >= coarse[block+1] {
			block++
		}
		list[b] = block
	}
	return list
}
