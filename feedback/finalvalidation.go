package feedback

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"remap/evalsim"
)

// Gain is how much faster one mapping is than another at the full volume, in per cent of the slower
// one's time: the median over paired repeats, and its interval. Where times are extrapolated, the
// interval includes their error once, since most of it is common to both mappings.
type Gain struct {
	Percent float64
	// Low and High are the 95 % interval of the median by order statistics.
	Low, High float64
	// Known: there are the 6 repeats that an interval needs.
	Known bool
}

// Proven tells whether the whole interval is a gain. Below 6 repeats nothing is proven.
func (g Gain) Proven() bool { return g.Known && g.Low > 0 }

// gainOver compares two evaluations of the same repeats.
func gainOver(slow, fast *Evaluation) Gain {
	reference, times := slow.compared(), fast.compared()
	saved := make([]float64, min(len(times), len(reference)))
	for i := range saved {
		if reference[i] > 0 {
			saved[i] = 100 * (1 - times[i]/reference[i])
		}
	}
	var g Gain
	g.Percent, g.Low, g.High, g.Known = evalsim.MedianInterval(saved)
	if e := 100 * max(slow.relativeError(), fast.relativeError()); g.Known {
		g.Low, g.High = g.Low-e, g.High+e
	}
	return g
}

// validator is the Evaluate of the final validation.
func (s *search) validator() Evaluate {
	if s.Validate != nil {
		return s.Validate
	}
	return s.Evaluate
}

// evaluateOn is an evaluation on other repeats than the search's: one made before, or from the
// journal, or made now.
func (s *search) evaluateOn(ctx context.Context, evaluate Evaluate, c *Candidate,
	first, count int) (*Evaluation, error) {
	step := fmt.Sprintf("repeats %d+%d of %s", first, count, name(c.Mapping))
	if known := s.evaluations[step]; known != nil {
		return known, nil
	}
	j, err := recall(ctx, s.Journal, step, func() (savedEvaluation, error) {
		e, err := evaluate(ctx, c.Mapping, first, count)
		if err != nil {
			return savedEvaluation{}, err
		}
		return savedEvaluation{Repeats: saved(e)}, nil
	})
	if err != nil {
		return nil, err
	}
	s.result.Runs += count
	s.evaluations[step] = j.evaluation()
	s.evaluations[step].turns = s.Turns
	return s.evaluations[step], nil
}

// choose finds the fastest of some candidates. The search's own repeats cannot tell some of them
// from the best; of these, at most `finalists` are evaluated on other repeats, since the first of
// many owes part of its lead to the seeds that made it first. They run the steps of the final
// validation: in fewer steps mappings differ by how long they take to reach steady state.
func (s *search) choose(ctx context.Context, candidates []*Candidate) (*Candidate, error) {
	standing := slices.DeleteFunc(slices.Clone(candidates), func(c *Candidate) bool {
		return c.Dropped && len(c.Evaluation.Results) > 1
	})
	slices.SortStableFunc(standing, func(a, b *Candidate) int {
		return cmp.Compare(median(a.Evaluation.compared()), median(b.Evaluation.compared()))
	})
	best := standing[0]
	standing = slices.DeleteFunc(standing,
		func(c *Candidate) bool { return c != best && best.clearlyBetter(c) })
	standing = standing[:min(len(standing), finalists)]
	if len(standing) == 1 || s.ValidationRepeats == 0 {
		return best, nil
	}
	return s.halve(ctx, standing)
}

// halve finds the fastest of at most `finalists` candidates by sequential halving (Karnin, Koren
// and Somekh 2013). All of them get a fifth of the repeats of the final validation; the best two
// get twice as many more.
func (s *search) halve(ctx context.Context, standing []*Candidate) (*Candidate, error) {
	times := map[*Candidate][]float64{}
	first, count := secondRepeat, max(1, s.ValidationRepeats/firstHalving)
	for _, keep := range [...]int{2, 1} {
		for _, c := range standing {
			e, err := s.evaluateOn(ctx, s.validator(), c, first, count)
			if err != nil {
				return nil, err
			}
			times[c] = append(times[c], e.Times()...)
		}
		slices.SortStableFunc(standing, func(a, b *Candidate) int {
			return cmp.Compare(median(turnMeans(times[a], s.Turns)), median(turnMeans(times[b], s.Turns)))
		})
		standing = standing[:min(len(standing), keep)]
		first, count = first+count, 2*count
	}
	return standing[0], nil
}

// clearlyBetter tells whether the search's own repeats show that c is faster than another
// candidate.
func (c *Candidate) clearlyBetter(other *Candidate) bool {
	if times := other.Evaluation.compared(); len(times) < fewTold {
		return median(times) > fewMargin*median(c.Evaluation.compared())
	}
	return better(c.Evaluation, other.Evaluation)
}

// validateFinally is the final validation. It chooses the best static mapping, the best of the
// search and the best of the restarts, and evaluates them and the start on repeats that nothing was
// chosen by, so that the gain is not the luck of seeds.
//
// The best of the restarts is the result where it is proven faster than that of the search, or
// where it alone is proven faster than start and static. A mapping that is not proven faster falls
// back to its baseline (fallBack). If ctx ends before, the result stays as it was.
func (s *search) validateFinally(ctx context.Context) error {
	chosen := []*Candidate{s.candidates[0], nil, nil} // start, static, best, and that of the restarts
	from := [][]*Candidate{nil, s.candidates[:s.statics], s.candidates}
	if s.restarts != nil {
		chosen, from = append(chosen, nil), append(from, s.restarts.candidates)
	}
	for i := 1; i < len(from); i++ {
		c, err := s.choose(ctx, from[i])
		if err != nil {
			return err
		}
		chosen[i] = c
	}
	if err := s.evaluateChosen(ctx, chosen); err != nil {
		return err
	}
	r := s.result
	r.Start, r.Static, r.Best = *chosen[0], *chosen[1], *chosen[2]
	if s.restarts != nil {
		found := r.Best
		r.Restarts, r.Feedback = chosen[3], &found
		gains := func(c *Candidate) bool { return proven(c, &r.Static) && proven(c, &r.Start) }
		if proven(r.Restarts, &found) || gains(r.Restarts) && !gains(&found) {
			r.Best = *r.Restarts
		}
	}
	s.fallBack()
	r.Fresh = true
	return s.limitTable(ctx)
}

// evaluateChosen evaluates on the fresh seeds, in place: the start, the best static mapping, that
// of the search, and what restarts have found.
//
// A first look of 6 repeats is all where it decides between every two of the first three, and where
// restarts are proven faster than the search's mapping or are no faster. With limits of moves all
// repeats count. If times scatter alike on both sides, a decision is wrong with a chance of 1/64 at
// the first look and 11/1024 at the second.
func (s *search) evaluateChosen(ctx context.Context, chosen []*Candidate) error {
	repeats, done := max(1, s.ValidationRepeats), 0
	if look := firstLook * max(1, s.Turns); repeats > look && s.Limits == nil {
		if err := s.evaluateFresh(ctx, chosen, 0, look); err != nil {
			return err
		}
		if decided(chosen) {
			return nil
		}
		done = look
	}
	return s.evaluateFresh(ctx, chosen, done, repeats)
}

// evaluateFresh adds the fresh repeats from first to end-1 to those that candidates have.
func (s *search) evaluateFresh(ctx context.Context, chosen []*Candidate, first, end int) error {
	for i, c := range chosen {
		e, err := s.evaluateOn(ctx, s.validator(), c, freshRepeat+first, end-first)
		if err != nil {
			return err
		}
		again := *c
		again.Evaluation = e
		if first > 0 {
			again.Evaluation = &Evaluation{slices.Concat(c.Evaluation.Results, e.Results), s.Turns}
		}
		again.Summary, again.Dropped = evalsim.Summarize(again.Evaluation.Results), false
		chosen[i] = &again
	}
	return nil
}

// decided tells whether one of every two different mappings of start, static and best is proven
// faster, and more repeats cannot make the restarts' mapping the result.
func decided(chosen []*Candidate) bool {
	if len(chosen) > 3 {
		restarts, best := chosen[3], chosen[2]
		faster := median(restarts.Evaluation.compared()) < median(best.Evaluation.compared())
		if faster && !proven(restarts, best) {
			return false
		}
	}
	for i, a := range chosen[:3] {
		for _, b := range chosen[:i] {
			if !slices.Equal(a.Mapping, b.Mapping) && !proven(a, b) && !proven(b, a) {
				return false
			}
		}
	}
	return true
}

// proven tells whether a is faster than b by the interval of their paired repeats. With fewer than
// 6 repeats there is no interval; then more than one standard error decides.
func proven(a, b *Candidate) bool {
	if g := gainOver(b.Evaluation, a.Evaluation); g.Known {
		return g.Proven()
	}
	return better(a.Evaluation, b.Evaluation)
}

// fallBack replaces a best mapping that is not proven faster than start and best static mapping. The
// static mapping takes its place where that is proven faster than the start. Else any mapping that is
// proven faster than the start stays, or the best of the restarts takes its place. Nothing else moves
// ranks: the last baseline is the start. The start is one of the static mappings, so the gain is over
// the faster one of both, also where neither is proven faster than the other.
func (s *search) fallBack() {
	r := s.result
	chosen := r.Static
	if median(r.Start.Evaluation.compared()) <= median(chosen.Evaluation.compared()) {
		r.Static = r.Start
	}
	faster := func(c *Candidate) bool { return c != nil && proven(c, &r.Start) }
	switch {
	case faster(&r.Best) && proven(&r.Best, &chosen):
	case faster(&r.Static):
		r.Best = r.Static
	case faster(&r.Best):
	case faster(r.Restarts):
		r.Best = *r.Restarts
	default:
		r.Static, r.Best = r.Start, r.Start
	}
	s.gains()
}

// gains sets the gains of the result.
func (s *search) gains() {
	r := s.result
	r.Gain = gainOver(r.Static.Evaluation, r.Best.Evaluation)
	if r.Restarts != nil {
		r.ByRestarts = gainOver(r.Static.Evaluation, r.Restarts.Evaluation)
		r.OverRestarts = gainOver(r.Restarts.Evaluation, r.Feedback.Evaluation)
	}
}
