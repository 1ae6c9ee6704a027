package topology

import (
	"encoding/binary"
	"math"
	"slices"
)

const unreachable = math.MaxUint16

// switchGraph is who is next to whom among the switches.
type switchGraph struct {
	t         *Topology
	part      []int32 // length switches: connected part
	offsets   []int32 // length switches+1
	neighbors []int32 // switch numbers, each once however many the parallel links
	leaves    []int32 // switches with hosts
	column    []int32 // length switches: index in leaves, or -1
	hosts     []int64 // length leaves: host links
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
	return g
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

// lists are lists of candidates, equal ones stored once: list i is
// channels[offsets[i]:offsets[i+1]].
type lists struct {
	offsets, channels []int32
	known             map[string]int32
	key               []byte
}

func newLists() *lists { return &lists{offsets: []int32{0}, known: map[string]int32{}} }

// group gives the number of a list.
func (b *lists) group(channels []int32) int32 {
	b.key = b.key[:0]
	for _, c := range channels {
		b.key = binary.LittleEndian.AppendUint32(b.key, uint32(c))
	}
	group, ok := b.known[string(b.key)]
	if !ok {
		group = int32(len(b.offsets) - 1)
		b.known[string(b.key)] = group
		b.channels = append(b.channels, channels...)
		b.offsets = append(b.offsets, int32(len(b.channels)))
	}
	return group
}
