package main

import (
	"context"
	"fmt"
	"strconv"

	"remap"
	"remap/evalsim"
	"remap/job"
	"remap/mapping"
)

// addAlone simulates every job by itself, on the same hosts and seeds.
func (p *program) addAlone(ctx context.Context, j *remap.Environment, m mapping.Mapping, o evalsim.Options,
	together []*evalsim.Result, rows []job.Times) error {
	meter := p.newMeter("simulating each job alone", p.repeats*len(j.Jobs(m)))
	defer meter.stop()
	o = o.Unsampled()
	o.SliceLength, o.Latencies = 0, false // times are enough
	return j.AddAlone(ctx, m, o, together, p.workers, rows, meter.step)
}

// jobsTable has a row for every job, the one of interest first.
func jobsTable(rows []job.Times) grid {
	if len(rows) == 0 {
		return grid{}
	}
	g := grid{header: append([]string{"job", "ranks"}, timeHeader...)}
	withAlone := rows[0].Alone != nil
	if withAlone {
		g.header = append(g.header, "alone us", "alone congested %", "slowdown [95 %]")
	}
	for i := range rows {
		r := &rows[i]
		name := r.Name
		if i > 0 {
			name = "background: " + name
		}
		summary := evalsim.Summary{ElapsedNS: r.ElapsedNS, ElapsedNSLow: r.ElapsedNSLow,
			ElapsedNSHigh: r.ElapsedNSHigh, CongestedHopFraction: r.CongestedHopFraction}
		cells := append([]string{name, strconv.Itoa(r.Ranks)}, timeCells(&summary)...)
		if withAlone {
			cells = append(cells, aloneCells(r.Alone)...)
		}
		g.add(cells...)
	}
	return g
}

func aloneCells(a *job.AloneTimes) []string {
	if a == nil {
		return []string{"endless", "", ""}
	}
	slowdown := ratioCell(a.Slowdown)
	if a.SlowdownLow != nil && a.SlowdownHigh != nil {
		slowdown += fmt.Sprintf(" [%.3f, %.3f]", *a.SlowdownLow, *a.SlowdownHigh)
	}
	return []string{micro(a.ElapsedNS), fmt.Sprintf("%.3f", 100*a.CongestedHopFraction), slowdown}
}

// sayEndsEarly tells of background jobs that end before the job of interest.
func (p *program) sayEndsEarly(rows []job.Times) {
	if p.Steps == 0 { // other jobs go on until all are steady
		return
	}
	for i := 1; i < len(rows); i++ {
		if rows[i].ElapsedNS < rows[0].ElapsedNS && !rows[i].Endless {
			p.hint("--background %s ends after %s us, before the job does (%s us): rounds=N makes it last longer, "+
				"endless=true as long as the job", rows[i].Name, micro(rows[i].ElapsedNS), micro(rows[0].ElapsedNS))
		}
	}
}
