package partition

import (
	"math"
	"math/rand/v2"

	"remap/mapping"
	"remap/placement"
)

// machine is the blocks of a layout split in two again and again, down to
// single blocks, each time into halves that are close within and far apart:
//
//	      0..7                a torus of 4x2: its longest side first
//	 0 1    |    2 3
//	 4 5    |    6 7
//	0 | 1       2 | 3
//	4 | 5       6 | 7         and so on
//
// Nodes stand breadth first, so that those of one depth are consecutive.
type machine struct {
	layout   *placement.Layout
	splitter blockSplitter
	order    []int32 // length blocks: every node is a run of it
	nodes    []machineNode
	leaf     []int32 // length blocks: the node of that block alone
	parent   []int32 // length nodes; the root's is itself
	depths   []int32 // length depths+1: nodes of depth d are depths[d] to depths[d+1]
	scale    int64   // of the distances that between gives
	coarse   int64   // what between is divided by to fit 16 bits
	grid     *gridMeans
}

// machineNode is the blocks order[first:end] of a machine.
type machineNode struct {
	first, end int32
	child      int32 // the first of its two halves, which stand side by side; 0 = it is one block
}

// newMachine splits the layout's blocks; variant chooses among splits that are
// equally good, 0 the plain ones. total is the weight of all edges, which the
// scale of distances leaves room for.
// O(blocks x log blocks x depth), distances between blocks not counted.
func newMachine(p *mapping.Problem, l *placement.Layout, variant uint64, total int64) *machine {
	blocks := l.Blocks()
	m := &machine{layout: l, order: make([]int32, blocks), leaf: make([]int32, blocks)}
	for b := range m.order {
		m.order[b] = int32(b)
	}
	m.splitter = newBlockSplitter(p, l, variant)
	m.nodes = append(make([]machineNode, 0, 2*blocks), machineNode{0, int32(blocks), 0})
	m.parent = append(make([]int32, 0, 2*blocks), 0)
	m.depths = []int32{0, 1}
	for at := 0; at < len(m.nodes); at++ {
		if at == int(m.depths[len(m.depths)-1]) {
			m.depths = append(m.depths, int32(len(m.nodes)))
		}
		first, end := m.nodes[at].first, m.nodes[at].end
		if end-first < 2 {
			if end > first {
				m.leaf[m.order[first]] = int32(at)
			}
			continue
		}
		half := first + int32(m.splitter.split(m.order[first:end]))
		m.nodes[at].child = int32(len(m.nodes))
		m.nodes = append(m.nodes, machineNode{first, half, 0}, machineNode{half, end, 0})
		m.parent = append(m.parent, int32(at), int32(at))
	}
	if last := m.depths[len(m.depths)-1]; int(last) < len(m.nodes) {
		m.depths = append(m.depths, int32(len(m.nodes)))
	}
	m.scale, m.coarse = m.fineness(total)
	m.grid = newGridMeans(p, m)
	return m
}

// fineness is a power of two by which distances are multiplied, so that means
// of them keep some digits and no sum of weights times distances overflows, and
// a divisor that brings these means below 2^16.
func (m *machine) fineness(total int64) (scale, coarse int64) {
	longest := int64(1)
	for b := range int32(len(m.order)) {
		longest = max(longest, m.layout.Metric.Between(0, b))
	}
	longest *= 4 // as far as any two blocks are apart, with room to spare
	const room = int64(1) << 60
	scale = 64
	for scale > 1 && (total > room/(2*longest*scale) || longest*scale > math.MaxUint16) {
		scale /= 2
	}
	return scale, max(1, (longest*scale+math.MaxUint16)/math.MaxUint16)
}

// between is the mean path length from a block of node a to one of node b,
// times scale. Of large nodes only some blocks are looked at, spread evenly
// over the order, which spreads them over the node's halves and quarters too.
// O(samples^2), on a torus or mesh O(extents) if one of the nodes is large.
func (m *machine) between(a, b int32, samples int32) int64 {
	x, y := &m.nodes[a], &m.nodes[b]
	if m.grid != nil && m.grid.table[b] < 0 && m.grid.table[a] >= 0 {
		a, b, x, y = b, a, y, x
	}
	if m.grid != nil && m.grid.table[b] >= 0 {
		pairs := int64(x.end-x.first) * int64(y.end-y.first)
		sum := m.grid.sum(a, b, m.order[x.first:x.end]) + pairs // a path has a switch more than links
		if a == b {
			sum -= (1 - m.layout.Metric.Inside(m.order[x.first])) * int64(x.end-x.first)
		}
		return (sum*m.scale + pairs/2) / pairs
	}
	nx, ny := min(samples, x.end-x.first), min(samples, y.end-y.first)
	var sum int64
	for i := range nx {
		from := m.order[x.first+(2*i+1)*(x.end-x.first)/(2*nx)]
		for j := range ny {
			to := m.order[y.first+(2*j+1)*(y.end-y.first)/(2*ny)]
			if m.grid != nil && m.splitter.policy.lines && from != to {
				sum += m.grid.between(from, to)
			} else {
				sum += m.layout.Metric.Between(from, to)
			}
		}
	}
	count := int64(nx) * int64(ny)
	return (sum*m.scale + count/2) / count
}

// variantChance is what a variant's splits are drawn from.
func variantChance(variant uint64) *rand.Rand {
	return rand.New(rand.NewPCG(variant, 0x6d616368)) // "mach": a stream of its own
}
