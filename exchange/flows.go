package exchange

import (
	"slices"

	"remap/commgraph"
)

// flows are what every rank sends and receives, by rank and partner.
type flows struct {
	// first (length ranks+1): rank r has entries first[r] to first[r+1].
	first []int32
	// partners ascend for every rank.
	partners []int32
	// out and in are the bytes to and from the partner.
	out, in []float64
}

// newFlows takes a traffic. Where it is nil, every edge sends its whole weight in both directions.
// O(ranks + edges log degree).
func newFlows(g *commgraph.Graph, t *commgraph.Traffic) flows {
	if t == nil {
		f := flows{first: g.Offsets, partners: g.Neighbors, out: make([]float64, len(g.Weights))}
		for i, w := range g.Weights {
			f.out[i] = float64(w)
		}
		f.in = f.out
		return f
	}
	// The graph may have been reweighted since, but never has other pairs than
	// the traffic; pairs of the traffic that it lacks still load links.
	degree := make([]int32, t.Ranks()+1)
	each := func(visit func(from, to int32, bytes float64)) {
		for r := range int32(t.Ranks()) {
			first, end := t.Row(r)
			for i := first; i < end; i++ {
				if to := t.Destinations[i]; to != r && t.Bytes[i] > 0 {
					visit(r, to, float64(t.Bytes[i]))
				}
			}
		}
	}
	each(func(from, to int32, bytes float64) { degree[from+1]++; degree[to+1]++ })
	for r := range t.Ranks() {
		degree[r+1] += degree[r]
	}
	return mergeFlows(degree, each)
}

// mergeFlows makes one entry of both directions of a pair. bounds limits the length of every rank's
// row.
func mergeFlows(bounds []int32, each func(visit func(from, to int32, bytes float64))) flows {
	type flow struct {
		partner int32
		out, in float64
	}
	rows := make([]flow, bounds[len(bounds)-1])
	next := slices.Clone(bounds)
	each(func(from, to int32, bytes float64) {
		rows[next[from]] = flow{to, bytes, 0}
		next[from]++
		rows[next[to]] = flow{from, 0, bytes}
		next[to]++
	})
	f := flows{first: []int32{0}}
	for r := range len(bounds) - 1 {
		row := rows[bounds[r]:bounds[r+1]]
		slices.SortFunc(row, func(x, y flow) int { return int(x.partner) - int(y.partner) })
		for i, x := range row {
			if last := len(f.partners) - 1; i > 0 && row[i-1].partner == x.partner {
				f.out[last] += x.out
				f.in[last] += x.in
				continue
			}
			f.partners, f.out, f.in = append(f.partners, x.partner), append(f.out, x.out), append(f.in, x.in)
		}
		f.first = append(f.first, int32(len(f.partners)))
	}
	return f
}

// none tells whether a rank sends and receives nothing; -1 stands for an empty slot.
func (f *flows) none(rank int32) bool { return rank < 0 || f.first[rank] == f.first[rank+1] }

// find is the entry of a pair, -1 if there is none. O(log degree).
func (f *flows) find(u, v int32) int32 {
	first := f.first[u]
	if i, found := slices.BinarySearch(f.partners[first:f.first[u+1]], v); found {
		return first + int32(i)
	}
	return -1
}
