package commgraph

import (
	"bytes"
	"fmt"
	"io"
	"math"

	"remap/input"
	"remap/internal/linescan"
)

const denseHint = "a dense matrix is one line a rank, as many numbers as lines, with commas between"

// cell is an entry of a matrix that is not zero.
type cell struct {
	column int32
	value  int64
}

// ReadDense reads a headerless square matrix of comma-separated bytes: line r
// is what rank r (from 0) sends to ranks 0, 1, ... . Cells are whole numbers,
// plain decimals (1.2e+06) included; blanks around them and blank lines at the
// end do not count. A cell of 0 is no entry; the diagonal is self traffic and
// stays. Counts are not known (ReadDenseCounts sets them).
//
// Errors are *input.Error of the file name with line and column. Memory grows
// with the cells that are not zero. O(ranks^2).
func ReadDense(name string, r io.Reader) (*Traffic, error) {
	t := &Traffic{Offsets: []int32{0}}
	_, err := readMatrix(name, r, "volume", func(row []cell) {
		for _, c := range row {
			t.Destinations = append(t.Destinations, c.column)
			t.Bytes = append(t.Bytes, c.value)
		}
		t.Offsets = append(t.Offsets, int32(len(t.Destinations)))
	})
	if err != nil {
		return nil, err
	}
	return t, nil
}

// ReadDenseCounts reads a matrix of message counts, in the format of
// ReadDense and of the same size as t, and sets t.Messages.
//
// Where there are bytes but the count is 0, one message is assumed; where there
// is a count but no bytes, the messages are empty ones: they are added to t as
// an entry with 0 bytes, because even an empty message is a packet. On error t
// is as before.
func ReadDenseCounts(t *Traffic, name string, r io.Reader) error {
	n := t.Ranks()
	merged := &Traffic{Offsets: []int32{0}, Messages: []int64{}}
	rows, err := readMatrix(name, r, "count", func(row []cell) {
		if rank := len(merged.Offsets) - 1; rank < n {
			merged.mergeCounts(t, int32(rank), row)
		}
	})
	if err != nil {
		return err
	}
	if rows != n {
		return &input.Error{File: name, Reason: fmt.Sprintf("%d x %d counts for %d ranks of the sizes",
			rows, rows, n),
			Hint: "the count matrix must have as many lines and columns as the size matrix"}
	}
	*t = *merged
	return nil
}

// mergeCounts appends the row of a rank: the union of the entries of sizes and
// of counts, both of which ascend.
func (t *Traffic) mergeCounts(sizes *Traffic, rank int32, counts []cell) {
	i, end := sizes.Row(rank)
	for i < end || len(counts) > 0 {
		to, bytes, messages := int32(math.MaxInt32), int64(0), int64(1)
		if i < end {
			to = sizes.Destinations[i]
		}
		if len(counts) > 0 && counts[0].column <= to {
			to, messages = counts[0].column, counts[0].value
			counts = counts[1:]
		}
		if i < end && sizes.Destinations[i] == to {
			bytes = sizes.Bytes[i]
			i++
		}
		t.Destinations = append(t.Destinations, to)
		t.Bytes = append(t.Bytes, bytes)
		t.Messages = append(t.Messages, messages)
	}
	t.Offsets = append(t.Offsets, int32(len(t.Destinations)))
}

// readMatrix hands every row's cells that are not zero to row, in order, and
// tells the size of the square. what names a cell in errors.
func readMatrix(name string, r io.Reader, what string, row func([]cell)) (int, error) {
	lines := linescan.New(name, r)
	var cells []cell
	var total, entries int64
	rows, columns, blank := 0, 0, 0
	for lines.Next() {
		line := lines.Bytes()
		if len(bytes.TrimSpace(line)) == 0 {
			if rows > 0 && blank == 0 {
				blank = lines.Number
			}
			continue
		}
		if blank > 0 {
			return 0, &input.Error{File: name, Line: blank, Reason: "blank line inside the matrix", Hint: denseHint}
		}
		var count int
		var err error
		cells, count, err = readRow(lines, line, what, cells[:0], &total)
		if err != nil {
			return 0, err
		}
		if rows == 0 {
			columns = count
		}
		if count != columns {
			column := 1 + cellStart(line, min(count, columns))
			return 0, lines.Errorf(column, denseHint, "row of %d cells, the first one has %d", count, columns)
		}
		if rows++; rows > columns {
			return 0, lines.Errorf(0, squareHint(columns), "not square: more than the %d rows that %d columns allow",
				columns, columns)
		}
		if entries += int64(len(cells)); entries > math.MaxInt32 {
			return 0, lines.Errorf(0, "leave out small volumes", "more than %d entries", math.MaxInt32)
		}
		row(cells)
	}
	if err := lines.Err(); err != nil {
		return 0, err
	}
	if rows == 0 {
		return 0, emptyFile(name, denseHint)
	}
	if rows != columns {
		return 0, &input.Error{File: name, Line: lines.Number, Hint: squareHint(columns),
			Reason: fmt.Sprintf("not square: %d rows x %d columns", rows, columns)}
	}
	return rows, nil
}

// readRow appends the cells of a line that are not zero and counts all of
// them. total is the sum so far.
func readRow(lines *linescan.Lines, line []byte, what string, cells []cell,
	total *int64) ([]cell, int, error) {
	count := 0
	for start := 0; start <= len(line); count++ {
		end := len(line)
		if i := bytes.IndexByte(line[start:], ','); i >= 0 {
			end = start + i
		}
		text := bytes.TrimSpace(line[start:end])
		v, err := parseAmount(text)
		if err != nil {
			column := start + 1
			if len(text) > 0 {
				column += bytes.Index(line[start:end], text)
			}
			return nil, 0, lines.Errorf(column, denseHint, "%s of %d -> %d: %s", what, lines.Number-1, count, err)
		}
		if v > 0 {
			if *total += v; *total > MaxTotal {
				return nil, 0, lines.Errorf(start+1, totalHint, "total %s above the limit of %d", what, int64(MaxTotal))
			}
			cells = append(cells, cell{int32(count), v})
		}
		start = end + 1
	}
	return cells, count, nil
}

// cellStart is the offset of cell number index, or of the line's last byte.
func cellStart(line []byte, index int) int {
	start := 0
	for range index {
		i := bytes.IndexByte(line[start:], ',')
		if i < 0 {
			return max(0, len(line)-1)
		}
		start += i + 1
	}
	return start
}

// squareHint guesses why a matrix is not square.
func squareHint(columns int) string {
	if columns == fieldCount || columns == fieldCount-1 {
		return "if this is an edge list, add the header src,dst,bytes or force the format edges"
	}
	return denseHint + "; is the file cut off?"
}

func emptyFile(name, hint string) error {
	return &input.Error{File: name, Reason: "the file is empty", Hint: hint}
}
