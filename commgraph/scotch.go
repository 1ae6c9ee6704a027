package commgraph

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"remap/input"
)

const scotchHint = "a Scotch graph is 0, the numbers of vertices and of arcs (twice the edges), " +
	"the base and a flag, " +
	"then for each vertex [label] [load] degree and its neighbours, each after its [load]"

// scotchReader is the state of ReadScotch. Everything grows with the numbers
// read, never with those of the header.
type scotchReader struct {
	in       *scanner
	vertices int64 // as the header says
	arcs     int64
	base     int64
	header   int  // line of the number of arcs
	labelled bool // a label stands first at every vertex
	weighted bool // a load stands before every neighbour
	loaded   bool // a vertex load stands before the degree
	graph    Graph
	named    int64   // arcs read, those of load 0 included
	labels   []int32 // of the vertices, if labelled
	lines    []int32 // line that every vertex starts on
	total    int64   // load of all arcs
	loads    int64   // of all vertices
	unsorted bool    // neighbours of some vertex do not ascend
}

// ReadScotch reads a graph in the format of Scotch 3 to 7 (Pellegrini, Scotch
// user's guide): the version 0, "vertices arcs", "base flag", then for each
// vertex [label] [load] degree, and [load] neighbour for each of its arcs. The
// flag's digits say what of it is there: 100 vertex labels, 10 arc loads, 1
// vertex loads. As in Scotch, line ends mean no more than blanks.
//
// Neighbours are numbers from base on, or, with labels, labels; these are any
// different numbers, and vertices are ranked by ascending label. Arc loads are
// bytes (1 without), an edge of load 0 is none. Every edge must stand at both
// of its vertices with one load. Errors are *input.Error of the file name with
// line and, where it is known, column. O(vertices + arcs).
func ReadScotch(name string, r io.Reader) (*Graph, error) {
	s := &scotchReader{in: newScanner(name, scotchHint, r)}
	if err := s.readHeader(); err != nil {
		return nil, err
	}
	s.graph.Offsets = []int32{0}
	for range s.vertices {
		if err := s.vertex(); err != nil {
			return nil, err
		}
	}
	if s.in.nextText(0) {
		return nil, s.in.wordError("", "%q after the last of %d vertices", shorten(string(s.in.peekWord())),
			s.vertices)
	}
	if err := s.in.failed(); err != nil {
		return nil, err
	}
	if s.named != s.arcs {
		return nil, &input.Error{File: name, Line: s.header, Hint: "the header counts arcs: every edge twice",
			Reason: fmt.Sprintf("the header says %d arcs, the vertices have %d", s.arcs, s.named)}
	}
	if s.labelled {
		if err := s.resolve(); err != nil {
			return nil, err
		}
	}
	if fault := s.graph.normalize(!s.unsorted, s.label); fault != nil {
		return nil, &input.Error{File: name, Line: int(s.lines[fault.vertex]), Reason: fault.reason,
			Hint: edgeFaultHint}
	}
	return &s.graph, nil
}

// label is what the file calls a vertex of the graph read.
func (s *scotchReader) label(v int32) int64 {
	if s.labelled {
		return int64(s.labels[v])
	}
	return int64(v) + s.base
}

// number reads the next number, on this line or a later one.
func (s *scotchReader) number(what string, low, high int64) (int64, error) {
	for {
		v, ok := s.in.integer()
		switch {
		case ok && v >= low && v <= high:
			return v, nil
		case ok || s.in.more():
			return 0, s.in.notWhole(ok, what, low, high)
		case !s.in.nextLine():
			return 0, s.in.cutOff("the %s (vertex %d of %d)", what, s.graph.Vertices()+1, s.vertices)
		}
	}
}

func (s *scotchReader) readHeader() error {
	if !s.in.nextText(0) {
		if err := s.in.failed(); err != nil {
			return err
		}
		return emptyFile(s.in.file, scotchHint)
	}
	var version, flag int64
	for _, n := range []struct {
		what string
		most int64
		to   *int64
	}{
		{"version", 0, &version}, {"number of vertices", MaxRanks, &s.vertices},
		{"number of arcs", math.MaxInt32, &s.arcs},
		{"base", MaxRanks, &s.base}, {"flag", 999, &flag},
	} {
		v, err := s.number(n.what, 0, n.most)
		if err != nil {
			return err
		}
		*n.to = v
		if n.to == &s.arcs {
			s.header = s.in.number
		}
	}
	s.labelled, s.weighted, s.loaded = flag/100 != 0, flag/10%10 != 0, flag%10 != 0
	if s.loaded {
		s.graph.VertexWeights = []int64{}
	}
	return nil
}

// vertex reads the next vertex and its arcs.
func (s *scotchReader) vertex() error {
	if err := s.opening(); err != nil {
		return err
	}
	degree, err := s.number("degree", 0, s.arcs-s.named)
	if err != nil {
		return err
	}
	low, high := s.base, s.base+s.vertices-1
	if s.labelled {
		low, high = 0, math.MaxInt32
	}
	before := int64(-1) // the neighbour to the left
	for range degree {
		load := int64(1)
		if s.weighted {
			if load, err = s.number("arc load", 0, MaxTotal); err != nil {
				return err
			}
		}
		v, err := s.number("neighbour", low, high)
		if err != nil {
			return err
		}
		if s.named++; load == 0 {
			continue
		}
		s.unsorted = s.unsorted || v <= before
		before = v
		if err := s.arc(v, load); err != nil {
			return err
		}
	}
	s.graph.Offsets = append(s.graph.Offsets, int32(len(s.graph.Neighbors)))
	return nil
}

// opening reads what stands before the degree.
func (s *scotchReader) opening() error {
	if len(s.lines) == cap(s.lines) {
		s.lines = room(s.lines, s.vertices, s.in)
		s.graph.Offsets = slices.Grow(s.graph.Offsets, cap(s.lines)+1-len(s.graph.Offsets))
	}
	if !s.in.nextText(0) {
		return s.in.cutOff("vertex %d of %d", s.graph.Vertices()+1, s.vertices)
	}
	s.lines = append(s.lines, int32(min(s.in.number, math.MaxInt32)))
	if s.labelled {
		label, err := s.number("label", 0, math.MaxInt32)
		if err != nil {
			return err
		}
		s.labels = append(s.labels, int32(label))
	}
	if !s.loaded {
		return nil
	}
	load, err := s.number("vertex load", 0, MaxTotal)
	if err != nil {
		return err
	}
	if s.loads += load; s.loads > MaxTotal {
		return s.in.wordError(totalHint, "total vertex load above the limit of %d", int64(MaxTotal))
	}
	s.graph.VertexWeights = append(s.graph.VertexWeights, load)
	return nil
}

// arc appends an arc of the vertex in hand; v is as in the file.
func (s *scotchReader) arc(v, load int64) error {
	g := &s.graph
	if s.total += load; s.total > 2*MaxTotal {
		return s.in.wordError(totalHint, "total load above the limit of %d", int64(MaxTotal))
	}
	if !s.labelled {
		if v -= s.base; v == int64(g.Vertices()) {
			return s.in.wordError("leave out what a vertex sends itself", "vertex %d is its own neighbour", v+s.base)
		}
	}
	if len(g.Neighbors) == cap(g.Neighbors) {
		g.Neighbors = room(g.Neighbors, s.arcs, s.in)
		g.Weights = room(g.Weights, s.arcs, s.in)
	}
	g.Neighbors, g.Weights = append(g.Neighbors, int32(v)), append(g.Weights, load)
	return nil
}

// resolve turns labels into ranks and puts the vertices in the order of these.
func (s *scotchReader) resolve() error {
	n := s.graph.Vertices()
	order := make([]int32, n) // places in the file by ascending label
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(a, b int32) int { return int(s.labels[a]) - int(s.labels[b]) })
	sorted := make([]int32, n)
	for rank, place := range order {
		sorted[rank] = s.labels[place]
		if rank > 0 && sorted[rank-1] == sorted[rank] {
			return &input.Error{File: s.in.file, Line: int(s.lines[place]),
				Hint:   "every vertex needs a label of its own",
				Reason: fmt.Sprintf("label %d stands at two vertices", sorted[rank])}
		}
	}
	old, g := s.graph, Graph{Offsets: make([]int32, 1, n+1)}
	g.Neighbors = make([]int32, 0, len(old.Neighbors))
	g.Weights = make([]int64, 0, len(old.Weights))
	lines := make([]int32, n)
	for rank, place := range order {
		lines[rank] = s.lines[place]
		first, end := old.Row(place)
		for i := first; i < end; i++ {
			v, ok := slices.BinarySearch(sorted, old.Neighbors[i])
			if !ok || v == rank {
				return s.labelError(place, old.Neighbors[i], ok)
			}
			g.Neighbors, g.Weights = append(g.Neighbors, int32(v)), append(g.Weights, old.Weights[i])
		}
		g.Offsets = append(g.Offsets, int32(len(g.Neighbors)))
		if s.loaded {
			g.VertexWeights = append(g.VertexWeights, old.VertexWeights[place])
		}
	}
	if s.loaded && n == 0 {
		g.VertexWeights = []int64{}
	}
	s.graph, s.labels, s.lines = g, sorted, lines
	return nil
}

// labelError is an arc that leads nowhere, or (known) to its own vertex.
func (s *scotchReader) labelError(place, neighbour int32, known bool) error {
	e := &input.Error{File: s.in.file, Line: int(s.lines[place]),
		Hint:   "neighbours are named by the labels of their vertices",
		Reason: fmt.Sprintf("vertex %d names %d, which is the label of no vertex", s.labels[place], neighbour)}
	if known {
		e.Reason, e.Hint = fmt.Sprintf("vertex %d is its own neighbour", neighbour),
			"leave out what a vertex sends itself"
	}
	return e
}

// WriteScotch writes the graph in the format of Scotch, from base 0, with arc
// loads, and vertex loads if it has vertex weights (flag 010 or 011).
func WriteScotch(w io.Writer, g *Graph) error {
	out := bufio.NewWriterSize(w, 64<<10)
	flag := "010"
	if g.VertexWeights != nil {
		flag = "011"
	}
	fmt.Fprintf(out, "0\n%d %d\n0 %s\n", g.Vertices(), len(g.Neighbors), flag)
	var line []byte
	for v := range int32(g.Vertices()) {
		line = line[:0]
		if g.VertexWeights != nil {
			line = append(strconv.AppendInt(line, g.VertexWeights[v], 10), ' ')
		}
		first, end := g.Row(v)
		line = strconv.AppendInt(line, int64(end-first), 10)
		for i := first; i < end; i++ {
			line = strconv.AppendInt(append(line, ' '), g.Weights[i], 10)
			line = strconv.AppendInt(append(line, ' '), int64(g.Neighbors[i]), 10)
		}
		out.Write(append(line, '\n'))
	}
	return out.Flush()
}
