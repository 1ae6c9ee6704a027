package launcher

import (
	"slices"

	"remap/mapping"
	"remap/topology"
)

// Placement says where every rank runs, by the names that launchers use.
type Placement struct {
	// Hosts of the job in the order of its allocation, none twice, each with its slots.
	Hosts []topology.HostSlots
	// Host (an index of Hosts) and Slot (within that host, from 0) of every rank; length ranks each.
	Host, Slot []int32
	// Bound: the file that it was read from names processors, such as 0:1 or 4-7, in place of slots. They are
	// not kept.
	Bound bool
}

// NewPlacement names the hosts of a mapping, which must pass Check for the allocation.
func NewPlacement(machine *topology.Topology, a *mapping.Allocation, m mapping.Mapping) *Placement {
	return placed(a.Named(machine), m)
}

// placed makes the placement of slots that are numbered host by host.
func placed(hosts []topology.HostSlots, m mapping.Mapping) *Placement {
	p := &Placement{Hosts: hosts, Host: make([]int32, len(m)), Slot: make([]int32, len(m))}
	first := p.firstSlots()
	for r, s := range m {
		h, found := slices.BinarySearch(first, s)
		if !found {
			h--
		}
		p.Host[r], p.Slot[r] = int32(h), s-first[h]
	}
	return p
}

// firstSlots numbers the slots host by host: that of the first slot of every host, and how many
// there are; length hosts + 1.
func (p *Placement) firstSlots() []int32 {
	first := make([]int32, len(p.Hosts)+1)
	for i, h := range p.Hosts {
		first[i+1] = first[i] + h.Slots
	}
	return first
}

// Mapping numbers the slots host by host, as an allocation of these hosts does.
func (p *Placement) Mapping() mapping.Mapping {
	first := p.firstSlots()
	m := make(mapping.Mapping, p.Ranks())
	for r, h := range p.Host {
		m[r] = first[h] + p.Slot[r]
	}
	return m
}

// Ranks is the number of ranks.
func (p *Placement) Ranks() int { return len(p.Host) }

// HostName is the name of a rank's host.
func (p *Placement) HostName(rank int) string { return p.Hosts[p.Host[rank]].Name }

// byHost lists the ranks of every host in the order of their slots; length hosts.
func (p *Placement) byHost() [][]int {
	ranks := make([][]int, len(p.Hosts))
	for r, h := range p.Host {
		ranks[h] = append(ranks[h], r)
	}
	for _, on := range ranks {
		slices.SortFunc(on, func(a, b int) int { return int(p.Slot[a]) - int(p.Slot[b]) })
	}
	return ranks
}

// used lists the hosts that hold a rank, in the job's order.
func (p *Placement) used() []int32 {
	var used []int32
	for h, ranks := range p.byHost() {
		if len(ranks) > 0 {
			used = append(used, int32(h))
		}
	}
	return used
}

// run is consecutive ranks on one host.
type run struct {
	host  int32
	ranks int
}

// runs splits the ranks, in order, into runs.
func (p *Placement) runs() []run {
	var runs []run
	for _, h := range p.Host {
		if last := len(runs) - 1; last >= 0 && runs[last].host == h {
			runs[last].ranks++
			continue
		}
		runs = append(runs, run{h, 1})
	}
	return runs
}
