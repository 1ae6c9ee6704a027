package exchange

import (
	"math"
	"slices"

	"remap/mapping"
)

// distances say what a byte between two ranks costs, by site: switches on the path, or prices
// (mapping.Distances) where the problem has them.
//
// Both directions count together: once where they are equally long, else as the sum of both, so
// that costs are then doubled. Few sites have a matrix. Fat trees use the lowest level at which two
// sites share a subtree. Other networks compute every answer, in O(rails x rails).
type distances struct {
	problem *mapping.Problem
	sites   *sites
	// prices is nil where distances are switches.
	prices *mapping.Distances
	// bothWays: distances are the sum of both directions.
	bothWays bool

	// matrix (length sites x sites) is symmetric; nil = none.
	matrix []int32
	// low (levels x sites) is the subtree of a site; nil = none.
	low [][]int32
	// other (length sites) is a host of the site that is not the sample; -1 = none.
	other []int32
	// least is a lower bound of a path between two hosts.
	least int64
}

// newDistances makes a matrix if there are at most `most` sites.
func newDistances(p *mapping.Problem, s *sites, most int) *distances {
	d := &distances{problem: p, sites: s, other: make([]int32, s.count())}
	for site := range d.other {
		d.other[site] = -1
		for _, slot := range s.at(int32(site)) {
			if s.host[slot] != s.sample[site] {
				d.other[site] = s.host[slot]
			}
		}
	}
	if p.LinkCost != nil {
		d.prices, _ = p.Distances() // Problem.Check has found its error before
	} else {
		d.bothWays = !mapping.SameBothWays(p.Machine)
		d.least = 1
	}
	n := s.count()
	if n > most {
		if t := p.Machine.Subtrees(); t != nil && d.prices == nil {
			d.low = bySite(t, p.Machine, s)
		}
		return d
	}
	d.fill(n)
	return d
}

// fill makes the matrix, unless some path costs too much for its entries.
func (d *distances) fill(n int) {
	d.matrix = make([]int32, n*n)
	least := int64(math.MaxInt64)
	for a := range n {
		for b := range a + 1 {
			cost := d.compute(int32(a), int32(b))
			if cost > math.MaxInt32 {
				d.matrix = nil
				return
			}
			if a != b || d.other[a] >= 0 {
				least = min(least, cost)
			}
			d.matrix[a*n+b], d.matrix[b*n+a] = int32(cost), int32(cost)
		}
	}
	if least < math.MaxInt64 {
		d.least = least
	}
}

// compute gets a distance from the topology or the prices. For two hosts of a site that has one
// host it returns `least`; that value is never used.
func (d *distances) compute(a, b int32) int64 {
	from, to := d.sites.sample[a], d.sites.sample[b]
	if a == b {
		if to = d.other[a]; to < 0 {
			return d.least
		}
	}
	switch {
	case d.prices != nil:
		return d.prices.Between(from, to)
	case d.bothWays:
		return int64(d.problem.Machine.PathLength(from, to)) + int64(d.problem.Machine.PathLength(to, from))
	}
	return int64(d.problem.Machine.PathLength(from, to))
}

// scale is the distance of one switch.
func (d *distances) scale() float64 {
	if d.prices != nil {
		return mapping.DistanceScale
	}
	return 1
}

// between is the cost of a byte between a host of site a and another host of site b.
func (d *distances) between(a, b int32) int64 {
	switch {
	case d.matrix != nil:
		return int64(d.matrix[int(a)*d.sites.count()+int(b)])
	case d.low != nil:
		length := int64(1)
		for _, low := range d.low {
			if low[a] == low[b] {
				break
			}
			length += 2
		}
		return length
	}
	return d.compute(a, b)
}

// row is the row of a site in the matrix, nil without one.
func (d *distances) row(site int32) []int32 {
	if d.matrix == nil {
		return nil
	}
	n := d.sites.count()
	return slices.Clip(d.matrix[int(site)*n : (int(site)+1)*n])
}
