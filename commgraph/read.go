package commgraph

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"remap/internal/input"
)

// Names of the graph formats, as Read and the command line take them.
const (
	FormatDense = "dense" // square matrix: ReadDense
	FormatEdges = "edges" // ReadEdgeList
	FormatMETIS = "metis" // ReadMETIS
)

// Formats lists the names that Read takes.
func Formats() []string { return []string{FormatDense, FormatEdges, FormatMETIS} }

const formatsHint = "known are square matrices with commas between, CSV files with the header src,dst,bytes, and METIS graphs"

// Open reads a graph file; see Read. A missing, unreadable or empty file and a
// folder are *input.Error as well.
func Open(path, format string) (*Traffic, error) {
	f, err := OpenFile(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return Read(path, f, format)
}

// OpenFile opens a file for reading; errors, folders among them, are
// *input.Error with a hint.
func OpenFile(path string) (*os.File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fileError(path, err)
	}
	info, err := f.Stat()
	if err == nil && info.IsDir() {
		err = errors.New("is a folder, not a file")
	}
	if err != nil {
		f.Close()
		return nil, fileError(path, err)
	}
	return f, nil
}

// fileError leaves out what the place already says: operation and path.
func fileError(path string, err error) error {
	reason, hint := err.Error(), "name a file"
	var p *os.PathError
	if errors.As(err, &p) {
		reason = p.Err.Error()
	}
	if errors.Is(err, os.ErrNotExist) {
		hint = "check the path; it is relative to the folder the command runs in"
	} else if errors.Is(err, os.ErrPermission) {
		hint = "check the file's permissions"
	}
	return &input.Error{File: path, Reason: reason, Hint: hint, Err: err}
}

// Read reads traffic in the format of that name, or, if it is empty, in the
// one that the content shows: a first line with %%MatrixMarket is Matrix
// Market (not supported yet), a line of names with commas a CSV edge list, of
// numbers with commas a dense matrix, anything else METIS. name stands in
// errors, which are *input.Error.
//
// A METIS graph is undirected: every edge becomes two directions, see
// Graph.Traffic.
func Read(name string, r io.Reader, format string) (*Traffic, error) {
	buffered := bufio.NewReaderSize(r, headBytes)
	var err error
	square := false
	if format == "" {
		if format, err = recognise(name, buffered); err != nil {
			return nil, err
		}
		square = format == FormatMETIS && looksSquare(buffered)
	}
	switch format {
	case FormatDense:
		return ReadDense(name, buffered)
	case FormatEdges:
		return ReadEdgeList(name, buffered)
	case FormatMETIS:
		g, err := ReadMETIS(name, buffered)
		var wrong *input.Error
		if square && errors.As(err, &wrong) {
			wrong.Hint = "if this is a dense matrix, separate the columns with commas, or give --graph-format"
		}
		if err != nil {
			return nil, err
		}
		return g.Traffic(), nil
	}
	return nil, &input.Error{Reason: fmt.Sprintf("unknown graph format %q", format),
		Hint: "known formats: " + strings.Join(Formats(), ", ")}
}

// headBytes is how much of a file is looked at to tell its format.
const headBytes = 64 << 10

// looksSquare tells whether what is taken for METIS, because no comma separates
// its numbers, has the shape of a square matrix: as many lines, as far as the
// buffer shows them, as words in each.
func looksSquare(r *bufio.Reader) bool {
	head, err := r.Peek(headBytes)
	if err != io.EOF {
		head = head[:1+bytes.LastIndexByte(head, '\n')]
	}
	rows, columns := 0, 0
	for line := range bytes.Lines(input.TrimMark(head)) {
		words := len(bytes.Fields(line))
		if words == 0 {
			continue
		}
		if rows++; rows > 1 && words != columns {
			return false
		}
		columns = words
	}
	return columns > 1 && (rows == columns || err != io.EOF && rows < columns)
}

// recognise looks at the start of a file without consuming it.
func recognise(name string, r *bufio.Reader) (string, error) {
	head, err := r.Peek(headBytes)
	if err != nil && err != io.EOF {
		return "", &input.Error{File: name, Reason: err.Error(), Hint: "can the file be read to its end?", Err: err}
	}
	head = input.TrimMark(head)
	number := 0
	for line := range bytes.Lines(head) {
		number++
		line = bytes.TrimSpace(line)
		switch {
		case len(line) == 0:
			continue
		case bytes.HasPrefix(bytes.ToLower(line), []byte("%%matrixmarket")):
			return "", &input.Error{File: name, Line: number, Reason: "Matrix Market files are not supported yet", Hint: formatsHint}
		case line[0] == '%':
			return FormatMETIS, nil
		case line[0] == '#':
			// Only edge lists have such comments; what follows must be one, or the error says so.
			return FormatEdges, nil
		}
		return byFirstLine(name, number, line)
	}
	return "", emptyFile(name, formatsHint)
}

// byFirstLine judges the first line that holds something.
func byFirstLine(name string, number int, line []byte) (string, error) {
	words := bytes.FieldsFunc(line, func(c rune) bool { return c == ',' || c == ' ' || c == '\t' })
	numbers := len(words) > 0 && !slices.ContainsFunc(words, func(w []byte) bool { return !looksNumeric(w) })
	commas := bytes.IndexByte(line, ',') >= 0
	switch {
	case commas && bytes.Contains(bytes.ToLower(line), []byte("src")):
		return FormatEdges, nil
	case commas || numbers && len(words) == 1:
		return FormatDense, nil // with the error of its first cell if it is none
	case numbers:
		return FormatMETIS, nil
	}
	return "", &input.Error{File: name, Line: number, Reason: "no known graph format", Hint: formatsHint}
}

// looksNumeric tells whether a word begins as a number does.
func looksNumeric(word []byte) bool {
	c := word[0]
	return c >= '0' && c <= '9' || (c == '-' || c == '+' || c == '.') && len(word) > 1
}
