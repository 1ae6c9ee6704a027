package feedback

import (
	"context"

	"gonum.org/v1/gonum/stat"

	"remap/evalsim"
)

// raceRepeats is the number of repeats after which a hopeless candidate is dropped.
func (s *Settings) raceRepeats() int { return min(s.Repeats, max(1, s.Repeats/3, s.Turns)) }

// evaluateCandidate evaluates a candidate in the search's repeats. A candidate that is clearly
// slower than the best in each of the first paired repeats is evaluated by those alone.
func (s *search) evaluateCandidate(ctx context.Context, c pendingEvaluation) error {
	saved, err := recall(ctx, s.Journal, "evaluate "+name(c.Mapping),
		func() (savedEvaluation, error) { return s.race(ctx, c) })
	if err != nil {
		return err
	}
	e := saved.evaluation()
	e.turns = s.Turns
	c.Evaluation, c.Summary, c.Dropped = e, evalsim.Summarize(e.Results), saved.Dropped
	c.observed = saved.observation()
	if s.FinerInSearch {
		c.finer = &saved
	}
	if c.observed.links.signs != nil {
		s.signs.add(c.observed.links.signs)
	}
	s.result.Simulations++
	s.result.Runs += len(e.Results) + saved.Apart
	s.candidates = append(s.candidates, c.Candidate)
	listed := *c.Candidate
	listed.Evaluation, listed.observed, listed.learned = nil, nil, nil
	s.result.Candidates = append(s.result.Candidates, listed)
	if s.Progress != nil {
		best := median(e.Times())
		if s.best != nil {
			best = min(best, median(s.best.Evaluation.Times()))
		}
		s.Progress(Event{Round: c.Round, Simulations: s.result.Simulations, Strategy: c.Strategy,
			Elapsed: median(e.Times()), Best: best})
	}
	return nil
}

// race evaluates a candidate in the first repeats, and in the rest unless it has lost by then.
func (s *search) race(ctx context.Context, c pendingEvaluation) (savedEvaluation, error) {
	e, err := c.head() // not a copy: Measured.SetView recognises the pointer
	if err != nil {
		return savedEvaluation{}, err
	}
	head := s.raceRepeats()
	dropped := s.best != nil && hopeless(e, s.best.Evaluation)
	if !dropped && s.Repeats > head {
		rest, err := s.Evaluate(ctx, c.Mapping, head, s.Repeats-head)
		if err != nil {
			return savedEvaluation{}, err
		}
		e.Results = append(e.Results, rest.Results...)
	}
	j := savedEvaluation{Repeats: saved(e), Dropped: dropped}
	err = j.see(ctx, s, c.Mapping, e)
	return j, err
}

// hopeless tells whether an evaluation is slower than the best one by raceMargin in every repeat.
func hopeless(e, best *Evaluation) bool {
	times, reference := e.Times(), best.Times()
	for i, t := range times {
		if t < reference[i]*raceMargin {
			return false
		}
	}
	return true
}

// better tells whether a candidate is faster by more than the noise: its median is lower, and the
// mean of the paired differences is more than one standard error. A candidate that was dropped
// after fewer repeats is not better.
func better(e, best *Evaluation) bool {
	times, reference := e.compared(), best.compared()
	if len(times) < len(reference) || median(times) >= median(reference) {
		return false
	}
	saved := make([]float64, len(times))
	for i := range times {
		saved[i] = reference[i] - times[i]
	}
	mean, deviation := stat.MeanStdDev(saved, nil)
	return len(saved) == 1 || mean > stat.StdErr(deviation, float64(len(saved)))
}
