package commgraph

import (
	"bytes"
	"fmt"
	"io"
	"math"

	"remap/internal/input"
)

const metisHint = "a METIS graph is a line with the numbers of vertices and of edges, then a line of neighbours (from 1) for each vertex"

// metisReader is the state of ReadMETIS. Everything grows with the lines
// read, never with the numbers of the header.
type metisReader struct {
	lines       *input.Lines
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
	m := &metisReader{lines: input.NewLines(name, r)}
	if err := m.header(); err != nil {
		return nil, err
	}
	m.graph.Offsets = []int32{0}
	for m.lines.Next() {
		line := m.lines.Bytes()
		if len(line) > 0 && line[0] == '%' {
			m.comments = append(m.comments, m.lines.Number)
			continue
		}
		if int64(m.graph.Vertices()) == m.vertices {
			if len(bytes.TrimSpace(line)) == 0 {
				continue
			}
			return nil, m.lines.Errorf(0, metisHint, "more lines than the %d vertices of the header", m.vertices)
		}
		if err := m.vertex(line); err != nil {
			return nil, err
		}
	}
	if err := m.lines.Err(); err != nil {
		return nil, err
	}
	if err := m.totals(); err != nil {
		return nil, err
	}
	if err := m.symmetry(); err != nil {
		return nil, err
	}
	return &m.graph, nil
}

// header reads the first line that is not a comment.
func (m *metisReader) header() error {
	for m.lines.Next() {
		line := m.lines.Bytes()
		if len(line) > 0 && line[0] == '%' {
			continue
		}
		m.first = m.lines.Number
		return m.headerLine(line)
	}
	if err := m.lines.Err(); err != nil {
		return err
	}
	return emptyFile(m.lines.File, metisHint)
}

func (m *metisReader) headerLine(line []byte) error {
	words := bytes.Fields(line)
	if len(words) < 2 || len(words) > 4 {
		return m.lines.Errorf(0, metisHint, "header of %d words, must be: vertices edges [fmt [constraints]]", len(words))
	}
	limits := []struct {
		what string
		most int64
	}{{"number of vertices", MaxRanks}, {"number of edges", math.MaxInt32 / 2}, {"fmt", 111}, {"number of constraints", 1000}}
	var numbers [4]int64
	for i, word := range words {
		v, end := scanInteger(word, 0)
		if end != len(word) || v < 0 || v > limits[i].most {
			return m.lines.Errorf(1+bytes.Index(line, word), metisHint, "%s is %q, must be a whole number from 0 to %d",
				limits[i].what, shorten(string(word)), limits[i].most)
		}
		numbers[i] = v
	}
	m.vertices, m.edges = numbers[0], numbers[1]
	for digits := numbers[2]; digits > 0; digits /= 10 {
		if digits%10 > 1 {
			return m.lines.Errorf(0, metisHint, "fmt %q, must be up to three digits 0 or 1", words[2])
		}
	}
	m.weighted, m.sizes = numbers[2]%10 == 1, numbers[2]/100 == 1
	if numbers[2]/10%10 == 1 {
		m.constraints = 1
		if len(words) == 4 {
			m.constraints = int(numbers[3])
		}
	}
	if m.constraints > 0 {
		m.graph.VertexWeights = []int64{}
	}
	return nil
}

// scanInteger reads digits from line[at:] on: the value and where it ends;
// end = at if there are none. Values stop growing beyond MaxTotal.
func scanInteger(line []byte, at int) (value int64, end int) {
	for end = at; end < len(line); end++ {
		c := line[end] - '0'
		if c > 9 {
			break
		}
		if value <= MaxTotal {
			value = value*10 + int64(c)
		}
	}
	return value, end
}

// next reads the number that starts at or after at; more = false at the end
// of the line.
func (m *metisReader) next(line []byte, at int, what string, low, high int64) (value int64, end int, more bool, err error) {
	for at < len(line) && (line[at] == ' ' || line[at] == '\t' || line[at] == '\r') {
		at++
	}
	if at == len(line) {
		return 0, at, false, nil
	}
	value, end = scanInteger(line, at)
	if end == at || value < low || value > high || end < len(line) && line[end] > ' ' {
		word := line[at:]
		if i := bytes.IndexAny(word, " \t\r"); i > 0 {
			word = word[:i]
		}
		return 0, at, false, m.lines.Errorf(at+1, metisHint, "%s of vertex %d is %q, must be a whole number from %d to %d",
			what, m.graph.Vertices()+1, shorten(string(word)), low, high)
	}
	return value, end, true, nil
}

// vertex reads the line of the next vertex.
func (m *metisReader) vertex(line []byte) error {
	g := &m.graph
	at, err := m.vertexWeights(line)
	if err != nil {
		return err
	}
	self := int64(g.Vertices()) + 1
	for {
		v, end, more, err := m.next(line, at, "neighbour", 1, m.vertices)
		if err != nil {
			return err
		}
		if !more {
			break
		}
		if v == self {
			return m.lines.Errorf(end, "leave out what a vertex sends itself", "vertex %d is its own neighbour", self)
		}
		weight := int64(1)
		if m.weighted {
			weight, end, more, err = m.next(line, end, "edge weight", 1, MaxTotal)
			if err == nil && !more {
				err = m.lines.Errorf(len(line), metisHint, "the last neighbour of vertex %d has no weight", self)
			}
			if err != nil {
				return err
			}
		}
		if m.total += weight; m.total > 2*MaxTotal {
			return m.lines.Errorf(end, totalHint, "total weight above the limit of %d", int64(MaxTotal))
		}
		if int64(len(g.Neighbors)) == 2*m.edges {
			return m.lines.Errorf(end, "the header counts every edge once", "more neighbours than twice the %d edges of the header", m.edges)
		}
		g.Neighbors = append(g.Neighbors, int32(v-1))
		g.Weights = append(g.Weights, weight)
		at = end
	}
	g.Offsets = append(g.Offsets, int32(len(g.Neighbors)))
	return nil
}

// vertexWeights reads what stands before the neighbours.
func (m *metisReader) vertexWeights(line []byte) (at int, err error) {
	count := m.constraints
	if m.sizes {
		count++
	}
	for i := range count {
		v, end, more, err := m.next(line, at, "size or weight", 0, MaxTotal)
		if err != nil {
			return 0, err
		}
		if !more {
			return 0, m.lines.Errorf(0, metisHint, "vertex %d has %d of %d sizes and weights", m.graph.Vertices()+1, i, count)
		}
		if i == count-m.constraints && m.constraints > 0 {
			if m.vertexTotal += v; m.vertexTotal > MaxTotal {
				return 0, m.lines.Errorf(end, totalHint, "total vertex weight above the limit of %d", int64(MaxTotal))
			}
			m.graph.VertexWeights = append(m.graph.VertexWeights, v)
		}
		at = end
	}
	return at, nil
}

// totals compares what was read with the header.
func (m *metisReader) totals() error {
	n, half := m.graph.Vertices(), len(m.graph.Neighbors)
	fail := func(line int, hint, format string, args ...any) error {
		return &input.Error{File: m.lines.File, Line: line, Reason: fmt.Sprintf(format, args...), Hint: hint}
	}
	if int64(n) != m.vertices {
		return fail(m.lines.Number, "is the file cut off?", "the file ends after %d of %d vertices", n, m.vertices)
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

// symmetry sorts the rows by transposing twice and compares each row with its
// transpose: what u says of v must be what v says of u.
func (m *metisReader) symmetry() error {
	out := &m.graph
	in := out.transposed()
	sorted := in.transposed()
	out.Neighbors, out.Weights = sorted.Neighbors, sorted.Weights
	for u := range int32(out.Vertices()) {
		first, end := out.Row(u)
		mirror, mirrorEnd := in.Row(u)
		for i := first; i < end || mirror < mirrorEnd; i, mirror = i+1, mirror+1 {
			switch {
			case i > first && i < end && out.Neighbors[i] == out.Neighbors[i-1]:
				return m.edgeError(u, "vertex %d names its neighbour %d twice", u+1, out.Neighbors[i]+1)
			case mirror > in.Offsets[u] && mirror < mirrorEnd && in.Neighbors[mirror] == in.Neighbors[mirror-1]:
				return m.edgeError(in.Neighbors[mirror], "vertex %d names its neighbour %d twice", in.Neighbors[mirror]+1, u+1)
			case mirror >= mirrorEnd || i < end && out.Neighbors[i] < in.Neighbors[mirror]:
				return m.edgeError(u, "vertex %d names %d, which does not name it back", u+1, out.Neighbors[i]+1)
			case i >= end || out.Neighbors[i] > in.Neighbors[mirror]:
				return m.edgeError(in.Neighbors[mirror], "vertex %d names %d, which does not name it back", in.Neighbors[mirror]+1, u+1)
			case out.Weights[i] != in.Weights[mirror]:
				return m.edgeError(u, "edge %d-%d has weight %d here, %d at the other end", u+1, out.Neighbors[i]+1, out.Weights[i], in.Weights[mirror])
			}
		}
	}
	return nil
}

func (m *metisReader) edgeError(v int32, format string, args ...any) error {
	return &input.Error{File: m.lines.File, Line: m.line(v), Reason: fmt.Sprintf(format, args...),
		Hint: "every edge must stand once at each of its two vertices, with one weight"}
}
