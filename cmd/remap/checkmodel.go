package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"remap/evalsim"
	"remap/feedback"
	"remap/mapping"
)

const (
	// checkRepeat numbers the first repeat of the check, far above all that the
	// search and its final validation use.
	checkRepeat = 1 << 24
	// checkRepeats are the least repeats that give an interval.
	checkRepeats = 6
)

func (s *settings) checkModelFlag() []cli.Flag {
	return []cli.Flag{&cli.BoolFlag{Name: "check-model", DisableDefaultText: true, Destination: &s.modelChecked, Usage: "afterwards simulate what was found under other buffers, packets, routings, switching, steps, message sizes and background, and tell where it still wins; --judge-repeats simulations of each, at least 6, on seeds of their own, after --budget"}}
}

// checked is what one variant of the model says of start, best static and best.
type checked struct {
	Variant   string   `json:"variant"`
	StartNS   int64    `json:"start_ns"` // medians
	StaticNS  int64    `json:"static_ns"`
	BestNS    int64    `json:"best_ns"`
	Against   string   `json:"against"` // what the best is held against: static, or start where static is the best
	Ratio     *float64 `json:"ratio"`   // median of the best's time over that, repeat by repeat; nil when that takes no time
	RatioLow  *float64 `json:"ratio_low"`
	RatioHigh *float64 `json:"ratio_high"`
	Verdict   string   `json:"verdict"`
	Others    *float64 `json:"others,omitempty"` // rate at which packets of endless jobs arrive, 1 = as searched; with background half and twice
}

// modelCheck is the answer to --check-model.
type modelCheck struct {
	rows []checked
	said string // in one sentence
}

// contenders are the mappings that are compared: start, best static, best.
type contenders struct {
	mappings [3]mapping.Mapping
	against  int // index of what the best is held against; -1 = all are the same
}

var contenderNames = [...]string{"start", "static", "best"}

func contendersOf(found *feedback.Result) contenders {
	c := contenders{[3]mapping.Mapping{found.Start.Mapping, found.Static.Mapping, found.Best.Mapping}, -1}
	for _, i := range []int{0, 1} { // the best static goes before the start
		if !slices.Equal(c.mappings[i], c.mappings[2]) {
			c.against = i
		}
	}
	return c
}

// twin is the first contender that has the same mapping as contender i.
func (c *contenders) twin(i int) int {
	return slices.IndexFunc(c.mappings[:], func(m mapping.Mapping) bool { return slices.Equal(m, c.mappings[i]) })
}

// different is how many mappings there are.
func (c *contenders) different() int {
	count := 0
	for i := range c.mappings {
		if c.twin(i) == i {
			count++
		}
	}
	return count
}

// checkModel simulates what the search has found under variants of the model, on
// seeds that it has not used, and adds that to result. An interrupt ends it: what
// is done by then stays.
func (p *program) checkModel(ctx context.Context, j *job, o evalsim.Options, found *feedback.Result, result *optimized) *modelCheck {
	check := &modelCheck{}
	if !p.modelChecked {
		return check
	}
	switch c := contendersOf(found); {
	case c.against < 0:
		check.said = "start, best static and best are the same mapping: there is nothing to check in other models"
	case ctx.Err() != nil:
		check.said = "interrupted: no other model is checked"
	default:
		p.checkVariants(ctx, j, o, &c, check)
		p.clock.lap("check")
	}
	result.CheckModel, result.Interrupted = check.rows, result.Interrupted || ctx.Err() != nil
	if p.json {
		p.say("%s", check.under())
	}
	return check
}

// checkVariants fills check.
func (p *program) checkVariants(ctx context.Context, j *job, o evalsim.Options, c *contenders, check *modelCheck) {
	unsampled(&o)
	variants, repeats := modelVariants(o, j.machine.Routes, j.program, j.others()), max(checkRepeats, p.judgeRepeats)
	meter := p.newMeter("checking the model", len(variants)*repeats*c.different())
	defer meter.stop()
	usual := 0.0
	for i := range variants {
		row, rate, err := p.checkVariant(ctx, j, &variants[i], c, repeats, meter)
		switch {
		case ctx.Err() != nil:
			check.said = lines(fmt.Sprintf("interrupted after %d of %d models", i, len(variants)), c.sentence(check.rows))
			return
		case err != nil: // such as buffers too large for this network
			p.say("skipped: model with %s: %v", variants[i].name, err)
			continue
		case i == 0:
			usual = rate
		case variants[i].level && usual > 0 && rate > 0:
			relative := rate / usual
			row.Others = &relative
		}
		check.rows = append(check.rows, *row)
	}
	check.said = c.sentence(check.rows)
}

// checkVariant simulates the contenders under a variant; rate is that of endless
// jobs' packets beside the last of them.
func (p *program) checkVariant(ctx context.Context, j *job, v *modelVariant, c *contenders, repeats int, meter *meter) (row *checked, rate float64, err error) {
	jobs := append([]evalsim.Job{{Program: v.program}}, v.others...)
	hosts := make([][]int32, len(jobs))
	for i := range jobs {
		hosts[i] = jobs[i].Hosts
	}
	hosts[0] = c.mappings[0].Hosts(j.allocation)
	jobs[0].Hosts = hosts[0]
	simulation, err := evalsim.New(j.network(), jobs, v.options)
	if err != nil {
		return nil, 0, err
	}
	var times [3][]float64
	relative := 0.0 // error of the extrapolated times
	for i, m := range c.mappings {
		if twin := c.twin(i); twin < i {
			times[i] = times[twin]
			continue
		}
		hosts[0] = m.Hosts(j.allocation)
		placed, err := simulation.Place(hosts...)
		if err != nil {
			return nil, 0, err
		}
		results, err := placed.Repeat(ctx, checkRepeat, repeats, p.workers, meter.step)
		if err != nil {
			return nil, 0, err
		}
		for _, r := range results {
			times[i] = append(times[i], r.Full[0])
			relative = r.FullError[0]
		}
		rate = endlessRate(jobs, results)
	}
	return c.row(v.name, &times, relative), rate, nil
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

// row compares times of start, static and best, paired by position. The error of
// extrapolated times, most of which they share, is in the interval once.
func (c *contenders) row(variant string, times *[3][]float64, relative float64) *checked {
	row := &checked{Variant: variant, Against: contenderNames[c.against], StartNS: medianNS(times[0]), StaticNS: medianNS(times[1]), BestNS: medianNS(times[2])}
	ratios := make([]float64, len(times[2]))
	for i, t := range times[2] {
		reference := times[c.against][i]
		if reference <= 0 {
			row.Verdict = isLevel
			return row
		}
		ratios[i] = t / reference
	}
	median, low, high, known := evalsim.MedianInterval(ratios)
	row.Ratio, row.Verdict = &median, isLevel
	if known {
		low, high = low*(1-min(1, relative)), high*(1+relative)
		row.RatioLow, row.RatioHigh, row.Verdict = &low, &high, verdictOf(low, high)
	}
	return row
}

func medianNS(times []float64) int64 {
	median, _, _, _ := evalsim.MedianInterval(times)
	return int64(math.Round(median))
}

const wins, isLevel, loses = "wins", "level", "loses"

// verdictOf reads the interval of a ratio of times.
func verdictOf(low, high float64) string {
	switch {
	case high < 1:
		return wins
	case low > 1:
		return loses
	}
	return isLevel
}

// sentence counts verdicts of the variants, the model of the search apart; empty
// where none is done.
func (c *contenders) sentence(rows []checked) string {
	names := map[string][]string{}
	count := 0
	for i := range rows {
		if r := &rows[i]; r.Variant != asSearched {
			count++
			names[r.Verdict] = append(names[r.Verdict], r.Variant)
		}
	}
	if count == 0 {
		return ""
	}
	opponent := "the best static one"
	if contenderNames[c.against] == "start" {
		opponent = "the start"
	}
	lost := "none"
	if len(names[loses]) > 0 {
		lost = fmt.Sprintf("%d (%s)", len(names[loses]), strings.Join(names[loses], ", "))
	}
	return fmt.Sprintf("against %s, the best mapping wins in %d of %d variants of the model, is level in %d and loses in %s",
		opponent, len(names[wins]), count, len(names[isLevel]), lost)
}

// table shows the rows to people.
func (m *modelCheck) table() grid {
	if len(m.rows) == 0 {
		return grid{}
	}
	g := grid{header: []string{"model", "start us", "static us", "best us", "best/" + m.rows[0].Against + " [95 %]", "verdict"}}
	for i := range m.rows {
		r := &m.rows[i]
		ratio := ratioCell(r.Ratio)
		if r.RatioLow != nil {
			ratio += fmt.Sprintf(" [%.3f, %.3f]", *r.RatioLow, *r.RatioHigh)
		}
		g.add(r.Variant, micro(r.StartNS), micro(r.StaticNS), micro(r.BestNS), ratio, r.Verdict)
	}
	return g
}

// under is what stands below the table: the sentence, and how much less or more
// the others have sent.
func (m *modelCheck) under() string {
	var levels []string
	for i := range m.rows {
		if r := &m.rows[i]; r.Others != nil {
			levels = append(levels, fmt.Sprintf("%.2f of the usual rate with %s", *r.Others, r.Variant))
		}
	}
	if levels == nil {
		return m.said
	}
	return lines(m.said, "packets of endless jobs came at "+strings.Join(levels, ", "))
}
