package job

import (
	"context"

	"remap/evalsim"
	"remap/mapping"
)

// Times is what one of several jobs has seen of a simulation.
type Times struct {
	evalsim.JobSummary
	// Ranks is the number of ranks.
	Ranks int `json:"ranks"`
	// Endless: the time is that of the last arrival before the mapped job was done.
	Endless bool `json:"endless,omitempty"`
	// Alone is the same job with the network to itself; nil = not simulated, as of endless jobs.
	Alone *AloneTimes `json:"alone,omitempty"`
}

// AloneTimes is what a job has seen with the network to itself.
type AloneTimes struct {
	// ElapsedNS is the median over repeats, with its 95 % interval.
	ElapsedNS     int64  `json:"elapsed_ns"`
	ElapsedNSLow  *int64 `json:"elapsed_ns_low"`
	ElapsedNSHigh *int64 `json:"elapsed_ns_high"`
	// CongestedHopFraction is the share of packet-hops through congested ports.
	CongestedHopFraction float64 `json:"congested_hop_fraction"`
	// Slowdown is the median of the time together over the time alone, repeat by repeat, with its
	// 95 % interval; nil when the job takes no time alone.
	Slowdown     *float64 `json:"slowdown"`
	SlowdownLow  *float64 `json:"slowdown_low"`
	SlowdownHigh *float64 `json:"slowdown_high"`
}

// Times are the jobs' own times, the mapped job first; nil when there is one job only.
func (j *Job) Times(results []*evalsim.Result) []Times {
	if len(j.Background) == 0 || len(results) == 0 {
		return nil
	}
	names := []string{j.Name}
	for i := range j.Background {
		names = append(names, j.Background[i].Name)
	}
	var rows []Times
	for i, s := range evalsim.SummarizeJobs(results, names...) {
		row := Times{JobSummary: s, Ranks: j.Program.Ranks()}
		if i > 0 {
			row.Ranks, row.Endless = j.Background[i-1].Program.Ranks(), j.Background[i-1].Endless
		}
		rows = append(rows, row)
	}
	return rows
}

// AddAlone simulates every job that ends by itself, on the same hosts and seeds, as often as there
// are results together, and adds that to rows; step is called after each simulation.
func (j *Job) AddAlone(ctx context.Context, m mapping.Mapping, o evalsim.Options, together []*evalsim.Result,
	workers int, rows []Times, step func()) error {
	jobs := j.Jobs(m)
	for i := range jobs {
		if jobs[i].Endless {
			continue
		}
		results, err := evalsim.Repeat(ctx, j.Machine, jobs[i:i+1], o, len(together), workers, step)
		if err != nil {
			return err
		}
		s := evalsim.SummarizeJobs(results)[0]
		rows[i].Alone = &AloneTimes{ElapsedNS: s.ElapsedNS, ElapsedNSLow: s.ElapsedNSLow,
			ElapsedNSHigh: s.ElapsedNSHigh, CongestedHopFraction: s.CongestedHopFraction}
		rows[i].Alone.compare(i, together, results)
	}
	return nil
}

// compare fills in how much slower job i is together than alone.
func (a *AloneTimes) compare(i int, together, alone []*evalsim.Result) {
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
