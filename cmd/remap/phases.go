package main

import (
	"remap/commgraph"
	"remap/mapping"
	"remap/workload"
)

// The values of --phases.
const (
	phasesTogether = "together"
	phasesApart    = "apart"
)

// Phases are held in memory link by link: there are at most this many, and fewer
// on networks with so many links that the product would be larger than this.
const (
	mostPhases     = 16
	mostPhaseLinks = 1 << 24
)

// checkPhases reads --phases, which commands that do not map lack.
func (p *program) checkPhases() error {
	switch p.phases {
	case "", phasesTogether:
	case phasesApart:
		if p.isRecorded() {
			p.hint("--phases apart changes nothing: recorded traffic does not say what waits for what")
		}
	default:
		return usage("together or apart", "--phases must be together or apart, not %q", p.phases)
	}
	return nil
}

// loadPhases tells the phases of a pattern apart if --phases asks for it.
func (p *program) loadPhases(j *job, program *workload.Program) error {
	if p.phases != phasesApart {
		return nil
	}
	phases, err := j.phaseTraffic(program)
	if err != nil {
		return inOption("pattern", err)
	}
	switch {
	case len(phases) == 1:
		p.hint("--phases apart changes nothing: the pattern has one phase; collective operations of several steps and nas-cg have more")
		return nil
	case p.feedback == "" && (p.objective == "" || p.objective == mapping.PathLength.String()):
		p.hint("--phases apart changes nothing: paths are as long at any time; --objective link-load, mixed and capacity load links")
	}
	j.phases = phases
	p.say("links are loaded in %d phases, one after the other", len(phases))
	return nil
}

// phaseTraffic is the traffic of as many phases as there is memory for.
func (j *job) phaseTraffic(program *workload.Program) ([]*commgraph.Traffic, error) {
	return program.PhaseTraffic(max(1, min(mostPhases, mostPhaseLinks/max(1, len(j.machine.Links)))))
}
