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
	lost  []string
}{
	{FormatEdges, WriteEdgeList, nil},
	{FormatDense, WriteDense, []string{lostMessages}},
	{FormatDenseCounts, WriteDenseCounts, []string{"bytes"}},
	{FormatMETIS, asGraph(WriteMETIS), []string{lostMessages, lostDirections}},
	{FormatScotch, asGraph(WriteScotch), []string{lostMessages, lostDirections}},
	{FormatMatrixMarket, WriteMatrixMarket, []string{lostMessages}},
	{FormatParComm, WriteParComm, []string{lostMessages}},
}

const (
	lostMessages   = "message counts"
	lostDirections = "directions"
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

// CheckWritable tells whether Write makes the format; if not, the error's hint lists those it makes.
func CheckWritable(format string) error {
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
		for _, what := range f.lost {
			if f.name == format && (what != lostMessages || t.Messages != nil) {
				lost = append(lost, what)
			}
		}
	}
	return strings.Join(lost, " and ")
}

// Write writes traffic in the format of that name. Errors: those of CheckWritable and of the writer.
func Write(w io.Writer, format string, t *Traffic) error {
	for _, f := range writers {
		if f.name == format {
			return f.write(w, t)
		}
	}
	return CheckWritable(format)
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
