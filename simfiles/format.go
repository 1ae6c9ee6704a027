// Package simfiles writes what a simulation measured as tables: links, packet samples
// and message latencies, as CSV, JSON or Apache Parquet. All three formats hold the
// same values. Package evalsim simulates and knows no file format.
//
// docs/files.md describes the columns.
package simfiles

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"remap/internal/columns"
)

// Format is the file format of a table.
type Format uint8

// The file formats. Their order is that of package columns.
const (
	// CSV is RFC 4180 with a header line. A missing value is empty.
	CSV Format = iota
	// JSON is one array with one object a row. A missing value is null.
	JSON
	// Parquet is Apache Parquet with snappy compression. A missing value is null.
	Parquet
)

// formatNames are the names of formats, which are also the endings of their files.
var formatNames = []string{CSV: "csv", JSON: "json", Parquet: "parquet"}

// String is csv, json or parquet.
func (f Format) String() string { return formatNames[f] }

// ParseFormat reads csv, json or parquet.
func ParseFormat(name string) (Format, error) {
	if i := slices.Index(formatNames, name); i >= 0 {
		return Format(i), nil
	}
	return 0, fmt.Errorf("unknown format %q: it is one of %s", name, strings.Join(formatNames, ", "))
}

// FormatOf is the format that the ending of a file's name says, in any case of its
// letters. It is CSV for every other ending.
func FormatOf(path string) Format {
	f, err := ParseFormat(strings.ToLower(strings.TrimPrefix(filepath.Ext(path), ".")))
	if err != nil {
		return CSV
	}
	return f
}

// newTable begins a table in a format.
func newTable(w io.Writer, f Format, header []columns.Column) (*columns.Writer, error) {
	return columns.NewWriter(w, columns.Format(f), header)
}
