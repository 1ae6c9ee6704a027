package feedback

import (
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

type savedState struct{ Congested, Own, Foreign []float64 }

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

// see adds what the search learns from.
func (j *judgement) see(s *search, e *Evaluation) {
	seen := s.View(s.Problem.Machine, e).over(s.classes)
	j.Seen, j.Flows = &savedState{seen.congested, seen.own, seen.foreign}, e.Flows()
}

func (j *judgement) digest() *digest {
	return &digest{&state{j.Seen.Congested, j.Seen.Own, j.Seen.Foreign}, j.Flows}
}

// name is short and, for all purposes, one mapping's alone.
func name(m mapping.Mapping) string {
	sum := sha256.Sum256([]byte(key(m)))
	return hex.EncodeToString(sum[:8])
}
