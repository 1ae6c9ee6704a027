package feedback

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"remap/evalsim"
)

const (
	confirmRepeat = 1 << 18 // numbers the first repeat that confirms an early end,
	secondRepeat  = 1 << 19 // that of the choice among finalists, far from any of the search,
	freshRepeat   = 1 << 20 // and that of the final validation, far from both
	finalists     = 4       // most mappings that a choice is made among
)

// Gain is how much faster one mapping is than another at the full volume, in per
// cent of the slower one's time: the median over repeats that pair, and its
// interval. Where times are extrapolated, the interval has their error too, once:
// most of it both mappings share.
type Gain struct {
	Percent   float64
	Low, High float64 // 95 % interval of the median by order statistics
	Known     bool    // there are the 6 repeats that an interval needs
}

// Proven tells whether the interval has gains only. Below 6 repeats nothing is.
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

// validate is what judges for good.
func (s *search) validate() Evaluate {
	if s.Validate != nil {
		return s.Validate
	}
	return s.Evaluate
}

// evaluated is an evaluation in hand, or from the journal, or done now.
func (s *search) evaluated(ctx context.Context, evaluate Evaluate, c *Candidate, first, count int) (*Evaluation, error) {
	step := fmt.Sprintf("repeats %d+%d of %s", first, count, name(c.Mapping))
	if known := s.again[step]; known != nil {
		return known, nil
	}
	j, err := recall(ctx, s.Journal, step, func() (judgement, error) {
		e, err := evaluate(ctx, c.Mapping, first, count)
		if err != nil {
			return judgement{}, err
		}
		return judgement{Repeats: keep(e)}, nil
	})
	if err != nil {
		return nil, err
	}
	s.result.Runs += count
	s.again[step] = j.evaluation()
	s.again[step].turns = s.Turns
	return s.again[step], nil
}

// choose finds the fastest of some candidates. Those that the search's own repeats
// do not tell from the best, at most `finalists` of them, are judged on others:
// the first of many owes some of its lead to the seeds that made it first. They have the
// steps of the final validation: in fewer, mappings differ by how long they take to settle.
func (s *search) choose(ctx context.Context, candidates []*Candidate) (*Candidate, error) {
	standing := slices.DeleteFunc(slices.Clone(candidates), func(c *Candidate) bool {
		return c.Dropped && len(c.Evaluation.Results) > 1
	})
	slices.SortStableFunc(standing, func(a, b *Candidate) int {
		return cmp.Compare(median(a.Evaluation.compared()), median(b.Evaluation.compared()))
	})
	best := standing[0]
	standing = slices.DeleteFunc(standing, func(c *Candidate) bool { return c != best && best.clearlyBetter(c) })
	standing = standing[:min(len(standing), finalists)]
	if len(standing) == 1 || s.Judge == 0 {
		return best, nil
	}
	return s.halve(ctx, standing)
}

// halve finds the fastest of at most `finalists` candidates by sequential halving (Karnin,
// Koren and Somekh 2013): all have a fifth of the repeats of a judgement, and the best two of
// them twice as many more. (With a tenth, and three times as many more, the result of minighost-small
// is 2.8 % slower than the best simulated, and optimize of 64 ranks takes a tenth less.)
func (s *search) halve(ctx context.Context, standing []*Candidate) (*Candidate, error) {
	times := map[*Candidate][]float64{}
	first, count := secondRepeat, max(1, s.Judge/5)
	for _, keep := range [...]int{2, 1} {
		for _, c := range standing {
			e, err := s.evaluated(ctx, s.validate(), c, first, count)
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

// fewTold is the number of repeats below which their scatter tells little. A mapping is
// then clearly better than another that takes longer by fewMargin: times of one repeat of
// a search in steady state scatter by 1 to 7 % (standard deviation, over ten jobs).
const (
	fewTold   = 3
	fewMargin = 1.1
)

// clearlyBetter tells whether the search's own repeats tell c from another candidate.
func (c *Candidate) clearlyBetter(other *Candidate) bool {
	if times := other.Evaluation.compared(); len(times) < fewTold {
		return median(times) > fewMargin*median(c.Evaluation.compared())
	}
	return better(c.Evaluation, other.Evaluation)
}

// last chooses the best static mapping, the best of the search and the best of the
// restarts, and judges them and the start on repeats that nothing was chosen by, so
// that the gain is not the luck of seeds. The best of the restarts is the result where it
// is proven faster than that of the search, or alone proven faster than the first two. What is not proven faster there gives
// way (concede). If ctx ends before, the result stays as it was.
func (s *search) last(ctx context.Context) error {
	chosen := []*Candidate{s.judged[0], nil, nil} // start, static, best, and of the control
	from := [][]*Candidate{nil, s.judged[:s.statics], s.judged}
	if s.blind != nil {
		chosen, from = append(chosen, nil), append(from, s.blind.judged)
	}
	for i := 1; i < len(from); i++ {
		c, err := s.choose(ctx, from[i])
		if err != nil {
			return err
		}
		chosen[i] = c
	}
	if err := s.finally(ctx, chosen); err != nil {
		return err
	}
	r := s.result
	r.Start, r.Static, r.Best = *chosen[0], *chosen[1], *chosen[2]
	if s.blind != nil {
		found := r.Best
		r.Restarts, r.Feedback = chosen[3], &found
		gains := func(c *Candidate) bool { return proven(c, &r.Static) && proven(c, &r.Start) }
		if proven(r.Restarts, &found) || gains(r.Restarts) && !gains(&found) {
			r.Best = *r.Restarts
		}
	}
	s.concede()
	r.Fresh = true
	return s.limited(ctx)
}

// finally judges the start, the best static mapping, that of the search, and what restarts
// have found, on the fresh seeds, in place. A first look of 6 repeats is all where it
// decides between every two of the first three, and restarts are proven faster than the
// search's mapping or no faster; with limits of moves all repeats count. A decision is then
// wrong with a chance of 1/64 at the first look and 11/1024 at the second, if times
// scatter alike on both sides.
func (s *search) finally(ctx context.Context, chosen []*Candidate) error {
	repeats, done := max(1, s.Judge), 0
	if look := firstLook * max(1, s.Turns); repeats > look && s.Limits == nil {
		if err := s.judgeFresh(ctx, chosen, 0, look); err != nil {
			return err
		}
		if decided(chosen) {
			return nil
		}
		done = look
	}
	return s.judgeFresh(ctx, chosen, done, repeats)
}

// judgeFresh adds the fresh repeats from first to before end to what candidates have of them.
func (s *search) judgeFresh(ctx context.Context, chosen []*Candidate, first, end int) error {
	for i, c := range chosen {
		e, err := s.evaluated(ctx, s.validate(), c, freshRepeat+first, end-first)
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

// firstLook is the least number of repeats, or of their turns, that have an interval.
const firstLook = 6

// decided tells whether one of every two different mappings of start, static and best is
// proven faster, and more repeats cannot make the restarts' mapping the result.
func decided(chosen []*Candidate) bool {
	if len(chosen) > 3 {
		restarts, best := chosen[3], chosen[2]
		if !proven(restarts, best) && median(restarts.Evaluation.compared()) < median(best.Evaluation.compared()) {
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

// proven tells whether a is faster than b by the interval of their paired
// repeats. With fewer than 6 there is none; then more than one standard error decides.
func proven(a, b *Candidate) bool {
	if g := gainOver(b.Evaluation, a.Evaluation); g.Known {
		return g.Proven()
	}
	return better(a.Evaluation, b.Evaluation)
}

// concede lets what is not proven faster give way: the best to the best static
// mapping, that to the start. The start is one of the static mappings: the gain is
// over the faster one of both, also where neither is proven to be that.
func (s *search) concede() {
	r := s.result
	chosen := r.Static
	if median(r.Start.Evaluation.compared()) <= median(chosen.Evaluation.compared()) {
		r.Static = r.Start
	}
	if !proven(&r.Best, &chosen) || !proven(&r.Best, &r.Start) {
		if !proven(&r.Static, &r.Start) {
			r.Static = r.Start
		}
		r.Best = r.Static
	}
	s.gains()
}

// gains compares the best with what else was found.
func (s *search) gains() {
	r := s.result
	r.Gain = gainOver(r.Static.Evaluation, r.Best.Evaluation)
	if r.Restarts != nil {
		r.ByRestarts = gainOver(r.Static.Evaluation, r.Restarts.Evaluation)
		r.OverRestarts = gainOver(r.Restarts.Evaluation, r.Feedback.Evaluation)
	}
}
