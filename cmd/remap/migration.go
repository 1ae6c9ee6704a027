package main

import (
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"remap"
	"remap/evalsim"
	"remap/feedback"
	"remap/job"
)

func (s *settings) migrationFlag() []cli.Flag {
	return []cli.Flag{
		&cli.Int64Flag{Name: "migration-bytes", Destination: &s.migration,
			Usage: "a rank that moves to another host takes `N` bytes of state along: tell how long that " +
				"takes, and after how many iterations it has paid; a cost, not a limit (that is --max-moves)"},
	}
}

// moveRow is a row of that table in JSON: the best mapping that moves few ranks,
// beside the previous one.
type moveRow struct {
	// LimitPercent is of the ranks; null = no limit but --max-moves: the mapping that is written.
	LimitPercent *float64 `json:"limit_percent"`
	LimitRanks   *int     `json:"limit_ranks"` // null = none
	MovedRanks   int      `json:"moved_ranks"`
	Strategy     string   `json:"strategy"`
	evalsim.Summary
	// gain is over the previous mapping, on fresh seeds; 0 where the row is that mapping, because
	// nothing is proven faster.
	gain
	MigrationNS *int64  `json:"migration_ns"` // null without --migration-bytes
	Iterations  *int64  `json:"iterations"`   // until it has paid; null without a proven gain
	rank        float64 // that one rank is of all, in per cent
}

// movesOf is the table as JSON; nil when it was not asked for or there was no time.
func movesOf(j *job.Job, found *feedback.Result, migration bool) []moveRow {
	var rows []moveRow
	ranks := j.Traffic.Ranks()
	for i := range found.MoveTable {
		l := &found.MoveTable[i]
		row := moveRow{MovedRanks: l.Moves, Strategy: l.Strategy, Summary: l.Summary,
			gain: newGain(l.Gain), rank: 100 / float64(ranks)}
		if row.Strategy == "start" {
			row.Strategy = j.StartName()
		}
		limit := l.Limit
		if limit > 0 {
			for _, percent := range remap.LimitPercents { // of two with as many ranks the first has it
				if row.LimitPercent == nil && int(percent*float64(ranks)/100) == limit {
					row.LimitPercent = &percent
				}
			}
		} else {
			limit = j.MaxMoves
		}
		if limit > 0 {
			row.LimitRanks = &limit
		}
		if migration {
			ns := int64(l.MigrationNS)
			row.MigrationNS = &ns
			if n := l.Iterations(); n > 0 {
				row.Iterations = &n
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// movesTable shows the rows to people; empty when nobody moves.
func movesTable(rows []moveRow) grid {
	if !someMove(rows) {
		return grid{}
	}
	g := grid{header: []string{"at most", "moved", "%", "elapsed us", "95 % interval", "gain %", "interval"}}
	costs := rows[0].MigrationNS != nil
	if costs {
		g.header = append(g.header, "migration us", "iterations")
	}
	for _, row := range rows {
		limit := "no limit"
		switch {
		case row.LimitPercent != nil:
			limit = fmt.Sprintf("%g %%", *row.LimitPercent)
		case row.LimitRanks != nil:
			limit = fmt.Sprintf("%d ranks", *row.LimitRanks)
		}
		times := timeCells(&row.Summary)
		cells := []string{limit, fmt.Sprint(row.MovedRanks),
			fmt.Sprintf("%.1f", float64(row.MovedRanks)*row.rank), times[0], times[1]}
		switch {
		case row.MovedRanks == 0:
			cells = append(cells, "none", "-")
		case row.GainLow == nil:
			cells = append(cells, fmt.Sprintf("%.1f", *row.GainPercent), "-")
		default:
			cells = append(cells, fmt.Sprintf("%.1f", *row.GainPercent),
				fmt.Sprintf("[%.1f, %.1f]", *row.GainLow, *row.GainHigh))
		}
		if costs {
			iterations := "-"
			if row.Iterations != nil {
				iterations = fmt.Sprint(*row.Iterations)
			}
			cells = append(cells, micro(*row.MigrationNS), iterations)
		}
		g.add(cells...)
	}
	return g
}

func someMove(rows []moveRow) bool {
	return slices.ContainsFunc(rows, func(row moveRow) bool { return row.MovedRanks > 0 })
}

// movesSentence says what the table is; empty without one.
func (p *program) movesSentence(rows []moveRow) string {
	switch {
	case !someMove(rows):
		return ""
	case p.migration == 0:
		return "gain over the running mapping by ranks moved: --max-moves N writes a mapping that moves at most " +
			"N; --migration-bytes N tells when moving has paid"
	}
	return fmt.Sprintf("gain over the running mapping by ranks moved (--max-moves N writes a mapping that "+
		"moves at most N); each rank that moves takes %d bytes\nalong, and after so many iterations of the "+
		"simulated traffic what they save has made up for that", p.migration)
}
