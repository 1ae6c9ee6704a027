package feedback

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"remap/evalsim"
	"remap/mapping"
)

// MoveRow is the fastest mapping found that moves few ranks: a row of the table of gain against
// ranks moved. Its Candidate was evaluated on the fresh seeds, as Start was; it is Start itself
// where nothing is proven faster.
type MoveRow struct {
	Candidate
	// Limit is how many ranks may leave the host they have in Start; 0 = as many as
	// Problem.MaxMoves allows: Result.Best.
	Limit int
	// Moves is how many ranks do.
	Moves int
	// Gain is that over Start.
	Gain Gain
	// SavedNS is the time saved by one run of the traffic at its full volume, in ns: the median of
	// paired repeats.
	SavedNS float64
	// MigrationNS is the time that moving the ranks takes, in ns; 0 without Settings.Migrate.
	MigrationNS float64
}

// Iterations is how many runs of the traffic it takes until the time saved makes up for the
// migration; 0 where no gain is proven.
func (l *MoveRow) Iterations() int64 {
	if !l.Gain.Proven() || !(l.SavedNS > 0) {
		return 0
	}
	return int64(min(math.Ceil(l.MigrationNS/l.SavedNS), math.MaxInt64/2))
}

func (s *Settings) validateLimits() error {
	for i, limit := range s.Limits {
		if limit < 1 || i > 0 && limit <= s.Limits[i-1] {
			return errors.New("feedback: limits of moves must be positive and ascend")
		}
	}
	if len(s.Limits) > 0 && s.Refine == nil {
		return errors.New("feedback: limits of moves need a strategy that refines")
	}
	return nil
}

// tighter are the limits that allow fewer moves than the problem does.
func (s *search) tighter() []int {
	return slices.DeleteFunc(slices.Clone(s.Limits),
		func(limit int) bool { return s.Problem.MaxMoves > 0 && limit >= s.Problem.MaxMoves })
}

// limits searches within each limit of moves. The mappings it finds join the candidates of the
// search.
func (s *search) limits(ctx context.Context) error {
	if s.best == s.candidates[0] && nothingToGain(s.bound(s.best), float64(s.best.Summary.ElapsedNS)) != "" {
		return nil
	}
	for _, limit := range s.tighter() {
		if err := s.searchWithin(ctx, limit); err != nil {
			return err
		}
	}
	return nil
}

// searchWithin searches within one limit of moves: first from what was measured under the start,
// then from what was measured under the best mapping that keeps the limit, which may be one of the
// search or of a smaller limit. A candidate races against the best within the limit.
func (s *search) searchWithin(ctx context.Context, limit int) error {
	part := *s // shares the journal, the result and what was seen
	part.candidates, part.Simulations = slices.Clone(s.candidates), 0
	start := s.candidates[0]
	part.best = start
	for _, c := range s.withinLimit(limit) {
		if better(c.Evaluation, part.best.Evaluation) {
			part.best = c
		}
	}
	err := part.moveFew(ctx, start, limit)
	if err == nil && part.best != start {
		err = part.moveFew(ctx, part.best, limit)
	}
	s.candidates, s.unusedForms = part.candidates, part.unusedForms
	if better(part.best.Evaluation, s.best.Evaluation) {
		s.best = part.best
	}
	return err
}

// moveFew proposes, for every feedback model, a mapping that moves few ranks from the start, by
// what was measured under a base. Where links have capacities it proposes a second mapping, which
// relieves the links that lose most first (hottestFirst).
func (s *search) moveFew(ctx context.Context, base *Candidate, limit int) error {
	fromStart := *base
	// What else the search has learned comes from mappings far from the start.
	fromStart.learned = s.initial
	learned, err := s.learn(ctx, &fromStart, 0)
	if err != nil {
		return err
	}
	base.finer = fromStart.finer
	for _, form := range s.Models {
		problem, ok := s.apply(form, learned)
		if !ok {
			continue
		}
		problem.MaxMoves = limit
		err := s.moveWithin(ctx, base, form, problem)
		if err == nil && problem.LinkFree != nil {
			problem.LinkFree = learned.hottestFirst()
			err = s.moveWithin(ctx, base, form, problem)
		}
		if err != nil {
			return err
		}
	}
	return s.evaluateSubmitted(ctx)
}

// hottestFirst is what others leave of links, at least leastHottest. Few moves cannot empty all
// links with too much traffic, so they go to the links that lose most.
func (k *feedbackState) hottestFirst() []float64 {
	free := make([]float64, len(k.seen.foreign))
	for l, foreign := range k.seen.foreign {
		free[l] = max(leastHottest, 1-foreign)
	}
	return free
}

// moveWithin proposes what the refiner makes of a problem with a limit of moves.
func (s *search) moveWithin(ctx context.Context, base *Candidate, form Model, problem mapping.Problem) error {
	c := &Candidate{Round: s.Rounds + 1, Model: form.Name, learned: base.learned, origin: base.origin}
	c.Strategy = fmt.Sprintf("ranks exchanged, at most %d moved", problem.MaxMoves)
	c.From = slices.Index(s.candidates, base)
	return s.propose(ctx, c, chain([]mapping.Strategy{*s.Refine}), problem)
}

// withinLimit are the evaluated mappings that keep a limit of moves.
func (s *search) withinLimit(limit int) []*Candidate {
	return slices.DeleteFunc(slices.Clone(s.candidates),
		func(c *Candidate) bool { return s.Problem.Moves(c.Mapping) > limit })
}

// limitTable makes the table of gain against moves. For each limit it has the fastest mapping that
// keeps it, those of smaller limits included, evaluated on the fresh seeds.
//
// A row falls back to the row above, and the first row to the start, in two cases: it is not proven
// faster than the start, or some row above is proven faster than it. The best of all falls back to
// the last row where some row is proven faster.
func (s *search) limitTable(ctx context.Context) error {
	if s.Limits == nil {
		return nil
	}
	r := s.result
	var rows []MoveRow
	above := r.Start
	outdone := func(c *Candidate) bool {
		return slices.ContainsFunc(rows, func(row MoveRow) bool { return proven(&row.Candidate, c) })
	}
	for _, limit := range s.tighter() {
		chosen, err := s.choose(ctx, s.withinLimit(limit))
		if err != nil {
			return err
		}
		row := MoveRow{Candidate: *chosen, Limit: limit}
		if row.Evaluation, err = s.evaluateOn(ctx, s.validator(), chosen, freshRepeat,
			max(1, s.ValidationRepeats)); err != nil {
			return err
		}
		row.Summary, row.Dropped = evalsim.Summarize(row.Evaluation.Results), false
		if !proven(&row.Candidate, &r.Start) || outdone(&row.Candidate) {
			row.Candidate = above
		}
		rows, above = append(rows, row), row.Candidate
	}
	if outdone(&r.Best) {
		r.Best = above
		s.gains()
	}
	rows = append(rows, MoveRow{Candidate: r.Best})
	for i := range rows {
		if err := s.account(ctx, &rows[i]); err != nil {
			return err
		}
	}
	r.MoveTable = rows
	return nil
}

// account sets what a row gains, and what its migration takes.
func (s *search) account(ctx context.Context, row *MoveRow) (err error) {
	start := s.result.Start.Evaluation
	row.Moves = s.Problem.Moves(row.Mapping)
	row.Gain = gainOver(start, row.Evaluation)
	before, after := start.Times(), row.Evaluation.Times()
	saved := make([]float64, len(after))
	for i := range after {
		saved[i] = before[i] - after[i]
	}
	row.SavedNS = median(saved)
	if s.Migrate != nil && row.Moves > 0 {
		row.MigrationNS, err = recall(ctx, s.Journal, "migrate to "+name(row.Mapping),
			func() (float64, error) {
				return s.Migrate(ctx, s.result.Start.Mapping, row.Mapping)
			})
	}
	return err
}
