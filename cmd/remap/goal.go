package main

import (
	"fmt"
	"strings"

	"remap/mapping"
	"remap/rcm"
)

// goal is what a mapping is worth under --objective, for JSON: nothing where
// that is path length, which all mappings are told of.
type goal struct {
	Objective     string   `json:"objective,omitempty"`
	ObjectiveCost *float64 `json:"objective_cost,omitempty"`
	CostBefore    *float64 `json:"objective_cost_before,omitempty"`
}

// goal judges a mapping beside the start.
func (j *job) goal(m mapping.Mapping) goal {
	if j.objective == mapping.PathLength {
		return goal{}
	}
	problem := j.problem(0)
	before, after := problem.Cost(j.start()), problem.Cost(m)
	return goal{j.objective.String(), &after, &before}
}

// addTo appends a column to the summary of map: the objective's cost, that of
// the start as 1, since only ratios say anything.
func (g goal) addTo(summary *grid) {
	if g.Objective == "" {
		return
	}
	summary.header = append(summary.header, g.Objective+" ratio")
	after := "-"
	if *g.CostBefore > 0 {
		after = fmt.Sprintf("%.4f", *g.ObjectiveCost / *g.CostBefore)
	}
	for i, cell := range []string{"1.0000", after} {
		summary.rows[i] = append(summary.rows[i], cell)
	}
}

// banded is what a strategy that begins with rcm makes of the graph's matrix;
// nil for others.
func (j *job) banded(strategy string, m mapping.Mapping) *rcm.Measures {
	first, _, _ := strings.Cut(strategy, "+")
	if name, _, _ := strings.Cut(first, ":"); name != "rcm" {
		return nil
	}
	rankOn := make([]int32, j.allocation.SlotCount())
	for s := range rankOn {
		rankOn[s] = -1
	}
	for r, s := range m {
		rankOn[s] = int32(r)
	}
	order := make([]int32, 0, len(m))
	for _, r := range rankOn {
		if r >= 0 {
			order = append(order, r)
		}
	}
	measures := rcm.Measure(j.graph, order)
	return &measures
}

// bandSentence says it to people.
func bandSentence(b *rcm.Measures) string {
	if b == nil {
		return ""
	}
	return fmt.Sprintf("ranks in slot order: bandwidth %d (before %d), profile %d (before %d)", b.BandwidthAfter, b.BandwidthBefore, b.ProfileAfter, b.ProfileBefore)
}
