package strategy

import (
	"cmp"

	"remap/mapping"
)

// worth orders mappings: by the objective's cost and, of equals, by the length
// of paths. Link loads alone leave many mappings equal, wherever the link of the
// busiest rank's own host is the worst.
type worth struct {
	cost  float64
	paths int64 // 0 where the cost is that of paths
}

func worthOf(p *mapping.Problem, m mapping.Mapping) worth {
	w := worth{cost: p.Cost(m)}
	if p.Objective != mapping.PathLength {
		w.paths = p.PathCost(m)
	}
	return w
}

// less tells whether w is the better one.
func (w worth) less(other worth) bool {
	return cmp.Or(cmp.Compare(w.cost, other.cost), cmp.Compare(w.paths, other.paths)) < 0
}
