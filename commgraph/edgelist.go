package commgraph

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"remap/input"
	"remap/internal/linescan"
)

const edgeHint = "an edge list is a CSV file with the header src,dst,bytes or src,dst,bytes,messages"

// The fields of an edge list, in the order of a file without header.
const (
	fieldFrom = iota
	fieldTo
	fieldBytes
	fieldMessages
	fieldCount
)

var fieldNames = [fieldCount]string{"src", "dst", "bytes", "messages"}

// edgeReader is the state of ReadEdgeList.
type edgeReader struct {
	lines    *linescan.Lines
	field    []int // of each column the field it holds, -1 = none; nil before the first line
	counted  bool  // there is a column of messages
	ranks    int   // least number of ranks, from a comment
	highest  int64 // rank seen so far, -1 = none
	ranksAt  int   // line that made the ranks as many as they are
	flows    []Flow
	numbers  [fieldCount]int64
	comments bool // still in the comments at the top
}

// ReadEdgeList reads a CSV file with one line for each pair of ranks (from 0):
// a header names the columns src, dst, bytes and, if counts are known,
// messages, in any order and case; other columns are ignored. Without a header
// the three or four columns have this order. Lines that start with # are
// comments. Lines of the same pair are summed; a pair with bytes but 0 messages
// counts as one message; a pair with neither is no entry.
//
// There are as many ranks as the highest one plus 1, or as a comment
// "# ranks N" before the first line says if that is more. Errors are
// *input.Error of the file name with line and column. Because every rank costs
// memory, more than 2^20 ranks and more than 64 times as many as lines are an
// error. O(ranks + lines).
func ReadEdgeList(name string, r io.Reader) (*Traffic, error) {
	e := &edgeReader{lines: linescan.New(name, r), highest: -1, comments: true}
	for e.lines.Next() {
		if err := e.line(e.lines.Bytes()); err != nil {
			return nil, err
		}
	}
	if err := e.lines.Err(); err != nil {
		return nil, err
	}
	if e.field == nil && e.ranks == 0 {
		return nil, emptyFile(name, edgeHint)
	}
	return e.traffic()
}

// line reads a comment, the header or a pair.
func (e *edgeReader) line(line []byte) error {
	text := bytes.TrimSpace(line)
	switch {
	case len(text) == 0:
		return nil
	case text[0] == '#':
		return e.comment(text)
	case e.field != nil:
		return e.pair(line)
	}
	e.comments = false
	if c := text[0]; c >= '0' && c <= '9' || c == '-' || c == '+' || c == ',' {
		return e.headless(line)
	}
	return e.header(string(line))
}

// comment looks for "# ranks N" before the first line; other comments and
// those further down say nothing.
func (e *edgeReader) comment(text []byte) error {
	words := strings.Fields(string(bytes.TrimLeft(text, "#")))
	if !e.comments || len(words) != 2 || strings.TrimSuffix(strings.ToLower(words[0]), ":") != "ranks" {
		return nil
	}
	n, err := strconv.ParseUint(words[1], 10, 64)
	if err != nil || n > MaxRanks {
		return e.lines.Errorf(0, edgeHint, "number of ranks %q must be a whole number from 0 to %d",
			shorten(words[1]), MaxRanks)
	}
	e.ranks, e.ranksAt = int(n), e.lines.Number
	return nil
}

// headless takes the columns in their usual order.
func (e *edgeReader) headless(line []byte) error {
	columns := bytes.Count(line, []byte(",")) + 1
	if columns != fieldCount && columns != fieldCount-1 {
		return e.lines.Errorf(0, edgeHint,
			"%d columns and no header: must be src,dst,bytes or src,dst,bytes,messages", columns)
	}
	for f := range columns {
		e.field = append(e.field, f)
	}
	e.counted = columns == fieldCount
	return e.pair(line)
}

// header finds the column of each field.
func (e *edgeReader) header(line string) error {
	column := 1
	var seen [fieldCount]bool
	for title := range strings.SplitSeq(line, ",") {
		found := -1
		for f, name := range fieldNames {
			if strings.EqualFold(strings.Trim(title, " \t\""), name) {
				found = f
			}
		}
		if found >= 0 {
			if seen[found] {
				return e.lines.Errorf(column, edgeHint, "column %s stands twice in the header", fieldNames[found])
			}
			seen[found] = true
		}
		e.field = append(e.field, found)
		column += len(title) + 1
	}
	for f := range fieldMessages {
		if !seen[f] {
			return e.lines.Errorf(0, edgeHint, "the header does not name %s", fieldNames[f])
		}
	}
	e.counted = seen[fieldMessages]
	return nil
}

// pair reads one line of numbers.
func (e *edgeReader) pair(line []byte) error {
	start := 0
	for i, f := range e.field {
		if start > len(line) {
			return e.lines.Errorf(len(line)+1, edgeHint, "%d columns, the first line has %d", i, len(e.field))
		}
		end := len(line)
		if k := bytes.IndexByte(line[start:], ','); k >= 0 {
			end = start + k
		}
		if f >= 0 {
			v, err := e.number(f, bytes.TrimSpace(line[start:end]))
			if err != nil {
				blanks := len(line[start:end]) - len(bytes.TrimLeft(line[start:end], " \t"))
				return e.lines.Errorf(min(start+blanks, end)+1, edgeHint, "%s: %s", fieldNames[f], err)
			}
			e.numbers[f] = v
		}
		start = end + 1
	}
	if start <= len(line) {
		return e.lines.Errorf(start, edgeHint, "more than the %d columns of the first line", len(e.field))
	}
	if len(e.flows) == math.MaxInt32 {
		return e.lines.Errorf(0, "leave out small volumes", "more than %d pairs", math.MaxInt32)
	}
	flow := Flow{int32(e.numbers[fieldFrom]), int32(e.numbers[fieldTo]), e.numbers[fieldBytes],
		e.numbers[fieldMessages]}
	if rank := int64(max(flow.From, flow.To)); rank > e.highest {
		e.highest = rank
		if rank >= int64(e.ranks) {
			e.ranksAt = e.lines.Number
		}
	}
	e.flows = append(e.flows, flow)
	return nil
}

// number reads a value of the field.
func (e *edgeReader) number(field int, text []byte) (int64, error) {
	v, err := parseAmount(text)
	if err == nil && field <= fieldTo && v >= MaxRanks {
		return 0, fmt.Errorf("rank %d is above the limit of %d", v, MaxRanks-1)
	}
	return v, err
}

// traffic builds the result once the number of ranks is known to be sensible.
func (e *edgeReader) traffic() (*Traffic, error) {
	ranks := max(e.ranks, int(e.highest)+1)
	if limit := max(1<<20, 64*len(e.flows)); ranks > limit {
		return nil, &input.Error{File: e.lines.File, Line: e.ranksAt,
			Reason: fmt.Sprintf("%d ranks for %d pairs: at most %d are accepted", ranks, len(e.flows), limit),
			Hint:   "ranks are numbered from 0 without gaps; renumber them if these are other identifiers"}
	}
	// A pair with neither bytes nor messages says only that its ranks exist.
	flows := e.flows[:0]
	for _, f := range e.flows {
		if f.Bytes > 0 || f.Messages > 0 {
			flows = append(flows, f)
		}
	}
	t, err := NewTraffic(ranks, flows, e.counted)
	if err != nil {
		return nil, &input.Error{File: e.lines.File, Reason: err.Error(), Hint: totalHint, Err: err}
	}
	for i, m := range t.Messages {
		if m == 0 {
			t.Messages[i] = 1
		}
	}
	return t, nil
}
