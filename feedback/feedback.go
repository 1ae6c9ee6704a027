// Package feedback closes the loop: it evaluates mappings by simulation, applies what was
// measured under them to the next problem by a feedback model (Model: capacities or prices
// of links, weights of pairs), lets the strategies map again, and keeps the best mapping.
//
// A search has these parts. Settings say what to search, Optimize runs it, Result has what
// was found.
//   - Round 0 evaluates the static mappings (rounds.go, race.go, lookahead.go).
//   - Each round learns from the best mappings (learn.go, view.go, signs.go) and makes new
//     ones by the feedback models (models.go, proposals.go, portfolio.go).
//   - limits.go searches within limits of moves, randomrestarts.go makes the baseline at
//     equal cost, bounds.go has the lower bounds that end a search.
//   - finalvalidation.go evaluates what was found on seeds that nothing was chosen by.
//   - measured.go and foreign*.go make the traffic of others from counters of a real
//     network, ownsamples.go tells of others from the job's own packets.
package feedback

import (
	"context"
	"errors"
	"math"
	"sync"
	"time"

	"remap/commgraph"
	"remap/evalsim"
	"remap/mapping"
)

// search is the state of a run.
type search struct {
	Settings
	classes *mapping.LinkClasses
	// initial is the initial state, before any measurement.
	initial *feedbackState
	// signs are those of others, by all mappings that were evaluated. They are used where the view
	// does not tell of others.
	signs *signs
	// statics is how many of candidates are static.
	statics int
	// restarts is the search by random restarts; nil = none.
	restarts *search
	// cuts are those of the machine, for lower bounds; nil until they are needed.
	cuts []cuts
	// changed: the best mapping is another since this was last cleared.
	changed bool
	// unusedForms are the names of feedback models that could not be used.
	unusedForms []string
	// inHand is the key of the mapping that Keep was called with last.
	inHand string
	// evaluations, by step, are those on other repeats than the search's.
	evaluations map[string]*Evaluation
	seen        map[string]bool
	// candidates are those of Result.Candidates.
	candidates []*Candidate
	// queue are the candidates that were submitted and not evaluated yet.
	queue []pendingEvaluation
	// running are the simulations under way.
	running *sync.WaitGroup
	best    *Candidate
	result  *Result
}

func newSearch(settings Settings) *search {
	s := &search{Settings: settings, seen: map[string]bool{}, evaluations: map[string]*Evaluation{},
		running: &sync.WaitGroup{},
		result:  &Result{}, classes: settings.Problem.Routing.LinkClasses(settings.Problem.Machine)}
	if s.Models == nil {
		s.Models = DefaultModels()
	}
	if s.View == nil {
		s.View = ExactView
	}
	// No path has more switches than the machine: weight times distance stays in int64.
	limit := min(commgraph.MaxTotal/2, math.Exp2(60)/float64(settings.Problem.Machine.Switches()+2))
	s.initial = initialState(settings.Problem, limit)
	s.signs = newSigns(len(settings.Problem.Machine.Links))
	s.initial.alone, s.initial.phases = settings.Alone, settings.Phases
	return s
}

// Optimize searches until rounds, patience or ctx ends. When ctx ends after the start was
// evaluated, Optimize returns the best so far with Interrupted set, and no error. Of a deadline, a
// fifth to a half is kept for the final validation.
//
// Errors: settings out of bounds, an evaluation that fails, no strategy that gives a mapping.
func Optimize(ctx context.Context, settings Settings) (*Result, error) {
	if err := settings.check(); err != nil {
		return nil, err
	}
	s, began := newSearch(settings), time.Now()
	if err := s.evaluateStart(ctx); err != nil {
		return nil, err
	}
	searching, cancel := context.WithCancel(ctx)
	defer s.running.Wait()
	defer cancel()
	if deadline, ok := ctx.Deadline(); ok {
		limit := s.searchTime(time.Until(deadline), time.Since(began))
		searching, cancel = context.WithTimeout(searching, limit)
		defer cancel()
	}
	err := s.rounds(searching)
	if err == nil {
		err = s.limits(searching)
	}
	if err == nil && s.RandomRestarts {
		err = s.randomRestarts(searching)
	}
	if err != nil && searching.Err() == nil {
		return nil, err
	}
	return s.end(ctx, searching)
}

// searchTime is the part of the time left that the search may use, so that enough remains for the
// final validation. That usually evaluates start, static, best and some finalists; one mapping took
// `first`. The result is at least half of the time and at most four fifths.
func (s *search) searchTime(left, first time.Duration) time.Duration {
	reserve := time.Duration(float64(first) * float64(3+finalists) * float64(max(1,
		s.ValidationRepeats)) / float64(s.Repeats))
	return max(left/2, min(left*4/5, left-reserve))
}

// evaluateStart evaluates the mapping to beat.
func (s *search) evaluateStart(ctx context.Context) error {
	start := &Candidate{Strategy: "start", Mapping: s.Problem.StartMapping(), From: -1, learned: s.initial}
	s.markSeen(start.Mapping)
	if err := s.evaluateCandidate(ctx, s.simulateHead(ctx, start)); err != nil {
		return err
	}
	s.best, s.result.Start, s.statics = start, *start, 1
	return nil
}

// end runs the final validation and fills the result.
func (s *search) end(ctx, searching context.Context) (*Result, error) {
	s.result.Best, s.result.Static = *s.best, *s.bestStatic()
	if searching.Err() != nil {
		s.result.Interrupted, s.result.Stopped = true, "interrupted"
	}
	s.result.Bound = s.boundOf(s.best)
	if ctx.Err() != nil {
		return s.result, s.saveBest()
	}
	if err := s.validateFinally(ctx); err != nil && (ctx.Err() == nil || errors.Is(err, ErrState)) {
		return nil, err
	}
	s.result.Interrupted = s.result.Interrupted || ctx.Err() != nil
	s.result.Bound = s.boundOf(&s.result.Best)
	return s.result, s.saveBest()
}

// saveBest calls Keep with the result's best mapping and syncs the journal.
func (s *search) saveBest() error {
	return errors.Join(s.keepBest(s.result.Best.Mapping), s.Journal.Sync())
}

// keepBest calls Keep with the best mapping so far, once for each mapping.
func (s *search) keepBest(m mapping.Mapping) error {
	if s.OnBest == nil || s.inHand == key(m) {
		return nil
	}
	s.inHand = key(m)
	return s.OnBest(m)
}

// bestStatic is the best mapping before any feedback by the search's own repeats.
func (s *search) bestStatic() *Candidate {
	best := s.candidates[0]
	for _, c := range s.candidates[1:s.statics] {
		if !c.Dropped && better(c.Evaluation, best.Evaluation) {
			best = c
		}
	}
	return best
}

// key is the bytes of a mapping, by which it is recognised.
func key(m mapping.Mapping) string {
	b := make([]byte, 0, 4*len(m))
	for _, s := range m {
		b = append(b, byte(s), byte(s>>8), byte(s>>16), byte(s>>24))
	}
	return string(b)
}

// median of times, infinite when there is none.
func median(times []float64) float64 {
	if len(times) == 0 {
		return math.Inf(1)
	}
	m, _, _, _ := evalsim.MedianInterval(times)
	return m
}
