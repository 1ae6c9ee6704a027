package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

	"remap"
	"remap/experiment"
	"remap/launcher"
	"remap/mapping"
	"remap/replay"
	"remap/testbed"
)

const (
	testbedRunExamples = `
  remap testbed run --pattern stencil2d:4x4,bytes=60000,wait=true --strategy tiling
  remap testbed run --program heat:4x2,bytes=30016 --hosts 'n[0-7]' --strategy identity --launches 2 \
      --background ring:4,endless=true@n8,n12,n9,n13 --links links.csv
`
	testbedMeasureExamples = `
  remap testbed measure --seconds 2 --links links.csv --force
  remap testbed measure --seconds 5 --look 0s --snapshots ports.csv
`
)

// bedRun is the JSON of testbed run.
type bedRun struct {
	experiment.Run
	// Steps are those of every launch, the margins included.
	Steps [][]replay.Step `json:"steps"`
	// Others has a row for each background job.
	Others []bedOther `json:"others,omitempty"`
}

// bedOther is what a background job has received, in Mb/s, medians over launches.
type bedOther struct {
	Job    string  `json:"job"`
	Alone  float64 `json:"alone_mbps"`
	Beside float64 `json:"beside_mbps"`
}

func (p *program) testbedRun(ctx context.Context) error {
	if (p.mapping == "") == (p.strategy == "") {
		return usage("--mapping FILE for a mapping of yours, --strategy NAME to make one",
			"exactly one of --mapping and --strategy is needed")
	}
	format, err := p.reportFormat()
	if err != nil {
		return err
	}
	network, j, err := p.testbedJob()
	if err != nil {
		return err
	}
	defer network.Close()
	files, err := p.openBedFiles() // now that all inputs are known
	if err != nil {
		return err
	}
	m, err := p.mappingToRun(ctx, j)
	if err != nil {
		return err
	}
	s, err := p.setUp(ctx, network, j)
	if err != nil {
		return err
	}
	defer os.RemoveAll(s.Folder)
	name := p.mapping + p.strategy
	run, err := p.predicted(ctx, j, name, m)
	if err != nil {
		return err
	}
	meter := p.newMeter("launching", p.bed.launches)
	defer meter.stop()
	result := &bedRun{}
	var launches []*experiment.Launch
	for range p.bed.launches {
		s.Seed++
		l, err := s.Run(ctx, launcher.NewPlacement(j.Machine, j.Allocation, m))
		if err != nil {
			if ctx.Err() != nil && len(launches) > 0 {
				p.say("interrupted after %d launches", len(launches))
				break
			}
			return err
		}
		launches = append(launches, l)
		result.Steps = append(result.Steps, l.Steps)
		meter.step()
	}
	meter.stop()
	run.Measured(launches)
	result.Run, result.Others = run, bedOthers(j, launches)
	if err := files.write(launches[len(launches)-1].Ports); err != nil {
		return err
	}
	return p.writeReport(files.report, format, result.report(p.bed.margin))
}

// mappingToRun reads --mapping or follows --strategy.
func (p *program) mappingToRun(ctx context.Context, j *remap.Environment) (mapping.Mapping, error) {
	if p.mapping != "" {
		m, err := j.ReadMapping(p.mapping)
		return m, inOption("mapping", err)
	}
	chosen, err := p.chosenStrategy()
	if err != nil {
		return nil, err
	}
	m, err := chosen.Map(ctx, j.Problem(p.Seed))
	if err != nil {
		return nil, inStrategy(chosen.Name, err)
	}
	return m, nil
}

// setUp prepares the launches of a job; the caller removes Setup.Folder.
func (p *program) setUp(ctx context.Context, network *testbed.Network, j *remap.Environment) (
	s *experiment.Setup, err error) {
	s = &experiment.Setup{Network: network, Play: replay.DefaultOptions(), Margin: p.bed.margin,
		Settle: p.bed.settle, Look: p.bed.look, Timeout: p.timeout, Seed: uint32(p.Seed)}
	s.Play.Steps = p.bed.steps
	s.Play.IdleBytesPerSecond = network.Plan.Topology.Links[0].BytesPerSecond
	for _, b := range j.Background {
		s.Others = append(s.Others, experiment.Other{Name: "--background " + b.Name, Program: b.Program,
			Hosts: b.Hosts})
	}
	if p.bed.record != "" {
		if s.Record, err = filepath.Abs(p.bed.record); err != nil {
			return nil, err
		}
		if err := os.MkdirAll(s.Record, 0o777); err != nil {
			return nil, err
		}
	}
	if p.links == "" && p.bed.snapshots == "" {
		s.Look = 0 // nobody asks
	}
	if s.Folder, err = os.MkdirTemp(network.Plan.Folder(), "launch-"); err != nil {
		return nil, err
	}
	application := replay.Application{Program: p.bed.played}
	if p.bed.program != "" {
		application, err = replay.ParseApplication(p.bed.program)
	}
	if err == nil {
		err = s.Prepare(ctx, application)
	}
	if errors.Is(err, exec.ErrNotFound) {
		err = fail("tools/real/install, or apt-get install openmpi-bin libopenmpi-dev", "%w", err)
	}
	if err != nil {
		os.RemoveAll(s.Folder)
		return nil, err
	}
	return s, nil
}

// predicted simulates a mapping.
func (p *program) predicted(ctx context.Context, j *remap.Environment, name string, m mapping.Mapping) (
	run experiment.Run, err error) {
	run.Mapping = name
	s, err := experiment.Predict(ctx, j.Machine, j.Jobs(m), j.Simulation, p.repeats, p.workers)
	if err == nil {
		run.Simulated(s)
	}
	return run, err
}

func bedOthers(j *remap.Environment, launches []*experiment.Launch) (rows []bedOther) {
	for i, b := range j.Background {
		alone, beside := make([]float64, len(launches)), make([]float64, len(launches))
		for k, l := range launches {
			alone[k], beside[k] = 8e-6*l.Alone[i], 8e-6*l.Beside[i]
		}
		rows = append(rows, bedOther{b.Name, experiment.Median(alone), experiment.Median(beside)})
	}
	return rows
}

// report has a row a launch.
func (r *bedRun) report(margin int) *report {
	out := &report{value: r, csvHeader: []string{"launch", "seconds", "least", "largest"}}
	out.table.header = []string{"launch", "s a step", "least", "largest", "slowest rank"}
	for i, steps := range r.Steps {
		least, largest, slowest := math.Inf(1), 0.0, steps[0].Slowest
		for _, step := range steps[margin : len(steps)-margin] {
			least = min(least, step.Seconds)
			if step.Seconds > largest {
				largest, slowest = step.Seconds, step.Slowest
			}
		}
		out.table.add(strconv.Itoa(i+1), seconds(r.Launches[i]), seconds(least), seconds(largest),
			strconv.Itoa(int(slowest)))
		out.csvRows = append(out.csvRows, []string{strconv.Itoa(i + 1), number(r.Launches[i]), number(least),
			number(largest)})
	}
	if len(r.Others) > 0 {
		g := grid{header: []string{"background", "alone Mb/s", "beside the job"}}
		for _, o := range r.Others {
			g.add(o.Job, fmt.Sprintf("%.2f", o.Alone), fmt.Sprintf("%.2f", o.Beside))
		}
		out.more = append(out.more, g)
	}
	out.under = fmt.Sprintf("a step takes %s s [%s, %s] on the testbed, and %s s in the simulation: %.2f times "+
		"as long", seconds(r.MeasuredSeconds), seconds(r.Low), seconds(r.High), seconds(r.SimulatedSeconds),
		r.MeasuredSeconds/r.SimulatedSeconds)
	if r.Drops > 0 {
		out.under += fmt.Sprintf("; %d packets were dropped", r.Drops)
	}
	return out
}

func seconds(s float64) string { return fmt.Sprintf("%.4f", s) }
