package feedback

import (
	"errors"
	"fmt"

	"remap/commgraph"
	"remap/mapping"
)

// Settings of a run. Start from DefaultSettings.
type Settings struct {
	// Problem has the original graph. Its Start (nil: identity) is the mapping to beat.
	Problem *mapping.Problem
	// Traffic is that of the problem, at the volume of its graph. Loads of links, capacities and
	// lower bounds are of that one volume, whatever part of it is simulated. The flows of
	// evaluations follow its entries.
	Traffic *commgraph.Traffic
	// Strategies make the static mappings; at least one.
	Strategies []mapping.Strategy
	// Baselines make further static mappings to begin with, in at most half of Simulations. A
	// baseline that cannot map the job is left out.
	Baselines []mapping.Strategy
	// Refine moves ranks from Start under any objective. After round 0 it improves every base, and
	// the mappings of restarts; nil = none.
	Refine *mapping.Strategy
	// Models are the feedback models: how what was measured changes the next problem; nil =
	// DefaultForms.
	Models []Model
	// Phases is the traffic of the program's phases at full volume, in the order of time
	// (workload.Program.PhaseTraffic), for the model that weighs them apart; nil = not known.
	Phases []*commgraph.Traffic
	// View is how links are read; nil = ExactView.
	View View
	// Bases, 1 to 100, is how many mappings of different origin a round goes on from at most.
	Bases int
	// Workers is how many mappings of one base are made at a time; 0 = one a core. Results do not
	// depend on it.
	Workers int
	// Evaluate simulates the mappings of the search.
	Evaluate Evaluate
	// EvaluateAlone is as Evaluate, with the network to the job itself. Where View does not tell of others,
	// it tells their congestion from the job's own; nil = all congestion is that of others.
	EvaluateAlone Evaluate
	// Validate is as Evaluate, with the definition that counts in the end. It evaluates what the
	// search has found on fresh seeds; nil = Evaluate.
	Validate Evaluate
	// EvaluateFiner is as Evaluate, with a finer definition of congested. It is used when the coarse
	// definition sees no congestion under the best mapping, or when what it saw led to no gain; nil
	// = none.
	EvaluateFiner Evaluate
	// FinerInSearch: Evaluate has the finer definition already, and EvaluateFiner is not used.
	FinerInSearch bool
	// Alone: no other job has the network.
	Alone bool
	// Memory is the rate, in bytes a second, at which ranks of a host copy messages to each other
	// (evalsim.Options.MemoryRate); nil = no lower bound of it.
	Memory func(host int32) float64
	// LowerBound is a lower bound for all mappings, where the caller knows more than loads of links
	// tell; the zero Bound = none.
	LowerBound Bound
	// Rounds, 0 to 1000, is the most rounds of feedback.
	Rounds int
	// Simulations is the most mappings that the search simulates, without those of random restarts;
	// 0 = no limit.
	Simulations int
	// Repeats, 1 to 1000, is how many repeats the search evaluates a mapping in.
	Repeats int
	// Turns is for repeats that are beside different others in turns of so many (Others.Alternate).
	// Mappings are then compared by the mean of each turn, since what a mapping gains beside some
	// of the others is no scatter. No mapping is dropped before its first turn is over. With 0 or 1
	// each repeat counts by itself.
	Turns int
	// ValidationRepeats, 0 to 1000, is the most repeats of the final validation, on seeds that the search never
	// used. 6 repeats are enough where these prove which mapping is faster. 0 = 1 repeat, and no
	// choice among finalists.
	ValidationRepeats int
	// Limits are numbers of ranks, ascending. For each, the best mapping is found that has at most
	// so many ranks on another host than Start (Result.MoveTable); nil = none.
	Limits []int
	// Migrate tells how long it takes to move ranks; nil = unknown.
	Migrate Migrate
	// RandomRestarts: random restarts with as many simulated mappings are searched too, as the baseline at
	// equal cost.
	RandomRestarts bool
	// Journal keeps every step; nil = none.
	Journal *Journal
	// OnBest is called with the best mapping so far: after the static mappings and after every round
	// when it has changed, and with that of the result at the end. Its error ends the search; nil =
	// none.
	OnBest func(best mapping.Mapping) error
	// Gain, 0 to 1000, is that of pairs and prices. With 0 no model learns anything of congestion.
	Gain float64
	// Patience, >= 1, is how many rounds without a gain end the search.
	Patience int
	// Progress is called after every evaluation; nil = none.
	Progress func(Event)
}

// DefaultSettings are 5 rounds, 6 repeats, 10 for the final validation, gain 4, a patience of 2 and
// 3 bases.
func DefaultSettings() Settings {
	return Settings{Rounds: 5, Repeats: 6, ValidationRepeats: 10, Gain: 4, Patience: 2, Bases: 3}
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
	case s.ValidationRepeats < 0 || s.ValidationRepeats > 1000:
		return fmt.Errorf("validation repeats %d: must be 0 to 1000", s.ValidationRepeats)
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

// oneVolume tests that traffic and graph hold the same bytes. Capacities come from the loads of the
// traffic and are raised to high powers with the bytes of the graph, so a difference would be
// large.
func (s *Settings) oneVolume() error {
	if own, graph := s.Traffic.Graph().TotalWeight(), s.Problem.Graph.TotalWeight(); own != graph {
		return fmt.Errorf("the traffic has %d bytes between ranks, the problem's graph %d: "+
			"both must be of the full volume", own, graph)
	}
	return nil
}
