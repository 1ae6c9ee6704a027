package mapping

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"remap/commgraph"
	"remap/internal/input"
)

// Objective is what a strategy is asked to make small.
type Objective uint8

const (
	PathLength Objective = iota // bytes times the price of the path: switches on it where LinkCost is nil (hop-bytes, but for a constant)
	LinkLoad                    // the worst link's bytes over its rate (the congestion of Hoefler and Snir 2011)
	Mixed                       // the geometric mean of both, which needs no units to weigh them by
)

var objectiveNames = []string{"path-length", "link-load", "mixed"}

func (o Objective) String() string { return objectiveNames[o] }

// Objectives are the names of all objectives.
func Objectives() []string { return slices.Clone(objectiveNames) }

// ParseObjective reads the name of an objective. Errors are *input.Error.
func ParseObjective(name string) (Objective, error) {
	if at := slices.Index(objectiveNames, name); at >= 0 {
		return Objective(at), nil
	}
	return 0, &input.Error{Reason: fmt.Sprintf("unknown objective %q", name), Hint: "known: " + strings.Join(objectiveNames, ", ")}
}

// Cost is what the problem's objective makes of a mapping that passes Check,
// computed from nothing: less is better, and 0 is what no bytes cost. Only the
// order of two mappings' costs says anything, and twice the weights keep it.
func (p *Problem) Cost(m Mapping) float64 {
	switch p.Objective {
	case LinkLoad:
		return p.worstLink(m)
	case Mixed:
		return math.Sqrt(p.pathCost(m) * p.worstLink(m))
	}
	return p.pathCost(m)
}

func (p *Problem) pathCost(m Mapping) float64 {
	return float64(p.PathCost(m))
}

// worstLink is the longest time any link needs for its share of the bytes, at
// the rate that others leave.
func (p *Problem) worstLink(m Mapping) float64 {
	traffic, share := p.Traffic, 1.0
	if traffic == nil {
		g := p.Graph // the whole weight each way
		traffic, share = &commgraph.Traffic{Offsets: g.Offsets, Destinations: g.Neighbors, Bytes: g.Weights}, 0.5
	}
	worst := 0.0
	for l, seconds := range LinkLoads(p.Machine, p.Allocation, traffic, m) {
		if p.LinkFree != nil && seconds > 0 {
			seconds /= p.LinkFree[l]
		}
		worst = max(worst, seconds)
	}
	return worst * share
}
