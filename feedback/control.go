package feedback

import (
	"context"
	"slices"

	"remap/mapping"
)

// control is what chance and selection alone reach: from the same static
// mappings as the search, blind restarts until as many mappings have been
// simulated. A restart is one of the strategies with another seed, or a random
// mapping, refined for the problem as it was posed. What the search has beyond it
// is owed to feedback.
func (s *search) control(ctx context.Context) error {
	settings := s.Settings
	blind := newSearch(settings)
	blind.judged = slices.Clone(s.judged[:s.statics])
	blind.best = blind.judged[0]
	for _, c := range blind.judged {
		blind.seen[key(c.Mapping)] = true
		if !c.Dropped && better(c.Evaluation, blind.best.Evaluation) {
			blind.best = c
		}
	}
	s.blind = blind
	ways := s.restarts()
	wanted := s.result.Simulations - s.statics
	for attempt := 0; attempt < 4*wanted && blind.result.Simulations < wanted; attempt++ {
		problem := *s.Problem
		problem.Seed += uint64(attempt+1) * 1_000_003 // far from the seeds of rounds
		c := &Candidate{Strategy: ways[attempt%len(ways)].name, From: -1, knows: s.nothing, origin: len(blind.judged)}
		if err := blind.propose(ctx, c, ways[attempt%len(ways)], problem); err != nil {
			return err
		}
	}
	s.result.Runs += blind.result.Runs
	return nil
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
