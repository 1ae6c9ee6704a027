package main

import (
	"context"
	"slices"

	"remap"
	"remap/evalsim"
	"remap/job"
	"remap/mapping"
	htmlreport "remap/report"
)

const simulateExamples = `
  remap simulate --topology torus:6x6x8 --pattern stencil3d7:6x6x8 --strategy tiling --repeats 12
  remap simulate --topology torus:4x4x4 --pattern stencil3d7:4x4x4 \
      --mapping job.csv --routing static --sampling --links links.csv
`

// simulation is the JSON of simulate.
type simulation struct {
	outcome
	Slices      int                      `json:"slices,omitempty"`   // of --links
	SliceNS     int64                    `json:"slice_ns,omitempty"` // length of all but the last
	Credits     string                   `json:"credits"`            // exact or newest
	Utilization evalsim.Utilization      `json:"utilization"`
	Latencies   []evalsim.LatencySummary `json:"latencies"` // by size class of the messages between hosts
	Timing      map[string]float64       `json:"timing,omitempty"`
}

// measure fills in what only simulate tells.
func (s *simulation) measure(j *remap.Environment, results []*evalsim.Result, o *evalsim.Options) {
	s.Utilization, s.Latencies = evalsim.Utilize(j.Machine, results), evalsim.SummarizeLatencies(results)
	for _, r := range results {
		s.Slices = max(s.Slices, len(r.Slices))
	}
	s.SliceNS, s.Credits = o.SliceLength.Nanoseconds(), results[0].Credits.String()
}

func (p *program) simulate(ctx context.Context) error {
	const forms = "--mapping FILE for a mapping of yours, --strategy NAME to make one"
	if (p.mapping == "") == (p.strategy == "") {
		return usage(forms, "exactly one of --mapping and --strategy is needed")
	}
	format, err := p.reportFormat()
	if err != nil {
		return err
	}
	if err := p.checkAlone(format); err != nil {
		return err
	}
	out, files, page, err := p.openSimulated()
	if err != nil {
		return err
	}
	options, err := p.SimulatorOptions.Options()
	if err != nil {
		return err
	}
	name, j, m, err := p.mappingToSimulate(ctx)
	if err != nil {
		return err
	}
	row := simulation{}
	if row.Costs, err = until(ctx, func() (mapping.Costs, error) { return j.Costs(name, m) }); err != nil {
		return err
	}
	jobs := j.Jobs(m)
	if err := p.measured(ctx, files, j, jobs, &options); err != nil {
		return err
	}
	results, err := p.play(ctx, files, j, jobs, options)
	if err != nil {
		return err
	}
	p.clock.lap("simulate")
	row.fill(j, results)
	row.measure(j, results, &options)
	if p.alone {
		if err := p.addAlone(ctx, j, m, options, results, row.Jobs); err != nil {
			return err
		}
		p.clock.lap("alone")
	}
	if err := p.writeMeasures(files, j, jobs, results, row.Latencies); err != nil {
		return err
	}
	if err := p.writePage(page, func() (*htmlreport.Page, error) {
		return row.page(p, j, results)
	}); err != nil {
		return err
	}
	row.Timing = p.timingFields()
	p.sayEndsEarly(row.Jobs)
	p.sayStopped(&options, results)
	return p.writeReport(out, format, row.report(j.Job, results))
}

// openSimulated checks the files that simulate writes: the table, what links and packets have seen, and
// the page.
func (p *program) openSimulated() (out *output, files *measures, page *output, err error) {
	if out, err = p.openOutput(p.output); err != nil {
		return nil, nil, nil, err
	}
	if files, err = p.openMeasures(out); err != nil {
		return nil, nil, nil, err
	}
	page, err = p.openPage(namedOutput{"output", out}, namedOutput{"links", files.links},
		namedOutput{"samples", files.samples}, namedOutput{"latencies", files.latencies})
	return out, files, page, err
}

// report has the row, and below it every job and what the times mean.
func (s *simulation) report(j *job.Job, results []*evalsim.Result) *report {
	r := report{value: s, more: []grid{jobsTable(s.Jobs)},
		under: lines(verdict(j, results), scaled(j), utilizationLine(&s.Utilization),
			creditsLine(results[0].Credits)),
		csvHeader: slices.Concat(staticNames, timeNames), csvRows: [][]string{s.fields()}}
	r.table.header = simulatedHeader("mapping")
	r.table.add(s.cells()...)
	return &r
}

// checkAlone tests that --alone has somebody to be without, and a format that
// can tell.
func (p *program) checkAlone(format string) error {
	switch {
	case p.alone && len(p.background.Value()) == 0:
		return usage(job.BackgroundHint, "--alone goes with --background")
	case p.alone && format == "csv":
		p.hint("--alone: CSV has the job of interest together with the others; --json and " +
			"--format text have every job and its slowdown")
	}
	return nil
}

// mappingToSimulate reads --mapping or follows --strategy.
func (p *program) mappingToSimulate(ctx context.Context) (string, *remap.Environment, mapping.Mapping,
	error) {
	if p.mapping != "" {
		j, err := p.loadSimulated()
		if err != nil {
			return "", nil, nil, err
		}
		m, err := j.ReadMapping(p.mapping)
		if err != nil {
			return "", nil, nil, inOption("mapping", err)
		}
		return p.mapping, j, m, nil
	}
	chosen, err := p.chosenStrategy()
	if err != nil {
		return "", nil, nil, err
	}
	j, err := p.loadSimulated()
	if err != nil {
		return "", nil, nil, err
	}
	spinner := p.newMeter("mapping", 0)
	m, err := chosen.Map(ctx, j.Problem(p.Seed))
	spinner.stop()
	if err != nil {
		return "", nil, nil, inStrategy(chosen.Name, err)
	}
	p.clock.lap("map")
	return chosen.Name, j, m, nil
}

func simulatedHeader(first string) []string {
	return append(append([]string{first}, staticHeader...), timeHeader...)
}

// cells are a row for people: link load and time, both of the full volume.
func (s *outcome) cells() []string {
	return append(append([]string{s.Strategy}, staticCells(&s.Costs)...), timeCells(&s.Summary)...)
}
