package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"

	"remap"
	"remap/experiment"
	"remap/launcher"
	"remap/mapping"
	"remap/strategy"
)

const (
	validateDefault = "identity,cyclic,rcm,bisection,multisection,kl,tiling,hilbert"

	testbedValidateExamples = `
  remap testbed validate --pattern stencil2d:4x4,bytes=60000,wait=true
  remap testbed validate --program ring:16,bytes=262144 --strategies identity,cyclic --random 1 --rounds 0 \
      --launches 2 --json
`
)

// validation is the JSON of testbed validate.
type validation struct {
	Runs []experiment.Run `json:"runs"`
	experiment.Agreement
}

// candidate is a mapping that is simulated and run.
type candidate struct {
	run      experiment.Run
	mapping  mapping.Mapping
	hosts    []int32
	launches []*experiment.Launch
}

func (p *program) testbedValidate(ctx context.Context) error {
	format, err := p.reportFormat()
	if err != nil {
		return err
	}
	out, err := p.openOutput(p.output)
	if err != nil {
		return err
	}
	network, j, err := p.testbedJob()
	if err != nil {
		return err
	}
	defer network.Close()
	s, err := p.setUp(ctx, network, j)
	if err != nil {
		return err
	}
	defer os.RemoveAll(s.Folder)
	candidates, err := p.candidates(ctx, j)
	if err != nil {
		return err
	}
	failed := p.launchAll(ctx, s, j, candidates)
	if len(candidates[0].launches) == 0 {
		return failed
	}
	result := &validation{}
	for _, c := range candidates {
		c.run.Measured(c.launches)
		result.Runs = append(result.Runs, c.run)
	}
	result.Agreement = experiment.Agree(result.Runs)
	if failed == nil {
		failed = p.confirm(ctx, s, j, candidates, &result.Agreement)
	}
	return errors.Join(p.writeReport(out, format, result.report()), failed)
}

// confirm launches the mapping with the best prediction and the fastest one again, as often as before:
// the regret is of these launches, since the least of many medians is too small by selection.
func (p *program) confirm(ctx context.Context, s *experiment.Setup, j *remap.Environment,
	candidates []*candidate, a *experiment.Agreement) error {
	if a.Chosen == a.Fastest || p.bed.launches < 2 {
		return nil
	}
	var pair []*candidate
	for _, name := range []string{a.Chosen, a.Fastest} {
		for _, c := range candidates {
			if c.run.Mapping == name {
				pair = append(pair, &candidate{run: experiment.Run{Mapping: name}, mapping: c.mapping})
			}
		}
	}
	if err := p.launchAll(ctx, s, j, pair); err != nil {
		return err
	}
	for _, c := range pair {
		c.run.Measured(c.launches)
	}
	a.Confirm(&pair[0].run, &pair[1].run)
	return nil
}

// candidates are the mappings to compare: each once, whatever it is called.
func (p *program) candidates(ctx context.Context, j *remap.Environment) (all []*candidate, err error) {
	add := func(name string, m mapping.Mapping) error {
		hosts := m.Hosts(j.Allocation)
		for _, c := range all {
			if slices.Equal(c.hosts, hosts) {
				c.run.Mapping += ", " + name
				return nil
			}
		}
		run, err := p.predicted(ctx, j, name, m)
		all = append(all, &candidate{run: run, mapping: m, hosts: hosts})
		return err
	}
	if p.mapping != "" {
		m, err := j.ReadMapping(p.mapping)
		if err != nil {
			return nil, inOption("mapping", err)
		}
		if err := add(p.mapping, m); err != nil {
			return nil, err
		}
	}
	strategies, err := strategy.ParseList(p.strategies)
	if err != nil {
		return nil, inOption("strategies", err)
	}
	for _, s := range strategies {
		m, err := s.Map(ctx, j.Problem(p.Seed))
		if err != nil && ctx.Err() == nil {
			p.saySkipped(s.Name + ": " + err.Error())
			continue
		}
		if err == nil {
			err = add(s.Name, m)
		}
		if err != nil {
			return nil, err
		}
	}
	random, err := strategy.Parse("random")
	if err != nil {
		return nil, err
	}
	for i := range p.bed.random {
		m, err := random.Map(ctx, j.Problem(p.Seed+uint64(i)))
		if err != nil {
			return nil, err
		}
		if err := add("random "+strconv.Itoa(i+1), m); err != nil {
			return nil, err
		}
	}
	if p.rounds > 0 {
		return all, p.addFound(ctx, j, add)
	}
	return all, nil
}

// addFound adds what the loop finds.
func (p *program) addFound(ctx context.Context, j *remap.Environment,
	add func(string, mapping.Mapping) error) error {
	search, err := remap.DefaultSearch(j.Job)
	if err != nil {
		return err
	}
	search.Rounds, search.Workers, search.RandomRestarts = p.rounds, p.workers, false
	spinner := p.newMeter("searching", 0)
	found, err := remap.Optimize(ctx, j.Job, search)
	spinner.stop()
	if err != nil {
		return err
	}
	if err := add("best static", found.Static.Mapping); err != nil {
		return err
	}
	return add("found", found.Best.Mapping)
}

// launchAll launches every mapping in turn, so that what else goes on on the machine meets all alike, and
// so that all meet the same competitors on the same paths.
// When a launch fails or is interrupted, the turns that are complete are kept.
func (p *program) launchAll(ctx context.Context, s *experiment.Setup, j *remap.Environment,
	candidates []*candidate) error {
	meter := p.newMeter("launching", p.bed.launches*len(candidates))
	defer meter.stop()
	for turn := range p.bed.launches {
		s.Seed++
		for _, c := range candidates {
			l, err := s.Run(ctx, launcher.NewPlacement(j.Machine, j.Allocation, c.mapping))
			if err != nil {
				for _, c := range candidates {
					c.launches = c.launches[:turn]
				}
				return fmt.Errorf("launch %d of %s: %w", turn+1, c.run.Mapping, err)
			}
			c.launches = append(c.launches, l)
			meter.step()
		}
	}
	return nil
}

// report has a row a mapping, in the order of measured times.
func (v *validation) report() *report {
	r := &report{value: v, csvHeader: []string{"mapping", "simulated_seconds", "measured_seconds", "low", "high",
		"ratio"}}
	r.table.header = []string{"mapping", "simulated s", "measured s", "interval", "ratio"}
	beside := false
	rows := slices.SortedFunc(slices.Values(v.Runs), func(a, b experiment.Run) int {
		return int(1e9 * (a.MeasuredSeconds - b.MeasuredSeconds))
	})
	for i := range rows {
		beside = beside || rows[i].OthersAlone > 0
	}
	if beside {
		r.table.header = append(r.table.header, "others keep %")
	}
	for _, run := range rows {
		ratio := run.MeasuredSeconds / run.SimulatedSeconds
		cells := []string{run.Mapping, seconds(run.SimulatedSeconds), seconds(run.MeasuredSeconds),
			fmt.Sprintf("[%s, %s]", seconds(run.Low), seconds(run.High)), fmt.Sprintf("%.2f", ratio)}
		if beside {
			cells = append(cells, fmt.Sprintf("%.0f", 100*run.OthersBeside/run.OthersAlone))
		}
		r.table.add(cells...)
		r.csvRows = append(r.csvRows, []string{run.Mapping, number(run.SimulatedSeconds),
			number(run.MeasuredSeconds), number(run.Low), number(run.High), number(ratio)})
	}
	r.under = v.sentence()
	return r
}

// sentence says how good the predictions are.
func (v *validation) sentence() string {
	beyond := "-"
	if v.SpearmanBeyondNoise != nil {
		beyond = fmt.Sprintf("%.2f", *v.SpearmanBeyondNoise)
	}
	return lines(
		fmt.Sprintf("the mapping with the best prediction (%s) is %.1f %% slower than the fastest (%s)", v.Chosen,
			v.RegretPercent, v.Fastest),
		fmt.Sprintf("rank correlation of predicted and measured times: %.2f; where they differ by more than the "+
			"noise (%.1f %%): %s; of %d pairs that do, %d are in order", v.Spearman, 100*v.Noise, beyond, v.Pairs,
			v.Ordered),
		fmt.Sprintf("measured over predicted: median %.2f, from %.2f to %.2f", v.Ratio, v.RatioLow, v.RatioHigh))
}
