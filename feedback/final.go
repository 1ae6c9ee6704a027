package feedback

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"remap/evalsim"
)

const (
	secondRepeat = 1 << 19 // numbers the first repeat of the choice among finalists, far from any of the search,
	freshRepeat  = 1 << 20 // and that of the last judgement, far from both
	finalists    = 4       // most mappings that a choice is made among
)

// Gain is how much faster one mapping is than another, in per cent of the
// slower one's time: the median over repeats that pair, and its interval.
type Gain struct {
	Percent   float64
	Low, High float64 // 95 % interval of the median by order statistics
	Known     bool    // there are the 6 repeats that an interval needs
}

// Proven tells whether the interval has gains only. Below 6 repeats nothing is.
func (g Gain) Proven() bool { return g.Known && g.Low > 0 }

// gainOver compares two evaluations of the same repeats.
func gainOver(slow, fast *Evaluation) Gain {
	reference, times := slow.Times(), fast.Times()
	saved := make([]float64, min(len(times), len(reference)))
	for i := range saved {
		if reference[i] > 0 {
			saved[i] = 100 * (1 - times[i]/reference[i])
		}
	}
	var g Gain
	g.Percent, g.Low, g.High, g.Known = evalsim.MedianInterval(saved)
	return g
}

// evaluated is an evaluation in hand, or from the journal.
func (s *search) evaluated(ctx context.Context, c *Candidate, first, count int) (*Evaluation, error) {
	j, err := recall(ctx, s.Journal, fmt.Sprintf("repeats %d+%d of %s", first, count, name(c.Mapping)), func() (judgement, error) {
		e, err := s.Evaluate(ctx, c.Mapping, first, count)
		if err != nil {
			return judgement{}, err
		}
		return judgement{Repeats: keep(e)}, nil
	})
	if err != nil {
		return nil, err
	}
	s.result.Runs += count
	return j.evaluation(), nil
}

// choose finds the fastest of some candidates. Those that the search's own repeats
// do not tell from the best, at most `finalists` of them, are judged on others:
// the first of many owes some of its lead to the seeds that made it first.
func (s *search) choose(ctx context.Context, candidates []*Candidate) (*Candidate, error) {
	standing := slices.DeleteFunc(slices.Clone(candidates), func(c *Candidate) bool { return c.Dropped })
	slices.SortStableFunc(standing, func(a, b *Candidate) int {
		return cmp.Compare(median(a.Evaluation.Times()), median(b.Evaluation.Times()))
	})
	best := standing[0]
	standing = slices.DeleteFunc(standing, func(c *Candidate) bool { return c != best && better(best.Evaluation, c.Evaluation) })
	standing = standing[:min(len(standing), finalists)]
	if len(standing) == 1 || s.Judge == 0 {
		return best, nil
	}
	least := 0.0
	for i, c := range standing {
		e, err := s.evaluated(ctx, c, secondRepeat, s.Judge)
		if err != nil {
			return nil, err
		}
		if m := median(e.Times()); i == 0 || m < least {
			best, least = c, m
		}
	}
	return best, nil
}

// last chooses the best static mapping, the best of the control and the best of
// all, and judges them and the start on repeats that nothing was chosen by, so
// that the gain is not the luck of seeds. What is not proven faster there gives
// way: the best to the best static, that to the start. With fewer than 6 repeats
// there is no interval; then more than one standard error decides.
func (s *search) last(ctx context.Context) error {
	static, err := s.choose(ctx, s.judged[:s.statics])
	if err != nil {
		return err
	}
	found, err := s.choose(ctx, s.judged)
	if err != nil {
		return err
	}
	r := s.result
	again := []*Candidate{&r.Start, &r.Static, &r.Best}
	r.Static, r.Best = *static, *found
	if s.blind != nil {
		blind, err := s.choose(ctx, s.blind.judged)
		if err != nil {
			return err
		}
		r.Restarts = new(Candidate)
		*r.Restarts = *blind
		again = append(again, r.Restarts)
	}
	known := map[string]*Evaluation{}
	for _, c := range again {
		k := key(c.Mapping)
		if known[k] == nil {
			if known[k], err = s.evaluated(ctx, c, freshRepeat, max(1, s.Judge)); err != nil {
				return err
			}
		}
		c.Evaluation = known[k]
		c.Summary, c.Dropped = evalsim.Summarize(c.Evaluation.Results), false
	}
	s.concede()
	r.Fresh = true
	return nil
}

// concede lets what is not proven faster give way.
func (s *search) concede() {
	r := s.result
	faster := func(a, b *Candidate) bool {
		if g := gainOver(b.Evaluation, a.Evaluation); g.Known {
			return g.Proven()
		}
		return better(a.Evaluation, b.Evaluation)
	}
	if !faster(&r.Static, &r.Start) {
		r.Static = r.Start
	}
	if !faster(&r.Best, &r.Static) {
		r.Best = r.Static
	}
	r.Gain = gainOver(r.Static.Evaluation, r.Best.Evaluation)
	if r.Restarts != nil {
		r.OverRestarts = gainOver(r.Restarts.Evaluation, r.Best.Evaluation)
	}
}
