package commgraph

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"remap/input"
)

const (
	matrixBanner = "%%MatrixMarket"
	matrixHint   = "a Matrix Market file starts with a line such as: " +
		"%%MatrixMarket matrix coordinate integer general"
	volumeHint = "entries are the bytes that the row's rank sends the column's; " +
		"for a matrix of other numbers, --graph-format matrix-market-pattern takes every entry as 1 byte"
)

// matrixReader is the state of ReadMatrixMarket.
type matrixReader struct {
	in        *scanner
	structure bool // every entry is 1 byte, whatever its value
	dense     bool // array, not coordinate
	field     string
	symmetry  string
	ranks     int64
	entries   int64 // in the file, as the header says
	most      int64 // entries of the matrix, mirror images included
	sizeLine  int
	data      triples
}

// ReadMatrixMarket reads a square matrix in the exchange format of the Matrix
// Market (Boisvert, Pozo and Remington 1996): the entry in row i, column j (from
// 1) is the bytes that rank i-1 sends rank j-1.
//
// Both formats are read, coordinate (in any order; entries of the same place
// are summed) and array (column by column), and the fields real, double,
// integer and pattern (1 byte each). symmetric and skew-symmetric files hold the
// lower triangle, and both ranks of a pair send as much; of skew-symmetric
// values, one of each pair is negative, the magnitude counts. Entries of 0 are
// none; the diagonal is self traffic and stays. Comments (%) and blank lines
// may stand anywhere after the first line.
//
// Errors are *input.Error of the file name with line and, where known, column.
// Fields of complex numbers, negative and broken values are errors, see
// ReadMatrixMarketPattern. More than 2^20 ranks and more than 64 times as many
// as entries are an error. O(ranks + entries).
func ReadMatrixMarket(name string, r io.Reader) (*Traffic, error) {
	return readMatrixMarket(name, r, false)
}

// ReadMatrixMarketPattern reads the structure of a matrix alone: as
// ReadMatrixMarket, but every entry counts as 1 byte whatever its value (in
// arrays: unless it is 0), and complex and hermitian matrices are read too.
func ReadMatrixMarketPattern(name string, r io.Reader) (*Traffic, error) {
	return readMatrixMarket(name, r, true)
}

func readMatrixMarket(name string, r io.Reader, structure bool) (*Traffic, error) {
	m := &matrixReader{in: newScanner(name, matrixHint, r), structure: structure}
	if err := m.banner(); err != nil {
		return nil, err
	}
	if err := m.sizes(); err != nil {
		return nil, err
	}
	read := m.coordinates
	if m.dense {
		read = m.array
	}
	if err := read(); err != nil {
		return nil, err
	}
	if m.in.nextText('%') {
		return nil, m.in.wordError("", "%q after the last of %d entries", shorten(string(m.in.peekWord())),
			m.entries)
	}
	if err := m.in.failed(); err != nil {
		return nil, err
	}
	if limit := max(1<<20, 64*int64(len(m.data.from))); m.ranks > limit {
		return nil, &input.Error{File: name, Line: m.sizeLine,
			Reason: fmt.Sprintf("%d rows for %d entries: at most %d are accepted", m.ranks, len(m.data.from), limit),
			Hint:   "leave out the rows that hold nothing"}
	}
	return m.data.traffic(int(m.ranks)), nil
}

// banner reads the first line.
func (m *matrixReader) banner() error {
	if !m.in.more() {
		if m.in.nextText(0) {
			return m.in.lineError("", "the first line is not that of a Matrix Market file")
		}
		if err := m.in.failed(); err != nil {
			return err
		}
		return emptyFile(m.in.file, matrixHint)
	}
	words := []struct {
		what  string
		known []string
		to    *string
	}{
		{"first word", []string{strings.ToLower(matrixBanner)}, new(string)},
		{"object", []string{"matrix"}, new(string)},
		{"format", []string{"coordinate", "array"}, new(string)},
		{"field", []string{"real", "double", "integer", "pattern", "complex"}, &m.field},
		{"symmetry", []string{"general", "symmetric", "skew-symmetric", "hermitian"}, &m.symmetry},
	}
	for _, w := range words {
		if !m.in.more() {
			return m.in.lineError("", "the first line ends before the %s", w.what)
		}
		*w.to = strings.ToLower(string(m.in.nextWord()))
		if !oneOf(*w.to, w.known) {
			return m.in.wordError("", "%s %q is not known", w.what, shorten(*w.to))
		}
	}
	m.dense = *words[2].to == "array"
	if err := m.sensible(); err != nil {
		return err
	}
	return m.in.endLine("first line")
}

func oneOf(word string, known []string) bool {
	for _, k := range known {
		if word == k {
			return true
		}
	}
	return false
}

// sensible refuses combinations that the format does not have, and numbers that
// cannot be volumes.
func (m *matrixReader) sensible() error {
	switch {
	case m.dense && m.field == "pattern":
		return m.in.lineError("", "an array of the field pattern has no values")
	case m.symmetry == "skew-symmetric" && m.field == "pattern":
		return m.in.lineError("", "a pattern cannot be skew-symmetric")
	case m.symmetry == "hermitian" && m.field != "complex":
		return m.in.lineError("", "only complex matrices are hermitian")
	case m.field == "complex" && !m.structure:
		return m.in.lineError(volumeHint, "complex numbers are no volumes")
	}
	return nil
}

// sizes reads the line of rows, columns and, of the coordinate format, entries.
func (m *matrixReader) sizes() error {
	if !m.in.nextText('%') {
		return m.in.cutOff("the size line")
	}
	m.sizeLine = m.in.number
	var err error
	if m.ranks, err = m.in.whole("number of rows", 0, MaxRanks); err != nil {
		return err
	}
	columns, err := m.in.whole("number of columns", 0, MaxRanks)
	if err != nil {
		return err
	}
	if columns != m.ranks {
		return m.in.wordError("traffic is a square matrix: one row and one column a rank",
			"not square: %d rows x %d columns", m.ranks, columns)
	}
	switch n := m.ranks; {
	case !m.dense:
		if m.entries, err = m.in.whole("number of entries", 0, math.MaxInt32); err != nil {
			return err
		}
	case m.symmetry == "general":
		m.entries = n * n
	case m.symmetry == "skew-symmetric":
		m.entries = n * max(0, n-1) / 2
	default:
		m.entries = n * (n + 1) / 2
	}
	m.most = m.entries
	if m.symmetry != "general" {
		m.most *= 2
	}
	return m.in.endLine("sizes")
}

// coordinates reads the lines "row column value".
func (m *matrixReader) coordinates() error {
	for k := range m.entries {
		if !m.in.nextText('%') {
			return m.in.cutOff("entry %d of %d", k+1, m.entries)
		}
		i, err := m.in.whole("row", 1, m.ranks)
		if err != nil {
			return err
		}
		j, err := m.in.whole("column", 1, m.ranks)
		if err != nil {
			return err
		}
		if m.symmetry != "general" && j > i {
			return m.in.wordError("or change "+m.symmetry+" to general, if both triangles are there",
				"entry %d,%d above the diagonal: %s files hold the lower triangle", i, j, m.symmetry)
		}
		if m.symmetry == "skew-symmetric" && i == j {
			return m.in.wordError("leave out the diagonal", "entry %d,%d on the diagonal of a skew-symmetric matrix",
				i, j)
		}
		value, err := m.value()
		if err != nil {
			return err
		}
		if err := m.add(int32(i-1), int32(j-1), value); err != nil {
			return err
		}
		if err := m.in.endLine("entry"); err != nil {
			return err
		}
	}
	return nil
}

// array reads the values column by column, of symmetric matrices from the
// diagonal down, of skew-symmetric ones from below it.
func (m *matrixReader) array() error {
	for j := range m.ranks {
		i := int64(0)
		switch m.symmetry {
		case "general":
		case "skew-symmetric":
			i = j + 1
		default:
			i = j
		}
		for ; i < m.ranks; i++ {
			if !m.in.nextText('%') {
				return m.in.cutOff("entry %d,%d of %d x %d", i+1, j+1, m.ranks, m.ranks)
			}
			value, err := m.value()
			if err != nil {
				return err
			}
			if err := m.add(int32(i), int32(j), value); err != nil {
				return err
			}
		}
	}
	return nil
}

// value reads what stands in an entry: its volume.
func (m *matrixReader) value() (int64, error) {
	if m.field == "pattern" {
		return 1, nil
	}
	if m.structure {
		return m.present()
	}
	if c, ok := m.in.peek(); ok && c == '-' && m.symmetry == "skew-symmetric" {
		m.in.at++
	}
	return m.in.amount("value", volumeHint)
}

// present reads the one or two numbers of an entry whose value does not
// matter, and gives 1, or 0 in an array if they are all 0.
func (m *matrixReader) present() (int64, error) {
	parts, value := 1, int64(1)
	if m.field == "complex" {
		parts = 2
	}
	if m.dense {
		value = 0
	}
	for range parts {
		if !m.in.more() {
			return 0, m.in.lineError("", "the line ends before the value")
		}
		text := string(m.in.nextWord())
		number, err := strconv.ParseFloat(text, 64)
		if err != nil && !strings.Contains(err.Error(), strconv.ErrRange.Error()) {
			return 0, m.in.wordError("", "value: %q is not a number", shorten(text))
		}
		if number != 0 {
			value = 1
		}
	}
	return value, nil
}

// add takes an entry and, of a triangle, its mirror image.
func (m *matrixReader) add(i, j int32, value int64) error {
	if value == 0 {
		return nil
	}
	broken := m.data.add(i, j, value, m.most, m.in)
	if broken == "" && i != j && m.symmetry != "general" {
		broken = m.data.add(j, i, value, m.most, m.in)
	}
	if broken != "" {
		return m.in.wordError(totalHint, "%s above the limit", broken)
	}
	return nil
}

// WriteMatrixMarket writes the entries with bytes as ReadMatrixMarket reads
// them: a general coordinate file of integers. Counts of messages are lost.
func WriteMatrixMarket(w io.Writer, t *Traffic) error {
	out := bufio.NewWriterSize(w, 64<<10)
	entries := 0
	for _, b := range t.Bytes {
		if b > 0 {
			entries++
		}
	}
	fmt.Fprintf(out, "%s matrix coordinate integer general\n%d %d %d\n", matrixBanner, t.Ranks(), t.Ranks(),
		entries)
	var line []byte
	for r := range int32(t.Ranks()) {
		first, end := t.Row(r)
		for i := first; i < end; i++ {
			if t.Bytes[i] == 0 {
				continue
			}
			line = append(strconv.AppendInt(line[:0], int64(r)+1, 10), ' ')
			line = append(strconv.AppendInt(line, int64(t.Destinations[i])+1, 10), ' ')
			out.Write(append(strconv.AppendInt(line, t.Bytes[i], 10), '\n'))
		}
	}
	return out.Flush() // keeps the first error of all writes
}
