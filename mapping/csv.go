package mapping

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"remap/input"
	"remap/internal/linescan"
)

// MaxFile is the largest mapping file read, in bytes: six million ranks as JSON.
const MaxFile = 1 << 28

// header is the first row of the native format.
var header = []string{"rank", "host", "slot"}

// WriteCSV writes the native format: the header rank,host,slot, then one row a
// rank in order; slots count from 0 within their host. hosts and slots are those of every rank.
func WriteCSV(w io.Writer, hosts []string, slots []int32) error {
	out := csv.NewWriter(bufio.NewWriter(w))
	if err := out.Write(header); err != nil {
		return err
	}
	row := make([]string, len(header))
	for r, host := range hosts {
		row[0], row[1], row[2] = strconv.Itoa(r), host, strconv.Itoa(int(slots[r]))
		if err := out.Write(row); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// ReadCSV reads the native format; file is for errors, which are *input.Error with line and
// column, and those of c.
func ReadCSV(file string, r io.Reader, c Reader) error { return readRows(file, r, c) }

// readRows collects the rows of the native format.
func readRows(file string, r io.Reader, c Reader) error {
	in := csv.NewReader(linescan.SkipMark(&cappedReader{file: file, r: r, left: MaxFile, lines: true}))
	in.FieldsPerRecord = -1
	in.ReuseRecord = true
	first, err := in.Read()
	if errors.Is(err, io.EOF) {
		return &input.Error{File: file, Reason: "the mapping is " +
			"empty", Hint: "it starts with the line rank,host,slot"}
	}
	if err != nil {
		return csvError(file, err)
	}
	if !slices.Equal(first, header) {
		return &input.Error{File: file, Line: 1, Column: 1, Reason: "the first line is not rank,host,slot",
			Hint: "a native mapping has one row a rank under that header"}
	}
	for {
		row, err := in.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return csvError(file, err)
		}
		if err := addRow(file, c, in, row); err != nil {
			return err
		}
	}
}

// addRow reads the fields of one row.
func addRow(file string, c Reader, in *csv.Reader, row []string) error {
	line, column := in.FieldPos(0)
	if len(row) != len(header) {
		return &input.Error{File: file, Line: line, Column: column,
			Reason: fmt.Sprintf("%d fields instead of rank,host,slot", len(row)), Hint: "is the line cut off?"}
	}
	e := RankPlace{Host: row[1], Line: line, RankColumn: column}
	_, e.HostColumn = in.FieldPos(1)
	_, e.SlotColumn = in.FieldPos(2)
	var err error
	if e.Rank, err = linescan.Whole(row[0]); err != nil {
		return &input.Error{File: file, Line: line, Column: e.RankColumn, Err: err, Hint: "ranks count from 0",
			Reason: fmt.Sprintf("rank %q is not a whole number below 2^31", row[0])}
	}
	if e.Slot, err = linescan.Whole(row[2]); err != nil {
		return &input.Error{File: file, Line: line, Column: e.SlotColumn, Err: err, Hint: "slots count from " +
			"0 within the host",
			Reason: fmt.Sprintf("slot %q is not a whole number below 2^31", row[2])}
	}
	return c.Add(e)
}

// csvError says in our words what the csv package found.
func csvError(file string, err error) error {
	var own *input.Error
	if errors.As(err, &own) {
		return own
	}
	var parse *csv.ParseError
	if errors.As(err, &parse) {
		return &input.Error{File: file, Line: parse.Line, Column: parse.Column, Reason: parse.Err.Error(), Err: err,
			Hint: "double quotes belong around a whole field or not at all"}
	}
	return &input.Error{File: file, Reason: err.Error(), Err: err}
}

// cappedReader is a reader that refuses more than left bytes.
type cappedReader struct {
	file  string
	r     io.Reader
	left  int64
	lines bool // lines may be no longer than linescan.MaxLine
	line  int  // bytes since the last line break
}

func (c *cappedReader) Read(buffer []byte) (int, error) {
	n, err := c.r.Read(buffer)
	if end := bytes.LastIndexByte(buffer[:n], '\n'); end >= 0 {
		c.line = n - end - 1
	} else {
		c.line += n
	}
	if c.lines && c.line > linescan.MaxLine {
		return 0, &input.Error{File: c.file, Reason: fmt.Sprintf("line longer than %d bytes", linescan.MaxLine),
			Hint: "is this the right file?"}
	}
	if c.left -= int64(n); c.left < 0 {
		return 0, &input.Error{File: c.file, Reason: fmt.Sprintf("a mapping larger than %d "+
			"bytes", int64(MaxFile)), Hint: "is this the right file?"}
	}
	return n, err
}
