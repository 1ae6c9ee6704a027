package feedback

import (
	"cmp"
	"slices"

	"remap/mapping"
)

// colder is a problem on as many of its slots as there are ranks: those on the
// leaf switches whose links others leave most of. slots gives the slots it
// keeps, ascending; nil when there are none to spare, or when ranks are fixed
// or their moves counted, which names slots of the whole.
//
// Few ranks at a time do not leave a leaf switch: each would be alone where it
// goes. Left out are whole hosts, and of the last one what is too much.
func colder(p *mapping.Problem, foreign []float64) (part *mapping.Problem, slots []int32) {
	spare := p.Allocation.SlotCount() - p.Ranks()
	if spare <= 0 || p.Fixed != nil || p.MaxMoves > 0 {
		return nil, nil
	}
	heat := leafHeat(p, foreign)
	order := make([]int32, len(p.Allocation.Hosts)) // indexes into Hosts, the hottest first
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(x, y int32) int {
		return cmp.Compare(heat[p.Machine.LeafSwitch(p.Allocation.Hosts[y])], heat[p.Machine.LeafSwitch(p.Allocation.Hosts[x])])
	})
	left := make([]int32, len(order)) // slots that stay, by host
	for i := range left {
		left[i] = 1
		if p.Allocation.Slots != nil {
			left[i] = p.Allocation.Slots[i]
		}
	}
	for _, i := range order {
		gone := min(spare, int(left[i]))
		left[i] -= int32(gone)
		spare -= gone
	}
	q := *p
	q.Allocation, q.Start = &mapping.Allocation{}, nil
	next := int32(0)
	for i, h := range p.Allocation.Hosts {
		whole := int32(1)
		if p.Allocation.Slots != nil {
			whole = p.Allocation.Slots[i]
		}
		if left[i] > 0 {
			q.Allocation.Hosts, q.Allocation.Slots = append(q.Allocation.Hosts, h), append(q.Allocation.Slots, left[i])
		}
		for s := range left[i] {
			slots = append(slots, next+s)
		}
		next += whole
	}
	return &q, slots
}

// leafHeat is by switch the share of its links to other switches that others
// use, out or in, whichever is more; length switches.
func leafHeat(p *mapping.Problem, foreign []float64) []float64 {
	machine := p.Machine
	sums := make([][3]float64, machine.Switches()) // out, in, links
	for l := range machine.Links {
		link := &machine.Links[l]
		if machine.IsHost(link.From) || machine.IsHost(link.To) {
			continue
		}
		s := &sums[machine.SwitchOf(link.From)]
		s[0] += foreign[l]
		s[1] += foreign[machine.Reverse(int32(l))]
		s[2]++
	}
	heat := make([]float64, len(sums))
	for sw, s := range sums {
		if s[2] > 0 {
			heat[sw] = max(s[0], s[1]) / s[2]
		}
	}
	return heat
}
