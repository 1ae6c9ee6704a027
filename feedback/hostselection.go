package feedback

import (
	"slices"

	"remap/mapping"
)

// selectionRule decides which offered hosts stay empty where there are more slots than ranks. One
// host after the other is left out, each on the leaf switch with the highest score.
type selectionRule struct {
	name  string
	score func(leaf *leafSwitch) float64
}

// selectionRules are all rules. "whole" empties entire leaf switches: that is better where others
// leave next to nothing of a switch's links, or make packets wait behind full receivers. "evenly"
// leaves out a few hosts on each: that is better where others only take their share.
func selectionRules() []selectionRule {
	return []selectionRule{
		{"whole", func(leaf *leafSwitch) float64 { return leaf.demand }},
		{"evenly", func(leaf *leafSwitch) float64 { return leaf.demand + float64(leaf.hosts)*leaf.each }},
	}
}

// leafSwitch is what a rule knows of a leaf switch.
type leafSwitch struct {
	// demand is the share of the rate of its links to other switches that others want, out or in,
	// whichever is more.
	demand float64
	// each is the share of that rate that one host of the job needs.
	each float64
	// hosts is how many hosts of the job on it are still used.
	hosts int
}

// selectHosts is a problem on as many of its slots as there are ranks. slots are those that remain,
// ascending. The results are nil when there are no slots to spare. They are nil too when ranks are
// fixed or moves limited, since fixed ranks and the start refer to the slots of the whole problem.
//
// It removes whole hosts until slots equal ranks; the last host may lose only some of its slots. It
// is for mappings made from scratch: exchanges of few ranks cannot empty a leaf switch, since each
// rank that leaves it is far from its partners. O(hosts x leaf switches).
func selectHosts(p *mapping.Problem, leaves []leafSwitch, rule selectionRule) (part *mapping.Problem,
	slots []int32) {
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
			if score := rule.score(&leaves[at]); len(hosts[at]) > 0 && (worst < 0 || score > most) {
				worst, most = at, score
			}
		}
		last := len(hosts[worst]) - 1
		i := hosts[worst][last]
		hosts[worst] = hosts[worst][:last]
		gone := min(spare, int(left[i]))
		left[i] -= int32(gone)
		spare -= gone
	}
	return onSlots(p, left)
}

// onSlots is the problem on `left` slots of each host.
func onSlots(p *mapping.Problem, left []int32) (part *mapping.Problem, slots []int32) {
	q := *p
	q.Allocation, q.Start = &mapping.Allocation{}, nil
	next := int32(0)
	for i, h := range p.Allocation.Hosts {
		whole := int32(1)
		if p.Allocation.Slots != nil {
			whole = p.Allocation.Slots[i]
		}
		if left[i] > 0 {
			q.Allocation.Hosts, q.Allocation.Slots = append(q.Allocation.Hosts, h),
				append(q.Allocation.Slots, left[i])
		}
		for s := range left[i] {
			slots = append(slots, next+s)
		}
		next += whole
	}
	return &q, slots
}

// leafSwitches (length switches) is what is known of every switch; those without hosts do not
// matter. What a host needs is the mean over the job's hosts under the base, in relation to the
// seconds that the busiest host's link needs.
func (s *search) leafSwitches(k *feedbackState, base mapping.Mapping) []leafSwitch {
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
