package partition

import (
	"math/rand/v2"

	"remap/internal/scratch"
)

// clusterer finds groups of vertices to merge.
type clusterer struct {
	visit    []int32 // vertices in random order
	label    []int32 // length vertices: the cluster, named after one of its first members
	weight   []int64 // length vertices: of every cluster
	weightTo []int64 // length vertices: weight from the vertex under study to a cluster, 0 between uses
	near     []int32 // clusters with weight
	into     []int32 // length vertices: the result, coarse vertex of each
}

// cluster groups vertices by label propagation under a limit of weight and
// gives the number of clusters; the result is in c.into. Vertices of different
// marks never meet; nil = all may.
//
// Every vertex begins as a cluster of its own. In some sweeps in random order
// each goes to the cluster around it that it has the most weight to and that has
// room (Raghavan, Albert and Kumara 2007; with the limit Meyerhenke, Sanders and
// Schulz 2014). Around the hubs of a graph with skewed degrees, where a matching
// pairs one vertex of hundreds, whole neighbourhoods come together at once.
//
// Deviation: the limit is on each level a few times the mean weight, so that a
// hierarchy of several levels remains to refine on, as after matchings.
// O(sweeps x edges).
func (c *clusterer) cluster(g *graph, limit int64, marks []uint8, chance *rand.Rand) int {
	n := g.count()
	limit = min(limit, max(2, clusterGrowth*g.total/int64(max(1, n))))
	c.visit, c.label = scratch.Resize(c.visit, n), scratch.Resize(c.label, n)
	c.weight, c.weightTo = scratch.Resize(c.weight, n), scratch.Resize(c.weightTo, n)
	for v := range n {
		c.visit[v], c.label[v], c.weight[v], c.weightTo[v] = int32(v), int32(v), int64(g.vertices[v]), 0
	}
	chance.Shuffle(n, func(i, j int) { c.visit[i], c.visit[j] = c.visit[j], c.visit[i] })
	for range clusterSweeps {
		moved := 0
		for _, v := range c.visit {
			if c.move(g, v, limit, marks) {
				moved++
			}
		}
		if 20*moved < n {
			break
		}
	}
	return c.number(n)
}

// move takes v to the cluster it belongs to most, and tells whether that is
// another than before.
func (c *clusterer) move(g *graph, v int32, limit int64, marks []uint8) bool {
	own, weight := c.label[v], int64(g.vertices[v])
	for k := g.offsets[v]; k < g.offsets[v+1]; k++ {
		u := g.neighbors[k]
		if marks != nil && marks[u] != marks[v] {
			continue
		}
		l := c.label[u]
		if c.weightTo[l] == 0 {
			c.near = append(c.near, l)
		}
		c.weightTo[l] += g.weights[k]
	}
	best := own
	for _, l := range c.near {
		if c.weightTo[l] > c.weightTo[best] && c.weight[l]+weight <= limit {
			best = l
		}
	}
	for _, l := range c.near {
		c.weightTo[l] = 0
	}
	c.near = c.near[:0]
	if best == own {
		return false
	}
	c.weight[own] -= weight
	c.weight[best] += weight
	c.label[v] = best
	return true
}

// number gives the clusters consecutive numbers, in order of their first vertex.
func (c *clusterer) number(n int) int {
	c.into = scratch.Resize(c.into, n)
	of := c.visit // no longer needed
	for l := range of {
		of[l] = -1
	}
	count := int32(0)
	for v, l := range c.label {
		if of[l] < 0 {
			of[l] = count
			count++
		}
		c.into[v] = of[l]
	}
	return int(count)
}
