package partition

import (
	"math/rand/v2"

	"remap/internal/scratch"
)

// matcher finds which vertices to merge.
type matcher struct {
	visit []int32 // vertices in random order
	mate  []int32 // length vertices: partner, the vertex itself, or -1 = free
	into  []int32 // length vertices: the result, coarse vertex of each
	fixed []uint8 // length vertices: vertices of different marks never merge; nil = all may
}

// match pairs vertices and gives the number of merged vertices; the result is
// in m.into. No merged vertex gets heavier than limit.
//
// Vertices are visited in random order; each takes the free neighbour with the
// largest rating weight^2 / product of the vertex weights, which prefers heavy
// edges between light vertices (Holtgrewe, Sanders and Schulz 2010; heavy-edge
// matching is Karypis and Kumar 1998). When many vertices find no partner, as
// around the hub of a star, free vertices with a common neighbour are paired
// (two-hop matching, LaSalle and Karypis 2013), last those without edges.
func (m *matcher) match(g *graph, limit int64, chance *rand.Rand) int {
	n := g.count()
	m.mate = scratch.Resize(m.mate, n)
	for v := range m.mate {
		m.mate[v] = -1
	}
	m.shuffle(n, chance)
	paired := 0
	for _, v := range m.visit {
		if m.mate[v] >= 0 {
			continue
		}
		if u := m.best(g, v, limit); u >= 0 {
			m.mate[v], m.mate[u] = u, v
			paired += 2
		}
	}
	if 4*paired < 3*n {
		m.twoHops(g, limit)
		m.isolated(g, limit)
	}
	return m.number(n)
}

func (m *matcher) shuffle(n int, chance *rand.Rand) {
	m.visit = scratch.Resize(m.visit, n)
	for i := range m.visit {
		m.visit[i] = int32(i)
	}
	for i := n - 1; i > 0; i-- {
		j := chance.IntN(i + 1)
		m.visit[i], m.visit[j] = m.visit[j], m.visit[i]
	}
}

// may tells whether u and v may become one vertex.
func (m *matcher) may(g *graph, u, v int32, limit int64) bool {
	return m.mate[u] < 0 && u != v && int64(g.vertices[u])+int64(g.vertices[v]) <= limit &&
		(m.fixed == nil || m.fixed[u] == m.fixed[v])
}

// best is the free neighbour of v with the largest rating, or -1. The weight of
// v itself is the same for all and left out.
func (m *matcher) best(g *graph, v int32, limit int64) int32 {
	best, rating := int32(-1), 0.0
	for k := g.offsets[v]; k < g.offsets[v+1]; k++ {
		u := g.neighbors[k]
		if !m.may(g, u, v, limit) {
			continue
		}
		w := float64(g.weights[k])
		if r := w * w / float64(g.vertices[u]); r > rating {
			best, rating = u, r
		}
	}
	return best
}

// twoHops pairs free vertices in the rows of each vertex in turn.
func (m *matcher) twoHops(g *graph, limit int64) {
	for _, hub := range m.visit {
		waiting := int32(-1)
		for k := g.offsets[hub]; k < g.offsets[hub+1]; k++ {
			waiting = m.pairUp(g, waiting, g.neighbors[k], limit)
		}
	}
}

// isolated pairs free vertices without edges.
func (m *matcher) isolated(g *graph, limit int64) {
	waiting := int32(-1)
	for _, v := range m.visit {
		if g.offsets[v] == g.offsets[v+1] {
			waiting = m.pairUp(g, waiting, v, limit)
		}
	}
}

// pairUp matches u with the waiting vertex if both are free and may; it gives
// the vertex that waits next.
func (m *matcher) pairUp(g *graph, waiting, u int32, limit int64) int32 {
	switch {
	case m.mate[u] >= 0:
		return waiting
	case waiting < 0 || m.mate[waiting] >= 0 || !m.may(g, u, waiting, limit):
		return u
	}
	m.mate[u], m.mate[waiting] = waiting, u
	return -1
}

// number gives pairs and left-over vertices consecutive numbers.
func (m *matcher) number(n int) int {
	m.into = scratch.Resize(m.into, n)
	count := int32(0)
	for v := range int32(n) {
		if u := m.mate[v]; u >= 0 && u < v {
			m.into[v] = m.into[u]
			continue
		}
		m.into[v] = count
		count++
	}
	return int(count)
}
