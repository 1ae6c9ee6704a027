package placement

import (
	"cmp"
	"slices"

	"remap/mapping"
	"remap/topology"
)

// meter measures between hosts.
type meter struct {
	machine *topology.Topology
	both    bool               // ways there and back may differ: the sum of both counts
	prices  *mapping.Distances // nil = switches
}

func newMeter(p *mapping.Problem) *meter {
	m := &meter{machine: p.Machine, both: !mapping.SameBothWays(p.Machine)}
	if p.LinkCost != nil {
		var err error
		if m.prices, err = p.Distances(); err != nil {
			panic("placement: a problem that fails its check: " + err.Error())
		}
	}
	return m
}

func (m *meter) between(a, b int32) int64 {
	if m.prices != nil {
		return m.prices.Between(a, b)
	}
	length := int64(m.machine.PathLength(a, b))
	if m.both {
		length += int64(m.machine.PathLength(b, a))
	}
	return length
}

// besides tells whether the rails of two hosts hang on the same switches.
func (m *meter) besides(a, b int32) bool {
	first, end := m.machine.Out(a)
	other, last := m.machine.Out(b)
	if end-first != last-other {
		return false
	}
	for ; first < end; first, other = first+1, other+1 {
		if m.machine.Links[first].To != m.machine.Links[other].To {
			return false
		}
	}
	return true
}

// comparePrices orders hosts beside each other by the prices of their rails; 0
// means that they are equally far from all others.
func (m *meter) comparePrices(a, b int32) int {
	prices := m.prices.Prices()
	first, end := m.machine.Out(a)
	other, _ := m.machine.Out(b)
	for ; first < end; first, other = first+1, other+1 {
		c := cmp.Or(cmp.Compare(prices[first], prices[other]),
			cmp.Compare(prices[m.machine.Reverse(first)], prices[m.machine.Reverse(other)]))
		if c != 0 {
			return c
		}
	}
	return 0
}

// cutByPrice sorts the positions within every block by the prices of their
// hosts' links and gives the bounds of blocks in which these are equal. Blocks
// of more than one leaf switch become single positions. Slots and hosts are of
// every position.
func cutByPrice(m *meter, slots, hosts, whole []int32) (first []int32) {
	type position struct{ slot, host int32 }
	var sorted []position
	first = []int32{0}
	for b := range len(whole) - 1 {
		sorted = sorted[:0]
		together := true
		for i := whole[b]; i < whole[b+1]; i++ {
			sorted = append(sorted, position{slots[i], hosts[i]})
			together = together && m.besides(hosts[whole[b]], hosts[i])
		}
		if together {
			slices.SortStableFunc(sorted, func(x, y position) int { return m.comparePrices(x.host, y.host) })
		}
		for i, x := range sorted {
			at := whole[b] + int32(i)
			slots[at], hosts[at] = x.slot, x.host
			if i > 0 && (!together || m.comparePrices(sorted[i-1].host, x.host) != 0) {
				first = append(first, at)
			}
		}
		first = append(first, whole[b+1])
	}
	return first
}

// insides are the costs between two positions of every block, which are even
// numbers: as much there as back. Blocks are hosts, leaf switches or, where all
// have one position, anything; a leaf switch of one position among larger ones
// has what two would have, for during a pass there may be two.
func insides(m *meter, hosts, first []int32) []int64 {
	inside := make([]int64, max(1, len(first)-1))
	leaves := false
	for b := range len(first) - 1 {
		leaves = leaves || first[b+1]-first[b] > 1 && hosts[first[b]] != hosts[first[b]+1]
	}
	for b := range len(first) - 1 {
		if leaves {
			inside[b] = m.prices.Beside(hosts[first[b]])
		}
	}
	return inside
}
