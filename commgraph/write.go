package commgraph

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
)

// maxDense bounds the ranks of a dense matrix that is written: 2^30 cells.
const maxDense = 1 << 15

// WriteDense writes the bytes as ReadDense reads them. Entries with 0 bytes look like no
// entry and are lost unless WriteDenseCounts is written
// beside. Errors: those of w, and more than 32768 ranks.
func WriteDense(w io.Writer, t *Traffic) error { return writeMatrix(w, t, t.Bytes) }

// WriteDenseCounts writes the message counts as ReadDenseCounts reads them.
// Errors: those of WriteDense, and counts that are not known.
func WriteDenseCounts(w io.Writer, t *Traffic) error {
	if t.Messages == nil {
		return fmt.Errorf("message counts are not known")
	}
	return writeMatrix(w, t, t.Messages)
}

func writeMatrix(w io.Writer, t *Traffic, values []int64) error {
	n := int32(t.Ranks())
	if n > maxDense {
		return fmt.Errorf("a dense matrix of %d ranks has %d cells: at most %d ranks are supported", n,
			int64(n)*int64(n), maxDense)
	}
	out := bufio.NewWriterSize(w, 64<<10)
	var number []byte
	for r := range n {
		i, end := t.Row(r)
		for to := range n {
			if to > 0 {
				out.WriteByte(',')
			}
			if i < end && t.Destinations[i] == to {
				number = strconv.AppendInt(number[:0], values[i], 10)
				out.Write(number)
				i++
			} else {
				out.WriteByte('0')
			}
		}
		out.WriteByte('\n')
	}
	return out.Flush() // keeps the first error of all writes
}

// WriteEdgeList writes the entries as ReadEdgeList reads them, with a column
// of messages if counts are known, and "# ranks N" above if ranks at the end
// talk to nobody. An entry with neither bytes nor messages is lost when read.
func WriteEdgeList(w io.Writer, t *Traffic) error {
	out := bufio.NewWriterSize(w, 64<<10)
	highest := int32(-1)
	for r := range int32(t.Ranks()) {
		first, end := t.Row(r)
		if first < end {
			highest = max(highest, r, t.Destinations[end-1])
		}
	}
	if int(highest)+1 != t.Ranks() {
		fmt.Fprintf(out, "# ranks %d\n", t.Ranks())
	}
	out.WriteString("src,dst,bytes")
	if t.Messages != nil {
		out.WriteString(",messages")
	}
	out.WriteByte('\n')
	var line []byte
	for r := range int32(t.Ranks()) {
		first, end := t.Row(r)
		for i := first; i < end; i++ {
			line = strconv.AppendInt(line[:0], int64(r), 10)
			line = strconv.AppendInt(append(line, ','), int64(t.Destinations[i]), 10)
			line = strconv.AppendInt(append(line, ','), t.Bytes[i], 10)
			if t.Messages != nil {
				line = strconv.AppendInt(append(line, ','), t.Messages[i], 10)
			}
			out.Write(append(line, '\n'))
		}
	}
	return out.Flush()
}

// WriteMETIS writes the graph in the format of METIS with edge weights, and
// vertex weights if it has them (fmt 001 or 011).
func WriteMETIS(w io.Writer, g *Graph) error {
	out := bufio.NewWriterSize(w, 64<<10)
	format := "001"
	if g.VertexWeights != nil {
		format = "011"
	}
	fmt.Fprintf(out, "%d %d %s\n", g.Vertices(), g.Edges(), format)
	var line []byte
	for v := range int32(g.Vertices()) {
		line = line[:0]
		if g.VertexWeights != nil {
			line = append(strconv.AppendInt(line, g.VertexWeights[v], 10), ' ')
		}
		first, end := g.Row(v)
		for i := first; i < end; i++ {
			line = append(strconv.AppendInt(line, int64(g.Neighbors[i])+1, 10), ' ')
			line = append(strconv.AppendInt(line, g.Weights[i], 10), ' ')
		}
		if len(line) > 0 {
			line = line[:len(line)-1]
		}
		out.Write(append(line, '\n'))
	}
	return out.Flush()
}
