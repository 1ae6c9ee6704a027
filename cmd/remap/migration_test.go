package main

import (
	"slices"
	"strings"
	"testing"

	"remap"
	"remap/feedback"
	"remap/job"
	"remap/mapping"
	"remap/workload"
)

// Limits ascend, allow at least one rank and at most their share, and none stands
// twice.
func TestLimitsOf(t *testing.T) {
	for ranks, want := range map[int][]int{0: {}, 1: {}, 4: {}, 5: {1}, 19: {3}, 20: {1, 4}, 100: {1, 5, 20},
		4608: {46, 230, 921}} {
		if got := remap.MoveLimits(ranks); !slices.Equal(got, want) {
			t.Errorf("%d ranks: %v, want %v", ranks, got, want)
		}
	}
	for ranks := range 1000 {
		for i, limit := range remap.MoveLimits(ranks) {
			if limit < 1 || 5*limit > ranks || i > 0 && limit <= remap.MoveLimits(ranks)[i-1] {
				t.Fatalf("%d ranks: %v", ranks, remap.MoveLimits(ranks))
			}
		}
	}
}

// A row without a proven gain has no iterations, one that moves nobody no gain;
// without --migration-bytes there is neither column nor number.
func TestMovesTable(t *testing.T) {
	program, err := workload.ParsePattern("uniform:100")
	if err != nil {
		t.Fatal(err)
	}
	j := &job.Job{MaxMoves: 50}
	if j.Traffic, err = program.Traffic(); err != nil {
		t.Fatal(err)
	}
	proven := feedback.Gain{Percent: 20, Low: 10, High: 30, Known: true}
	found := &feedback.Result{MoveTable: []feedback.MoveRow{
		{Candidate: feedback.Candidate{Strategy: "start", Mapping: mapping.Identity(100)}, Limit: 5,
			Gain: feedback.Gain{Known: true}},
		{Candidate: feedback.Candidate{Strategy: "swap"}, Limit: 20, Moves: 18, Gain: proven, SavedNS: 30,
			MigrationNS: 100},
		{Candidate: feedback.Candidate{Strategy: "swap"}, Moves: 40, Gain: feedback.Gain{Percent: 1},
			SavedNS: 1, MigrationNS: 100},
	}}
	rows := movesOf(j, found, true)
	if rows[0].Strategy != "identity" || *rows[0].LimitPercent != 5 || *rows[0].LimitRanks != 5 ||
		rows[0].Iterations != nil || *rows[0].MigrationNS != 0 {
		t.Errorf("nobody moves: %+v", rows[0])
	}
	if *rows[1].LimitPercent != 20 || *rows[1].Iterations != 4 || *rows[1].GainLow != 10 {
		t.Errorf("18 move: %+v", rows[1])
	}
	if rows[2].LimitPercent != nil || *rows[2].LimitRanks != 50 || rows[2].Iterations != nil ||
		rows[2].GainLow != nil {
		t.Errorf("no limit but --max-moves: %+v", rows[2])
	}
	for migration, columns := range map[bool]int{true: 9, false: 7} {
		g := movesTable(movesOf(j, found, migration))
		for _, row := range g.rows {
			if len(row) != columns || len(g.header) != columns {
				t.Errorf("migration %v: %d columns, %d cells", migration, len(g.header), len(row))
			}
		}
		var text strings.Builder
		if err := g.render(&text, "text"); err != nil ||
			strings.Contains(text.String(), "iterations") != migration ||
			!strings.Contains(text.String(), "50 ranks") {
			t.Errorf("migration %v: %s", migration, &text)
		}
	}
}
