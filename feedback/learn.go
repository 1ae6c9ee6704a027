package feedback

import (
	"context"

	"remap/evalsim"
	"remap/mapping"
)

// observation is what is kept of an evaluation to learn from.
type observation struct {
	links *linkState
	flows []evalsim.FlowStats
}

// congested tells whether any packet has met congestion.
func (o *observation) congested() bool {
	for i := range o.flows {
		if o.flows[i].CongestedHops > 0 {
			return true
		}
	}
	return false
}

// learn is the feedback state of a base after its evaluation. With each failed round the same
// measurements get a higher weight. Where these show no congestion, or led to no gain, learn takes
// a closer look.
func (s *search) learn(ctx context.Context, base *Candidate, failures int) (*feedbackState, error) {
	if s.finer() && s.Gain > 0 && (failures > 0 && base == s.best || !base.observed.congested()) {
		finer, err := s.lookCloser(ctx, base)
		if err != nil {
			return nil, err
		}
		base.observed = finer.observation()
	}
	weights := NewWeights(s.Problem.Graph, s.Traffic)
	copy(weights.factor, base.learned.factors)
	if s.Gain > 0 {
		weights.Grow(s.Problem.Graph, base.observed.flows, s.Gain)
	}
	base.learned = base.learned.learn(base.observed.links, weights, s.hostSeconds(base.Mapping), s.Gain)
	if base.observed.links.signs != nil {
		base.learned.demand = s.signs.demand()
	}
	return base.learned, nil
}

// finer tells whether candidates can be evaluated by the finer definition of congested.
func (s *search) finer() bool { return s.EvaluateFiner != nil || s.FinerInSearch }

// lookCloser evaluates a candidate by the finer definition of congested, in few repeats. A second
// call for the same candidate returns the first result.
func (s *search) lookCloser(ctx context.Context, c *Candidate) (*savedEvaluation, error) {
	if c.finer != nil {
		return c.finer, nil
	}
	j, err := recall(ctx, s.Journal, "look "+name(c.Mapping), func() (savedEvaluation, error) {
		e, err := s.EvaluateFiner(ctx, c.Mapping, 0, s.raceRepeats())
		if err != nil {
			return savedEvaluation{}, err
		}
		j := savedEvaluation{Repeats: saved(e)}
		err = j.see(ctx, s, c.Mapping, e)
		return j, err
	})
	if err != nil {
		return nil, err
	}
	s.result.Simulations++
	s.result.Runs += len(j.Repeats) + j.Apart
	c.finer = &j
	return c.finer, nil
}

// hostSeconds is the time that the busiest host's own link needs for the job's bytes.
func (s *search) hostSeconds(m mapping.Mapping) float64 {
	machine, most := s.Problem.Machine, 0.0
	for l, seconds := range s.Problem.Routing.LinkLoads(machine, s.Problem.Allocation, s.Traffic, m) {
		if link := &machine.Links[l]; machine.IsHost(link.From) || machine.IsHost(link.To) {
			most = max(most, seconds)
		}
	}
	return most
}
