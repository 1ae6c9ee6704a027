package main

import (
	"fmt"
	"strings"

	"remap/job"
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

// goalOf evaluates a mapping beside the start.
func goalOf(j *job.Job, m mapping.Mapping) goal {
	if j.Objective == mapping.PathLength {
		return goal{}
	}
	problem := j.Problem(0)
	before, after := problem.Cost(j.Start()), problem.Cost(m)
	return goal{j.Objective.String(), &after, &before}
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
func banded(j *job.Job, strategy string, m mapping.Mapping) *rcm.Measures {
	first, _, _ := strings.Cut(strategy, "+")
	if name, _, _ := strings.Cut(first, ":"); name != "rcm" {
		return nil
	}
	measures := j.Band(m)
	return &measures
}

// bandSentence says it to people.
func bandSentence(b *rcm.Measures) string {
	if b == nil {
		return ""
	}
	return fmt.Sprintf("ranks in slot order: bandwidth %d (before %d), profile %d (before %d)",
		b.BandwidthAfter, b.BandwidthBefore, b.ProfileAfter, b.ProfileBefore)
}
