package exchange

// path is the cost of a mapping in weight times price of the path, as Problem.PathCost sums it,
// with the part of every rank beside it (Brandfass, Alrutz and Gerhold 2013). All values are
// integers.
type path struct {
	*State
	distance *distances
	// total is the sum over edges of weight times distance.
	total int64
	// of (length ranks) is the part of the total that the rank's own edges have.
	of []int64
	// least (length ranks) is a lower bound of that part.
	least []int64
}

func newPath(s *State) *path {
	p := &path{State: s, distance: newDistances(s.problem, s.sites, matrixSites)}
	ranks := len(s.slotOf)
	p.of, p.least = make([]int64, ranks), make([]int64, ranks)
	nearest := p.distance.least
	if s.sites.shared {
		nearest = 0
	}
	g := s.problem.Graph
	for u := range int32(ranks) {
		p.of[u] = p.row(u, s.slotOf[u], -1)
		first, end := g.Row(u)
		for i := first; i < end; i++ {
			p.least[u] += g.Weights[i] * nearest
		}
		p.total += p.of[u]
	}
	p.total /= 2 // every edge was counted at both ends
	return p
}

// cost is Problem.PathCost of a total. Where distances are the sum of both directions it is half of
// the total, rounded down.
func (p *path) cost(total int64) float64 {
	if p.distance.bothWays {
		total >>= 1
	}
	return float64(total)
}

// row is what the edges of u would cost with u on a slot. The edge to the rank `except` is left out
// (-1 = none). O(degree).
func (p *path) row(u, slot, except int32) int64 {
	g, s := p.problem.Graph, p.sites
	first, end := g.Row(u)
	p.steps += int64(end - first)
	host, site := s.host[slot], s.of[slot]
	row := p.distance.row(site)
	var sum int64
	for i := first; i < end; i++ {
		v := g.Neighbors[i]
		at := p.slotOf[v]
		switch {
		case v == except || s.host[at] == host:
		case row != nil:
			sum += g.Weights[i] * int64(row[s.of[at]])
		default:
			sum += g.Weights[i] * p.distance.between(site, s.of[at])
		}
	}
	return sum
}

// leastOnSite is a lower bound of what the edges of u would cost on a site: partners on the site
// may be on the same host. O(degree).
func (p *path) leastOnSite(u, site int32) int64 {
	g, s := p.problem.Graph, p.sites
	first, end := g.Row(u)
	p.steps += int64(end - first)
	row := p.distance.row(site)
	var sum int64
	for i := first; i < end; i++ {
		at := s.of[p.slotOf[g.Neighbors[i]]]
		switch {
		case at == site && s.shared:
		case row != nil:
			sum += g.Weights[i] * int64(row[at])
		default:
			sum += g.Weights[i] * p.distance.between(site, at)
		}
	}
	return sum
}

// edge is the distance of two slots.
func (p *path) edge(a, b int32) int64 {
	if p.sites.host[a] == p.sites.host[b] {
		return 0
	}
	return p.distance.between(p.sites.of[a], p.sites.of[b])
}

// gain is by how much the total falls when two slots exchange their contents. O(degree).
func (p *path) gain(a, b int32) int64 {
	u, v := p.rankAt[a], p.rankAt[b]
	var gain int64
	if u >= 0 {
		gain += p.of[u] - p.row(u, b, v)
	}
	if v >= 0 {
		gain += p.of[v] - p.row(v, a, u)
	}
	if u >= 0 && v >= 0 {
		// Both ranks count their edge as it was, neither as it will be.
		gain -= 2 * p.weight(u, v) * p.edge(a, b)
	}
	return gain
}

// weight is the weight of the edge between two ranks, 0 if there is none.
// O(log degree).
func (p *path) weight(u, v int32) int64 {
	g := p.problem.Graph
	low, end := g.Row(u)
	if f, e := g.Row(v); e-f < end-low {
		low, end, v = f, e, u
	}
	high := end
	for low < high {
		middle := (low + high) / 2
		if g.Neighbors[middle] < v {
			low = middle + 1
		} else {
			high = middle
		}
	}
	if low < end && g.Neighbors[low] == v {
		return g.Weights[low]
	}
	return 0
}

// exchange updates the total and the parts of both ranks and of their partners. It is called before
// the mapping changes. O(degree).
func (p *path) exchange(a, b int32) {
	u, v := p.rankAt[a], p.rankAt[b]
	p.total -= p.gain(a, b)
	if u >= 0 {
		p.shift(u, v, a, b)
	}
	if v >= 0 {
		p.shift(v, u, b, a)
	}
}

// shift updates the parts of rank u and of its partners for a move of u from one slot to another.
// The rank `except` is left out.
func (p *path) shift(u, except, from, to int32) {
	g := p.problem.Graph
	first, end := g.Row(u)
	for i := first; i < end; i++ {
		if x := g.Neighbors[i]; x != except {
			at := p.slotOf[x]
			change := g.Weights[i] * (p.edge(to, at) - p.edge(from, at))
			p.of[x] += change
			p.of[u] += change
		}
	}
}
