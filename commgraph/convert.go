package commgraph

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"remap/input"
)

// FormatDenseCounts is the matrix of message counts beside a dense matrix of bytes; it is only written.
const FormatDenseCounts = "dense-counts"

// writers is every format that Write makes, and what of traffic it does not hold.
var writers = []struct {
	name  string
	write func(w io.Writer, t *Traffic) error
	lost  []loss
}{
	{FormatEdges, WriteEdgeList, nil},
	{FormatDense, WriteDense, []loss{lostMessages, lostEmpty}},
	{FormatDenseCounts, WriteDenseCounts, []loss{lostBytes}},
	{FormatMETIS, asGraph(WriteMETIS), []loss{lostMessages, lostEmpty, lostDirections}},
	{FormatScotch, asGraph(WriteScotch), []loss{lostMessages, lostEmpty, lostDirections}},
	{FormatMatrixMarket, WriteMatrixMarket, []loss{lostMessages, lostEmpty}},
	{FormatParComm, WriteParComm, []loss{lostMessages, lostEmpty, lostSilent}},
}

// loss is something that a format does not hold, and whether traffic has it.
type loss struct {
	what string
	has  func(t *Traffic) bool
}

var (
	lostBytes    = loss{"bytes", func(*Traffic) bool { return true }}
	lostMessages = loss{"message counts", func(t *Traffic) bool { return t.Messages != nil }}
	lostEmpty    = loss{"pairs without bytes", func(t *Traffic) bool { return slices.Contains(t.Bytes, 0) }}
	lostSilent   = loss{"ranks at the end that talk to nobody", func(t *Traffic) bool {
		last := t.Ranks() - 1
		if last < 0 {
			return false
		}
		first, end := t.Row(int32(last))
		return first == end && !slices.Contains(t.Destinations, int32(last))
	}}
	lostDirections = loss{"directions", func(t *Traffic) bool {
		for r := range int32(t.Ranks()) {
			first, end := t.Row(r)
			for i := first; i < end; i++ {
				if back := t.Find(t.Destinations[i], r); back < 0 || t.Bytes[back] != t.Bytes[i] {
					return true
				}
			}
		}
		return false
	}}
)

// asGraph is a writer of the folded graph as one of traffic.
func asGraph(write func(io.Writer, *Graph) error) func(io.Writer, *Traffic) error {
	return func(w io.Writer, t *Traffic) error { return write(w, t.Graph()) }
}

// WriteFormats lists the names that Write takes.
func WriteFormats() []string {
	names := make([]string, len(writers))
	for i, f := range writers {
		names[i] = f.name
	}
	return names
}

// CheckWritable tells whether Write can write traffic in the format: *input.Error for a format that it does
// not make, and for message counts that are not known.
func CheckWritable(format string, t *Traffic) error {
	if format == FormatDenseCounts && t.Messages == nil {
		return &input.Error{Reason: "message counts are not known", Hint: "--messages names the matrix of them"}
	}
	if slices.Contains(WriteFormats(), format) {
		return nil
	}
	return &input.Error{Reason: fmt.Sprintf("a graph cannot be written as %q", format),
		Hint: "formats of graphs: " + strings.Join(WriteFormats(), ", ")}
}

// Lost names what traffic has and the format does not hold; empty = it holds all.
func Lost(format string, t *Traffic) string {
	var lost []string
	for _, f := range writers {
		for _, l := range f.lost {
			if f.name == format && l.has(t) {
				lost = append(lost, l.what)
			}
		}
	}
	return strings.Join(lost, ", ")
}

// Write writes traffic in the format of that name. Errors: those of CheckWritable and of the writer.
func Write(w io.Writer, format string, t *Traffic) error {
	for _, f := range writers {
		if f.name == format {
			return f.write(w, t)
		}
	}
	return CheckWritable(format, t)
}

// WriteParComm writes the bytes as ReadParComm reads them, without hops. Ranks at the end that talk to
// nobody are lost. Errors are those of w.
func WriteParComm(w io.Writer, t *Traffic) error {
	out := bufio.NewWriterSize(w, 64<<10)
	for r := range int32(t.Ranks()) {
		first, end := t.Row(r)
		for i := first; i < end; i++ {
			fmt.Fprintf(out, "%d %d %d\n", r, t.Destinations[i], t.Bytes[i])
		}
	}
	return out.Flush()
}
