package commgraph

import (
	"fmt"
	"io"
	"math"
	"strconv"

	"remap/input"
)

const metisHint = "a METIS graph is a line with the numbers of vertices and of edges, " +
	"then a line of neighbours (from 1) for each vertex"

// metisReader is the state of ReadMETIS. Everything grows with the lines
// read, never with the numbers of the header.
type metisReader struct {
	in          *scanner
	vertices    int64 // as the header says
	edges       int64
	sizes       bool // a vertex size stands first in the line
	constraints int  // vertex weights in the line
	weighted    bool // a weight follows every neighbour
	graph       Graph
	comments    []int // line numbers of the comments between vertices
	first       int   // line number of the header
	total       int64 // weight of all half-edges
	vertexTotal int64
	unsorted    bool // neighbours of some vertex do not ascend
}

// ReadMETIS reads a graph in the format of METIS 4 and 5 (Karypis & Kumar):
// "vertices edges [fmt [constraints]]", then for each vertex a line
// [size] [weights] neighbour [weight] neighbour [weight] ... with vertices from
// 1; a blank line is a vertex without neighbours, lines that start with % are
// comments. fmt 1 is edge weights, 10 vertex weights, 100 vertex sizes, and
// sums of these. Of several vertex weights the first one is kept; sizes are
// not. Neighbours may stand in any order.
//
// Every edge must stand at both of its vertices with one weight. Errors are
// *input.Error of the file name with line and, where it is known, column.
// O(vertices + edges).
func ReadMETIS(name string, r io.Reader) (*Graph, error) {
	m := &metisReader{in: newScanner(name, metisHint, r)}
	if err := m.header(); err != nil {
		return nil, err
	}
	m.graph.Offsets = []int32{0}
	for !m.in.atEnd() {
		if m.in.window[m.in.at] == '%' {
			m.comments = append(m.comments, m.in.number)
			m.in.nextLine()
			continue
		}
		if int64(m.graph.Vertices()) == m.vertices {
			if !m.in.more() {
				m.in.nextLine()
				continue
			}
			return nil, m.in.lineError("", "more lines than the %d vertices of the header", m.vertices)
		}
		if err := m.vertex(); err != nil {
			return nil, err
		}
	}
	if err := m.in.failed(); err != nil {
		return nil, err
	}
	if err := m.totals(); err != nil {
		return nil, err
	}
	if fault := m.graph.normalize(!m.unsorted, func(v int32) int64 { return int64(v) + 1 }); fault != nil {
		return nil, &input.Error{File: name, Line: m.line(fault.vertex), Reason: fault.reason, Hint: edgeFaultHint}
	}
	return &m.graph, nil
}

// header reads the first line that is not a comment: two to four numbers.
func (m *metisReader) header() error {
	for !m.in.atEnd() && m.in.window[m.in.at] == '%' {
		m.in.nextLine()
	}
	if m.in.atEnd() {
		if err := m.in.failed(); err != nil {
			return err
		}
		return emptyFile(m.in.file, metisHint)
	}
	m.first = m.in.number
	limits := []struct {
		what string
		most int64
	}{{"number of vertices", MaxRanks}, {"number of edges", math.MaxInt32 / 2}, {"fmt", 111},
		{"number of constraints", 1000}}
	var numbers [4]int64
	count := 0
	for m.in.more() {
		if count >= len(limits) {
			m.in.nextWord()
		} else if v, err := m.in.whole(limits[count].what, 0, limits[count].most); err != nil {
			return err
		} else {
			numbers[count] = v
		}
		count++
	}
	if count < 2 || count > len(limits) {
		return m.in.lineError("", "header of %d words, must be: vertices edges [fmt [constraints]]", count)
	}
	m.in.nextLine()
	m.vertices, m.edges = numbers[0], numbers[1]
	return m.format(numbers[2], numbers[3], count)
}

// format takes the numbers after the first two of the header's count numbers.
func (m *metisReader) format(flags, constraints int64, count int) error {
	if flags%10 > 1 || flags/10%10 > 1 {
		return &input.Error{File: m.in.file, Line: m.first,
			Reason: fmt.Sprintf("fmt %d, must be up to three digits 0 or 1", flags), Hint: metisHint}
	}
	m.weighted, m.sizes = flags%10 == 1, flags/100 == 1
	if flags/10%10 == 1 {
		m.constraints = 1
		if count == 4 {
			m.constraints = int(constraints)
		}
	}
	if m.constraints > 0 {
		m.graph.VertexWeights = []int64{}
	}
	return nil
}

// vertex reads the line of the next vertex.
func (m *metisReader) vertex() error {
	if err := m.vertexWeights(); err != nil {
		return err
	}
	g, in := &m.graph, m.in
	self := int64(g.Vertices()) + 1
	before := int64(0) // the neighbour to the left
	for {
		v, ok := in.integer()
		if !ok && !in.more() {
			break
		}
		if !ok || v < 1 || v > m.vertices || v == self {
			return m.neighbourError(v, ok)
		}
		m.unsorted = m.unsorted || v <= before
		before = v
		weight := int64(1)
		if m.weighted {
			if weight, ok = in.integer(); !ok || weight < 1 || weight > MaxTotal {
				return m.weightError(ok)
			}
		}
		if m.total += weight; m.total > 2*MaxTotal {
			return in.wordError(totalHint, "total weight above the limit of %d", int64(MaxTotal))
		}
		if len(g.Neighbors) == cap(g.Neighbors) {
			if int64(len(g.Neighbors)) >= 2*m.edges {
				return in.wordError("the header counts every edge once",
					"more neighbours than twice the %d edges of the header", m.edges)
			}
			g.Neighbors = room(g.Neighbors, 2*m.edges, in)
			g.Weights = room(g.Weights, 2*m.edges, in)
		}
		g.Neighbors = append(g.Neighbors, int32(v-1))
		g.Weights = append(g.Weights, weight)
	}
	if len(g.Offsets) == cap(g.Offsets) {
		g.Offsets = room(g.Offsets, m.vertices+1, in)
	}
	g.Offsets = append(g.Offsets, int32(len(g.Neighbors)))
	in.nextLine()
	return nil
}

// neighbourError says what is wrong with the neighbour v, or, if not read, with
// the next word.
func (m *metisReader) neighbourError(v int64, read bool) error {
	self := int64(m.graph.Vertices()) + 1
	if read && v == self {
		return m.in.wordError("leave out what a vertex sends itself", "vertex %d is its own neighbour", self)
	}
	return m.in.notWhole(read, "neighbour of vertex "+strconv.FormatInt(self, 10), 1, m.vertices)
}

// weightError says what is wrong with the weight of an edge.
func (m *metisReader) weightError(read bool) error {
	self := m.graph.Vertices() + 1
	if !read && !m.in.more() {
		return m.in.wordError("", "the last neighbour of vertex %d has no weight", self)
	}
	return m.in.notWhole(read, "edge weight of vertex "+strconv.Itoa(self), 1, MaxTotal)
}

// vertexWeights reads what stands before the neighbours.
func (m *metisReader) vertexWeights() error {
	count := m.constraints
	if m.sizes {
		count++
	}
	for i := range count {
		if !m.in.more() {
			return m.in.lineError("", "vertex %d has %d of %d sizes and weights", m.graph.Vertices()+1, i, count)
		}
		v, err := m.in.whole("size or weight", 0, MaxTotal)
		if err != nil {
			return err
		}
		if i == count-m.constraints && m.constraints > 0 {
			if m.vertexTotal += v; m.vertexTotal > MaxTotal {
				return m.in.wordError(totalHint, "total vertex weight above the limit of %d", int64(MaxTotal))
			}
			m.graph.VertexWeights = append(m.graph.VertexWeights, v)
		}
	}
	return nil
}

// totals compares what was read with the header.
func (m *metisReader) totals() error {
	n, half := m.graph.Vertices(), len(m.graph.Neighbors)
	fail := func(line int, hint, format string, args ...any) error {
		return &input.Error{File: m.in.file, Line: line, Reason: fmt.Sprintf(format, args...), Hint: hint}
	}
	if int64(n) != m.vertices {
		return fail(m.in.lines(), "is the file cut off?", "the file ends after %d of %d vertices", n, m.vertices)
	}
	if int64(half) != 2*m.edges {
		return fail(m.first, "the header counts every edge once, the lines name it twice",
			"the header says %d edges, the lines hold %d neighbours, must be %d", m.edges, half, 2*m.edges)
	}
	return nil
}

// line is the line number of a vertex from 0.
func (m *metisReader) line(v int32) int {
	line := m.first + 1 + int(v)
	for _, c := range m.comments { // ascending
		if c <= line {
			line++
		}
	}
	return line
}
