package main

import (
	"cmp"
	"context"
	"errors"
	"io"
	"strings"

	"remap"
	"remap/geometric"
	"remap/job"
	"remap/mapping"
	"remap/rcm"
	"remap/strategy"
	"remap/tiling"
)

const mapExamples = `
  remap map --topology torus:4x4x4 --pattern stencil3d7:4x4x4 --strategy rcm+kl --output job.csv
  remap map --topology torus:4x4x4 --pattern stencil3d7:4x4x4 \
      --strategy best --previous job.csv --objective link-load \
      --fixed 0=n0:0,5=n9:0 --max-moves 20 --format openmpi-rankfile \
      --output job.rankfile
`

const evaluateExamples = `
  remap evaluate --topology torus:4x4x4 --pattern stencil3d7:4x4x4 --mapping job.csv
  remap evaluate --topology torus:4x4x4 --pattern ring:64,rounds=3 --mapping job.csv --json
`

// staticResult is the JSON of map and evaluate.
type staticResult struct {
	mapping.Costs
	goal
	*rcm.Measures
	job.PathBound
	Timing map[string]float64 `json:"timing,omitempty"`
}

func (p *program) mapOnce(ctx context.Context) error {
	out, err := p.openMappingOutput()
	if err != nil {
		return err
	}
	chosen, err := p.chosenStrategy()
	if err != nil {
		return err
	}
	j, err := until(ctx, p.load)
	if err != nil {
		return err
	}
	if err := out.checkHosts(j.Job); err != nil {
		return inOption("format", err)
	}
	spinner := p.newMeter("mapping", 0)
	m, err := until(ctx, func() (mapping.Mapping, error) { return chosen.Map(ctx, j.Problem(p.Seed)) })
	spinner.stop()
	if err != nil {
		return inStrategy(chosen.Name, err)
	}
	p.clock.lap("map")
	costs, err := until(ctx, func() (mapping.Costs, error) { return j.Costs(chosen.Name, m) })
	if err != nil {
		return err
	}
	before, err := until(ctx, func() (mapping.Costs, error) { return j.Costs(j.StartName(), j.Start()) })
	if err != nil {
		return err
	}
	goal, err := until(ctx, func() (goal, error) { return goalOf(j.Job, m), nil })
	if err != nil {
		return err
	}
	band, bound := banded(j.Job, chosen.Name, m), j.PathBound()
	p.clock.lap("bound")
	if err := p.writeMapping(out, j.Job, m); err != nil {
		return err
	}
	if p.json {
		return p.writeJSON(staticResult{costs, goal, band, bound, p.timingFields()})
	}
	summary := grid{header: append([]string{"strategy"}, staticHeader...)}
	summary.add(append([]string{"before: " + before.Strategy}, staticCells(&before)...)...)
	summary.add(append([]string{"after: " + costs.Strategy}, staticCells(&costs)...)...)
	goal.addTo(&summary)
	return p.writeSummary(out.output, &report{table: summary,
		under: lines(bandSentence(band), pathBoundSentence(bound, costs.AvgPathLength))})
}

// until does work that takes no interrupt, such as the costs of a large job,
// which can take seconds. An interrupt leaves it behind: the process ends, and
// nothing that the work does is seen outside.
func until[T any](ctx context.Context, work func() (T, error)) (result T, err error) {
	done := make(chan struct{})
	var found T
	var failed error
	go func() {
		defer close(done)
		defer func() {
			if what := recover(); what != nil {
				failed = defect(what)
			}
		}()
		found, failed = work()
	}()
	select {
	case <-done:
		return found, cmp.Or(failed, ctx.Err())
	case <-ctx.Done():
		return result, ctx.Err()
	}
}

func (p *program) evaluate(ctx context.Context) error {
	format, err := p.reportFormat()
	if err != nil {
		return err
	}
	out, err := p.openOutput(p.output)
	if err != nil {
		return err
	}
	if p.mapping == "" {
		return usage("remap map --output FILE writes one", "--mapping is missing")
	}
	j, err := until(ctx, p.load)
	if err != nil {
		return err
	}
	m, err := j.ReadMapping(p.mapping)
	if err != nil {
		return inOption("mapping", err)
	}
	costs, err := until(ctx, func() (mapping.Costs, error) { return j.Costs(p.mapping, m) })
	if err != nil {
		return err
	}
	bound := j.PathBound()
	p.clock.lap("bound")
	r := report{value: staticResult{Costs: costs, PathBound: bound, Timing: p.timingFields()},
		csvHeader: staticNames, csvRows: [][]string{staticFields(&costs)},
		under: pathBoundSentence(bound, costs.AvgPathLength)}
	r.table.header = append([]string{"mapping"}, staticHeader...)
	r.table.add(append([]string{costs.Strategy}, staticCells(&costs)...)...)
	return p.writeReport(out, format, &r)
}

// chosenStrategy is --strategy.
func (p *program) chosenStrategy() (mapping.Strategy, error) {
	if p.strategy == "" {
		return mapping.Strategy{}, usage("strategies: "+strategyNames(), "--strategy is missing")
	}
	s, err := strategy.Parse(p.strategy)
	if err != nil {
		return s, inOption("strategy", err)
	}
	return s, nil
}

// inStrategy says which strategy could not do its work.
func inStrategy(name string, err error) error {
	hint := hintOf(err)
	var many *mapping.TooManyMoves
	switch {
	case errors.Is(err, tiling.ErrNoGrid):
		hint = gridHint
	case errors.As(err, &many):
		hint = remap.MovesHint
	}
	return fail(hint, "strategy %s: %w", name, err)
}

const gridHint = "--grid AxB says the ranks' process grid"

// saySkipped tells of a strategy that cannot map the job, as NAME: REASON,
// unless the user did not ask for it: tiling is tried by default wherever it
// applies.
func (p *program) saySkipped(reason string) {
	if !p.chosen && strings.HasPrefix(reason, "tiling: ") {
		return
	}
	p.say("skipped: strategy %s", reason)
	switch {
	case strings.Contains(reason, tiling.ErrNoGrid.Error()):
		p.hint("%s", gridHint)
	case strings.Contains(reason, geometric.ErrNoCoordinates.Error()):
		p.hint("%s", hintOf(geometric.ErrNoCoordinates))
	}
}

func strategyNames() string {
	names := ""
	for i, s := range strategy.Table() {
		if i > 0 {
			names += ", "
		}
		names += s.Name
	}
	return names
}

// writeSummary shows people a table: on stdout when the mapping went to a
// file, else on stderr beside it.
func (p *program) writeSummary(out *output, summary *report) error {
	defer p.sayTiming()
	if out.toFile() {
		stdout := &output{stdout: p.stdout}
		return stdout.write(func(w io.Writer) error { return summary.write(w, "text", terminalWidth(p.stdout)) })
	}
	if p.quiet {
		return nil
	}
	return summary.write(p.stderr, "text", terminalWidth(p.stderr))
}
