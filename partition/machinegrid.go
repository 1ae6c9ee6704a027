package partition

import (
	"remap/mapping"
)

// gridMeans has exact mean path lengths between nodes of a torus or mesh. The
// path length is a sum over the dimensions, so the mean over all pairs of
// blocks is the sum of the means of each dimension, which depend only on how
// many blocks of a node lie at each coordinate:
//
//	sum over x of count(a, x) x distance(b, x),  distance(b, x) = sum over y of count(b, y) x |x - y|
//
// Memory O(large nodes x extents), at most about tableBytes; nodes too small
// for a table are looked at block by block.
type gridMeans struct {
	dimensions  int
	coordinates []int16 // length blocks x dimensions
	start       []int32 // length dimensions+1: where the coordinates of each begin in a table
	table       []int32 // length nodes: where the node's tables begin, -1 = it is small
	count       []int32 // tables of length start[dimensions]
	distance    []int64 // the same
	ring        []int16 // length dimensions: the extent where the way round counts, else 0
	turn        []int16 // length dimensions: where a ring is cut open if it does not; 0 in a line
	extents     []int16
}

// newGridMeans makes the tables of a machine; nil where path lengths are not
// those of a whole torus or mesh.
func newGridMeans(p *mapping.Problem, m *machine) *gridMeans {
	r := p.Machine.Routes
	if r == nil || r.Grid == nil || r.Detours != nil || p.LinkCost != nil {
		return nil
	}
	g := &gridMeans{dimensions: m.splitter.dimensions, coordinates: m.splitter.coordinates, start: []int32{0},
		ring: m.splitter.ring, turn: m.splitter.turn, extents: r.Grid.Extents}
	if m.splitter.policy.lines {
		g.ring = make([]int16, g.dimensions)
	}
	for k, extent := range r.Grid.Extents {
		g.start = append(g.start, g.start[k]+int32(extent))
	}
	width := int(g.start[g.dimensions])
	least := int32(max(4, 2*len(m.order)*width*12/tableBytes))
	g.table = make([]int32, len(m.nodes))
	for i, node := range m.nodes {
		g.table[i] = -1
		if node.end-node.first < least {
			continue
		}
		g.table[i] = int32(len(g.distance))
		g.distance = append(g.distance, make([]int64, width)...)
		table := g.distance[g.table[i]:]
		g.count = append(g.count, make([]int32, width)...)
		count := g.count[g.table[i]:]
		for _, b := range m.order[node.first:node.end] {
			for k, x := range g.of(b) {
				count[g.start[k]+int32(x)]++
			}
		}
		for k, extent := range r.Grid.Extents {
			for y, here := range count[g.start[k]:g.start[k+1]] {
				for x := int16(0); here > 0 && x < extent; x++ {
					table[g.start[k]+int32(x)] += int64(here) * g.steps(k, x, int16(y))
				}
			}
		}
	}
	return g
}

// steps is how many links apart two coordinates of dimension k are.
func (g *gridMeans) steps(k int, x, y int16) int64 {
	if ring := g.ring[k]; ring > 0 {
		away := max(x-y, y-x)
		return int64(min(away, ring-away))
	}
	if x -= g.turn[k]; x < 0 {
		x += g.extents[k]
	}
	if y -= g.turn[k]; y < 0 {
		y += g.extents[k]
	}
	return int64(max(x-y, y-x))
}

// between is the path length between two blocks on different hosts.
func (g *gridMeans) between(a, b int32) int64 {
	sum := int64(1)
	y := g.of(b)
	for k, x := range g.of(a) {
		sum += g.steps(k, x, y[k])
	}
	return sum
}

func (g *gridMeans) of(b int32) []int16 {
	return g.coordinates[int(b)*g.dimensions : (int(b)+1)*g.dimensions]
}

// sum adds up the links between all pairs of blocks of two nodes, of which b
// has a table and a's blocks are listed. O(sum of the extents), and for a
// without table O(its blocks x dimensions).
func (g *gridMeans) sum(a, b int32, blocks []int32) int64 {
	var sum int64
	width := g.start[g.dimensions]
	distance := g.distance[g.table[b] : g.table[b]+width]
	if at := g.table[a]; at >= 0 {
		for x, count := range g.count[at : at+width] {
			sum += int64(count) * distance[x]
		}
		return sum
	}
	for _, block := range blocks {
		for k, x := range g.of(block) {
			sum += distance[g.start[k]+int32(x)]
		}
	}
	return sum
}
