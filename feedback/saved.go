package feedback

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"remap/evalsim"
	"remap/mapping"
)

// judgement is what simulations of one mapping have come to, as it is kept.
type judgement struct {
	Repeats []savedResult
	Dropped bool
	Seen    *savedState // what links have seen; nil when it was not asked
	Flows   []evalsim.FlowStats
	Apart   int // repeats with the network to itself (Settings.Apart)
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

type savedState struct {
	Congested, Own, Foreign []float64
	Open, Met               []float64 // of signs; nil where the view told of others
}

// keep takes what is kept of an evaluation.
func keep(e *Evaluation) []savedResult {
	var all []savedResult
	for _, r := range e.Results {
		all = append(all, savedResult{r.Makespan, r.StepTime, r.Steps, r.Drift, r.Elapsed, r.Jobs, r.Packets, r.PacketHops, r.PortHops, r.Congested, r.VolumeScale,
			r.Full, r.FullMakespan, r.FullError, r.Small})
	}
	return all
}

// evaluation gives the results back, without what was large.
func (j *judgement) evaluation() *Evaluation {
	e := &Evaluation{}
	for _, r := range j.Repeats {
		e.Results = append(e.Results, &evalsim.Result{Makespan: r.Makespan, StepTime: r.StepTime, Steps: r.Steps, Drift: r.Drift, Elapsed: r.Elapsed, Jobs: r.Jobs, Packets: r.Packets,
			PacketHops: r.PacketHops, PortHops: r.PortHops, Congested: r.Congested, VolumeScale: r.VolumeScale,
			Full: r.Full, FullMakespan: r.FullMakespan, FullError: r.FullError, Small: r.Small})
	}
	return e
}

// see adds what the search learns from. Where the view does not tell of others, the mapping
// is simulated with the network to itself too: one repeat, for alone a job meets nearly the
// same congestion under every seed. That is a simulation of the job, whatever network it runs
// on, so that the packets that wait there are counted, not sampled.
func (j *judgement) see(ctx context.Context, s *search, m mapping.Mapping, e *Evaluation) error {
	view, alone := s.View(s.Problem.Machine, e), (*LinkView)(nil)
	switch {
	case view.Foreign != nil:
	case s.Alone:
		view.Foreign = make([]float64, len(view.Own))
	case s.Apart != nil:
		apart, err := s.Apart(ctx, m, 0, 1)
		if err != nil {
			return err
		}
		alone, j.Apart = ExactView(s.Problem.Machine, apart), len(apart.Results)
	}
	seen := view.over(s.classes, alone)
	j.Seen, j.Flows = &savedState{Congested: seen.congested, Own: seen.own, Foreign: seen.foreign}, e.Flows()
	if seen.signs != nil {
		j.Seen.Open, j.Seen.Met = seen.signs.open, seen.signs.met
	}
	return nil
}

func (j *judgement) digest() *digest {
	seen := &state{congested: j.Seen.Congested, own: j.Seen.Own, foreign: j.Seen.Foreign}
	if j.Seen.Open != nil {
		seen.signs = &signs{j.Seen.Open, j.Seen.Met}
	}
	return &digest{seen, j.Flows}
}

// name is short and, for all purposes, one mapping's alone.
func name(m mapping.Mapping) string {
	sum := sha256.Sum256([]byte(key(m)))
	return hex.EncodeToString(sum[:8])
}
