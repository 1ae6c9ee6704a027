package topology

import (
	"encoding/binary"
	"math"
	"slices"
)

// maxTableSwitches bounds the routing table of an arbitrary network, which
// has an entry for every pair of switches.
const maxTableSwitches = 1 << 14

const unreachable = math.MaxUint16

// switchGraph is who is next to whom among the switches, and, once its network
// is routed by table, the metric of these routes.
type switchGraph struct {
	t         *Topology
	part      []int32  // length switches: connected part
	offsets   []int32  // length switches+1
	neighbors []int32  // switch numbers, each once however many the parallel links
	leaves    []int32  // switches with hosts
	column    []int32  // length switches: index in leaves, or -1
	hosts     []int64  // length leaves: host links
	length    []uint16 // length leaves x switches: links on the legal path from the switch to the leaf
}

func newSwitchGraph(t *Topology) *switchGraph {
	g := &switchGraph{t: t, part: t.parts(), offsets: []int32{0}, column: make([]int32, t.Switches())}
	for s := range int32(t.Switches()) {
		begin, hosts := len(g.neighbors), int64(0)
		first, end := t.Out(t.NodeOf(s))
		for l := first; l < end; l++ {
			if to := t.Links[l].To; t.IsHost(to) {
				hosts++
			} else {
				g.neighbors = append(g.neighbors, t.SwitchOf(to))
			}
		}
		slices.Sort(g.neighbors[begin:])
		g.neighbors = append(g.neighbors[:begin], slices.Compact(g.neighbors[begin:])...)
		g.offsets = append(g.offsets, int32(len(g.neighbors)))
		g.column[s] = -1
		if hosts > 0 {
			g.column[s] = int32(len(g.leaves))
			g.leaves, g.hosts = append(g.leaves, s), append(g.hosts, hosts)
		}
	}
	g.length = make([]uint16, len(g.leaves)*t.Switches())
	return g
}

// links is the length of the legal path.
func (g *switchGraph) links(from, to int32) int32 {
	if g.column[to] < 0 {
		from, to = to, from
	}
	column := g.column[to]
	if column < 0 {
		return -1
	}
	d := g.length[int(column)*len(g.column)+int(from)]
	if d == unreachable {
		return -1
	}
	return int32(d)
}

func (g *switchGraph) adjacent(s int32) []int32 { return g.neighbors[g.offsets[s]:g.offsets[s+1]] }

// breadthFirst fills distance (length switches) with links from root, or with
// unreachable; allowed says which steps may be taken, nil = all.
func (g *switchGraph) breadthFirst(distance []uint16, queue []int32, root int32, allowed []int32) []int32 {
	for s := range distance {
		distance[s] = unreachable
	}
	distance[root] = 0
	return g.spread(distance, append(queue[:0], root), allowed)
}

// spread goes on from the switches in the queue to those not reached yet.
func (g *switchGraph) spread(distance []uint16, queue, allowed []int32) []int32 {
	for i := 0; i < len(queue); i++ {
		s := queue[i]
		for _, v := range g.adjacent(s) {
			if distance[v] == unreachable && (allowed == nil || allowed[v] > allowed[s]) {
				distance[v] = distance[s] + 1
				queue = append(queue, v)
			}
		}
	}
	return queue
}

// table fills Routes.Table. Equal lists of candidates are stored once.
type table struct {
	routes *Routes
	known  map[string]int32
	key    []byte
}

func newTable(switches int, virtualChannels int32) *table {
	r := &Routes{VirtualChannels: virtualChannels, Switches: switches, Offsets: []int32{0}, Table: make([]int32, switches*switches)}
	for i := range r.Table {
		r.Table[i] = -1
	}
	return &table{routes: r, known: map[string]int32{}}
}

// set makes channels the candidates at a switch.
func (b *table) set(at, to int32, channels []int32) {
	b.key = b.key[:0]
	for _, c := range channels {
		b.key = binary.LittleEndian.AppendUint32(b.key, uint32(c))
	}
	r := b.routes
	group, ok := b.known[string(b.key)]
	if !ok {
		group = int32(len(r.Offsets) - 1)
		b.known[string(b.key)] = group
		r.Channels = append(r.Channels, channels...)
		r.Offsets = append(r.Offsets, int32(len(r.Channels)))
	}
	r.Table[int(at)*r.Switches+int(to)] = group
}
