package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"time"

	"remap"
	"remap/evalsim"
	"remap/simfiles"
)

// measures are the files that simulate writes beside its report.
type measures struct {
	links, samples, latencies *output
	linksFormat               simfiles.Format
}

// openMeasures checks the files' options, which must name files of their own.
func (p *program) openMeasures(out *output) (*measures, error) {
	f := &measures{linksFormat: simfiles.FormatOf(p.links)}
	outputs := []namedOutput{{"output", out}}
	for _, file := range []struct {
		option, path string
		to           **output
	}{{"links", p.links, &f.links}, {"samples", p.samples, &f.samples},
		{"latencies", p.latencies, &f.latencies}} {
		if file.path == "-" {
			return nil, usage(fmt.Sprintf("for example --%s %s.csv: standard output has the report",
				file.option, file.option), "--%s needs a file", file.option)
		}
		opened, err := p.openOutput(file.path)
		if err != nil {
			return nil, err
		}
		*file.to = opened
		outputs = append(outputs, namedOutput{file.option, opened})
	}
	if p.links == "" {
		for _, option := range []struct {
			name  string
			given bool
		}{{"links-format", p.linksFormat != ""}, {"slices", p.slices > 0}, {"by-phase", p.byPhase},
			{"by-tag", p.byTag}, {"by-call-site", p.byCallSite}, {"view", p.view != "job"}} {
			if option.given {
				return nil, usage("add --links FILE", "--%s says what --links writes, and --links is missing",
					option.name)
			}
		}
	}
	if p.view != "job" && p.view != "administrator" {
		return nil, usage("views: job, administrator", "--view: unknown view %q", p.view)
	}
	if err := p.checkSampling(); err != nil {
		return nil, err
	}
	if p.linksFormat != "" {
		var err error
		if f.linksFormat, err = simfiles.ParseFormat(p.linksFormat); err != nil {
			return nil, inOption("links-format", err)
		}
	}
	return f, differ(outputs...)
}

// measured adds what the files need to a simulation's options. --slices has
// the first repeat played once more, to learn how long it is.
func (p *program) measured(ctx context.Context, f *measures, j *remap.Environment, jobs []evalsim.Job,
	o *evalsim.Options) error {
	p.sayUnused(j)
	o.Latencies = true
	o.ByPhase, o.ByTag, o.ByCallSite = p.byPhase, p.byTag, p.byCallSite
	if p.categories() || f.samples.toFile() || len(j.Background) > 0 { // background: for the verdict
		*o = o.Sampled()
	}
	if p.slices == 0 && !p.categories() {
		return nil
	}
	if err := j.CheckMemory(jobs, *o, p.slices, p.repeats); err != nil || p.slices == 0 {
		return err
	}
	first, err := evalsim.Run(ctx, j.Machine, jobs, o.Unsampled())
	if err != nil {
		return err
	}
	o.SliceLength, o.MaxSlices = time.Duration(max(1, math.Ceil(first.Makespan/float64(p.slices)))), p.slices
	return nil
}

// play simulates, and writes samples as they come.
func (p *program) play(ctx context.Context, f *measures, j *remap.Environment, jobs []evalsim.Job,
	o evalsim.Options) ([]*evalsim.Result, error) {
	s, err := evalsim.New(j.Machine, jobs, o)
	if err != nil {
		return nil, err
	}
	meter := p.newMeter("simulating", p.repeats)
	defer meter.stop()
	if !f.samples.toFile() {
		return s.Repeat(ctx, 0, p.repeats, p.workers, meter.step)
	}
	var results []*evalsim.Result
	return results, f.samples.stream(func(w io.Writer) error {
		rows, err := simfiles.NewSamplesWriter(w, simfiles.FormatOf(p.samples), j.Machine, o.Sampling, jobs)
		if err != nil {
			return err
		}
		if results, err = s.RepeatDelivered(ctx, 0, p.repeats, p.workers, meter.step, rows.Take); err != nil {
			return err
		}
		return rows.Close()
	})
}

// writeMeasures writes the files of links and latencies.
func (p *program) writeMeasures(f *measures, j *remap.Environment, jobs []evalsim.Job,
	results []*evalsim.Result,
	latencies []evalsim.LatencySummary) error {
	if f.links.toFile() {
		o := simfiles.LinksOptions{Format: f.linksFormat, Slices: p.slices > 0, ByPhase: p.byPhase, ByTag: p.byTag,
			ByCallSite: p.byCallSite, Jobs: jobs}
		if p.view == "administrator" {
			o.Job = simfiles.AllJobs
		}
		if err := f.links.write(func(w io.Writer) error {
			return simfiles.WriteLinks(w, j.Machine, results,
				o)
		}); err != nil {
			return err
		}
	}
	if f.latencies.toFile() {
		return f.latencies.write(func(w io.Writer) error {
			return simfiles.WriteLatencies(w, simfiles.FormatOf(p.latencies), latencies)
		})
	}
	return nil
}

// creditsLine says which credits the simulator timed, for people.
func creditsLine(timed evalsim.Credits) string {
	if timed == evalsim.CreditsNewest {
		return "of credits on their way the newest is timed (--credits exact: all)"
	}
	return "every credit is timed"
}

// utilizationLine says how busy the links were, for people.
func utilizationLine(u *evalsim.Utilization) string {
	line := "links in use are busy, mean (most):"
	for i, kind := range []struct {
		name       string
		mean, most float64
		used       int
	}{{"from hosts", u.InjectionMean, u.InjectionMax, u.InjectionUsed}, {"between " +
		"switches", u.SwitchMean, u.SwitchMax, u.SwitchUsed},
		{"to hosts", u.EjectionMean, u.EjectionMax, u.EjectionUsed}} {
		if i > 0 {
			line += ","
		}
		if kind.used == 0 {
			line += " " + kind.name + " none"
			continue
		}
		line += fmt.Sprintf(" %s %.1f (%.1f) %%", kind.name, 100*kind.mean, 100*kind.most)
	}
	return line
}
