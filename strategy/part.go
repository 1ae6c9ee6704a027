package strategy

import (
	"context"
	"slices"

	"remap/commgraph"
	"remap/mapping"
)

// part is the problem of some ranks on the slots of their places. Start is how
// they sit.
type part struct {
	mapping.Problem
	ranks []int32 // of the whole, length the part's ranks, ascending
	slots []int32 // of the whole, length the part's slots
}

// part cuts the ranks on a set of places out; index is room, length ranks.
func (r *renewal) part(level int, set, rankAt, index []int32) part {
	bounds := r.places.Levels[level].Bounds
	t := part{Problem: mapping.Problem{Machine: r.Machine, LinkCost: r.LinkCost, Seed: r.chance.Uint64()}}
	for _, b := range set {
		t.slots = append(t.slots, r.places.Slots[bounds[b]:bounds[b+1]]...)
	}
	slices.Sort(t.slots) // a place holds whole hosts
	hosts := r.Allocation.HostOfSlot()
	t.Allocation = &mapping.Allocation{}
	local := make([]int32, 0, len(t.slots)) // slot of every rank, by slot
	for i, s := range t.slots {
		a := t.Allocation
		if n := len(a.Hosts); n > 0 && a.Hosts[n-1] == hosts[s] {
			a.Slots[n-1]++
		} else {
			a.Hosts, a.Slots = append(a.Hosts, hosts[s]), append(a.Slots, 1)
		}
		if rank := rankAt[s]; rank >= 0 {
			t.ranks = append(t.ranks, rank)
			index[rank] = int32(i)
		}
	}
	slices.Sort(t.ranks)
	for _, rank := range t.ranks {
		local = append(local, index[rank])
	}
	t.Start = local
	t.Graph = &commgraph.Graph{}
	commgraph.NewExtractor(r.Graph, 0).Extract(t.Graph, t.ranks, nil)
	return t
}

// improve replaces Start by what the strategy finds if that is better.
func (t *part) improve(ctx context.Context, s mapping.Strategy) error {
	m, err := s.Map(ctx, &t.Problem)
	if err != nil {
		return err
	}
	if t.Cost(m) < t.Cost(t.Start) {
		t.Start = m
	}
	return nil
}
