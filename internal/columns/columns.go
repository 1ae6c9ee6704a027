// Package columns writes tables of typed columns, row by row, as CSV, JSON or
// Apache Parquet. The three hold the same values: those of Number columns are
// rounded to 8 significant digits in each, missing ones are empty in CSV and
// null in JSON and Parquet.
package columns

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strconv"
)

// Format is a file format.
type Format uint8

const (
	CSV     Format = iota // RFC 4180 with a header line
	JSON                  // one array, an object a row
	Parquet               // Apache Parquet, snappy
)

// Kind is the type of a column's values.
type Kind uint8

const (
	Integer Kind = iota // signed, 64 bits
	Number              // floating point, 64 bits
	Text                // UTF-8
)

// Column is the name and type of a column.
type Column struct {
	Name string
	Kind Kind
	// Optional: values may be missing.
	Optional bool
}

// Value is one field of a row. The zero value is a missing one.
type Value struct {
	set     bool
	kind    Kind
	integer int64
	number  float64
	text    string
}

// Whole is a value of an Integer column.
func Whole(v int64) Value { return Value{set: true, kind: Integer, integer: v} }

// Real is a value of a Number column, rounded to 8 significant digits; what is
// not finite, which JSON cannot hold, is a missing one.
func Real(v float64) Value {
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return Value{}
	}
	var digits [32]byte
	rounded, _ := strconv.ParseFloat(string(strconv.AppendFloat(digits[:0], v, 'g', 8, 64)), 64)
	return Value{set: true, kind: Number, number: rounded}
}

// String is a value of a Text column.
func String(v string) Value { return Value{set: true, kind: Text, text: v} }

// Writer writes rows. Not safe for concurrent use.
type Writer struct {
	columns []Column
	sink    sink
}

// sink is one format's writer of checked rows.
type sink interface {
	row(values []Value) error
	close() error
}

// NewWriter begins a table: a CSV header is written at once.
func NewWriter(w io.Writer, f Format, columns []Column) (*Writer, error) {
	writer := &Writer{columns: columns}
	switch f {
	case Parquet:
		writer.sink = newParquet(w, columns)
		return writer, nil
	case JSON:
		writer.sink = &jsonSink{out: bufio.NewWriter(w), columns: columns}
		return writer, nil
	case CSV:
		writer.sink = &csvSink{out: bufio.NewWriter(w), columns: columns}
		return writer, writer.sink.(*csvSink).header()
	}
	return nil, fmt.Errorf("format %d is not known", f)
}

// Write writes one row, of one value for every column in their order; values is
// not kept.
func (w *Writer) Write(values []Value) error {
	if len(values) != len(w.columns) {
		return fmt.Errorf("%d values for %d columns", len(values), len(w.columns))
	}
	for i := range values {
		if !values[i].set && !w.columns[i].Optional {
			return fmt.Errorf("column %s: a value is missing", w.columns[i].Name)
		}
		if values[i].set && values[i].kind != w.columns[i].Kind {
			return fmt.Errorf("column %s: a value is of another kind", w.columns[i].Name)
		}
	}
	return w.sink.row(values)
}

// Close ends the table; the writer below stays open.
func (w *Writer) Close() error { return w.sink.close() }
