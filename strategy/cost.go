package strategy

import (
	"cmp"

	"remap/mapping"
)

// lexicographicCost orders mappings: by the objective's cost and, of equals, by the length
// of paths. Link loads alone leave many mappings equal, wherever the link of the
// busiest rank's own host is the worst.
type lexicographicCost struct {
	cost  float64
	paths int64 // 0 where the cost is that of paths
}

func costOf(p *mapping.Problem, m mapping.Mapping) lexicographicCost {
	w := lexicographicCost{cost: p.Cost(m)}
	if p.Objective != mapping.PathLength {
		w.paths = p.PathCost(m)
	}
	return w
}

// less tells whether w is the better one.
func (w lexicographicCost) less(other lexicographicCost) bool {
	return cmp.Or(cmp.Compare(w.cost, other.cost), cmp.Compare(w.paths, other.paths)) < 0
}
