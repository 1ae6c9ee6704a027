package main

import (
	"github.com/urfave/cli/v2"

	"remap"
	"remap/feedback"
	"remap/job"
)

// checkMeasuredView tests --measured-view and what goes with it.
func (s *settings) checkMeasuredView(c *cli.Context) error {
	if s.measuredView != remap.JobView {
		if s.measuredView != remap.AdministratorView {
			return usage("views: "+remap.JobView+", "+remap.AdministratorView, "--measured-view: unknown "+
				"view %q", s.measuredView)
		}
		return nil
	}
	if given := len(s.measuredFiles.Value()); given != 1 {
		return usage("one links file of a run whose packets carried samples",
			"--measured-view job: --measured is given %d times, and must be once", given)
	}
	for _, name := range []string{"measured-seconds", "measured-columns", "xmit-wait-tick"} {
		if c.IsSet(name) {
			return usage("leave out --"+name, "--%s is of port counters: --measured-view job reads none", name)
		}
	}
	return nil
}

// sayOwnSamples tells what was used of the samples.
func (p *program) sayOwnSamples(j *job.Job, m *remap.Measurement) {
	for _, warning := range m.Samples.Warnings {
		p.hint("measured: %s", oneLine(warning))
	}
	ports := 0
	for l := range j.Machine.Links {
		if !j.Machine.IsHost(j.Machine.Links[l].From) {
			ports++
		}
	}
	p.say("measured: the job's own packets crossed %d of %d switch ports; %d others are taken to be as "+
		"those of "+
		"their kind, %d as free", m.Samples.Links, ports, m.Alike, m.Idle)
	p.say("measured: %s", busiest(m, j.Machine))
	p.say("measured: mappings are simulated with links at the rates that others leave, at least 5 %%: samples " +
		"do not tell of traffic between others' hosts, beside which times can differ much: measure the next run")
	if !p.congestionSet {
		p.hint("measured: congested is taken as %v, the default, as in the run: where --congestion was given "+
			"there, give it here; with --congestion queue-above:%d in both better mappings were found "+
			"(docs/counters.md)",
			m.Run.Options.Congestion, feedback.SampledCongestion(m.Run.Options.PacketBytes).Bytes)
	}
}
