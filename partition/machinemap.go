package partition

import (
	"context"
	"math/rand/v2"

	"remap/commgraph"
	"remap/internal/scratch"
	"remap/mapping"
	"remap/placement"
)

// machineMapper puts the vertices of a graph onto a machine by dual recursive
// bipartitioning (Pellegrini 1994): wherever the machine splits in two, the
// vertices there are bisected too, into as many as each half has room for.
//
// Neighbours that lie elsewhere count as well (terminal propagation, Dunlop
// and Kernighan 1985): a vertex is biased toward the half that is nearer to
// where they are. The tree is walked breadth first, so that every neighbour is
// known as finely as the vertex itself; when all of a depth are split, they
// are refined once more, each knowing now how the others were split.
//
//	 part at hand         T: where neighbours are, finer or as coarse
//	+------+------+
//	| half | half |       bias of a vertex = sum over its edges to T of
//	|  0   |  1   |  ---T    weight x (distance(0, T) - distance(1, T))
//	+------+------+
//
// Deviations from Pellegrini: breadth first with repeated refinement, exact
// sizes, and mean distances between parts of the machine, from samples.
//
// Vertices with a fixed place are not bisected: they are neighbours elsewhere
// from the beginning, and the room they take is not there for others.
//
// O(depth x bisections of the whole graph), memory O(vertices + edges + blocks).
type machineMapper struct {
	*machine
	graph    *commgraph.Graph
	bisector *bisector
	members  []int32 // the free vertices; those of a node are members[room[first]:room[end]]
	room     []int32 // length blocks+1: free places before each block of the machine's order
	where    []int32 // length vertices: node
	extract  *commgraph.Extractor
	part     commgraph.Graph // of the node at hand
	spare    []int32
	side     []uint8
	bias     []int64 // of the node's vertices

	stamp      int32   // of the part at hand
	seen       []int32 // length nodes: stamp of the part that difference is for
	difference []int64 // length nodes: by how much half 0 is farther from the node than half 1
}

// newMachineMapper puts all vertices on the whole machine. fixed is the block
// of every vertex that is to stay in one, -1 = free; nil = all free. Free
// vertices are as many as the room the fixed ones leave.
func newMachineMapper(
	g *commgraph.Graph, m *machine, fixed []int32, options Options, seed uint64,
) *machineMapper {
	s := &machineMapper{machine: m, graph: g, extract: commgraph.NewExtractor(g, 0)}
	s.where, s.room = make([]int32, g.Vertices()), make([]int32, len(m.order)+1)
	s.seen, s.difference = make([]int32, len(m.nodes)), make([]int64, len(m.nodes))
	s.bisector = newBisector(options, rand.New(rand.NewPCG(seed, 0x6475616c))) // "dual": a stream of its own
	taken := make([]int32, len(m.order))
	for v := range s.where {
		if fixed != nil && fixed[v] >= 0 {
			s.where[v] = m.leaf[fixed[v]]
			taken[fixed[v]]++
		} else {
			s.members = append(s.members, int32(v))
		}
	}
	first := m.layout.First
	for i, b := range m.order {
		s.room[i+1] = s.room[i] + first[b+1] - first[b] - taken[b]
	}
	return s
}

// of lists the free vertices of a node.
func (s *machineMapper) of(node int32) []int32 {
	return s.members[s.room[s.nodes[node].first]:s.room[s.nodes[node].end]]
}

// run splits depth by depth and refines every depth so many times.
func (s *machineMapper) run(ctx context.Context, sweeps int) error {
	for d := range len(s.depths) - 1 {
		samples := s.samples(d)
		for sweep := range 1 + sweeps {
			changed := false
			for node := s.depths[d]; node < s.depths[d+1]; node++ {
				if s.nodes[node].child == 0 {
					continue
				}
				if err := ctx.Err(); err != nil {
					return err
				}
				changed = s.bisect(node, samples, sweep > 0) || changed
			}
			if !changed {
				break
			}
		}
		if err := s.refineDepth(ctx, d, samples); err != nil {
			return err
		}
	}
	return nil
}

// samples is how many blocks of a node stand for it at depth d, so that all
// distances asked for there take about the same time.
func (s *machineMapper) samples(d int) int32 {
	parts := int64(s.depths[d+1] - s.depths[d])
	pairs := max(1, min(parts*parts, int64(len(s.graph.Neighbors))))
	n := int32(mostSamples)
	for n > 4 && int64(n)*int64(n)*pairs > sampleWork {
		n--
	}
	return n
}

// bisect divides the vertices of a node over its halves, or with again refines
// how they are. It tells whether anything changed.
func (s *machineMapper) bisect(node int32, samples int32, again bool) bool {
	members := s.of(node)
	child := s.nodes[node].child
	target := len(s.of(child))
	if !again {
		defer func() {
			for i, v := range members {
				s.where[v] = child
				if i >= target {
					s.where[v] = child + 1
				}
			}
		}()
	}
	if target == 0 || target == len(members) {
		return !again
	}
	s.fill(node, samples)
	if !again {
		s.spare = divide(members, s.bisector.bisect(int64(target)), s.spare)
		return true
	}
	s.side = scratch.Resize(s.side, len(members))
	for i := range members {
		s.side[i] = 0
		if i >= target {
			s.side[i] = 1
		}
	}
	side, better := s.bisector.improve(int64(target), s.side)
	if !better {
		return false
	}
	for i, v := range members {
		s.where[v] = child + int32(side[i])
	}
	s.spare = divide(members, side, s.spare)
	return true
}

// improve refines sides that meet the target by one more round of merging and
// passes, and tells whether the cut fell. The slice is good until the next call.
func (b *bisector) improve(target int64, side []uint8) ([]uint8, bool) {
	at := b.levels[0]
	before := cut(&at.graph, side)
	at.side = append(at.side[:0], side...)
	after := b.attempt(target, true)
	return at.side, after < before
}

// fill gives the bisector a node's part of the graph, edges weighing what they cost
// when their ends lie in different halves.
func (s *machineMapper) fill(node, samples int32) {
	members, child := s.of(node), s.nodes[node].child
	apart := s.apart(child, samples)
	s.stamp++
	s.bias = scratch.Resize(s.bias, len(members))
	clear(s.bias)
	s.extract.Extract(&s.part, members, func(i int, u int32, w int64) {
		at := s.where[u]
		if s.seen[at] != s.stamp {
			s.seen[at] = s.stamp
			s.difference[at] = s.between(child, at, samples) - s.between(child+1, at, samples)
		}
		s.bias[i] += w * s.difference[at]
	})
	for k := range s.part.Weights {
		s.part.Weights[k] *= apart
	}
	g := s.bisector.graph()
	g.set(&s.part)
	g.bias = s.bias
}

// apart is what an edge costs more when its ends lie in the halves child and
// child+1 and not both in one of them. Ends in one half will come nearer to each
// other than the mean of the half, those in both too: hence three quarters,
// which irregular graphs do best with. Grids do better with the mean distance
// alone (see splitPolicy).
func (s *machineMapper) apart(child, samples int32) int64 {
	across := s.between(child, child+1, samples)
	if !s.splitter.policy.mean {
		inside := (s.between(child, child, samples) + s.between(child+1, child+1, samples)) / 2
		across = (across - inside) * 3 / 4
	}
	return max(1, across)
}

// blocks gives the vertices in the order of the layout's positions.
func (s *machineMapper) blocks() []int32 {
	first := s.layout.First
	next := append([]int32(nil), first...)
	members := make([]int32, len(s.where))
	for v, node := range s.where {
		b := s.order[s.nodes[node].first]
		members[next[b]] = int32(v)
		next[b]++
	}
	return members
}

// onMachine maps the problem's graph onto the layout by splitting the machine.
func onMachine(
	ctx context.Context, p *mapping.Problem, l *placement.Layout, fixed []int32, variant, seed uint64,
) ([]int32, error) {
	m := newMachine(p, l, variant, p.Graph.TotalWeight())
	s := newMachineMapper(p.Graph, m, fixed, DefaultOptions, seed)
	if err := s.run(ctx, mapperSweeps); err != nil {
		return nil, err
	}
	return s.blocks(), nil
}
