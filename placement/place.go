package placement

import (
	"fmt"
	"slices"

	"remap/mapping"
)

// Assign puts every rank into the block of its slot and idle vertices, numbered
// from the ranks upward, into the empty slots. The layout must be of all slots.
func (l *Layout) Assign(m mapping.Mapping) *Assignment {
	holders := m.Holders(len(l.Slots))
	members := make([]int32, len(l.Slots))
	idle := int32(len(m))
	for i, s := range l.Slots {
		members[i] = holders[s]
		if members[i] < 0 {
			members[i] = idle
			idle++
		}
	}
	return NewAssignment(l.First, members)
}

// FixedVertices marks the fixed ranks of the problem: length positions, nil if there
// are none.
func (l *Layout) FixedVertices() []bool {
	if l.fixed == nil {
		return nil
	}
	fixed := make([]bool, len(l.Slots))
	for r, slot := range l.fixed {
		fixed[r] = slot >= 0
	}
	return fixed
}

// Mapping places the ranks of every block on its slots: fixed ranks on the
// slots they must have, which must be of the block they are in, those that were
// in the block before on the slot they had, the others in order on what is left.
// home is the block of every rank under start, and start has every fixed rank
// on its slot; both nil: nobody was anywhere.
func (l *Layout) Mapping(a *Assignment, ranks int32, start mapping.Mapping, home []int32) mapping.Mapping {
	if ranks == 0 {
		return mapping.Mapping{}
	}
	taken := make([]bool, slices.Max(l.Slots)+1)
	m := make(mapping.Mapping, ranks)
	for r := range ranks {
		m[r] = -1
		switch {
		case l.fixed != nil && l.fixed[r] >= 0:
			m[r] = l.fixed[r]
		case start != nil && a.Block[r] == home[r]:
			m[r] = start[r]
		default:
			continue
		}
		if taken[m[r]] {
			panic(fmt.Sprintf("placement: slot %d of fixed rank %d is taken", m[r], r))
		}
		taken[m[r]] = true
	}
	for b := range int32(a.Blocks()) {
		next := l.First[b]
		for _, v := range a.Of(b) {
			if v >= ranks || m[v] >= 0 {
				continue
			}
			for taken[l.Slots[next]] {
				next++
			}
			m[v] = l.Slots[next]
			next++
		}
	}
	return m
}

// FixedBlocks is the block of every rank that has a fixed slot, -1 = free; nil
// when the problem fixes none.
func (l *Layout) FixedBlocks() []int32 {
	if l.fixed == nil {
		return nil
	}
	ofSlot := make([]int32, slices.Max(l.Slots)+1)
	for b := range int32(l.Blocks()) {
		for _, slot := range l.Slots[l.First[b]:l.First[b+1]] {
			ofSlot[slot] = b
		}
	}
	blocks := make([]int32, len(l.fixed))
	for r, slot := range l.fixed {
		blocks[r] = -1
		if slot >= 0 {
			blocks[r] = ofSlot[slot]
		}
	}
	return blocks
}
