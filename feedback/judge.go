package feedback

import (
	"context"

	"gonum.org/v1/gonum/stat"

	"remap/evalsim"
)

// raceMargin is how much slower than the best a candidate must be in every one of the
// first repeats to be dropped.
const raceMargin = 1.05

// raceRepeats is the number of repeats after which a hopeless candidate is dropped.
func (s *Settings) raceRepeats() int { return min(s.Repeats, max(1, s.Repeats/3, s.Turns)) }

// judge evaluates a candidate in the search's repeats. One that is clearly slower than the
// best in each of the first paired repeats is judged by those alone.
func (s *search) judge(ctx context.Context, c underway) error {
	judged, err := recall(ctx, s.Journal, "judge "+name(c.Mapping), func() (judgement, error) { return s.race(ctx, c) })
	if err != nil {
		return err
	}
	e := judged.evaluation()
	e.turns = s.Turns
	c.Evaluation, c.Summary, c.Dropped = e, evalsim.Summarize(e.Results), judged.Dropped
	c.digest = judged.digest()
	if s.Fine {
		c.finer = &judged
	}
	if c.digest.state.signs != nil {
		s.signs.add(c.digest.state.signs)
	}
	s.result.Simulations++
	s.result.Runs += len(e.Results) + judged.Apart
	s.judged = append(s.judged, c.Candidate)
	listed := *c.Candidate
	listed.Evaluation, listed.digest, listed.knows = nil, nil, nil
	s.result.Candidates = append(s.result.Candidates, listed)
	if s.Progress != nil {
		best := median(e.Times())
		if s.best != nil {
			best = min(best, median(s.best.Evaluation.Times()))
		}
		s.Progress(Event{Round: c.Round, Simulations: s.result.Simulations, Strategy: c.Strategy, Elapsed: median(e.Times()), Best: best})
	}
	return nil
}

// race evaluates a candidate in the first repeats, and in the rest unless it has
// lost by then.
func (s *search) race(ctx context.Context, c underway) (judgement, error) {
	e, err := c.head() // the Evaluation itself: what watches evaluations knows it again
	if err != nil {
		return judgement{}, err
	}
	head := s.raceRepeats()
	dropped := s.best != nil && hopeless(e, s.best.Evaluation)
	if !dropped && s.Repeats > head {
		rest, err := s.Evaluate(ctx, c.Mapping, head, s.Repeats-head)
		if err != nil {
			return judgement{}, err
		}
		e.Results = append(e.Results, rest.Results...)
	}
	j := judgement{Repeats: keep(e), Dropped: dropped}
	err = j.see(ctx, s, c.Mapping, e)
	return j, err
}

func hopeless(e, best *Evaluation) bool {
	times, reference := e.Times(), best.Times()
	for i, t := range times {
		if t < reference[i]*raceMargin {
			return false
		}
	}
	return true
}

// better tells whether a candidate is faster by more than the noise: its median
// is lower, and so is the mean of the paired differences, by over one standard
// error. A candidate that was dropped after fewer repeats is not.
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
