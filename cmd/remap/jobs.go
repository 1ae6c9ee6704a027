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

// jobTimes is what one of several jobs has seen of a simulation.
type jobTimes struct {
	evalsim.JobSummary
	Ranks   int         `json:"ranks"`
	Endless bool        `json:"endless,omitempty"` // its time is that of its last arrival before the job was done
	Alone   *aloneTimes `json:"alone,omitempty"`   // with --alone; never of an endless job
}

// aloneTimes is the same job with the network to itself.
type aloneTimes struct {
	ElapsedNS            int64    `json:"elapsed_ns"`
	ElapsedNSLow         *int64   `json:"elapsed_ns_low"`
	ElapsedNSHigh        *int64   `json:"elapsed_ns_high"`
	CongestedHopFraction float64  `json:"congested_hop_fraction"`
	Slowdown             *float64 `json:"slowdown"` // median of together over alone, repeat by repeat; nil when it takes no time alone
	SlowdownLow          *float64 `json:"slowdown_low"`
	SlowdownHigh         *float64 `json:"slowdown_high"`
}

// timesOf are the jobs' own times; nil when there is one job only.
func timesOf(j *job.Job, results []*evalsim.Result) []jobTimes {
	if len(j.Background) == 0 || len(results) == 0 {
		return nil
	}
	names := []string{j.Name}
	for i := range j.Background {
		names = append(names, j.Background[i].Name)
	}
	var rows []jobTimes
	for i, s := range evalsim.SummarizeJobs(results, names...) {
		row := jobTimes{JobSummary: s, Ranks: j.Program.Ranks()}
		if i > 0 {
			row.Ranks, row.Endless = j.Background[i-1].Program.Ranks(), j.Background[i-1].Endless
		}
		rows = append(rows, row)
	}
	return rows
}

// addAlone simulates every job by itself, on the same hosts and seeds.
func (p *program) addAlone(ctx context.Context, j *remap.Model, m mapping.Mapping, o evalsim.Options, together []*evalsim.Result, rows []jobTimes) error {
	jobs := j.Jobs(m)
	meter := p.newMeter("simulating each job alone", p.repeats*len(jobs))
	defer meter.stop()
	o = remap.Unsampled(o)
	o.SliceLength, o.Latencies = 0, false // times are enough
	for i := range jobs {
		if jobs[i].Endless {
			continue
		}
		results, err := evalsim.Repeat(ctx, j.Machine, jobs[i:i+1], o, p.repeats, p.workers, meter.step)
		if err != nil {
			return err
		}
		s := evalsim.SummarizeJobs(results)[0]
		alone := &aloneTimes{ElapsedNS: s.ElapsedNS, ElapsedNSLow: s.ElapsedNSLow, ElapsedNSHigh: s.ElapsedNSHigh, CongestedHopFraction: s.CongestedHopFraction}
		alone.compare(i, together, results)
		rows[i].Alone = alone
	}
	return nil
}

// compare fills in how much slower job i is together than alone.
func (a *aloneTimes) compare(i int, together, alone []*evalsim.Result) {
	ratios := make([]float64, len(alone))
	for k := range alone {
		if alone[k].Full[0] <= 0 {
			return
		}
		ratios[k] = together[k].Full[i] / alone[k].Full[0]
	}
	median, low, high, known := evalsim.MedianInterval(ratios)
	a.Slowdown = &median
	if known {
		a.SlowdownLow, a.SlowdownHigh = &low, &high
	}
}

// jobsTable has a row for every job, the one of interest first.
func jobsTable(rows []jobTimes) grid {
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
		summary := evalsim.Summary{ElapsedNS: r.ElapsedNS, ElapsedNSLow: r.ElapsedNSLow, ElapsedNSHigh: r.ElapsedNSHigh, CongestedHopFraction: r.CongestedHopFraction}
		cells := append([]string{name, strconv.Itoa(r.Ranks)}, timeCells(&summary)...)
		if withAlone {
			cells = append(cells, r.Alone.cells()...)
		}
		g.add(cells...)
	}
	return g
}

func (a *aloneTimes) cells() []string {
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
func (p *program) sayEndsEarly(rows []jobTimes) {
	if p.Steps == 0 { // other jobs go on until all are steady
		return
	}
	for i := 1; i < len(rows); i++ {
		if rows[i].ElapsedNS < rows[0].ElapsedNS && !rows[i].Endless {
			p.hint("--background %s ends after %s us, before the job does (%s us): rounds=N makes it last longer, endless=true as long as the job",
				rows[i].Name, micro(rows[i].ElapsedNS), micro(rows[0].ElapsedNS))
		}
	}
}
