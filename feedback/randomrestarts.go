package feedback

import (
	"context"
	"slices"

	"remap/mapping"
)

// randomRestarts is the baseline at equal cost: what chance and selection reach without feedback.
// From the same static mappings as the search, it makes random restarts until as many mappings were
// simulated. A restart is one of the strategies with another seed, or a random mapping, refined for
// the original problem. What the search gains beyond it comes from feedback.
//
// Where strategies give no new mappings it simulates fewer. Where the search simulated none beyond
// the static ones there are no restarts.
func (s *search) randomRestarts(ctx context.Context) error {
	wanted := s.result.Simulations - s.statics
	if wanted <= 0 {
		return nil
	}
	settings := s.Settings
	settings.Simulations = wanted
	settings.EvaluateAlone = nil // nothing is learned
	restarts := newSearch(settings)
	restarts.running = s.running
	restarts.candidates = slices.Clone(s.candidates[:s.statics])
	restarts.best = s.bestStatic()
	for _, c := range restarts.candidates {
		restarts.seen[key(c.Mapping)] = true
	}
	s.restarts = restarts
	proposals := s.restartProposals()
	defer func() {
		s.result.Runs += restarts.result.Runs
		s.result.RestartSimulations = restarts.result.Simulations
	}()
	for attempt := 0; attempt < mostAttempts*wanted && restarts.submitted() < wanted; attempt++ {
		problem := *s.Problem
		problem.Seed += uint64(attempt+1) * 1_000_003 // far from the seeds of rounds
		p := proposals[attempt%len(proposals)]
		if err := restarts.propose(ctx, restarts.static(p.name), p, problem); err != nil {
			return err
		}
	}
	return restarts.evaluateSubmitted(ctx)
}

// restartProposals are the proposals of random restarts, to be taken in turn.
func (s *search) restartProposals() []proposal {
	var all []proposal
	if s.Refine == nil || s.Problem.MaxMoves > 0 { // a second step would count moves from the first
		for _, strategy := range s.Strategies {
			all = append(all, chain([]mapping.Strategy{strategy}))
		}
		return all
	}
	for _, strategy := range append(slices.Clone(s.Strategies), mapping.RandomStrategy()) {
		if strategy.Name != s.Refine.Name {
			all = append(all, chain([]mapping.Strategy{strategy, *s.Refine}))
		}
	}
	return all
}
