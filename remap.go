// Package remap finds where the ranks of an MPI job should run. It maps them to hosts by the
// feedback loop: it proposes mappings, simulates each packet by packet on the job's network,
// learns where packets met congestion, and proposes again.
//
// A Go program does what the command line does in four steps, which the example shows:
// job.Open makes a job of its options, Optimize searches, launcher.Write writes the mapping as
// a file of the launcher, and the Result says what the mapping gains. Every part is a package
// of its own that can be used alone: evalsim simulates, strategy maps without simulation,
// sampling tells what packets' headers say of links (docs/architecture.md has the list).
package remap

import (
	"context"
	"runtime"
	"slices"

	"remap/evalsim"
	"remap/exchange"
	"remap/feedback"
	"remap/job"
	"remap/mapping"
	"remap/sampling"
	"remap/strategy"
)

// Search says how to look for a mapping. Start from DefaultSearch.
type Search struct {
	// Simulation are the simulator's options. With Sampling the search sees of links what the job's
	// own packets tell, without it what counters of every port would tell.
	Simulation evalsim.Options
	// KeepCongestion: Simulation.Congestion is as it must be; else the search may take a finer
	// definition, by which samples tell more of other jobs.
	KeepCongestion bool
	// Strategies are tried first, and again in every round of feedback.
	Strategies []mapping.Strategy
	// Baselines are quick strategies that are tried first only.
	Baselines []mapping.Strategy
	// Models are how congestion goes into the next mappings; nil = feedback.DefaultModels.
	Models []feedback.Model
	// Rounds of feedback at most.
	Rounds int
	// Gain is how strongly congestion changes the next mappings; 0 = not at all.
	Gain float64
	// Repeats are the simulations of a mapping in the search, ValidationRepeats those in the final
	// validation at most; 0 = as many as the loop finds right.
	Repeats, ValidationRepeats int
	// Simulations ends the search after so many simulated mappings; 0 = no limit.
	Simulations int
	// RandomRestarts: they simulate as many mappings, to tell what feedback is worth.
	RandomRestarts bool
	// Limits: the best mappings that move few ranks are found too (MoveLimits).
	Limits bool
	// StateBytes is what a rank that moves takes along; 0 = not known.
	StateBytes int64
	// Workers is how many things are done at a time; 0 = one a core. Results do not depend on it.
	Workers int
}

// The strategies of a search by default.
const (
	// DefaultStrategies begin a search and every round of it.
	DefaultStrategies = "rcm,bisection,multisection,tiling,kl"
	// DefaultBaselines are quick: on some networks one of them is far ahead.
	DefaultBaselines = "cyclic,fast,hilbert,rcb,curves,swap"
)

// DefaultSearch is that of the command line for a job: its simulator's options with full samples,
// five rounds of feedback, and random restarts beside.
func DefaultSearch(j *job.Job) (Search, error) {
	s := feedback.DefaultSettings()
	search := Search{Simulation: j.Simulation.Sampled(), Rounds: s.Rounds, Gain: s.Gain, RandomRestarts: true}
	var err error
	if search.Strategies, err = strategy.ParseList(DefaultStrategies); err != nil {
		return search, err
	}
	search.Baselines, err = strategy.ParseList(DefaultBaselines)
	return search, err
}

// Optimize searches for the fastest mapping of a job. When ctx ends after the first mapping was
// simulated, the result is the best so far.
func Optimize(ctx context.Context, j *job.Job, search Search) (*feedback.Result, error) {
	if search.Workers == 0 {
		search.Workers = runtime.GOMAXPROCS(0)
	}
	m := &Environment{Job: j, Workers: search.Workers}
	settings, err := m.Settings(search)
	if err != nil {
		return nil, err
	}
	return feedback.Optimize(ctx, settings)
}

// Settings are those of the feedback loop: what to map, how, and by which simulations mappings
// are evaluated.
func (m *Environment) Settings(search Search) (s feedback.Settings, err error) {
	s = feedback.DefaultSettings()
	o := search.Simulation
	if s.Problem, err = m.settled(o.Seed); err != nil {
		return s, err
	}
	s.Strategies, s.Baselines, s.Models = search.Strategies, search.Baselines, search.Models
	s.Rounds, s.Gain, s.Simulations = search.Rounds, search.Gain, search.Simulations
	s.RandomRestarts, s.Workers, s.Traffic = search.RandomRestarts, search.Workers, m.Traffic
	simulated, err := m.Program.Traffic()
	if err != nil {
		return s, err
	}
	if s.Phases, err = m.PhaseTraffic(m.Whole); err != nil {
		return s, err
	}
	s.Memory = func(host int32) float64 { return o.MemoryRate(m.Machine, host) }
	s.Alone = len(m.Background) == 0 && m.Measured == nil
	simulator := func(o evalsim.Options) feedback.Evaluate {
		return feedback.FlowsOf(m.Simulator(o), simulated, m.Traffic)
	}
	s.SimulateBy(o, simulator)
	if m.Measured != nil {
		m.Measured.Others.Alternate(&s)
	}
	if search.Repeats > 0 {
		s.Repeats = search.Repeats
	}
	if search.ValidationRepeats > 0 {
		s.ValidationRepeats = search.ValidationRepeats
	}
	s.Validate = simulator(o.Unsampled()) // times are all that is asked
	if o.Sampling.Kind != sampling.Off {
		apart := func(o evalsim.Options) feedback.Evaluate {
			return feedback.Simulator(m.Network(), m.Allocation, m.Program, o, m.Workers)
		}
		s.ReadSamples(o, simulator, apart, search.KeepCongestion)
	}
	if b := m.HostBound(); b.Known() {
		s.LowerBound = feedback.Bound{Name: b.Bound, NS: float64(b.BoundNS), Any: true}
	}
	refine := exchange.Strategy()
	s.Refine = &refine
	if m.Measured != nil && m.Measured.Others == nil {
		m.Measured.SetView(&s, m.Start())
	}
	if search.Limits {
		s.Limits = MoveLimits(s.Problem.Ranks())
	}
	if search.StateBytes > 0 {
		s.Migrate = feedback.Migration(m.Network(), m.Allocation, search.StateBytes, o, m.Beside()...)
	}
	return s, nil
}

// MovesHint says what to do where ranks that must stay use up the moves.
const MovesHint = "--fixed asks for these moves; a larger --max-moves allows them"

// settled is the problem with a start that keeps the fixed ranks, which the loop tries
// to beat, and the moves that this leaves.
func (m *Environment) settled(seed uint64) (*mapping.Problem, error) {
	problem, moves, err := m.Problem(seed).WithSettledStart()
	switch {
	case err != nil:
		return nil, job.Failure(MovesHint, "--max-moves: %w", err)
	case !moves:
		return nil, job.Failure(MovesHint, "--max-moves %d is used up by the ranks that --fixed moves", m.MaxMoves)
	}
	return problem, nil
}

// LimitPercents are the shares of the ranks that may move, in the rows of the
// table of a job that runs already.
var LimitPercents = []float64{1, 5, 20}

// MoveLimits is how many ranks may move, by LimitPercents: rounded down, and none
// twice.
func MoveLimits(ranks int) []int {
	limits := []int{}
	for _, percent := range LimitPercents {
		limit := int(percent * float64(ranks) / 100)
		if limit > 0 && !slices.Contains(limits, limit) {
			limits = append(limits, limit)
		}
	}
	return limits
}
