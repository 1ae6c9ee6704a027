package feedback

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"remap/mapping"
)

// rounds evaluates the static mappings, then runs rounds of feedback.
func (s *search) rounds(ctx context.Context) error {
	if err := s.staticMappings(ctx); err != nil {
		return err
	}
	if err := s.closeStep(); err != nil || s.full() {
		return err
	}
	failures := 0
	for round := 1; round <= s.Rounds; round++ {
		done, err := s.enough(ctx)
		if err != nil || done {
			return err
		}
		s.changed = false
		if err := s.round(ctx, round, failures); err != nil {
			return err
		}
		if err := s.closeStep(); err != nil || s.full() {
			return err
		}
		if failures++; s.changed {
			failures = 0
		}
		if failures >= s.Patience {
			s.result.Stopped = fmt.Sprintf("no gain in %d rounds", failures)
			return nil
		}
	}
	s.result.Stopped = "all rounds are done"
	return nil
}

// closeStep saves what was found so far, and notes when the budget is spent.
func (s *search) closeStep() error {
	if s.full() {
		s.result.Stopped = fmt.Sprintf("%d simulated mappings are the budget", s.Simulations)
	}
	return errors.Join(s.keepBest(s.best.Mapping), s.Journal.Sync())
}

// enough tells whether the best mapping leaves nothing to gain. Where its packets meet little
// congestion it takes a closer look.
func (s *search) enough(ctx context.Context) (bool, error) {
	b := s.bound(s.best)
	best, err := s.confirmed(ctx, b)
	if err != nil {
		return false, err
	}
	s.result.Stopped = nothingToGain(b, best)
	few := s.best.Summary.CongestedHopFraction <= littleCongestion
	if s.result.Stopped == "" && few && s.finer() && s.Gain > 0 {
		finer, err := s.lookCloser(ctx, s.best)
		if err != nil {
			return false, err
		}
		s.result.Stopped = s.unhindered(b, finer)
	}
	return s.result.Stopped != "", nil
}

// confirmed is the time of the best mapping in ns. Where the time is so near a lower bound that the
// search would end, it is evaluated again with the steps of the final validation, since the search
// runs few steps.
func (s *search) confirmed(ctx context.Context, b Bound) (float64, error) {
	elapsed := float64(s.best.Summary.ElapsedNS)
	if s.Validate == nil || nothingToGain(b, elapsed) == "" {
		return elapsed, nil
	}
	e, err := s.evaluateOn(ctx, s.Validate, s.best, confirmRepeat, s.Repeats)
	if err != nil {
		return 0, err
	}
	return max(elapsed, median(e.Times())), nil
}

// full tells whether the budget of simulations is used up.
func (s *search) full() bool { return s.Simulations > 0 && s.submitted() >= s.Simulations }

// staticMappings evaluates every strategy's mapping of the original problem, round 0.
func (s *search) staticMappings(ctx context.Context) error {
	defer s.closeRound(len(s.candidates))
	defer func() { s.statics = len(s.candidates) }()
	for i := range s.Strategies {
		if err := s.propose(ctx, s.static(s.Strategies[i].Name), chain(s.Strategies[i:i+1]),
			*s.Problem); err != nil {
			return err
		}
	}
	if err := s.evaluateSubmitted(ctx); err != nil {
		return err
	}
	if len(s.result.Skipped) == len(s.Strategies) {
		return fmt.Errorf("no strategy gave a mapping: %s", s.result.Skipped[0])
	}
	skipped := s.result.Skipped
	for i := range s.Baselines {
		if s.Simulations > 0 && s.result.Simulations >= s.Simulations/2 || s.nearBoundOfAny() {
			break
		}
		err := s.propose(ctx, s.static(s.Baselines[i].Name), chain(s.Baselines[i:i+1]), *s.Problem)
		if err == nil {
			err = s.evaluateSubmitted(ctx)
		}
		if err != nil {
			return err
		}
	}
	s.result.Skipped = skipped
	return nil
}

// static is a candidate made without feedback, an origin of its own.
func (s *search) static(strategy string) *Candidate {
	return &Candidate{Strategy: strategy, From: -1, learned: s.initial,
		origin: len(s.candidates) + len(s.queue)}
}

// nearBoundOfAny tells whether the best mapping is so near the lower bound of all mappings that the
// rest is no gain.
func (s *search) nearBoundOfAny() bool {
	b := s.bound(s.best)
	return b.Any && nothingToGain(b, float64(s.best.Summary.ElapsedNS)) != ""
}

// round learns from the best mapping of each origin. For every feedback model it refines this base,
// and from the best base it also restarts.
func (s *search) round(ctx context.Context, round, failures int) error {
	defer s.closeRound(len(s.candidates))
	for i, base := range s.bases() {
		if s.full() {
			return nil
		}
		learned, err := s.learn(ctx, base, failures)
		if err != nil {
			return err
		}
		for _, form := range s.Models {
			modelled, ok := s.apply(form, learned)
			if !ok {
				continue
			}
			modelled.Seed += uint64(round)
			for _, p := range s.proposals(form, learned, i == 0) {
				problem := modelled
				if p.refines && problem.MaxMoves <= 0 { // moves are counted from the start
					problem.Start = base.Mapping
				}
				c := &Candidate{Round: round, Strategy: p.name, Model: form.Name,
					From: slices.Index(s.candidates, base), learned: learned, origin: base.origin}
				if err := s.propose(ctx, c, p, problem); err != nil {
					return err
				}
			}
		}
		if err := s.evaluateSubmitted(ctx); err != nil {
			return err
		}
	}
	return nil
}

// apply makes the problem of a feedback model. It returns false, and notes that once, when the
// model cannot be used: prices on paths of very many bytes cannot be summed, and a program with one
// phase has no phases to weigh apart.
func (s *search) apply(form Model, learned *feedbackState) (problem mapping.Problem, ok bool) {
	problem = *s.Problem
	var err error
	if form.apart && len(s.Phases) < 2 {
		err = errors.New("the program has one phase")
	} else {
		form.apply(learned, &problem)
		err = problem.ShareDistances()
	}
	if err == nil {
		return problem, true
	}
	if !slices.Contains(s.unusedForms, form.Name) {
		s.unusedForms = append(s.unusedForms, form.Name)
		s.result.Skipped = append(s.result.Skipped, fmt.Sprintf("%s%s: %v", SkippedModel, form.Name, err))
	}
	return problem, false
}

// bases are the best mappings of different origin, the best first.
func (s *search) bases() []*Candidate {
	of := map[int]*Candidate{}
	var origins []int
	for _, c := range s.candidates {
		if c.Dropped {
			continue
		}
		known := of[c.origin]
		if known == nil {
			origins = append(origins, c.origin)
		}
		if known == nil || c != known && c.Summary.ElapsedNS < known.Summary.ElapsedNS {
			of[c.origin] = c
		}
	}
	of[s.best.origin] = s.best
	slices.SortStableFunc(origins, func(a, b int) int {
		return int(of[a].Summary.ElapsedNS - of[b].Summary.ElapsedNS)
	})
	bases := []*Candidate{s.best}
	for _, o := range origins {
		if o != s.best.origin && len(bases) < s.Bases {
			bases = append(bases, of[o])
		}
	}
	return bases
}

// propose maps, from the problem's start, and submits the mapping.
func (s *search) propose(ctx context.Context, c *Candidate, p proposal, problem mapping.Problem) error {
	if s.full() {
		return nil
	}
	step := fmt.Sprintf("map %d %s %s from %d seed %d", c.Round, c.Strategy, c.Model, c.From, problem.Seed)
	m, err := recall(ctx, s.Journal, step, func() (mapping.Mapping, error) { return p.makes(ctx, &problem) })
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if errors.Is(err, ErrState) {
			return err
		}
		if c.Round == 0 {
			s.result.Skipped = append(s.result.Skipped, fmt.Sprintf("%s: %v", c.Strategy, err))
		}
		return nil
	}
	c.Mapping = m
	return s.submit(ctx, c)
}

// closeRound notes the best candidate of the round that began at index first.
func (s *search) closeRound(first int) {
	var best *Candidate
	for _, c := range s.candidates[first:] {
		if best == nil || c.Summary.ElapsedNS < best.Summary.ElapsedNS {
			best = c
		}
	}
	if best != nil {
		s.result.Rounds = append(s.result.Rounds, *best)
	}
}
