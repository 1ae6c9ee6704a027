// Package robustness tells whether a mapping that was found in one model of the network is
// also the faster one in others: with other buffers, packets, routings, switching, steps,
// message sizes and background.
package robustness

import (
	"context"
	"fmt"
	"strings"

	"remap/evalsim"
	"remap/mapping"
	"remap/topology"
	"remap/workload"
)

// LeastRepeats are the least simulations of a mapping that give an interval.
const LeastRepeats = 6

// firstRepeat numbers the first repeat of a check. It is far above all that a search and its
// final validation use, so that the check has seeds of its own.
const firstRepeat = 1 << 24

// Check is what to simulate: mappings of a job under variants of the model.
type Check struct {
	// Topology is the network in which mappings are simulated.
	Topology *topology.Topology
	// Allocation has the slots of the mappings.
	Allocation *mapping.Allocation
	// Program is that of the job.
	Program *workload.Program
	// Others are the jobs beside it.
	Others []evalsim.Job
	// Options are those of the search, without sampling.
	Options evalsim.Options
	// Repeats are the simulations of each mapping under each variant, at least LeastRepeats.
	Repeats int
	// Workers is how many simulations run at a time.
	Workers int
	// Contenders are the mappings.
	Contenders Contenders
}

// Row is what one variant of the model tells about start, best static and best mapping.
type Row struct {
	// Variant is the name of the model.
	Variant string `json:"variant"`
	// StartNS, StaticNS and BestNS are the mappings' median times.
	StartNS  int64 `json:"start_ns"`
	StaticNS int64 `json:"static_ns"`
	BestNS   int64 `json:"best_ns"`
	// Against names the mapping that the best is compared with: static, or start where static is
	// the best.
	Against string `json:"against"`
	// Ratio is the median of the best's time over that mapping's, repeat by repeat; nil when that
	// takes no time.
	Ratio *float64 `json:"ratio"`
	// RatioLow and RatioHigh are the 95 % interval of Ratio.
	RatioLow  *float64 `json:"ratio_low"`
	RatioHigh *float64 `json:"ratio_high"`
	// Verdict is Wins, Level or Loses.
	Verdict string `json:"verdict"`
	// Others is the rate at which packets of endless jobs arrive, 1 = as searched; known where the
	// variant has half or twice the background.
	Others *float64 `json:"others,omitempty"`
}

// Report is what a check has found.
type Report struct {
	// Rows has the variants that were simulated, the model of the search first.
	Rows []Row
	// Skipped are the variants that cannot be simulated, such as buffers too large for the
	// network, each with the reason.
	Skipped []string
	// Done and Planned count variants. Done is less than Planned when the context ended.
	Done, Planned int
	against       int
}

// Simulations is how many simulations Run makes.
func (c *Check) Simulations() int {
	return len(c.variants()) * c.Repeats * c.Contenders.Different()
}

func (c *Check) variants() []Condition {
	return Conditions(c.Options, c.Topology.Routes, c.Program, c.Others)
}

// Run simulates the contenders under every variant and calls step after each simulation. When
// ctx ends, the report has the variants that were done by then.
func (c *Check) Run(ctx context.Context, step func()) *Report {
	variants := c.variants()
	report := &Report{Planned: len(variants), against: c.Contenders.against}
	usual := 0.0
	for i := range variants {
		row, rate, err := c.simulate(ctx, &variants[i], step)
		switch {
		case ctx.Err() != nil:
			return report
		case err != nil:
			report.Skipped = append(report.Skipped, fmt.Sprintf("model with %s: %v", variants[i].Name, err))
			report.Done++
			continue
		case i == 0:
			usual = rate
		case variants[i].Level && usual > 0 && rate > 0:
			relative := rate / usual
			row.Others = &relative
		}
		report.Rows = append(report.Rows, *row)
		report.Done++
	}
	return report
}

// simulate simulates the contenders under a variant; rate is that of endless jobs' packets
// beside the last of them.
func (c *Check) simulate(ctx context.Context, v *Condition, step func()) (row *Row, rate float64, err error) {
	jobs := append([]evalsim.Job{{Program: v.Program}}, v.Others...)
	hosts := make([][]int32, len(jobs))
	for i := range jobs {
		hosts[i] = jobs[i].Hosts
	}
	mappings := &c.Contenders.mappings
	hosts[0] = mappings[0].Hosts(c.Allocation)
	jobs[0].Hosts = hosts[0]
	simulation, err := evalsim.New(c.Topology, jobs, v.Options)
	if err != nil {
		return nil, 0, err
	}
	var times [3][]float64
	relative := 0.0 // error of the extrapolated times
	for i, m := range mappings {
		if same := c.Contenders.firstEqual(i); same < i {
			times[i] = times[same]
			continue
		}
		hosts[0] = m.Hosts(c.Allocation)
		placed, err := simulation.Place(hosts...)
		if err != nil {
			return nil, 0, err
		}
		results, err := placed.Repeat(ctx, firstRepeat, c.Repeats, c.Workers, step)
		if err != nil {
			return nil, 0, err
		}
		for _, r := range results {
			times[i] = append(times[i], r.Full[0])
			relative = r.FullError[0]
		}
		rate = endlessRate(jobs, results)
	}
	return c.Contenders.row(v.Name, &times, relative), rate, nil
}

// endlessRate is how many packets of endless jobs arrive in a ns, over all repeats.
func endlessRate(jobs []evalsim.Job, results []*evalsim.Result) float64 {
	packets, ns := int64(0), 0.0
	for _, r := range results {
		ns += r.Elapsed[0]
		for i := range jobs {
			if jobs[i].Endless {
				packets += r.Jobs[i].Packets
			}
		}
	}
	if ns == 0 {
		return 0
	}
	return float64(packets) / ns
}

// Sentence counts the verdicts of the variants, without the model of the search; empty where
// no other was simulated.
func (r *Report) Sentence() string {
	names := map[string][]string{}
	count := 0
	for i := range r.Rows {
		if row := &r.Rows[i]; row.Variant != AsSearched {
			count++
			names[row.Verdict] = append(names[row.Verdict], row.Variant)
		}
	}
	if count == 0 {
		return ""
	}
	opponent := "the best static one"
	if contenderNames[r.against] == "start" {
		opponent = "the start"
	}
	lost := "none"
	if len(names[Loses]) > 0 {
		lost = fmt.Sprintf("%d (%s)", len(names[Loses]), strings.Join(names[Loses], ", "))
	}
	return fmt.Sprintf("against %s, the best mapping wins in %d of %d variants of the model, is level in %d "+
		"and loses in %s", opponent, len(names[Wins]), count, len(names[Level]), lost)
}
