package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"remap"
	"remap/evalsim"
	"remap/feedback"
	"remap/mapping"
	htmlreport "remap/report"
	"remap/robustness"
	"remap/sampling"
	"remap/strategy"
	"remap/tiling"
)

const optimizeExamples = `
  remap optimize --topology torus:4x4x4 --pattern uniform:64 --format openmpi-rankfile --output best.rankfile
  remap optimize --topology torus:4x4x4 --pattern stencil3d7:8x4x2 \
      --strategies kl,tiling --objective mixed --max-moves 32 \
      --migration-bytes 1000000 --fixed 0=n0 --output best.csv
`

// searchResult is the JSON of optimize.
type searchResult struct {
	Start outcome `json:"start"`
	// Static is the best mapping without feedback, Restarts the best of as many random restarts.
	Static   outcome  `json:"static"`
	Best     outcome  `json:"best"`
	Restarts *outcome `json:"restarts,omitempty"`
	// Rounds has the best mapping of each round.
	Rounds []roundResult `json:"rounds"`
	gain
	// Selection is the gain of restarts over static, Beyond that of what feedback found over restarts.
	Selection *gain `json:"selection,omitempty"`
	Beyond    *gain `json:"feedback,omitempty"`
	// View is how the search read links: counters, or samples and their variant.
	View    string `json:"view"`
	Bound   string `json:"bound,omitempty"`
	BoundNS int64  `json:"bound_ns,omitempty"`
	// Simulations counts the mappings that the search simulated, Restarted those of random restarts
	// beside the static ones.
	Simulations        int    `json:"simulations"`
	RestartSimulations int    `json:"restart_simulations,omitempty"`
	Stopped            string `json:"stopped"`
	Interrupted        bool   `json:"interrupted"`
	// Fresh: start, static and best were evaluated on seeds that the search did not use.
	Fresh       bool                      `json:"fresh"`
	Skipped     []string                  `json:"skipped,omitempty"`
	Measured    *remap.MeasurementSummary `json:"measured,omitempty"`
	VolumeScale float64                   `json:"volume_scale"`
	// Warnings are pairs of rows, see unsettled.
	Warnings   []string           `json:"warnings,omitempty"`
	Moves      []moveRow          `json:"moves,omitempty"`
	CheckModel []robustness.Row   `json:"check_model,omitempty"`
	Timing     map[string]float64 `json:"timing,omitempty"`
}

// roundResult is the best mapping of one round, on the seeds of the search; start,
// static and best are evaluated on others.
type roundResult struct {
	Round int `json:"round"`
	outcome
	// Dropped: the mapping was evaluated by the first repeats only.
	Dropped bool `json:"dropped,omitempty"`
}

func (p *program) optimize(ctx context.Context) error {
	out, err := p.openMappingOutput()
	if err != nil {
		return err
	}
	if err := out.keepable(); err != nil {
		return err
	}
	page, err := p.openPage(namedOutput{"output", out.output})
	if err != nil {
		return err
	}
	j, strategies, options, err := p.loadToCompare()
	if err != nil {
		return err
	}
	if err := out.checkHosts(j.Job); err != nil {
		return inOption("format", err)
	}
	p.sampleByDefault(&options)
	found, err := p.search(ctx, j, strategies, options)
	if err != nil {
		return err
	}
	p.clock.lap("optimize")
	if err := p.writeMapping(out, j.Job, found.Best.Mapping); err != nil {
		return err
	}
	result, err := newSearchResult(j, found)
	if err != nil {
		return err
	}
	result.View = viewName(options.Sampling)
	result.Moves = movesOf(j.Job, found, p.migration > 0)
	result.Warnings = result.unsettled()
	p.sayUnsettled(result.Warnings)
	p.sayEnd(ctx, out.output, result)
	defer p.sayBest(found, result, options.Sampling)
	check := p.checkModel(ctx, j, options, found, result)
	failed := p.writePage(page, func() (*htmlreport.Page, error) {
		return result.page(ctx, p, j, options, found, check)
	})
	if err := p.showSearch(out.output, j, result, check); err != nil {
		return err
	}
	return failed
}

// showSearch prints what was found.
func (p *program) showSearch(out *output, j *remap.Environment, result *searchResult,
	check *modelCheck) error {
	if p.json {
		result.Timing = p.timingFields()
		return p.writeJSON(result)
	}
	return p.writeSummary(out, &report{table: *result.table(),
		more:  []grid{movesTable(result.Moves), check.table()},
		under: lines(p.movesSentence(result.Moves), check.under(), beside(j.Job), scaled(j.Job))})
}

// sayBest tells what the result is worth: whether it is new, whether it is a
// gain, and how far from what its links need.
func (p *program) sayBest(found *feedback.Result, result *searchResult, view sampling.Variant) {
	if slices.Equal(found.Best.Mapping, found.Start.Mapping) {
		p.say("no better mapping than the start was found")
	}
	if found.Fresh {
		p.say("%s", result.gain.sentence(found))
		if learned(found) {
			p.say("intervals are of these mappings: a search with another --seed ends with others, often " +
				"farther apart than that")
		}
	}
	if measured := len(p.measuredFiles.Value()) > 0; learned(found) && (view.Kind != sampling.Off || !measured) {
		p.say("%s", viewSentence(view))
	}
	if text := boundSentence(found.Bound, result.Best.ElapsedNS); text != "" {
		p.say("%s", text)
	}
}

// sayEnd tells why the loop ended.
func (p *program) sayEnd(ctx context.Context, out *output, result *searchResult) {
	switch {
	case !result.Interrupted:
		p.say("stopped after %d simulated mappings: %s", result.Simulations, result.Stopped)
	case ctx.Err() == nil:
		result.Stopped = "the budget is used up"
		p.say("stopped after %d simulated mappings: %s", result.Simulations, result.Stopped)
	case p.json && !out.toFile():
		p.say("interrupted: best so far after %d simulated mappings", result.Simulations)
	default:
		p.say("interrupted: best so far after %d simulated mappings written", result.Simulations)
	}
	if result.Interrupted && p.state != "" {
		again := ""
		if out.toFile() {
			again = ", with --force to replace " + out.path
		}
		p.say("the same command goes on from here%s", again)
	}
	if !result.Fresh {
		p.say("the times are those of the search itself, and no gain is told: there was no time to evaluate " +
			"again on fresh seeds")
	}
}

// search runs the loop under the budget.
func (p *program) search(ctx context.Context, j *remap.Environment, strategies []mapping.Strategy,
	o evalsim.Options) (found *feedback.Result, err error) {
	if p.budget > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, p.budget)
		defer cancel()
	}
	s, err := p.loop(ctx, j, strategies, o)
	if err != nil {
		return nil, err
	}
	if s.Journal, s.OnBest, err = p.openState(j); err != nil {
		return nil, err
	}
	if s.Journal != nil {
		defer func() { err = errors.Join(err, s.Journal.Close()) }()
	}
	most := 1 + len(strategies) + (1+len(strategies))*2*p.rounds
	if p.control {
		most *= 2
	}
	meter := p.newMeter("evaluating mappings", most+4*len(s.Limits))
	defer meter.stop()
	s.Progress = func(feedback.Event) { meter.step() }
	found, err = feedback.Optimize(ctx, s)
	if err != nil && ctx.Err() == context.DeadlineExceeded {
		return nil, fail("give more time", "--budget %v ended before the first mapping was evaluated", p.budget)
	}
	if err != nil && strings.Contains(err.Error(), tiling.ErrNoGrid.Error()) {
		return nil, fail(gridHint, "%w", err)
	}
	if err == nil {
		p.saySkippedInLoop(found)
	}
	return found, err
}

// loop is the settings of the loop: what to map, how, and by which simulations mappings are
// evaluated.
func (p *program) loop(ctx context.Context, j *remap.Environment, strategies []mapping.Strategy,
	o evalsim.Options) (s feedback.Settings, err error) {
	search := remap.Search{Simulation: o, KeepCongestion: p.congestionSet, Strategies: strategies,
		Rounds: p.rounds, Gain: p.gain, Simulations: p.simulations, RandomRestarts: p.control,
		Limits: p.Previous != "" || p.migration > 0, StateBytes: p.migration, Workers: p.workers}
	if !p.chosen {
		if search.Baselines, err = strategy.ParseList(remap.DefaultBaselines); err != nil {
			return s, err
		}
	}
	if p.repeatsSet {
		search.Repeats = p.repeats
	}
	if p.context.IsSet("validation-repeats") {
		search.ValidationRepeats = p.validationRepeats
	}
	if search.Models, err = feedback.ParseModels(p.feedback); err != nil {
		return s, inOption("feedback", err)
	}
	if err := p.openMeasured(ctx, j, o); err != nil {
		return s, err
	}
	if s, err = j.Settings(search); err != nil {
		return s, err
	}
	if moves := j.Problem(p.Seed).Moves(s.Problem.StartMapping()); moves > 0 {
		p.say("the search begins with %d ranks moved by --fixed", moves)
	}
	return s, nil
}

// sampleByDefault has packets carry samples, unless --sampling says otherwise or counters
// of the real network are given.
func (p *program) sampleByDefault(o *evalsim.Options) {
	if p.Sampling == "" && len(p.measuredFiles.Value()) == 0 {
		*o = o.Sampled()
	}
}

// viewName says how the search has read links.
func viewName(v sampling.Variant) string {
	if v.Kind == sampling.Off {
		return "counters"
	}
	return "samples: " + v.String()
}

// viewSentence says it to people.
func viewSentence(v sampling.Variant) string {
	if v.Kind == sampling.Off {
		return "found with counters of links, which no job has; --sampling full reads what the job's own " +
			"packets tell"
	}
	return fmt.Sprintf("found with what the job's own packets tell of links (samples: %s)", v)
}

// saySkippedInLoop tells of strategies and feedback models that the loop did without.
func (p *program) saySkippedInLoop(found *feedback.Result) {
	for _, reason := range found.Skipped {
		if strings.HasPrefix(reason, feedback.SkippedModel) {
			p.say("skipped: %s", reason)
			continue
		}
		p.saySkipped(reason)
	}
}

// newSearchResult adds the static costs to what the loop found.
func newSearchResult(j *remap.Environment, found *feedback.Result) (*searchResult, error) {
	result := &searchResult{gain: gainOf(found), Bound: found.Bound.Name, BoundNS: int64(found.Bound.NS),
		Simulations: found.Simulations, RestartSimulations: found.RestartSimulations, Stopped: found.Stopped,
		Interrupted: found.Interrupted, Fresh: found.Fresh, Skipped: found.Skipped,
		Measured: j.Measured.Summary(j.Machine), VolumeScale: j.Program.VolumeScale, Rounds: []roundResult{}}
	var err error
	row := func(c *feedback.Candidate) outcome {
		name := c.Strategy
		if name == "start" {
			name = j.StartName()
		}
		costs, wrong := j.Costs(name, c.Mapping)
		if wrong != nil {
			err = wrong
		}
		row := outcome{Costs: costs, Summary: c.Summary}
		if c.Evaluation != nil {
			row.Jobs = j.Times(c.Evaluation.Results)
		}
		return row
	}
	result.Start, result.Static, result.Best = row(&found.Start), row(&found.Static), row(&found.Best)
	result.Selection, result.Beyond = parts(found)
	if found.Restarts != nil {
		restarts := row(found.Restarts)
		result.Restarts = &restarts
	}
	for i := range found.Rounds {
		round := &found.Rounds[i]
		result.Rounds = append(result.Rounds, roundResult{round.Round, row(round), round.Dropped})
	}
	return result, err
}

// unsettled is that of the rows of the final validation, each mapping once.
func (o *searchResult) unsettled() []string {
	start, static, best := o.Start, o.Static, o.Best
	start.Strategy, static.Strategy, best.Strategy = "before", "best static", "after"
	rows := []*outcome{&start, &static, &best}
	if o.Restarts != nil {
		restarts := *o.Restarts
		restarts.Strategy = "random restarts"
		rows = append(rows, &restarts)
	}
	return unsettled(rows)
}

// shownRow is a row of the table for people.
type shownRow struct {
	name string
	row  *outcome
}

// shown are the rows of the table.
func (o *searchResult) shown() []shownRow {
	rows := []shownRow{{"before", &o.Start}, {"best static", &o.Static}}
	if o.Restarts != nil {
		rows = append(rows, shownRow{"random restarts", o.Restarts})
	}
	return append(rows, shownRow{"after", &o.Best})
}

// table is before and after, for people.
func (o *searchResult) table() *grid {
	g := &grid{header: append(simulatedHeader("mapping"), "ratio")}
	for _, line := range o.shown() {
		cells := line.row.cells()
		cells[0] = fmt.Sprintf("%s: %s", line.name, cells[0])
		g.add(append(cells, ratioCell(ratio(line.row.ElapsedNS, o.Start.ElapsedNS)))...)
	}
	return g
}
