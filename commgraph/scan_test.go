package commgraph

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	"remap/input"
)

// TestScannerWords: the scanner gives the same words at the same places as
// splitting lines does, however the input comes and however long lines, words
// and blanks are.
func TestScannerWords(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	for b.Len() < 3*windowBytes {
		switch random.IntN(20) {
		case 0:
			b.WriteString("\n")
		case 1:
			b.WriteString(strings.Repeat(" ", random.IntN(2*longestWord)))
		case 2:
			b.WriteString(" \v\f\t\r\n")
		case 3:
			b.WriteString(strings.Repeat("7", random.IntN(longestWord)) + " ")
		default:
			fmt.Fprintf(&b, "%d ", random.IntN(1000000))
		}
	}
	text := b.String()
	for name, r := range map[string]io.Reader{
		"whole": strings.NewReader(text), "halves": iotest.HalfReader(strings.NewReader(text)),
		"bytes": iotest.OneByteReader(strings.NewReader(text)),
	} {
		s := newScanner("f", "", r)
		for number, line := range strings.Split(text, "\n") {
			column := 0
			for _, word := range strings.FieldsFunc(line, func(c rune) bool { return blank(byte(c)) }) {
				column += strings.Index(line[column:], word) + 1
				if !s.more() || s.number != number+1 || s.word-s.start+1 != column || string(s.peekWord()) != word {
					t.Fatalf("%s: %q at %d:%d, want %.20q at %d:%d", name, s.peekWord(), s.number, s.word-s.start+1,
						word, number+1, column)
				}
				value, ok := s.integer()
				if len(word) <= 15 && fmt.Sprint(value) != word || len(word) > 18 && value <= MaxTotal &&
					strings.Trim(word, "0") != "" || !ok {
					t.Fatalf("%s: %.30q read as %d, %t", name, word, value, ok)
				}
				column += len(word) - 1
			}
			if s.more() {
				t.Fatalf("%s: %q after line %d", name, s.peekWord(), number+1)
			}
			s.nextLine()
		}
		if !s.atEnd() || s.read() != int64(len(text)) {
			t.Fatalf("%s: %d bytes read of %d", name, s.read(), len(text))
		}
	}
}

// TestLongWords: words longer than the scanner keeps are errors, wherever they
// stand, and comments may be as long as they like.
func TestLongWords(t *testing.T) {
	long := strings.Repeat("0", 3*windowBytes)
	for _, test := range []struct{ format, text string }{
		{FormatMETIS, long}, {FormatMETIS, "2 1\n" + long + "2\n1\n"},
		{FormatMETIS, "2 1 001\n2 " + long + "1\n1 1\n"},
		{FormatScotch, long}, {FormatScotch, "0 2 2 0 0 1 " + long}, {FormatScotch, "0 2 2 0 10 1 " + long},
		{FormatMatrixMarket, long}, {FormatMatrixMarket, mm + "coordinate real general\n2 2 1\n1 1 " + long + "\n"},
		{FormatMatrixMarketPattern, mm + "coordinate real general\n2 2 1\n1 1 " + long + "\n"},
		{FormatParComm, "0 1 " + long}, {FormatParComm, long},
	} {
		_, err := Read("f", strings.NewReader(test.text), test.format)
		var e *input.Error
		if !errors.As(err, &e) || e.Line == 0 || len(e.Error()) > 300 {
			t.Errorf("%s %.20q: %.300v", test.format, test.text, err)
		}
	}
	checkRead(t, "%"+long+"\n2 1\n%"+long+"\n2\n1\n", "",
		&Traffic{Offsets: []int32{0, 1, 2}, Destinations: []int32{1, 0}, Bytes: []int64{1, 0}})
}

// TestBrokenInput: an error of the disk is told as such, wherever it comes.
func TestBrokenInput(t *testing.T) {
	broken := errors.New("the disk is gone")
	for format, text := range map[string]string{
		FormatMETIS:        "2 1 001\n2 5\n1 5\n",
		FormatScotch:       "0\n2 2\n0 010\n1 5 1\n1 5 0\n",
		FormatMatrixMarket: mm + "coordinate integer general\n2 2 2\n1 2 5\n2 1 5\n",
		FormatParComm:      "0 1 5 1\n1 0 5 1\n",
	} {
		for cut := range len(text) + 1 {
			r := io.MultiReader(strings.NewReader(text[:cut]), iotest.ErrReader(broken))
			if _, err := Read("f", r, format); !errors.Is(err, broken) {
				t.Errorf("%s after %d bytes: %v", format, cut, err)
			}
		}
		if _, err := Read("f", iotest.OneByteReader(strings.NewReader(text)), format); err != nil {
			t.Errorf("%s byte by byte: %v", format, err)
		}
	}
}

// TestSparseRoundTrips: what is written is read back the same, and so are files
// of the same content in other words: neighbours and entries in any order, other
// bases, labels, a triangle instead of both.
func TestSparseRoundTrips(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t)
		seed := rapid.Uint64().Draw(t, "seed")
		random := rand.New(rand.NewPCG(seed, 1))
		for name, text := range map[string]string{
			"written":  write(t, func(w *bytes.Buffer) error { return WriteScotch(w, g) }).String(),
			"labelled": scotchText(g, random, true),
			"shuffled": scotchText(g, random, false),
		} {
			got, err := ReadScotch(name, strings.NewReader(text))
			if err != nil {
				t.Fatalf("%v in\n%s", err, text)
			}
			same(t, name, got, g)
		}
		metis := metisText(g, random)
		got, err := ReadMETIS("f", strings.NewReader(metis))
		if err != nil {
			t.Fatalf("%v in\n%s", err, metis)
		}
		same(t, "METIS", got, g)

		traffic := drawTraffic(t, false)
		file := write(t, func(w *bytes.Buffer) error { return WriteMatrixMarket(w, traffic) })
		for _, text := range []string{file.String(), shuffledLines(file.String(), 2, random)} {
			again, err := Read("f", strings.NewReader(text), "")
			if err != nil {
				t.Fatalf("%v in\n%s", err, text)
			}
			same(t, "Matrix Market", again, traffic)
		}
		triangle, err := Read("f", strings.NewReader(triangleText(g)), "")
		if err != nil {
			t.Fatal(err)
		}
		same(t, "a triangle folded", doubled(g), weightsOf(triangle.Graph(), g))
	})
}

// scotchText writes g with arcs in any order, from a base or with labels.
func scotchText(g *Graph, random *rand.Rand, labels bool) string {
	var b strings.Builder
	n := g.Vertices()
	base := int32(random.IntN(3))
	name := make([]int32, n)
	for v := range name {
		name[v] = int32(v) + base
	}
	flag, order := 10, make([]int, n)
	for i := range order {
		order[i] = i
	}
	if labels {
		flag += 100
		next := int32(0)
		for v := range name {
			next += random.Int32N(1000) + 1
			name[v] = next
		}
		order = random.Perm(n)
	}
	if g.VertexWeights != nil {
		flag++
	}
	fmt.Fprintf(&b, "0\n%d %d\n%d %03d\n", n, len(g.Neighbors), base, flag)
	for _, v := range order {
		if labels {
			fmt.Fprintf(&b, "%d\t", name[v])
		}
		if g.VertexWeights != nil {
			fmt.Fprintf(&b, "%d ", g.VertexWeights[v])
		}
		first, end := g.Row(int32(v))
		fmt.Fprintf(&b, "%d", end-first)
		for _, i := range random.Perm(int(end - first)) {
			fmt.Fprintf(&b, " %d %d", g.Weights[int(first)+i], name[g.Neighbors[int(first)+i]])
		}
		b.WriteString("\n")
	}
	return b.String()
}

// metisText writes g with neighbours in any order.
func metisText(g *Graph, random *rand.Rand) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d %d %s\n", g.Vertices(), g.Edges(),
		map[bool]string{false: "001", true: "011"}[g.VertexWeights != nil])
	for v := range int32(g.Vertices()) {
		if g.VertexWeights != nil {
			fmt.Fprintf(&b, "%d ", g.VertexWeights[v])
		}
		first, end := g.Row(v)
		for _, i := range random.Perm(int(end - first)) {
			fmt.Fprintf(&b, "%d %d ", g.Neighbors[int(first)+i]+1, g.Weights[int(first)+i])
		}
		b.WriteString("\n")
	}
	return b.String()
}

// shuffledLines puts the lines after the first ones in any order.
func shuffledLines(text string, first int, random *rand.Rand) string {
	lines := strings.SplitAfter(text, "\n")
	rest := lines[first:]
	random.Shuffle(len(rest), func(i, k int) { rest[i], rest[k] = rest[k], rest[i] })
	return strings.Join(lines, "")
}

// triangleText writes g as a symmetric matrix.
func triangleText(g *Graph) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%scoordinate integer symmetric\n%d %d %d\n", mm, g.Vertices(), g.Vertices(), g.Edges())
	for u := range int32(g.Vertices()) {
		for i, end := g.Row(u); i < end; i++ {
			if v := g.Neighbors[i]; v < u {
				fmt.Fprintf(&b, "%d %d %d\n", u+1, v+1, g.Weights[i])
			}
		}
	}
	return b.String()
}

// doubled is g with twice its weights: a symmetric entry is sent both ways.
func doubled(g *Graph) *Graph {
	d := &Graph{Offsets: g.Offsets, Neighbors: g.Neighbors, VertexWeights: g.VertexWeights}
	for _, w := range g.Weights {
		d.Weights = append(d.Weights, 2*w)
	}
	return d
}

// weightsOf is g with the vertex weights of other.
func weightsOf(g, other *Graph) *Graph {
	g.VertexWeights = other.VertexWeights
	return g
}

// TestSortRows: rows of any length come out sorted, with their weights.
func TestSortRows(t *testing.T) {
	g := &Graph{Offsets: []int32{0}}
	random := rand.New(rand.NewPCG(3, 4))
	for _, degree := range []int{0, 1, 2, smallRow, smallRow + 1, 3000} {
		for _, v := range random.Perm(degree) {
			g.Neighbors = append(g.Neighbors, int32(v))
			g.Weights = append(g.Weights, int64(v)*10+1)
		}
		g.Offsets = append(g.Offsets, int32(len(g.Neighbors)))
	}
	g.sortRows()
	for u := range int32(g.Vertices()) {
		first, end := g.Row(u)
		for i := first; i < end; i++ {
			if v := i - first; g.Neighbors[i] != v || g.Weights[i] != int64(v)*10+1 {
				t.Fatalf("row %d: %d with weight %d at place %d", u, g.Neighbors[i], g.Weights[i], v)
			}
		}
	}
}
