package job

import (
	"remap/commgraph"
	"remap/workload"
)

// Phases are held in memory link by link: there are at most this many, and fewer
// on networks with so many links that the product would be larger than this.
const (
	mostPhases     = 16
	mostPhaseLinks = 1 << 24
)

// checkPhases reads Options.Phases.
func (j *Job) checkPhases(o *Options) error {
	switch o.Phases {
	case "", PhasesTogether:
	case PhasesApart:
		if o.IsRecorded() {
			j.warn("--phases apart changes nothing: recorded traffic does not say what waits for what")
		}
	default:
		return Usage("together or apart", "--phases must be together or apart, not %q", o.Phases)
	}
	return nil
}

// loadPhases tells the phases of a pattern apart if the options ask for it.
func (j *Job) loadPhases(o *Options, program *workload.Program) error {
	if o.Phases != PhasesApart {
		return nil
	}
	phases, err := j.PhaseTraffic(program)
	if err != nil {
		return InOption("pattern", err)
	}
	if len(phases) == 1 {
		j.warn("--phases apart changes nothing: the pattern has one phase; collective operations of " +
			"several steps and nas-cg have more")
		return nil
	}
	j.Phases = phases
	return nil
}

// PhaseTraffic is the traffic of as many phases of a program as there is memory for.
func (j *Job) PhaseTraffic(program *workload.Program) ([]*commgraph.Traffic, error) {
	return program.PhaseTraffic(max(1, min(mostPhases, mostPhaseLinks/max(1, len(j.Machine.Links)))))
}
