package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"remap"
	"remap/evalsim"
	"remap/feedback"
	"remap/robustness"
)

func (s *settings) checkModelFlag() []cli.Flag {
	return []cli.Flag{&cli.BoolFlag{Name: "check-model", DisableDefaultText: true, Destination: &s.checksModel,
		Usage: "afterwards simulate what was found under other buffers, packets, routings, switching, " +
			"steps, message sizes and background, and tell where it still wins; --validation-repeats " +
			"simulations of each, at least 6, on seeds of their own, after --budget"}}
}

// modelCheck is the answer to --check-model: a row a variant, and a sentence.
type modelCheck struct {
	rows []robustness.Row
	said string
}

// checkModel simulates what the search has found under variants of the model, and adds that
// to result. An interrupt ends it: what is done by then stays.
func (p *program) checkModel(ctx context.Context, j *remap.Environment, o evalsim.Options,
	found *feedback.Result,
	result *searchResult) *modelCheck {
	answer := &modelCheck{}
	if !p.checksModel {
		return answer
	}
	c := robustness.NewContenders(found.Start.Mapping, found.Static.Mapping, found.Best.Mapping)
	switch {
	case c.Different() == 1:
		answer.said = "start, best static and best are the same mapping: there is nothing to check in " +
			"other models"
	case ctx.Err() != nil:
		answer.said = "interrupted: no other model is checked"
	default:
		check := robustness.Check{Topology: j.Network(), Allocation: j.Allocation, Program: j.Program,
			Others: j.Beside(), Options: o.Unsampled(),
			Repeats: max(robustness.LeastRepeats, p.validationRepeats),
			Workers: p.workers, Contenders: c}
		meter := p.newMeter("checking the model", check.Simulations())
		report := check.Run(ctx, meter.step)
		meter.stop()
		for _, skipped := range report.Skipped {
			p.say("skipped: %s", skipped)
		}
		answer.rows, answer.said = report.Rows, report.Sentence()
		if report.Done < report.Planned {
			answer.said = lines(fmt.Sprintf("interrupted after %d of %d models", report.Done, report.Planned),
				answer.said)
		}
		p.clock.lap("check")
	}
	result.CheckModel, result.Interrupted = answer.rows, result.Interrupted || ctx.Err() != nil
	if p.json {
		p.say("%s", answer.under())
	}
	return answer
}

// table shows the rows to people.
func (m *modelCheck) table() grid {
	if len(m.rows) == 0 {
		return grid{}
	}
	g := grid{header: []string{"model", "start us", "static us", "best us",
		"best/" + m.rows[0].Against + " [95 %]", "verdict"}}
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
