package main

import (
	"slices"

	"remap"
	"remap/job"
	"remap/mapping"
	"remap/workload"
)

// load makes a job of the options, and tells people what had to be assumed.
func (p *program) load() (*remap.Environment, error) {
	o := p.Options
	o.Fail, o.Slow, o.Background = p.fail.Value(), p.slow.Value(), p.background.Value()
	j, err := job.Open(o)
	for _, warning := range j.Warnings {
		p.hint("%s", oneLine(warning))
	}
	if err != nil {
		return nil, err
	}
	if p.feedback == "" && j.Phases != nil && j.Objective == mapping.PathLength {
		p.hint("--phases apart changes nothing: paths are as long at any time; --objective link-load, mixed and " +
			"capacity load links")
	}
	if j.Phases != nil {
		p.say("links are loaded in %d phases, one after the other", len(j.Phases))
	}
	p.clock.lap("load")
	return &remap.Environment{Job: j, Workers: p.workers}, nil
}

// loadSimulated is load for commands that simulate.
func (p *program) loadSimulated() (*remap.Environment, error) {
	j, err := p.load()
	if err == nil && j.Program.Warning != "" {
		p.hint("--max-packets: %s", j.Program.Warning)
	}
	if err == nil {
		p.sayUseless(j.Job)
	}
	return j, err
}

// sayUseless tells of options that change nothing, as no job does what they
// are about.
func (p *program) sayUseless(j *job.Job) {
	some := func(is func(workload.OpKind) bool) bool {
		programs := []*workload.Program{j.Program}
		for _, b := range j.Background {
			programs = append(programs, b.Program)
		}
		return slices.ContainsFunc(programs, func(program *workload.Program) bool {
			return slices.ContainsFunc(program.Ops, func(op workload.Op) bool { return is(op.Kind) })
		})
	}
	if p.EagerBytes > 0 && !some(workload.OpKind.IsReceive) {
		p.hint("--eager-bytes changes nothing: no rank receives; collective operations do, and stencils with " +
			"wait=true")
	}
	if p.ComputeNoise > 0 && !some(func(k workload.OpKind) bool { return k == workload.Compute }) {
		p.hint("--compute-noise changes nothing: no rank computes; compute-ns=N of a pattern makes it")
	}
}
