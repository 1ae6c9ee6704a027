package sampling

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Sparse is a table of only those links that have counts. Package sampling/tablejson
// reads and writes it as JSON.
type Sparse struct {
	Variant Variant
	// Links: ascending, each once.
	Links []int32
	// Entries: length links, in their order; none is all zero.
	Entries  []Entry
	Received Totals
}

// Sparse is a copy of a table.
func (t *Table) Sparse() *Sparse {
	count := 0
	for i := range t.Links {
		if t.Links[i] != (Entry{}) {
			count++
		}
	}
	s := &Sparse{t.Variant, make([]int32, 0, count), make([]Entry, 0, count), t.Received}
	for i := range t.Links {
		if t.Links[i] != (Entry{}) {
			s.Links = append(s.Links, int32(i))
			s.Entries = append(s.Entries, t.Links[i])
		}
	}
	return s
}

// Table is a copy with links 0..links-1. A link beyond is an error.
func (s *Sparse) Table(links int) (*Table, error) {
	if last := len(s.Links) - 1; last >= 0 && int(s.Links[last]) >= links {
		return nil, fmt.Errorf("samples of link %d, where links are 0 to %d", s.Links[last], links-1)
	}
	t := &Table{s.Variant, make([]Entry, links), s.Received}
	for i, link := range s.Links {
		t.Links[link] = s.Entries[i]
	}
	return t, nil
}

// MergeSparse is the sum of tables of one variant, an empty one of none. Whatever
// their order and grouping, sums of whole numbers are the same; those under
// several slots, corrected counters or Bloom filters are rounded. It takes
// O(n log k) for k tables with n links altogether, and memory for the links seen.
func MergeSparse(tables ...*Sparse) (*Sparse, error) {
	switch len(tables) {
	case 0:
		return &Sparse{}, nil
	case 1:
		s := tables[0]
		return &Sparse{s.Variant, slices.Clone(s.Links), slices.Clone(s.Entries), s.Received}, nil
	case 2:
		return tables[0].plus(tables[1])
	}
	half := len(tables) / 2
	a, err := MergeSparse(tables[:half]...)
	if err != nil {
		return nil, err
	}
	b, err := MergeSparse(tables[half:]...)
	if err != nil {
		return nil, err
	}
	return a.plus(b)
}

func (s *Sparse) plus(o *Sparse) (*Sparse, error) {
	if s.Variant != o.Variant {
		return nil, fmt.Errorf("samples of variants %v and %v cannot be added", s.Variant, o.Variant)
	}
	sum := &Sparse{Variant: s.Variant, Received: s.Received}
	sum.Received.add(&o.Received)
	room := max(len(s.Links), len(o.Links))
	sum.Links, sum.Entries = make([]int32, 0, room), make([]Entry, 0, room)
	for a, b := 0, 0; a < len(s.Links) || b < len(o.Links); {
		var e Entry
		var link int32
		switch {
		case b == len(o.Links) || a < len(s.Links) && s.Links[a] < o.Links[b]:
			link, e = s.Links[a], s.Entries[a]
			a++
		case a == len(s.Links) || o.Links[b] < s.Links[a]:
			link, e = o.Links[b], o.Entries[b]
			b++
		default:
			link, e = s.Links[a], s.Entries[a]
			e.add(&o.Entries[b])
			a++
			b++
		}
		if e != (Entry{}) {
			sum.Links = append(sum.Links, link)
			sum.Entries = append(sum.Entries, e)
		}
	}
	return sum, nil
}

// Entry is the counts of a link, zero for one that is not there.
func (s *Sparse) Entry(link int32) Entry {
	if i, found := slices.BinarySearch(s.Links, link); found {
		return s.Entries[i]
	}
	return Entry{}
}

// estimator makes estimates of a link of the table.
func (s *Sparse) estimator(link int32) estimator {
	e := s.Entry(link)
	return estimator{s.Variant, &s.Received, &e}
}

// PacketsEstimate is the number of packets that crossed a link.
func (s *Sparse) PacketsEstimate(link int32) Estimate { return s.estimator(link).packets(normal95) }

// CongestedEstimate is the number of packets that found a link congested.
func (s *Sparse) CongestedEstimate(link int32) Estimate { return s.estimator(link).congested(normal95) }

// Fraction is a link's congested fraction.
func (s *Sparse) Fraction(link int32) Estimate { return s.estimator(link).fraction(normal95) }

// largest bounds counts, so that no estimate of sensible ones overflows.
const largest = 1e18

// Check reports the first thing that breaks what Sparse promises.
func (s *Sparse) Check() error {
	if len(s.Links) != len(s.Entries) {
		return fmt.Errorf("samples of %d links have %d entries", len(s.Links), len(s.Entries))
	}
	for i, link := range s.Links {
		switch {
		case link < 0:
			return fmt.Errorf("samples of link %d: links start at 0", link)
		case i > 0 && link <= s.Links[i-1]:
			return fmt.Errorf("samples of link %d after those of link %d: links must ascend", link, s.Links[i-1])
		case s.Entries[i] == Entry{}:
			return fmt.Errorf("samples of link %d are all zero: leave it out", link)
		}
		e := &s.Entries[i]
		for _, x := range [...]float64{e.Packets, e.PacketsVariance, e.Congested, e.CongestedVariance,
			e.Covariance} {
			if !(math.Abs(x) <= largest) {
				return fmt.Errorf("samples of link %d: %g is not a number of packets", link, x)
			}
		}
	}
	r := &s.Received
	if min(r.Packets, r.Hops, r.HopsSquared, r.CongestedPackets, r.CongestedHops, r.CongestedSquared, r.Full,
		r.Excess, r.ExcessSquared, r.CongestedExcess, r.CongestedExcessSquared) < 0 {
		return errors.New("samples: a negative number of packets or hops received")
	}
	return nil
}
