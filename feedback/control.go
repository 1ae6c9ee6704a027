package feedback

import (
	"context"
	"slices"

	"remap/mapping"
)

// control is what chance and selection alone reach: from the same static
// mappings as the search, random restarts until as many mappings have been
// simulated. A restart is one of the strategies with another seed, or a random
// mapping, refined for the problem as it was posed. What the search has beyond it
// is owed to feedback. Where strategies give no new mapping it takes fewer, and
// where the search simulated none beyond the static ones there is no control.
func (s *search) control(ctx context.Context) error {
	wanted := s.result.Simulations - s.statics
	if wanted <= 0 {
		return nil
	}
	settings := s.Settings
	settings.Simulations = wanted
	settings.Apart = nil // nothing is learned
	blind := newSearch(settings)
	blind.flying = s.flying
	blind.judged = slices.Clone(s.judged[:s.statics])
	blind.best = s.bestStatic()
	for _, c := range blind.judged {
		blind.seen[key(c.Mapping)] = true
	}
	s.blind = blind
	ways := s.restarts()
	defer func() {
		s.result.Runs += blind.result.Runs
		s.result.Restarted = blind.result.Simulations
	}()
	for attempt := 0; attempt < 4*wanted && blind.submitted() < wanted; attempt++ {
		problem := *s.Problem
		problem.Seed += uint64(attempt+1) * 1_000_003 // far from the seeds of rounds
		way := ways[attempt%len(ways)]
		if err := blind.propose(ctx, blind.static(way.name), way, problem); err != nil {
			return err
		}
	}
	return blind.settle(ctx)
}

// restarts are the ways of the control, to be taken in turn.
func (s *search) restarts() []proposal {
	var ways []proposal
	if s.Refine == nil || s.Problem.MaxMoves > 0 { // a second step would count moves from the first
		for _, strategy := range s.Strategies {
			ways = append(ways, chain([]mapping.Strategy{strategy}))
		}
		return ways
	}
	for _, strategy := range append(slices.Clone(s.Strategies), mapping.RandomStrategy()) {
		if strategy.Name != s.Refine.Name {
			ways = append(ways, chain([]mapping.Strategy{strategy, *s.Refine}))
		}
	}
	return ways
}
