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

// Limited is the fastest mapping found that moves few ranks: a row of the table of
// gain against ranks moved.
type Limited struct {
	Candidate           // judged on the fresh seeds that judged Start; Start itself where nothing is proven faster
	Limit       int     // most ranks that may leave the host they have in Start; 0 = as many as Problem.MaxMoves allows: Result.Best
	Moves       int     // ranks that do
	Gain        Gain    // over Start
	SavedNS     float64 // by one run of the traffic at its full volume: the median of repeats that pair
	MigrationNS float64 // that moving the ranks takes; 0 without Settings.Migrate
}

// Iterations is how many runs of the traffic it takes until what they save makes
// up for the migration; 0 where no gain is proven.
func (l *Limited) Iterations() int64 {
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

// tighter are the limits that allow less than the problem does.
func (s *search) tighter() []int {
	return slices.DeleteFunc(slices.Clone(s.Limits), func(limit int) bool { return s.Problem.MaxMoves > 0 && limit >= s.Problem.MaxMoves })
}

// limits searches within each limit of moves. What is found there joins the
// candidates of the search.
func (s *search) limits(ctx context.Context) error {
	if s.best == s.judged[0] && nothingToGain(s.bound(s.best), float64(s.best.Summary.ElapsedNS)) != "" {
		return nil
	}
	for _, limit := range s.tighter() {
		if err := s.within(ctx, limit); err != nil {
			return err
		}
	}
	return nil
}

// within poses the problem with a limit: first from what was measured under the
// start, then from what was under the best mapping that keeps the limit, which
// may be one of the search or of a smaller limit. A candidate races against
// the best within the limit.
func (s *search) within(ctx context.Context, limit int) error {
	part := *s // shares the journal, the result and what was seen
	part.judged, part.Simulations = slices.Clone(s.judged), 0
	start := s.judged[0]
	part.best = start
	for _, c := range s.keeping(limit) {
		if better(c.Evaluation, part.best.Evaluation) {
			part.best = c
		}
	}
	err := part.moveFew(ctx, start, limit)
	if err == nil && part.best != start {
		err = part.moveFew(ctx, part.best, limit)
	}
	s.judged, s.unposed = part.judged, part.unposed
	if better(part.best.Evaluation, s.best.Evaluation) {
		s.best = part.best
	}
	return err
}

// moveFew proposes, for every form of feedback on what was measured under a
// mapping, one that moves few ranks from the start; where links have capacities
// a second, under which what is hottest comes first.
func (s *search) moveFew(ctx context.Context, base *Candidate, limit int) error {
	asked := *base
	asked.knows = s.nothing // what the search has learned on its way there is of mappings far from the start
	knows, err := s.learn(ctx, &asked, 0)
	if err != nil {
		return err
	}
	base.finer = asked.finer
	for _, form := range s.Forms {
		posed, ok := s.pose(form, knows)
		if !ok {
			continue
		}
		posed.MaxMoves = limit
		err := s.moveWithin(ctx, base, form, posed)
		if err == nil && posed.LinkFree != nil {
			posed.LinkFree = knows.hottestFirst()
			err = s.moveWithin(ctx, base, form, posed)
		}
		if err != nil {
			return err
		}
	}
	return s.settle(ctx)
}

// hottestFirst is what others leave of links, down to a quarter of what capacities
// count at least: few moves cannot empty all crowded links, and are to go where
// most is lost.
func (k *knowledge) hottestFirst() []float64 {
	free := make([]float64, len(k.seen.foreign))
	for l, foreign := range k.seen.foreign {
		free[l] = max(leastFree/4, 1-foreign)
	}
	return free
}

// moveWithin proposes what the refiner makes of a posed problem with a limit of moves.
func (s *search) moveWithin(ctx context.Context, base *Candidate, form Form, posed mapping.Problem) error {
	c := &Candidate{Round: s.Rounds + 1, Strategy: fmt.Sprintf("%s within %d moves", s.Refine.Name, posed.MaxMoves), Form: form.Name,
		From: slices.Index(s.judged, base), knows: base.knows, origin: base.origin}
	return s.propose(ctx, c, chain([]mapping.Strategy{*s.Refine}), posed)
}

// keeping are the judged mappings that keep a limit of moves.
func (s *search) keeping(limit int) []*Candidate {
	return slices.DeleteFunc(slices.Clone(s.judged), func(c *Candidate) bool { return s.Problem.Moves(c.Mapping) > limit })
}

// limited makes the table of gain against moves: for each limit the fastest that
// keeps it, smaller limits' included, judged on the fresh seeds. A row gives way
// to the one above, the first to the start, where it is not proven faster than
// the start, or any row above is proven faster than it; and the best of all does
// to the last row where one is.
func (s *search) limited(ctx context.Context) error {
	if s.Limits == nil {
		return nil
	}
	r := s.result
	var rows []Limited
	above := r.Start
	outdone := func(c *Candidate) bool {
		return slices.ContainsFunc(rows, func(row Limited) bool { return proven(&row.Candidate, c) })
	}
	for _, limit := range s.tighter() {
		chosen, err := s.choose(ctx, s.keeping(limit))
		if err != nil {
			return err
		}
		row := Limited{Candidate: *chosen, Limit: limit}
		if row.Evaluation, err = s.evaluated(ctx, s.validate(), chosen, freshRepeat, max(1, s.Judge)); err != nil {
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
	rows = append(rows, Limited{Candidate: r.Best})
	for i := range rows {
		if err := s.account(ctx, &rows[i]); err != nil {
			return err
		}
	}
	r.Limited = rows
	return nil
}

// account tells what a row gains, and what it takes to get there.
func (s *search) account(ctx context.Context, row *Limited) (err error) {
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
		row.MigrationNS, err = recall(ctx, s.Journal, "migrate to "+name(row.Mapping), func() (float64, error) {
			return s.Migrate(ctx, s.result.Start.Mapping, row.Mapping)
		})
	}
	return err
}
