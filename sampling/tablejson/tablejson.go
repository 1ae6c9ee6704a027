// Package tablejson carries sampling tables between receivers as JSON:
//
//	text, err := json.Marshal(tablejson.Sparse{Sparse: table.Sparse()})
//
// It is apart from package sampling so that receivers without JSON need not link it.
package tablejson

import (
	"encoding/json"
	"fmt"

	"remap/sampling"
)

// Sparse is a sampling.Sparse that encoding/json reads and writes.
type Sparse struct {
	*sampling.Sparse
}

// object is the JSON object of a table.
type object struct {
	// Variant is the text that sampling.ParseVariant reads.
	Variant  string          `json:"variant"`
	Received sampling.Totals `json:"received"`
	Links    []int32         `json:"links"`
	// Entries are the five counts of every link, in the order of sampling.Entry's fields.
	Entries [][5]float64 `json:"entries"`
}

// MarshalJSON writes an object of variant, received, links and entries. The variant is the
// text that sampling.ParseVariant reads; an entry is the array of its five counts.
func (s Sparse) MarshalJSON() ([]byte, error) {
	out := object{s.Variant.String(), s.Received, s.Links, make([][5]float64, len(s.Entries))}
	if out.Links == nil {
		out.Links = []int32{}
	}
	for i, e := range s.Entries {
		out.Entries[i] = [5]float64{e.Packets, e.PacketsVariance, e.Congested, e.CongestedVariance, e.Covariance}
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads what MarshalJSON writes and checks it (sampling.Sparse.Check). After an
// error the table is what it was.
func (s *Sparse) UnmarshalJSON(data []byte) error {
	var in object
	if err := json.Unmarshal(data, &in); err != nil {
		return fmt.Errorf("samples: %w", err)
	}
	v, err := sampling.ParseVariant(in.Variant)
	if err != nil {
		return fmt.Errorf("samples: %w", err)
	}
	out := &sampling.Sparse{Variant: v, Links: in.Links, Received: in.Received,
		Entries: make([]sampling.Entry, len(in.Entries))}
	for i, e := range in.Entries {
		out.Entries[i] = sampling.Entry{Packets: e[0], PacketsVariance: e[1],
			Congested: e[2], CongestedVariance: e[3], Covariance: e[4]}
	}
	if err := out.Check(); err != nil {
		return err
	}
	s.Sparse = out
	return nil
}
