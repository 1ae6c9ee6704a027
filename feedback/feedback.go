// Package feedback closes the loop: it evaluates mappings, puts what was measured
// under them into the next problem (Form: capacities and prices of links, weights
// of pairs), lets the strategies map again, and keeps the best mapping it has seen.
package feedback

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"remap/commgraph"
	"remap/evalsim"
	"remap/mapping"
)

// Settings of a run. Start from DefaultSettings.
type Settings struct {
	Problem *mapping.Problem // the original graph; Start (nil: identity) is the mapping to beat
	// Traffic is the problem's, at the volume of its graph: loads of links, capacities
	// and bounds are of that one volume, whatever share of it is simulated. The
	// evaluations' flows follow its entries.
	Traffic    *commgraph.Traffic
	Strategies []mapping.Strategy // at least one
	// Baselines: further static mappings to begin with, in at most half of Simulations; one that cannot map
	// the job is left out
	Baselines []mapping.Strategy
	// Refine: moves ranks from Start under any objective; after round 0 it improves every base, and what
	// strategies make afresh; nil = none
	Refine *mapping.Strategy
	Forms  []Form // how what was measured goes into the next problem; nil = DefaultForms
	// Phases: of the program at full volume, in the order of time (workload.Program.PhaseTraffic), for the
	// form that weighs them apart; nil = not known
	Phases []*commgraph.Traffic
	View   View // how links are read; nil = ExactView
	Bases  int  // most mappings, of different origin, that a round goes on from, 1 to 100
	// Workers: mappings of one base made at a time; 0 = one a core; results do not depend on it
	Workers  int
	Evaluate Evaluate
	// Apart: as Evaluate, with the network to itself: where View does not tell of others, tells their
	// congestion from the job's own; nil = all is theirs
	Apart Evaluate
	// Validate: as Evaluate, but to be believed: judges what the search has found on fresh seeds; nil =
	// Evaluate
	Validate Evaluate
	// Sensitive: as Evaluate, by a finer definition of congested: asked when the coarse one sees none under
	// the best mapping, or what it saw led to no gain; nil = none
	Sensitive Evaluate
	// Evaluate has the finer definition already, and Sensitive is not asked
	Fine  bool
	Alone bool // no other job has the network
	// Memory: rate in bytes a second at which ranks of a host copy messages to each other
	// (evalsim.Options.MemoryRate); nil = no bound of it
	Memory func(host int32) float64
	// Floor: what no mapping can beat, where the caller knows more than the loads of links tell; zero =
	// nothing
	Floor  Bound
	Rounds int // most rounds of feedback, 0 to 1000
	// Simulations: most mappings that the search simulates, its control not counted; 0 = no limit
	Simulations int
	Repeats     int // repeats a judgement takes, 1 to 1000
	// Turns: repeats that follow each other are beside others that differ, in turns of so many
	// (Others.Alternate). Mappings are compared by the mean of each turn, since what one gains beside some
	// of the others is no scatter, and none is dropped before its first turn is over; 0 or 1 = each
	// repeat counts by itself
	Turns int
	// Judge: most repeats of the final validation (6 suffice where these prove which mapping is faster), on
	// seeds the search never used, 0 to 1000; 0 = 1, and no choice among finalists
	Judge int
	// Limits: most ranks that may leave the host they have in Start, ascending: for each the best mapping is
	// found too (Result.Limited); nil = none
	Limits  []int
	Migrate Migrate // what moving ranks takes, told beside; nil = unknown
	// Control: random restarts with as many simulated mappings beside the search
	Control bool
	Journal *Journal // keeps every step; nil = none
	// Keep: called with the best so far after the static mappings and after every round, when it is another,
	// and with the result's at the end; its error ends the search; nil = none
	Keep func(best mapping.Mapping) error
	// Gain: of pairs and prices, 0 to 1000; 0 = no form learns anything of congestion
	Gain     float64
	Patience int         // rounds without a gain before it stops, >= 1
	Progress func(Event) // after every evaluation; nil = none
}

// DefaultSettings are 5 rounds, 6 repeats, 10 for the final validation, gain 4, a
// patience of 2 and 3 bases.
func DefaultSettings() Settings {
	return Settings{Rounds: 5, Repeats: 6, Judge: 10, Gain: 4, Patience: 2, Bases: 3}
}

func (s *Settings) check() error {
	switch {
	case s.Problem == nil || s.Traffic == nil || s.Evaluate == nil:
		return errors.New("feedback: problem, traffic and evaluate must be set")
	case len(s.Strategies) == 0:
		return errors.New("feedback: at least one strategy is needed")
	case s.Rounds < 0 || s.Rounds > 1000:
		return fmt.Errorf("rounds %d: must be 0 to 1000", s.Rounds)
	case s.Repeats < 1 || s.Repeats > 1000:
		return fmt.Errorf("repeats %d: must be 1 to 1000", s.Repeats)
	case s.Turns < 0:
		return fmt.Errorf("turns %d: must not be negative", s.Turns)
	case s.Judge < 0 || s.Judge > 1000:
		return fmt.Errorf("judge %d: must be 0 to 1000", s.Judge)
	case s.Simulations < 0:
		return fmt.Errorf("simulations %d: must not be negative", s.Simulations)
	case !(s.Gain >= 0 && s.Gain <= 1000):
		return fmt.Errorf("gain %g: must be 0 to 1000", s.Gain)
	case s.Bases < 1 || s.Bases > 100:
		return fmt.Errorf("bases %d: must be 1 to 100", s.Bases)
	case s.Workers < 0:
		return fmt.Errorf("workers %d: must not be negative", s.Workers)
	case s.Patience < 1:
		return fmt.Errorf("patience %d: must be at least 1", s.Patience)
	}
	if err := s.validateLimits(); err != nil {
		return err
	}
	if err := s.Problem.Check(); err != nil {
		return err
	}
	return s.oneVolume()
}

// oneVolume tests that traffic and graph hold the same bytes: capacities, which
// come from the traffic's loads, are raised to high powers of the graph's.
func (s *Settings) oneVolume() error {
	if own, graph := s.Traffic.Graph().TotalWeight(), s.Problem.Graph.TotalWeight(); own != graph {
		return fmt.Errorf("the traffic has %d bytes between ranks, the problem's graph %d: both must be of the full volume", own, graph)
	}
	return nil
}

// Event tells how far a run is.
type Event struct {
	Round       int // 0 = the static mappings
	Simulations int // evaluated mappings so far
	Strategy    string
	Elapsed     float64 // ns, the mapping just judged
	Best        float64 // ns, the best so far
}

// Candidate is one mapping and how it was judged.
type Candidate struct {
	Round    int    // 0 = static
	Strategy string // what made it; "start" for the mapping to beat
	Form     string // of feedback; empty = none
	// From: index in Candidates of the mapping whose measurements made it, or that it was refined from; -1 =
	// none
	From       int
	Mapping    mapping.Mapping
	Evaluation *Evaluation
	Summary    evalsim.Summary
	Dropped    bool // lost its race after the first repeats and was judged by those alone

	origin int        // index in Candidates of the static mapping it comes from
	knows  *knowledge // what it was made by
	digest *digest
	finer  *judgement // by the finer definition of congested; nil = it was not asked
}

// Result of a run. Best is never slower than Start on the seeds that judged
// both last.
type Result struct {
	Start, Best Candidate
	Static      Candidate  // the best before any feedback
	Restarts    *Candidate // the best of the control; nil without one
	// Feedback: the best of the search; nil without a control: then it is Best, unless that gave way
	Feedback     *Candidate
	Gain         Gain // of Best over Static, on fresh seeds; it is no gain unless Proven
	ByRestarts   Gain // of Restarts over Static: what selection gains
	OverRestarts Gain // of Feedback over Restarts: what feedback gains beyond
	// Limited: by Settings.Limits below Problem.MaxMoves, then Best; nil without limits, or where Fresh is not
	// set
	Limited     []Limited
	Bound       Bound       // the largest of Best that its time does not beat
	Rounds      []Candidate // the best new candidate of every round that had one, in order
	Candidates  []Candidate // all, in order, without their evaluations
	Skipped     []string    // strategies and forms of feedback that could not be used, and why
	Simulations int         // mappings evaluated in the search, closer looks included; not the final validation
	// Restarted: those that the control evaluated beside the static ones; fewer when its strategies gave no
	// other mappings or time was up
	Restarted   int
	Runs        int    // simulations that took, one a repeat
	Fresh       bool   // Start and Best were judged again on seeds the search never used
	Interrupted bool   // ctx ended before the search did
	Stopped     string // why the search ended
}

// SkippedForm begins what Result.Skipped says of forms of feedback.
const SkippedForm = "feedback by "

// search is a run in hand.
type search struct {
	Settings
	classes *mapping.LinkClasses
	nothing *knowledge // before any measurement
	// signs: of others, by all mappings that were judged; used where the view does not tell of them
	signs   *signs
	statics int                    // how many of judged are static
	blind   *search                // the control; nil = none
	cuts    []cuts                 // of the machine, where bounds are; nil until they are asked
	changed bool                   // the best mapping is another since it was last cleared
	unposed []string               // names of forms that could not be used
	inHand  string                 // key of the mapping handed to Keep last
	again   map[string]*Evaluation // what was judged on other repeats than the search's, by step
	seen    map[string]bool
	judged  []*Candidate    // as Result.Candidates
	queue   []underway      // submitted, not judged yet
	flying  *sync.WaitGroup // of simulations ahead
	best    *Candidate
	result  *Result
}

func newSearch(settings Settings) *search {
	s := &search{Settings: settings, seen: map[string]bool{}, again: map[string]*Evaluation{}, flying: &sync.WaitGroup{},
		result: &Result{}, classes: settings.Problem.Routing.LinkClasses(settings.Problem.Machine)}
	if s.Forms == nil {
		s.Forms = DefaultForms()
	}
	if s.View == nil {
		s.View = ExactView
	}
	// No path has more switches than the machine: weight times distance stays in int64.
	limit := min(commgraph.MaxTotal/2, math.Exp2(60)/float64(settings.Problem.Machine.Switches()+2))
	s.nothing = ignorance(settings.Problem, limit)
	s.signs = newSigns(len(settings.Problem.Machine.Links))
	s.nothing.alone, s.nothing.phases = settings.Alone, settings.Phases
	return s
}

// Optimize searches until rounds, patience or ctx ends. When ctx ends after
// the first judgement, the best so far is returned with Interrupted set and no
// error. Of a deadline, a fifth to half is kept for the judgement on fresh seeds.
// Errors: settings out of bounds, an evaluation that fails, no strategy
// that gives a mapping.
func Optimize(ctx context.Context, settings Settings) (*Result, error) {
	if err := settings.check(); err != nil {
		return nil, err
	}
	s, began := newSearch(settings), time.Now()
	if err := s.judgeStart(ctx); err != nil {
		return nil, err
	}
	searching, cancel := context.WithCancel(ctx)
	defer s.flying.Wait()
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
	if err == nil && s.Control {
		err = s.control(searching)
	}
	if err != nil && searching.Err() == nil {
		return nil, err
	}
	return s.end(ctx, searching)
}

// searchTime is what the search has of the time that is left when the final validation is
// to have enough: most often it takes start, static, best and some finalists, and one
// mapping took `first`. It is half of the time at least, and four fifths at most.
func (s *search) searchTime(left, first time.Duration) time.Duration {
	judgement := time.Duration(float64(first) * float64(3+finalists) * float64(max(1,
		s.Judge)) / float64(s.Repeats))
	return max(left/2, min(left*4/5, left-judgement))
}

// judgeStart judges the mapping to beat.
func (s *search) judgeStart(ctx context.Context) error {
	start := &Candidate{Strategy: "start", Mapping: s.Problem.StartMapping(), From: -1, knows: s.nothing}
	s.unseen(start.Mapping)
	if err := s.judge(ctx, s.begin(ctx, start)); err != nil {
		return err
	}
	s.best, s.result.Start, s.statics = start, *start, 1
	return nil
}

// end judges what the search has found once more.
func (s *search) end(ctx, searching context.Context) (*Result, error) {
	s.result.Best, s.result.Static = *s.best, *s.bestStatic()
	if searching.Err() != nil {
		s.result.Interrupted, s.result.Stopped = true, "interrupted"
	}
	s.result.Bound = s.told(s.best)
	if ctx.Err() != nil {
		return s.result, s.kept()
	}
	if err := s.last(ctx); err != nil && (ctx.Err() == nil || errors.Is(err, ErrState)) {
		return nil, err
	}
	s.result.Interrupted = s.result.Interrupted || ctx.Err() != nil
	s.result.Bound = s.told(&s.result.Best)
	return s.result, s.kept()
}

// kept leaves the result's best with the journal.
func (s *search) kept() error {
	return errors.Join(s.keepBest(s.result.Best.Mapping), s.Journal.Sync())
}

// keepBest hands over the best mapping so far, once.
func (s *search) keepBest(m mapping.Mapping) error {
	if s.Keep == nil || s.inHand == key(m) {
		return nil
	}
	s.inHand = key(m)
	return s.Keep(m)
}

// bestStatic is the best mapping before any feedback, as far as the search's own
// repeats tell.
func (s *search) bestStatic() *Candidate {
	best := s.judged[0]
	for _, c := range s.judged[1:s.statics] {
		if !c.Dropped && better(c.Evaluation, best.Evaluation) {
			best = c
		}
	}
	return best
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
