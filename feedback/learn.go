package feedback

import (
	"context"

	"remap/evalsim"
	"remap/mapping"
)

// digest is what is kept of an evaluation to learn from.
type digest struct {
	state *state
	flows []evalsim.FlowStats
}

// congested tells whether any packet has told of congestion.
func (d *digest) congested() bool {
	for i := range d.flows {
		if d.flows[i].CongestedHops > 0 {
			return true
		}
	}
	return false
}

// learn is what a base knows after it was judged; asked again, it believes the
// same measurements more. It looks closer when they say nothing, or led to no
// gain.
func (s *search) learn(ctx context.Context, base *Candidate, failures int) (*knowledge, error) {
	if s.finer() && s.Gain > 0 && (failures > 0 && base == s.best || !base.digest.congested()) {
		finer, err := s.lookCloser(ctx, base)
		if err != nil {
			return nil, err
		}
		base.digest = finer.digest()
	}
	weights := NewWeights(s.Problem.Graph, s.Traffic)
	copy(weights.factor, base.knows.factors)
	if s.Gain > 0 {
		weights.Grow(s.Problem.Graph, base.digest.flows, s.Gain)
	}
	base.knows = base.knows.learn(base.digest.state, weights, s.hostSeconds(base.Mapping), s.Gain)
	if base.digest.state.signs != nil {
		base.knows.demand = s.signs.demand()
	}
	return base.knows, nil
}

// finer tells whether candidates can be evaluated by the finer definition of congested.
func (s *search) finer() bool { return s.Sensitive != nil || s.Fine }

// lookCloser evaluates a candidate by the finer definition of congested, in few
// repeats; asked again it says the same at once.
func (s *search) lookCloser(ctx context.Context, c *Candidate) (*judgement, error) {
	if c.finer != nil {
		return c.finer, nil
	}
	j, err := recall(ctx, s.Journal, "look "+name(c.Mapping), func() (judgement, error) {
		e, err := s.Sensitive(ctx, c.Mapping, 0, s.raceRepeats())
		if err != nil {
			return judgement{}, err
		}
		j := judgement{Repeats: keep(e)}
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

// hostSeconds is the time the busiest host's own link needs for the job's bytes.
func (s *search) hostSeconds(m mapping.Mapping) float64 {
	machine, most := s.Problem.Machine, 0.0
	for l, seconds := range s.Problem.Routing.LinkLoads(machine, s.Problem.Allocation, s.Traffic, m) {
		if link := &machine.Links[l]; machine.IsHost(link.From) || machine.IsHost(link.To) {
			most = max(most, seconds)
		}
	}
	return most
}
