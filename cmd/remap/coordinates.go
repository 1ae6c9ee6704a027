package main

import (
	"remap/commgraph"
)

// openCoordinates reads --coordinates for a job's ranks; nil without it. Ranks
// that the file does not name have no place.
func (p *program) openCoordinates(ranks int) (*commgraph.Coordinates, error) {
	if p.coordinates == "" {
		return nil, nil
	}
	c, err := commgraph.OpenCoordinates(p.coordinates)
	if err != nil {
		return nil, inOption("coordinates", err)
	}
	if c.Ranks() > ranks {
		return nil, usage("it must be the file of the same job", "--coordinates: %s names rank %d, and the job has ranks 0 to %d", p.coordinates, c.Ranks()-1, ranks-1)
	}
	for range (ranks - c.Ranks()) * c.Dimensions {
		c.Values = append(c.Values, -1)
	}
	return c, nil
}
