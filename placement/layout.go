package placement

import (
	"remap/mapping"
)

// Layout is slots in network order, cut into the finest blocks within which it
// does not matter who sits where: the slots of a host or of a leaf switch, of
// the latter only hosts with links of equal price, or single slots where even
// neighbours differ, as on a torus.
type Layout struct {
	// Slots (length positions): slot of the allocation.
	Slots []int32
	// First (length blocks+1): block b is positions First[b] to First[b+1].
	First  []int32
	Places *mapping.Places
	Metric *Metric
	fixed  []int32 // Problem.Fixed
}

// NewLayout arranges slots of the problem's allocation; nil = all of them. The
// problem must pass Check.
func NewLayout(p *mapping.Problem, slots []int32) *Layout {
	places := mapping.NewPlaces(p.Machine, p.Allocation, slots)
	l := &Layout{Slots: places.Slots, Places: places, fixed: p.Fixed}
	ofSlot := p.Allocation.HostOfSlot()
	hosts := make([]int32, len(l.Slots)) // of every position
	for i, s := range l.Slots {
		hosts[i] = ofSlot[s]
	}
	whole := []int32{0}
	if len(hosts) > 0 {
		whole = append(whole, int32(len(hosts)))
	}
	if len(places.Levels) > 0 {
		whole = places.Levels[0].Bounds
	}
	m := newMeter(p)
	if m.prices != nil {
		l.First = cutByPrice(m, l.Slots, hosts, whole)
		l.Metric = newMetric(m, hosts, l.First, nil, insides(m, hosts, l.First))
		l.Metric.near.addSiblings(l.First, whole)
		return l
	}
	inside, uniform := insideLength(m, hosts, whole)
	l.First = whole
	if !uniform || !alike(m, hosts, whole) {
		l.First = mapping.Identity(len(hosts) + 1)
	}
	l.Metric = newMetric(m, hosts, l.First, places.Levels, []int64{inside})
	return l
}

// Blocks is the number of blocks.
func (l *Layout) Blocks() int { return len(l.First) - 1 }

// insideLength is the path length between two positions of one block, when it
// is the same in all blocks. On large blocks it looks at neighbouring positions
// and at pairs with the first one only.
func insideLength(m *meter, hosts, first []int32) (length int64, uniform bool) {
	length = -1
	for b := range len(first) - 1 {
		for i := first[b] + 1; i < first[b+1]; i++ {
			for _, other := range [2]int32{first[b], i - 1} {
				d := m.between(hosts[other], hosts[i])
				if length < 0 {
					length = d
				}
				if d != length {
					return 0, false
				}
			}
		}
	}
	return max(0, length), true
}

// alike tells whether all positions of a block are equally far from the other
// blocks, judged by a few of them: the next ones and some across the network.
func alike(m *meter, hosts, first []int32) bool {
	blocks := len(first) - 1
	for b := range blocks {
		for i := first[b] + 1; i < first[b+1]; i++ {
			if hosts[i] == hosts[first[b]] {
				continue
			}
			for _, step := range [4]int{1, 2, 1 + blocks/3, 1 + blocks/2} {
				other := (b + step) % blocks
				if other == b {
					continue
				}
				h := hosts[first[other]]
				if m.between(hosts[i], h) != m.between(hosts[first[b]], h) {
					return false
				}
			}
		}
	}
	return true
}
