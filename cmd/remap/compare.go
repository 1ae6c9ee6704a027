package main

import (
	"context"
	"slices"

	"golang.org/x/sync/errgroup"

	"remap"
	"remap/evalsim"
	"remap/job"
	"remap/linkview"
	"remap/mapping"
	htmlreport "remap/report"
	"remap/strategy"
)

const compareDefault = "identity,random,rcm,bisection,multisection,kl,tiling"

const compareExamples = `
  remap compare --topology tapered --pattern stencil2d:64x72
  remap compare --topology torus:4x4x4 --pattern stencil3d7:4x4x4 \
      --strategies identity,rcm+kl,tiling,swap --objective link-load \
      --format markdown
`

// comparisonRow is a row of compare.
type comparisonRow struct {
	outcome
	Ratio *float64       `json:"ratio"` // of elapsed_ns to the first row's; nil when that took no time
	seen  *linkview.View // what links saw of it; nil without --report
}

// comparison is the JSON of compare.
type comparison struct {
	Rows []comparisonRow `json:"rows"`
	job.HostBound
	VolumeScale float64            `json:"volume_scale"`
	Skipped     []skippedStrategy  `json:"skipped,omitempty"`
	Warnings    []string           `json:"warnings,omitempty"` // pairs of rows, see unsettled
	Timing      map[string]float64 `json:"timing,omitempty"`
}

// skippedStrategy is a strategy that cannot map this job.
type skippedStrategy struct {
	Strategy string `json:"strategy"`
	Reason   string `json:"reason"`
}

func (p *program) compare(ctx context.Context) error {
	format, err := p.reportFormat()
	if err != nil {
		return err
	}
	out, err := p.openOutput(p.output)
	if err != nil {
		return err
	}
	page, err := p.openPage(namedOutput{"output", out})
	if err != nil {
		return err
	}
	j, strategies, options, err := p.loadToCompare()
	if err != nil {
		return err
	}
	result, err := p.rows(ctx, j, strategies, options)
	if err != nil {
		return err
	}
	if err := p.writePage(page, func() (*htmlreport.Page, error) { return result.page(p, j) }); err != nil {
		return err
	}
	result.Timing = p.timingFields()
	p.sayUnsettled(result.Warnings)
	return p.writeReport(out, format, result.report(j))
}

// loadToCompare is what compare and optimize begin with: cheap checks of the
// command line first, then the job.
func (p *program) loadToCompare() (j *remap.Environment, strategies []mapping.Strategy, o evalsim.Options,
	err error) {
	if o, err = p.SimulatorOptions.Options(); err != nil {
		return nil, nil, o, err
	}
	if strategies, err = strategy.ParseList(p.strategies); err != nil {
		return nil, nil, o, inOption("strategies", err)
	}
	j, err = p.loadSimulated()
	return j, strategies, o, err
}

// rows maps by every strategy, several at a time, then simulates one mapping
// after the other, repeats at a time.
func (p *program) rows(ctx context.Context, j *remap.Environment, strategies []mapping.Strategy,
	o evalsim.Options) (*comparison, error) {
	mappings, reasons := make([]mapping.Mapping, len(strategies)), make([]error, len(strategies))
	spinner := p.newMeter("mapping", 0)
	var group errgroup.Group
	group.SetLimit(p.workers)
	for i, s := range strategies {
		group.Go(func() error {
			mappings[i], reasons[i] = s.Map(ctx, j.Problem(p.Seed))
			return nil
		})
	}
	group.Wait()
	spinner.stop()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p.clock.lap("map")
	if !slices.Contains(reasons, nil) {
		return nil, inStrategy(strategies[0].Name, reasons[0])
	}
	result := &comparison{VolumeScale: j.Program.VolumeScale, HostBound: j.HostBound()}
	meter := p.newMeter("simulating", p.repeats*len(strategies))
	defer meter.stop()
	for i, s := range strategies {
		if reasons[i] != nil {
			result.Skipped = append(result.Skipped, skippedStrategy{s.Name, reasons[i].Error()})
			p.saySkipped(s.Name + ": " + reasons[i].Error())
			continue
		}
		row, err := p.row(ctx, j, s.Name, mappings[i], o, meter)
		if err != nil {
			return nil, err
		}
		result.Rows = append(result.Rows, row)
	}
	p.clock.lap("simulate")
	var rows []*outcome
	for i := range result.Rows {
		result.Rows[i].Ratio = ratio(result.Rows[i].ElapsedNS, result.Rows[0].ElapsedNS)
		rows = append(rows, &result.Rows[i].outcome)
		result.HostBound = result.Unless(result.Rows[i].ElapsedNS)
	}
	result.Warnings = unsettled(rows)
	return result, nil
}

func (p *program) row(ctx context.Context, j *remap.Environment, name string, m mapping.Mapping,
	o evalsim.Options, meter *meter) (comparisonRow, error) {
	var row comparisonRow
	var err error
	if row.Costs, err = until(ctx, func() (mapping.Costs, error) { return j.Costs(name, m) }); err != nil {
		return row, err
	}
	results, err := evalsim.Repeat(ctx, j.Machine, j.Jobs(m), o, p.repeats, p.workers, meter.step)
	if err != nil {
		return row, err
	}
	row.fill(j, results)
	if p.page != "" {
		row.seen = exactView(j.Machine, results)
	}
	return row, nil
}

// report has the rows, and below them what the times mean.
func (c *comparison) report(j *remap.Environment) *report {
	r := &report{value: c, table: grid{header: append(simulatedHeader("strategy"), "ratio")},
		csvHeader: slices.Concat(staticNames, timeNames, []string{"ratio"})}
	best := c.Rows[0].ElapsedNS
	for i := range c.Rows {
		row := &c.Rows[i]
		best = min(best, row.ElapsedNS)
		r.table.add(append(row.cells(), ratioCell(row.Ratio))...)
		digits := ""
		if row.Ratio != nil {
			digits = number(*row.Ratio)
		}
		r.csvRows = append(r.csvRows, append(row.fields(), digits))
	}
	r.under = lines(beside(j.Job), scaled(j.Job), hostBoundSentence(c.HostBound, best))
	return r
}
