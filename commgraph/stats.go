package commgraph

import "fmt"

// Stats describes traffic in a few numbers.
type Stats struct {
	Ranks int
	// Entries: directed pairs, a rank with itself included.
	Entries int
	// Pairs: undirected pairs of different ranks that exchange bytes.
	Pairs int
	// Bytes: between different ranks.
	Bytes int64
	// SelfBytes: of ranks with themselves.
	SelfBytes int64
	// Messages: between different ranks; -1 = not known.
	Messages int64
	// MinDegree: fewest partners of a rank; 0 without ranks.
	MinDegree int
	// MeanDegree: partners a rank; 0 without ranks.
	MeanDegree float64
	// MaxDegree: most partners of a rank.
	MaxDegree int
	// Components: groups of ranks that talk to each other, silent ranks alone.
	Components int
	// Symmetry: share of Bytes that comes back on the same pair: 1 = as much both ways (or nothing
	// at all), 0 = one way only
	Symmetry float64
}

// Stats counts, in O(entries x log partners).
func (t *Traffic) Stats() Stats {
	g := t.Graph()
	s := Stats{Ranks: t.Ranks(), Entries: len(t.Bytes), Pairs: g.Edges(), Messages: -1, Symmetry: 1}
	if t.Messages != nil {
		s.Messages = 0
	}
	var returned int64
	for r := range int32(s.Ranks) {
		first, end := t.Row(r)
		for i := first; i < end; i++ {
			to := t.Destinations[i]
			if to == r {
				s.SelfBytes += t.Bytes[i]
				continue
			}
			s.Bytes += t.Bytes[i]
			if t.Messages != nil {
				s.Messages += t.Messages[i]
			}
			if back := t.Find(to, r); back >= 0 {
				returned += min(t.Bytes[i], t.Bytes[back])
			}
		}
	}
	if s.Bytes > 0 {
		s.Symmetry = float64(returned) / float64(s.Bytes)
	}
	s.degrees(g)
	return s
}

func (s *Stats) degrees(g *Graph) {
	n := g.Vertices()
	if n == 0 {
		return
	}
	s.MinDegree = n
	for v := range int32(n) {
		first, end := g.Row(v)
		s.MinDegree = min(s.MinDegree, int(end-first))
		s.MaxDegree = max(s.MaxDegree, int(end-first))
	}
	s.MeanDegree = float64(len(g.Neighbors)) / float64(n)
	for _, c := range Components(g) {
		s.Components = max(s.Components, int(c)+1)
	}
}

// Multiply gives the traffic with all bytes times unit, for files whose
// numbers are not bytes. Counts stay. Errors: unit < 1, a total above MaxTotal.
func (t *Traffic) Multiply(unit int64) (*Traffic, error) {
	if unit < 1 {
		return nil, fmt.Errorf("unit of %d bytes, must be at least 1", unit)
	}
	if total := t.TotalBytes(); total > MaxTotal/unit {
		return nil, fmt.Errorf("total volume %d x %d bytes above the limit of %d bytes", total, unit,
			int64(MaxTotal))
	}
	m := &Traffic{Offsets: t.Offsets, Destinations: t.Destinations, Bytes: make([]int64, len(t.Bytes)),
		Messages: t.Messages}
	for i, b := range t.Bytes {
		m.Bytes[i] = b * unit
	}
	return m, nil
}
