package commgraph

import "math"

// triples are entries of a square matrix in the order of a file.
type triples struct {
	from, to []int32 // length entries
	bytes    []int64 // length entries, > 0
	total    int64
}

// add appends an entry that is not zero, of which there are at most most. The
// error is "" or says which limit it breaks.
func (t *triples) add(from, to int32, bytes, most int64, in *scanner) string {
	if t.total += bytes; t.total > MaxTotal {
		return "total volume"
	}
	if len(t.from) == cap(t.from) {
		if len(t.from) == math.MaxInt32 {
			return "number of entries"
		}
		most = min(most, math.MaxInt32)
		t.from, t.to, t.bytes = room(t.from, most, in), room(t.to, most, in), room(t.bytes, most, in)
	}
	t.from, t.to, t.bytes = append(t.from, from), append(t.to, to), append(t.bytes, bytes)
	return ""
}

// traffic sorts the entries by row and column, by counting them by column and
// then by row, and sums those of one place. The triples are used up.
// O(ranks + entries).
func (t *triples) traffic(ranks int) *Traffic {
	columns := &Graph{Offsets: make([]int32, ranks+1), Neighbors: make([]int32, len(t.to)),
		Weights: make([]int64, len(t.to))}
	for _, to := range t.to {
		columns.Offsets[to+1]++
	}
	for r := range ranks {
		columns.Offsets[r+1] += columns.Offsets[r]
	}
	next := append([]int32(nil), columns.Offsets[:ranks]...)
	for i, to := range t.to {
		columns.Neighbors[next[to]], columns.Weights[next[to]] = t.from[i], t.bytes[i]
		next[to]++
	}
	*t = triples{}
	rows := columns.transposed()
	out := int32(0)
	for r := range int32(ranks) {
		first, end := rows.Row(r)
		start := out // rows before r are shorter by now: Offsets[r] is no longer needed
		for i := first; i < end; i++ {
			if out > start && rows.Neighbors[out-1] == rows.Neighbors[i] {
				rows.Weights[out-1] += rows.Weights[i]
				continue
			}
			rows.Neighbors[out], rows.Weights[out] = rows.Neighbors[i], rows.Weights[i]
			out++
		}
		rows.Offsets[r] = start
	}
	rows.Offsets[ranks] = out
	return &Traffic{Offsets: rows.Offsets, Destinations: rows.Neighbors[:out], Bytes: rows.Weights[:out]}
}
