package diagnosis

import "cmp"

// findRoots marks the roots of congestion trees. A link is one where it leads to a host, where the traffic
// in view fills it while it is congested (then it is oversubscribed itself: Taffet 2018, theorem 4.2), or
// where its packets meet no further congestion that could have backed up into it.
func (x *tree) findRoots() {
	for k := range x.hot {
		h := &x.hot[k]
		ahead := 0.0
		for _, p := range h.next {
			ahead += p.share * x.hot[p.next].congested
		}
		h.root = h.host || h.use >= fullUse || ahead < backedUp
	}
}

// blame moves the waits of every hot link to the roots that its packets lead to: waits of each root, by
// its index in hot. What comes back to where it was, as on rings, is left out.
func (x *tree) blame() []float64 {
	at, total := make([]float64, len(x.hot)), make([]float64, len(x.hot))
	for k := range x.hot {
		at[k] = x.hot[k].waits
	}
	for range mostHops {
		moved := make([]float64, len(x.hot))
		left := false
		for k, waits := range at {
			h := &x.hot[k]
			if waits == 0 {
				continue
			}
			if h.root {
				total[k] += waits
				continue
			}
			left = true
			sum := 0.0
			for _, p := range h.next {
				sum += p.share * x.hot[p.next].congested
			}
			for _, p := range h.next {
				moved[p.next] += waits * p.share * x.hot[p.next].congested / sum
			}
		}
		if at = moved; !left {
			break
		}
	}
	return total
}

// byWaits orders indexes of roots by descending waits.
func byWaits(waits []float64) func(a, b int) int {
	return func(a, b int) int { return cmp.Or(cmp.Compare(waits[b], waits[a]), cmp.Compare(a, b)) }
}
