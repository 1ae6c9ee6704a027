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
	switch {
	case c.Ranks() == 0:
		return nil, fail("a line of the file is a rank and its coordinates, such as 0,0.5,1.5", "%s: no rank has coordinates", p.coordinates)
	case c.Ranks() > ranks:
		return nil, fail("it must be the file of the same job", "%s: names rank %d, and the job has ranks 0 to %d", p.coordinates, c.Ranks()-1, ranks-1)
	}
	for range (ranks - c.Ranks()) * c.Dimensions {
		c.Values = append(c.Values, -1)
	}
	return c, nil
}
