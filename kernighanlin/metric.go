package kernighanlin

import (
	"slices"

	"remap/mapping"
	"remap/topology"
)

// Metric is the path length between blocks. Networks with few blocks have it
// as a matrix. Larger ones have it by the finest place two blocks share, if
// that decides the length, as it does in a fat tree; else it is asked of the
// topology for the first host of each block.
type Metric struct {
	inside int64 // between two positions of one block
	blocks int

	matrix []uint16 // length blocks x blocks, or nil

	place  [][]int32 // for every level coarser than the blocks: place of every block; or nil
	length []int64   // length levels+1: path length of blocks that share a place of that level first, last: none

	machine *topology.Topology
	hosts   []int32 // length blocks: first host of every block
	near    near
}

// matrixBlocks bounds the matrix to what fits a second-level cache.
const matrixBlocks = 1024

// NewMatrixMetric is a metric given as a symmetric matrix, length blocks x
// blocks, and the length inside a block.
func NewMatrixMetric(matrix []uint16, blocks int, inside int64) *Metric {
	return &Metric{inside: inside, blocks: blocks, matrix: matrix}
}

// CutMetric prices 1 between any two blocks and 0 inside: the edge cut.
func CutMetric(blocks int) *Metric {
	return &Metric{blocks: blocks, length: []int64{1}}
}

func newMetric(machine *topology.Topology, hosts, first []int32, levels []mapping.PlaceLevel, inside int64) *Metric {
	m := &Metric{inside: inside, blocks: len(first) - 1, machine: machine}
	m.hosts = make([]int32, m.blocks)
	for b := range m.hosts {
		m.hosts[b] = hosts[first[b]]
	}
	m.near = newNear(machine, m.hosts)
	if m.blocks <= matrixBlocks {
		m.matrix = make([]uint16, m.blocks*m.blocks)
		for a := range m.blocks {
			for b := range a {
				length := uint16(machine.PathLength(m.hosts[a], m.hosts[b]))
				m.matrix[a*m.blocks+b], m.matrix[b*m.blocks+a] = length, length
			}
			m.matrix[a*m.blocks+a] = uint16(inside)
		}
		return m
	}
	m.findTree(first, levels)
	return m
}

// findTree looks for lengths that depend on the finest shared place only: it
// tries pairs at all distances, a few for every block, and keeps the tree
// when none contradicts another.
func (m *Metric) findTree(first []int32, levels []mapping.PlaceLevel) {
	var place [][]int32
	for i := range levels {
		if levels[i].Places() >= m.blocks {
			continue
		}
		of := make([]int32, m.blocks)
		for b := range of {
			at, exact := slices.BinarySearch(levels[i].Bounds, first[b])
			if !exact {
				at--
			}
			of[b] = int32(at)
		}
		place = append(place, of)
	}
	length := make([]int64, len(place)+1)
	for i := range length {
		length[i] = -1
	}
	tree := &Metric{place: place}
	for a := range int32(m.blocks) {
		for step := int32(1); a+step < int32(m.blocks); step += step/2 + 1 {
			level := tree.shared(a, a+step)
			d := int64(m.machine.PathLength(m.hosts[a], m.hosts[a+step]))
			if length[level] >= 0 && length[level] != d {
				return
			}
			length[level] = d
		}
	}
	if !slices.Contains(length, -1) {
		m.place, m.length = place, length
	}
}

// shared is the index of the finest level at which two blocks lie in one place,
// the number of levels when there is none.
func (m *Metric) shared(a, b int32) int {
	for l, of := range m.place {
		if of[a] == of[b] {
			return l
		}
	}
	return len(m.place)
}

// Between is the path length between positions of two blocks, in switches.
func (m *Metric) Between(a, b int32) int64 {
	switch {
	case m.matrix != nil:
		return int64(m.matrix[int(a)*m.blocks+int(b)])
	case a == b:
		return m.inside
	case m.length != nil:
		return m.length[m.shared(a, b)]
	}
	return int64(m.machine.PathLength(m.hosts[a], m.hosts[b]))
}
