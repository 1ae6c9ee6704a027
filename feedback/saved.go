package feedback

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"remap/evalsim"
	"remap/mapping"
)

// savedEvaluation is what is kept of the simulations of one mapping.
type savedEvaluation struct {
	Repeats []savedResult
	Dropped bool
	// Seen is what links have seen; nil when it was not needed.
	Seen  *savedLinks
	Flows []evalsim.FlowStats
	// Apart is how many repeats had the network to themselves (Settings.EvaluateAlone).
	Apart int
}

// savedResult is what is kept of an evalsim.Result: all but what is large.
type savedResult struct {
	Makespan    float64
	StepTime    []float64
	Steps       []int
	Drift       []float64
	Elapsed     []float64
	Jobs        []evalsim.JobStats
	Packets     int64
	PacketHops  int64
	PortHops    int64
	Congested   int64
	VolumeScale float64

	Full         []float64
	FullMakespan float64
	FullError    []float64
	Small        []float64
}

type savedLinks struct {
	Congested, Own, Foreign []float64
	// Open and Met are those of signs; nil where the view told of others.
	Open, Met []float64
}

// saved is what is kept of the results of an evaluation.
func saved(e *Evaluation) []savedResult {
	var all []savedResult
	for _, r := range e.Results {
		all = append(all, savedResult{r.Makespan, r.StepTime, r.Steps, r.Drift, r.Elapsed, r.Jobs, r.Packets,
			r.PacketHops, r.PortHops, r.Congested, r.VolumeScale,
			r.Full, r.FullMakespan, r.FullError, r.Small})
	}
	return all
}

// evaluation is the evaluation again, without what was large.
func (j *savedEvaluation) evaluation() *Evaluation {
	e := &Evaluation{}
	for _, r := range j.Repeats {
		e.Results = append(e.Results, &evalsim.Result{Makespan: r.Makespan, StepTime: r.StepTime,
			Steps: r.Steps, Drift: r.Drift, Elapsed: r.Elapsed, Jobs: r.Jobs, Packets: r.Packets,
			PacketHops: r.PacketHops, PortHops: r.PortHops, Congested: r.Congested,
			VolumeScale: r.VolumeScale,
			Full:        r.Full, FullMakespan: r.FullMakespan, FullError: r.FullError, Small: r.Small})
	}
	return e
}

// see adds what the search learns from. Where the view does not tell of others, the mapping is also
// simulated with the network to itself. One repeat is enough, since alone a job meets nearly the
// same congestion under every seed. This is a simulation of the job, whatever network it runs on,
// so packets that wait there are counted, not sampled.
func (j *savedEvaluation) see(ctx context.Context, s *search, m mapping.Mapping, e *Evaluation) error {
	view, alone := s.View(s.Problem.Machine, e), (*LinkView)(nil)
	switch {
	case view.Foreign != nil:
	case s.Alone:
		view.Foreign = make([]float64, len(view.Own))
	case s.EvaluateAlone != nil:
		apart, err := s.EvaluateAlone(ctx, m, 0, 1)
		if err != nil {
			return err
		}
		alone, j.Apart = ExactView(s.Problem.Machine, apart), len(apart.Results)
	}
	seen := view.over(s.classes, alone)
	j.Seen, j.Flows = &savedLinks{Congested: seen.congested, Own: seen.own, Foreign: seen.foreign}, e.Flows()
	if seen.signs != nil {
		j.Seen.Open, j.Seen.Met = seen.signs.open, seen.signs.met
	}
	return nil
}

func (j *savedEvaluation) observation() *observation {
	seen := &linkState{congested: j.Seen.Congested, own: j.Seen.Own, foreign: j.Seen.Foreign}
	if j.Seen.Open != nil {
		seen.signs = &signs{j.Seen.Open, j.Seen.Met}
	}
	return &observation{seen, j.Flows}
}

// name is short and, for all purposes, that of one mapping alone.
func name(m mapping.Mapping) string {
	sum := sha256.Sum256([]byte(key(m)))
	return hex.EncodeToString(sum[:8])
}
