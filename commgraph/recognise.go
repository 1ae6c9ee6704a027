package commgraph

import (
	"bufio"
	"bytes"
	"io"
	"slices"
	"strings"

	"remap/input"
	"remap/internal/linescan"
)

// headBytes is how much of a file is looked at to tell its format.
const headBytes = 64 << 10

// head is the start of a file.
type head struct {
	text  []byte // without a byte order mark
	whole bool   // nothing follows
}

// peekHead looks at the start of a file without consuming it.
func peekHead(name string, r *bufio.Reader) (head, error) {
	text, err := r.Peek(headBytes)
	if err != nil && err != io.EOF {
		return head{}, &input.Error{File: name, Reason: err.Error(), Hint: "can the file be read to its end?",
			Err: err}
	}
	return head{linescan.TrimMark(text), err == io.EOF}, nil
}

// lines gives the words of every whole line that has any, at most most of them.
func (h head) lines(most int) [][][]byte {
	text := h.text
	if !h.whole {
		text = text[:1+bytes.LastIndexByte(text, '\n')]
	}
	var lines [][][]byte
	for line := range bytes.Lines(text) {
		if words := bytes.Fields(line); len(words) > 0 {
			if lines = append(lines, words); len(lines) == most {
				break
			}
		}
	}
	return lines
}

// recognise tells a file's format by its first line that holds something:
//   - %%MatrixMarket is Matrix Market, another % a comment of METIS;
//   - # POINT TO POINT, and E or I before a tab, are Open MPI's monitoring;
//   - another # is a comment of an edge list, and so is a line of names with commas;
//   - numbers with commas, or one alone, are a dense matrix; but 0 alone above
//     two lines of two numbers is Scotch;
//   - numbers with blanks between are par-comm-data where METIS cannot have
//     them (looksParComm), else METIS.
func recognise(name string, h head) (string, error) {
	number := 0
	for line := range bytes.Lines(h.text) {
		number++
		line = bytes.TrimSpace(line)
		switch {
		case len(line) == 0:
			continue
		case bytes.HasPrefix(bytes.ToLower(line), []byte(strings.ToLower(matrixBanner))):
			return FormatMatrixMarket, nil
		case string(line) == monitoringTitle || bytes.HasPrefix(line, []byte("E\t")) ||
			bytes.HasPrefix(line, []byte("I\t")):
			return FormatMonitoring, nil
		case line[0] == '%':
			return FormatMETIS, nil
		case line[0] == '#':
			// Only edge lists are found by such comments; what follows must be one, or the error says so.
			return FormatEdges, nil
		}
		return byFirstLine(name, number, line, h)
	}
	return "", emptyFile(name, "known are "+FormatsDoc())
}

// byFirstLine judges the first line that holds something.
func byFirstLine(name string, number int, line []byte, h head) (string, error) {
	words := bytes.FieldsFunc(line, func(c rune) bool { return c == ',' || c == ' ' || c == '\t' })
	numbers := len(words) > 0 && !slices.ContainsFunc(words, func(w []byte) bool { return !looksNumeric(w) })
	commas := bytes.IndexByte(line, ',') >= 0
	switch {
	case commas && bytes.Contains(bytes.ToLower(line), []byte("src")):
		return FormatEdges, nil
	case numbers && !commas && h.looksScotch():
		return FormatScotch, nil
	case commas || numbers && len(words) == 1:
		return FormatDense, nil // with the error of its first cell if it is none
	case numbers && h.looksParComm():
		return FormatParComm, nil
	case numbers:
		return FormatMETIS, nil
	}
	return "", &input.Error{File: name, Line: number, Reason: "no known graph format",
		Hint: "known are " + FormatsDoc()}
}

// looksNumeric tells whether a word begins as a number does.
func looksNumeric(word []byte) bool {
	c := word[0]
	return c >= '0' && c <= '9' || (c == '-' || c == '+' || c == '.') && len(word) > 1
}

// digits tells whether a word is a whole number without sign.
func digits(word []byte) bool {
	return !slices.ContainsFunc(word, func(c byte) bool { return c < '0' || c > '9' })
}

// looksScotch tells whether the head is that of a Scotch graph with its usual
// lines: 0, two numbers, two numbers.
func (h head) looksScotch() bool {
	lines := h.lines(3)
	if len(lines) < 3 || len(lines[0]) != 1 || string(lines[0][0]) != "0" {
		return false
	}
	for _, line := range lines[1:] {
		if len(line) != 2 || !digits(line[0]) || !digits(line[1]) {
			return false
		}
	}
	return true
}

// looksParComm tells whether the head is that of par-comm-data and cannot be
// METIS: there are decimals, or lines after a header of 0 vertices.
func (h head) looksParComm() bool {
	like, certain := h.likeParComm()
	return like && certain
}

// likeParComm tells whether all lines are three or four numbers, the first two
// of digits alone, and whether METIS cannot have them. A matrix with blanks
// between its columns is not like it.
func (h head) likeParComm() (like, certain bool) {
	lines := h.lines(0)
	for _, line := range lines {
		if len(line) < 3 || len(line) > 4 || !digits(line[0]) || !digits(line[1]) {
			return false, false
		}
		for _, word := range line[2:] {
			if !looksNumeric(word) {
				return false, false
			}
			certain = certain || !digits(word)
		}
	}
	return len(lines) > 0 && !h.looksSquare(), certain || len(lines) > 1 && string(lines[0][0]) == "0"
}

// doubt is a hint for errors in a file that content made METIS and that may be
// something else; "" if it looks like nothing else.
func (h head) doubt() string {
	if h.looksSquare() {
		return "if this is a dense matrix, separate the columns with commas, or give --graph-format"
	}
	if like, _ := h.likeParComm(); like {
		return "if its lines are source, destination, bytes and hops, give --graph-format " + FormatParComm
	}
	return ""
}

// looksSquare tells whether what no comma separates has the shape of a square
// matrix: as many lines, as far as the head shows them, as words in each.
func (h head) looksSquare() bool {
	lines := h.lines(0)
	for _, line := range lines {
		if len(line) != len(lines[0]) {
			return false
		}
	}
	if len(lines) == 0 || len(lines[0]) < 2 {
		return false
	}
	return len(lines) == len(lines[0]) || !h.whole && len(lines) < len(lines[0])
}
