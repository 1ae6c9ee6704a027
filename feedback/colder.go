package feedback

import (
	"slices"

	"remap/mapping"
)

// sparing is a rule by which hosts stay empty where more slots are offered than
// there are ranks: how much it presses on a leaf switch that so many of its hosts
// are used. One host after the other is left out where the pressure is greatest.
type sparing struct {
	name     string
	pressure func(leaf *leafSwitch) float64
}

// sparings are the rules. Where others leave next to nothing, or make packets
// wait behind full receivers, leaf switches had better be left whole; where they
// only take their share, a few hosts more or less on each.
func sparings() []sparing {
	return []sparing{
		{"whole", func(leaf *leafSwitch) float64 { return leaf.demand }},
		{"evenly", func(leaf *leafSwitch) float64 { return leaf.demand + float64(leaf.hosts)*leaf.each }},
	}
}

// leafSwitch is what a rule asks.
type leafSwitch struct {
	demand float64 // share of the rate of its links to other switches that others want, out or in, whichever is more
	each   float64 // share of it that a host of the job needs
	hosts  int     // of the job on it that are still used
}

// colder is a problem on as many of its slots as there are ranks. slots gives the
// slots it keeps, ascending; nil when there are none to spare, or when ranks are
// fixed or their moves counted, which names slots of the whole.
//
// Few ranks at a time do not leave a leaf switch: each would be alone where it
// goes. Left out are whole hosts, and of the last one what is too much.
// O(hosts x leaf switches).
func colder(p *mapping.Problem, leaves []leafSwitch, rule sparing) (part *mapping.Problem, slots []int32) {
	spare := p.Allocation.SlotCount() - p.Ranks()
	if spare <= 0 || p.Fixed != nil || p.MaxMoves > 0 {
		return nil, nil
	}
	leaves = slices.Clone(leaves)
	hosts := make([][]int, len(leaves)) // indexes into Hosts that are still used, by leaf switch
	left := make([]int32, len(p.Allocation.Hosts))
	for i, h := range p.Allocation.Hosts {
		at := p.Machine.LeafSwitch(h)
		hosts[at] = append(hosts[at], i)
		left[i] = 1
		if p.Allocation.Slots != nil {
			left[i] = p.Allocation.Slots[i]
		}
	}
	for spare > 0 {
		worst, most := -1, 0.0
		for at := range leaves {
			leaves[at].hosts = len(hosts[at])
			if pressure := rule.pressure(&leaves[at]); len(hosts[at]) > 0 && (worst < 0 || pressure > most) {
				worst, most = at, pressure
			}
		}
		last := len(hosts[worst]) - 1
		i := hosts[worst][last]
		hosts[worst] = hosts[worst][:last]
		gone := min(spare, int(left[i]))
		left[i] -= int32(gone)
		spare -= gone
	}
	return kept(p, left)
}

// kept is the problem on so many slots of each host.
func kept(p *mapping.Problem, left []int32) (part *mapping.Problem, slots []int32) {
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

// leafSwitches is what is known of every switch, of which those without hosts do
// not matter: length switches. What a host needs is what the job's hosts have
// needed on average, in seconds of what the busiest is to need.
func (s *search) leafSwitches(k *knowledge, base mapping.Mapping) []leafSwitch {
	machine := s.Problem.Machine
	sums := make([][3]float64, machine.Switches()) // demand out, in, links
	out, rates := make([]float64, machine.Switches()), make([]float64, machine.Switches())
	for l, seconds := range s.Problem.Routing.LinkLoads(machine, s.Problem.Allocation, s.Traffic, base) {
		link := &machine.Links[l]
		if machine.IsHost(link.From) || machine.IsHost(link.To) {
			continue
		}
		sw := machine.SwitchOf(link.From)
		sums[sw][0] += k.demand[l]
		sums[sw][1] += k.demand[machine.Reverse(int32(l))]
		sums[sw][2]++
		out[sw] += seconds * link.BytesPerSecond
		rates[sw] += link.BytesPerSecond
	}
	used := map[int32]bool{}
	for _, h := range base.Hosts(s.Problem.Allocation) {
		used[h] = true
	}
	leaving := 0.0
	has := make([]bool, machine.Switches())
	for h := range used {
		has[machine.LeafSwitch(h)] = true
	}
	for sw, with := range has {
		if with {
			leaving += out[sw]
		}
	}
	each := leaving / float64(max(1, len(used))) / k.seconds
	leaves := make([]leafSwitch, machine.Switches())
	for sw, sum := range sums {
		if sum[2] > 0 {
			leaves[sw] = leafSwitch{demand: max(sum[0], sum[1]) / sum[2], each: each / rates[sw]}
		}
	}
	return leaves
}
