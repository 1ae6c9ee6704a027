package feedback

import (
	"context"

	"gonum.org/v1/gonum/stat"

	"remap/evalsim"
)

const (
	raceRepeats = 2    // repeats after which a hopeless candidate is dropped
	raceMargin  = 1.05 // how much slower than the best it must be then, in every one of them
)

// judge evaluates a candidate in the search's repeats; false if its mapping
// was seen before. A candidate that is clearly slower than the best in each of
// the first paired repeats is judged by those alone.
func (s *search) judge(ctx context.Context, c *Candidate) (fresh bool, err error) {
	k := key(c.Mapping)
	if s.seen[k] {
		return false, nil
	}
	s.seen[k] = true
	head := min(raceRepeats, s.Repeats)
	e, err := s.Evaluate(ctx, c.Mapping, 0, head)
	if err != nil {
		return false, err
	}
	c.Dropped = s.best != nil && hopeless(e, s.best.Evaluation)
	if !c.Dropped && s.Repeats > head {
		rest, err := s.Evaluate(ctx, c.Mapping, head, s.Repeats-head)
		if err != nil {
			return false, err
		}
		e.Results = append(e.Results, rest.Results...)
	}
	c.Evaluation, c.Summary = e, evalsim.Summarize(e.Results)
	c.digest = s.digest(e)
	for _, r := range e.Results { // what is large and no longer needed
		r.Links, r.Own, r.Flows, r.Samples = nil, nil, nil, nil
	}
	s.result.Simulations++
	s.result.Runs += len(e.Results)
	s.judged = append(s.judged, c)
	listed := *c
	listed.Evaluation, listed.digest, listed.knows = nil, nil, nil
	s.result.Candidates = append(s.result.Candidates, listed)
	if s.Progress != nil {
		best := median(e.Times())
		if s.best != nil {
			best = min(best, median(s.best.Evaluation.Times()))
		}
		s.Progress(Event{Round: c.Round, Simulations: s.result.Simulations, Strategy: c.Strategy, Elapsed: median(e.Times()), Best: best})
	}
	return true, nil
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
	times, reference := e.Times(), best.Times()
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

// judgeFresh judges start and best again on repeats the search never used, so
// that the reported gain is not the luck of the seeds that chose it. What is
// not better there by more than the noise gives way: the best to the best
// static, and that to the start.
func (s *search) judgeFresh(ctx context.Context) error {
	again := []*Candidate{&s.result.Start, &s.result.Static, &s.result.Best}
	known := map[string]*Evaluation{}
	for _, c := range again {
		k := key(c.Mapping)
		if known[k] == nil {
			e, err := s.Evaluate(ctx, c.Mapping, freshRepeat, s.Repeats)
			if err != nil {
				return err
			}
			known[k] = e
		}
	}
	for _, c := range again {
		c.Evaluation = known[key(c.Mapping)]
		c.Summary, c.Dropped = evalsim.Summarize(c.Evaluation.Results), false
	}
	found := s.result.Best
	s.result.Best = s.result.Start
	for _, c := range []Candidate{s.result.Static, found} {
		if better(c.Evaluation, s.result.Best.Evaluation) {
			s.result.Best = c
		}
	}
	s.result.Fresh = true
	return nil
}
