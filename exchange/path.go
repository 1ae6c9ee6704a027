package exchange

// path is the cost of a mapping in weight times switches on the path from the
// lower rank of an edge to the higher, as mapping.PathBytes sums it.
type path struct {
	*State
	distance *distances
	cost     int64
	of       []int64 // length ranks: share of the cost that the rank's own edges have
	least    []int64 // length ranks: what these would cost at best
}

func newPath(s *State) *path {
	p := &path{State: s, distance: newDistances(s.problem, s.sites)}
	ranks := len(s.slotOf)
	p.of, p.least = make([]int64, ranks), make([]int64, ranks)
	nearest := int64(1)
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
		p.cost += p.of[u]
	}
	p.cost /= 2
	return p
}

// row is what the edges of u would cost with u on a slot, the edge to the rank
// except left out (-1 = none). O(degree).
func (p *path) row(u, slot, except int32) int64 {
	g, s := p.problem.Graph, p.sites
	first, end := g.Row(u)
	p.steps += int64(end - first)
	host, site := s.host[slot], s.of[slot]
	var sum int64
	if p.distance.forth == nil {
		for i := first; i < end; i++ {
			if v := g.Neighbors[i]; v != except {
				sum += g.Weights[i] * p.edge(u, v, slot, p.slotOf[v])
			}
		}
		return sum
	}
	n := s.count()
	row := p.distance.back[int(site)*n : (int(site)+1)*n] // from lower ranks to here
	for i := first; i < end; i++ {
		v := g.Neighbors[i]
		if v > u {
			row = p.distance.forth[int(site)*n : (int(site)+1)*n]
		}
		at := p.slotOf[v]
		if v != except && s.host[at] != host {
			sum += g.Weights[i] * int64(row[s.of[at]])
		}
	}
	return sum
}

// edge is the length of the path between two ranks on two slots.
func (p *path) edge(u, v, a, b int32) int64 {
	s := p.sites
	switch {
	case s.host[a] == s.host[b]:
		return 0
	case u < v:
		return p.distance.between(s.of[a], s.of[b])
	}
	return p.distance.between(s.of[b], s.of[a])
}

// gain is by how much the cost falls when the contents of two slots change
// places. O(degree).
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
		if w := p.weight(u, v); w > 0 {
			// Both ranks count their edge as it was, neither as it will be.
			gain -= w * (p.edge(u, v, a, b) + p.edge(u, v, b, a))
		}
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

// exchange changes the cost and the shares of both ranks and of their
// partners; the mapping still is as before. O(degree).
func (p *path) exchange(a, b int32) {
	u, v := p.rankAt[a], p.rankAt[b]
	p.cost -= p.gain(a, b)
	if u >= 0 {
		p.shift(u, v, a, b)
	}
	if v >= 0 {
		p.shift(v, u, b, a)
	}
	if u >= 0 && v >= 0 {
		change := p.weight(u, v) * (p.edge(u, v, b, a) - p.edge(u, v, a, b))
		p.of[u] += change
		p.of[v] += change
	}
}

// shift moves rank u from one slot to another in the shares of u and of its
// partners, the rank except left out.
func (p *path) shift(u, except, from, to int32) {
	g := p.problem.Graph
	first, end := g.Row(u)
	for i := first; i < end; i++ {
		if x := g.Neighbors[i]; x != except {
			at := p.slotOf[x]
			change := g.Weights[i] * (p.edge(u, x, to, at) - p.edge(u, x, from, at))
			p.of[x] += change
			p.of[u] += change
		}
	}
}

// hopeful is what the edges of u would cost on the best slot of a site that
// could exist. O(degree).
func (p *path) hopeful(u, site int32) int64 {
	g, s := p.problem.Graph, p.sites
	first, end := g.Row(u)
	p.steps += int64(end - first)
	n := s.count()
	var row []int32
	if p.distance.forth != nil {
		row = p.distance.back[int(site)*n : (int(site)+1)*n]
	}
	var sum int64
	for i := first; i < end; i++ {
		v := g.Neighbors[i]
		at := s.of[p.slotOf[v]]
		switch {
		case at == site && s.shared:
		case row == nil && v > u:
			sum += g.Weights[i] * p.distance.between(site, at)
		case row == nil:
			sum += g.Weights[i] * p.distance.between(at, site)
		case v > u:
			sum += g.Weights[i] * int64(p.distance.forth[int(site)*n+int(at)])
		default:
			sum += g.Weights[i] * int64(row[at])
		}
	}
	return sum
}
