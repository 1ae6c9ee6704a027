// Package feedback closes the loop: it evaluates mappings, makes pairs of
// ranks heavier by the congestion their packets measured, lets the strategies
// map again, and keeps the best mapping it has seen.
package feedback

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"remap/commgraph"
	"remap/evalsim"
	"remap/mapping"
)

// Settings of a run. Start from DefaultSettings.
type Settings struct {
	Problem    *mapping.Problem   // the original graph; Start (nil: identity) is the mapping to beat
	Traffic    *commgraph.Traffic // whose entries the evaluations' flows follow
	Strategies []mapping.Strategy // at least one
	Refine     *mapping.Strategy  // moves few ranks from Start; tried in every round; nil = none
	Evaluate   Evaluate
	Sensitive  Evaluate    // as Evaluate, by a finer definition of congested: asked when the coarse one sees none under the best mapping, or what it saw led to no gain; nil = none
	Floor      float64     // ns no mapping can beat; 0 = unknown. The search ends within NearFloor of it
	Rounds     int         // most rounds of feedback, 0 to 1000
	Repeats    int         // repeats a judgement takes, 1 to 1000
	Gain       float64     // of the reweighting, 0 to 1000; 0 = feedback off
	Patience   int         // rounds without a gain before it stops, >= 1
	Progress   func(Event) // after every evaluation; nil = none
}

// DefaultSettings are 5 rounds, 6 repeats, gain 4 and a patience of 2.
func DefaultSettings() Settings {
	return Settings{Rounds: 5, Repeats: 6, Gain: 4, Patience: 2}
}

func (s *Settings) validate() error {
	switch {
	case s.Problem == nil || s.Traffic == nil || s.Evaluate == nil:
		return errors.New("feedback: problem, traffic and evaluate must be set")
	case len(s.Strategies) == 0:
		return errors.New("feedback: at least one strategy is needed")
	case s.Rounds < 0 || s.Rounds > 1000:
		return fmt.Errorf("rounds %d: must be 0 to 1000", s.Rounds)
	case s.Repeats < 1 || s.Repeats > 1000:
		return fmt.Errorf("repeats %d: must be 1 to 1000", s.Repeats)
	case !(s.Gain >= 0 && s.Gain <= 1000):
		return fmt.Errorf("gain %g: must be 0 to 1000", s.Gain)
	case s.Patience < 1:
		return fmt.Errorf("patience %d: must be at least 1", s.Patience)
	}
	return s.Problem.Check()
}

// Event tells how far a run is.
type Event struct {
	Round       int // 0 = the static mappings
	Simulations int // evaluated mappings so far
	Strategy    string
	Elapsed     float64 // ns, the mapping just judged
	Best        float64 // ns, the best so far
}

// NearFloor is how near to the floor a time must be for the search to end.
const NearFloor = 1.01

// Candidate is one mapping and how it was judged.
type Candidate struct {
	Round      int    // 0 = static
	Strategy   string // what made it; "start" for the mapping to beat
	Mapping    mapping.Mapping
	Evaluation *Evaluation
	Summary    evalsim.Summary
	Dropped    bool // lost its race after the first repeats and was judged by those alone
}

// Result of a run. Best is never slower than Start on the seeds that judged
// both last.
type Result struct {
	Start, Best Candidate
	Static      Candidate   // the best before any feedback
	Rounds      []Candidate // the best new candidate of every round that had one, in order
	Candidates  []Candidate // all, in order, without their evaluations
	Skipped     []string    // strategies that could not be used, and why
	Simulations int         // mappings evaluated in the search, closer looks included; not the last judgement
	Fresh       bool        // Start and Best were judged again on seeds the search never used
	Interrupted bool        // ctx ended before the search did
	Stopped     string      // why the search ended
}

// freshRepeat numbers the first repeat of the last judgement, far from any
// that the search uses.
const freshRepeat = 1 << 20

// search is a run in hand.
type search struct {
	Settings
	weights *Weights
	limit   float64 // of the total reweighted
	changed bool    // the best mapping is another since it was last cleared
	seen    map[string]bool
	best    Candidate
	result  *Result
}

// Optimize searches until rounds, patience or ctx ends. When ctx ends after
// the first judgement, the best so far is returned with Interrupted set and no
// error. Of a deadline, the last fifth is kept for the judgement on fresh seeds.
// Errors: settings out of bounds, an evaluation that fails, no strategy
// that gives a mapping.
func Optimize(ctx context.Context, settings Settings) (*Result, error) {
	if err := settings.validate(); err != nil {
		return nil, err
	}
	s := &search{Settings: settings, seen: map[string]bool{}, result: &Result{}}
	s.weights = NewWeights(settings.Problem.Graph, settings.Traffic)
	// No path has more switches than the machine: weight times distance stays in int64.
	s.limit = min(commgraph.MaxTotal/2, math.Exp2(60)/float64(settings.Problem.Machine.Switches()+2))
	start := Candidate{Strategy: "start", Mapping: settings.Problem.StartMapping()}
	if _, err := s.judge(ctx, &start); err != nil {
		return nil, err
	}
	s.best, s.result.Start = start, start
	searching := ctx
	if deadline, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		searching, cancel = context.WithTimeout(ctx, time.Until(deadline)*4/5)
		defer cancel()
	}
	err := s.rounds(searching)
	if err != nil && searching.Err() == nil {
		return nil, err
	}
	s.result.Best = s.best
	if s.result.Static.Mapping == nil {
		s.result.Static = s.best
	}
	if searching.Err() != nil {
		s.result.Interrupted, s.result.Stopped = true, "interrupted"
	}
	if ctx.Err() != nil {
		return s.result, nil
	}
	if err := s.judgeFresh(ctx); err != nil && ctx.Err() == nil {
		return nil, err
	}
	s.result.Interrupted = s.result.Interrupted || ctx.Err() != nil
	return s.result, nil
}

// rounds runs the statics, then feedback.
func (s *search) rounds(ctx context.Context) error {
	if err := s.round(ctx, 0, s.Problem); err != nil {
		return err
	}
	if len(s.result.Skipped) == len(s.Strategies) {
		return fmt.Errorf("no strategy gave a mapping: %s", s.result.Skipped[0])
	}
	s.result.Static = s.best
	failures := 0
	for round := 1; round <= s.Rounds; round++ {
		if s.Floor > 0 && float64(s.best.Summary.ElapsedNS) <= s.Floor*NearFloor {
			s.result.Stopped = fmt.Sprintf("within %.0f %% of the floor of %.0f ns", (NearFloor-1)*100, s.Floor)
			return nil
		}
		s.changed = false
		if err := s.learn(ctx, failures); err != nil {
			return err
		}
		problem := *s.Problem
		problem.Graph = s.weights.Apply(s.Problem.Graph, s.limit)
		problem.Traffic = heavier(s.Problem.Traffic, s.Problem.Graph, problem.Graph)
		problem.Seed = s.Problem.Seed + uint64(round)
		if err := s.round(ctx, round, &problem); err != nil {
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
	s.result.Stopped = fmt.Sprintf("%d rounds done", s.Rounds)
	return nil
}

// learn makes the pairs heavier whose packets met congestion under the best
// mapping so far. It looks closer when that says nothing, or nothing new.
func (s *search) learn(ctx context.Context, failures int) error {
	if s.Gain == 0 {
		return nil
	}
	measured := s.best.Evaluation
	if s.Sensitive != nil && (failures > 0 || !measured.congested()) {
		finer, err := s.Sensitive(ctx, s.best.Mapping, 0, min(raceRepeats, s.Repeats))
		if err != nil {
			return err
		}
		s.result.Simulations++
		measured = finer
	}
	s.weights.Grow(s.Problem.Graph, measured.Flows(), s.Gain)
	return nil
}

// round judges every strategy's mapping of a problem; refining ones begin at
// the start, and after round 0 at the best mapping so far as well, unless moves
// are limited, which are counted from the start.
func (s *search) round(ctx context.Context, round int, problem *mapping.Problem) error {
	defer s.closeRound(len(s.result.Candidates))
	for _, strategy := range s.proposers(round) {
		starts := []mapping.Mapping{s.Problem.Start}
		if round > 0 && strategy.Refine && problem.MaxMoves <= 0 {
			starts = []mapping.Mapping{s.best.Mapping, s.Problem.Start}
		}
		for _, start := range starts {
			if err := s.propose(ctx, round, strategy, *problem, start); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *search) proposers(round int) []mapping.Strategy {
	if s.Refine == nil || round == 0 {
		return s.Strategies
	}
	for i := range s.Strategies {
		if s.Strategies[i].Name == s.Refine.Name {
			return s.Strategies
		}
	}
	return append([]mapping.Strategy{*s.Refine}, s.Strategies...)
}

// propose maps and, unless the mapping was seen before, judges it.
func (s *search) propose(ctx context.Context, round int, strategy mapping.Strategy, problem mapping.Problem, start mapping.Mapping) error {
	problem.Start = start
	m, err := strategy.Map(ctx, &problem)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if round == 0 {
			s.result.Skipped = append(s.result.Skipped, fmt.Sprintf("%s: %v", strategy.Name, err))
		}
		return nil
	}
	candidate := Candidate{Round: round, Strategy: strategy.Name, Mapping: m}
	fresh, err := s.judge(ctx, &candidate)
	if err != nil || !fresh {
		return err
	}
	if better(candidate.Evaluation, s.best.Evaluation) {
		s.best, s.changed = candidate, true
	}
	return nil
}

// closeRound notes the best candidate of the round that began at index first.
func (s *search) closeRound(first int) {
	var best *Candidate
	for i := first; i < len(s.result.Candidates); i++ {
		c := &s.result.Candidates[i]
		if best == nil || c.Summary.ElapsedNS < best.Summary.ElapsedNS {
			best = c
		}
	}
	if best != nil {
		s.result.Rounds = append(s.result.Rounds, *best)
	}
}

// key is a mapping's bytes, to know it again.
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
