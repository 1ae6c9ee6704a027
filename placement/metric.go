package placement

import (
	"slices"

	"remap/mapping"
)

// Metric is the path length between blocks: switches, or where links have
// prices what mapping.Distances says. Where ways there and back can differ in
// length it is the sum of both. Networks with few blocks have it as a matrix.
// Larger ones have it by the finest place two blocks share, if that decides the
// length, as it does in a fat tree; else it is asked of the topology for the
// first host of each block.
type Metric struct {
	inside []int64 // length blocks, or 1 = the same in all: between two positions of one block
	blocks int

	matrix []uint16 // length blocks x blocks, or nil
	priced []int64  // the same where links have prices

	// place is the place of every block, for every level coarser than the blocks; or nil.
	place [][]int32

	// length is the path length of two blocks by the level of their finest shared place;
	// the last of those that share none. Length levels+1.
	length []int64

	meter *meter
	hosts []int32 // length blocks: first host of every block
	near  near
}

// NewMatrixMetric is a metric given as a symmetric matrix, length blocks x
// blocks, and the length inside a block.
func NewMatrixMetric(matrix []uint16, blocks int, inside int64) *Metric {
	return &Metric{inside: []int64{inside}, blocks: blocks, matrix: matrix}
}

// CutMetric prices 1 between any two blocks and 0 inside: the edge cut.
func CutMetric(blocks int) *Metric {
	return &Metric{inside: []int64{0}, blocks: blocks, length: []int64{1}}
}

func newMetric(meter *meter, hosts, first []int32, levels []mapping.PlaceLevel, inside []int64) *Metric {
	m := &Metric{inside: inside, blocks: len(first) - 1, meter: meter}
	m.hosts = make([]int32, m.blocks)
	for b := range m.hosts {
		m.hosts[b] = hosts[first[b]]
	}
	m.near = newNear(meter.machine, m.hosts)
	switch {
	case m.blocks <= matrixBlocks && meter.prices != nil:
		m.priced = fillMatrix[int64](m)
	case m.blocks <= matrixBlocks:
		m.matrix = fillMatrix[uint16](m)
	case meter.prices == nil:
		place := coarserPlaces(first, levels)
		length, ok := treeLengths(place, m.blocks, m.Between)
		if ok && !slices.Contains(length, -1) {
			m.place, m.length = place, length
		}
	}
	return m
}

// fillMatrix measures between all blocks.
func fillMatrix[T uint16 | int64](m *Metric) []T {
	matrix := make([]T, m.blocks*m.blocks)
	for a := range m.blocks {
		for b := range a {
			length := T(m.meter.between(m.hosts[a], m.hosts[b]))
			matrix[a*m.blocks+b], matrix[b*m.blocks+a] = length, length
		}
		matrix[a*m.blocks+a] = T(m.Inside(int32(a)))
	}
	return matrix
}

// Inside is the path length between two positions of block b.
func (m *Metric) Inside(b int32) int64 {
	if len(m.inside) == 1 {
		return m.inside[0]
	}
	return m.inside[b]
}

// TellsApart is false when vertices may as well be in one block as in the other.
// Between prices that can be so from one block to the other, and yet not to the
// rest.
func (m *Metric) TellsApart(a, b int32) bool {
	return m.meter != nil && m.meter.prices != nil || 2*m.Between(a, b) > m.Inside(a)+m.Inside(b)
}

// Between is the path length between positions of two blocks.
func (m *Metric) Between(a, b int32) int64 {
	switch {
	case m.matrix != nil:
		return int64(m.matrix[int(a)*m.blocks+int(b)])
	case m.priced != nil:
		return m.priced[int(a)*m.blocks+int(b)]
	case a == b:
		return m.Inside(a)
	case m.length != nil:
		return m.length[finestShared(m.place, a, b)]
	}
	return m.meter.between(m.hosts[a], m.hosts[b])
}

// Near lists the blocks beside block b: on switches one link away, or where
// prices divide a place into several blocks, in the same place. Empty in a fat
// tree without prices.
func (m *Metric) Near(b int32) []int32 { return m.near.of(b) }

// Within is the metric between some blocks, numbered in their order. Where all are
// equally far apart it is the edge cut.
func (m *Metric) Within(blocks []int32) *Metric {
	n := len(blocks)
	w := &Metric{inside: make([]int64, n), blocks: n, priced: make([]int64, n*n), meter: m.meter}
	uniform := true
	for i, a := range blocks {
		w.inside[i] = m.Inside(a)
		w.priced[i*n+i] = w.inside[i]
		uniform = uniform && w.inside[i] == w.inside[0]
		for j, b := range blocks[:i] {
			length := m.Between(a, b)
			w.priced[i*n+j], w.priced[j*n+i] = length, length
			uniform = uniform && length == w.priced[1]
		}
	}
	if uniform {
		return CutMetric(n)
	}
	return w
}
