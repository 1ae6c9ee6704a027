package feedback

import (
	"fmt"
	"math"
	"strings"

	"remap/commgraph"
	"remap/input"
	"remap/internal/nearest"
	"remap/mapping"
)

// Model is a feedback model: a way to put what was measured into a problem.
type Model struct {
	Name, Doc string
	apply     func(k *feedbackState, p *mapping.Problem)
	// applyAt applies it at a level of slowdown by others; nil = the model has no levels.
	applyAt func(k *feedbackState, p *mapping.Problem, level float64)
	// apart: the model needs the phases of the program.
	apart bool
}

// Models lists all feedback models.
func Models() []Model {
	return []Model{
		{
			Name:  "capacities",
			Doc:   "links hold what others leave free of them, less where the job still meets congestion",
			apply: (*feedbackState).applyCapacities, applyAt: (*feedbackState).applyCapacitiesAt,
		},
		{
			Name:  "prices",
			Doc:   "links cost more the more of the job's packets find them congested",
			apply: (*feedbackState).applyPrices,
		},
		{
			Name:  "pairs",
			Doc:   "pairs of ranks weigh more the more congestion their packets meet",
			apply: (*feedbackState).applyPairs,
		},
		{
			Name:  "free",
			Doc:   "capacities by what others leave free alone: no congestion term",
			apply: (*feedbackState).applyFree, applyAt: (*feedbackState).applyFreeAt,
		},
		{
			Name:  "phases",
			Doc:   "capacities, the phases of a program weighed apart that do not overlap in time",
			apply: (*feedbackState).applyPhases, applyAt: (*feedbackState).applyPhasesAt, apart: true,
		},
	}
}

// DefaultModels are capacities and prices, which gain most: capacities move many ranks, prices few.
func DefaultModels() []Model { return Models()[:2] }

// ParseModels reads names of feedback models, separated by commas. Errors are *input.Error.
func ParseModels(list string) ([]Model, error) {
	var chosen []Model
	var names []string
	for _, f := range Models() {
		names = append(names, f.Name)
	}
	for _, name := range strings.Split(list, ",") {
		found := false
		for _, f := range Models() {
			if f.Name == name {
				chosen, found = append(chosen, f), true
			}
		}
		if !found {
			e := &input.Error{Reason: fmt.Sprintf("unknown feedback model %q", name),
				Hint: "known: " + strings.Join(names, ", ")}
			if near := nearest.Name(name, names); near != "" {
				e.Hint = fmt.Sprintf("did you mean %s? %s", near, e.Hint)
			}
			return nil, e
		}
	}
	return chosen, nil
}

// feedbackState is what a line of mappings, each made from the one before, has learned. A
// feedbackState is never changed: learning makes a new one.
type feedbackState struct {
	// factors (length half-edges) is how much heavier pairs are.
	factors []float64
	// prices (length links) is the price of each link.
	prices []float64
	// correction (length links) is the factor of each capacity.
	correction []float64
	// demand (length links) is the share of the rate that others would use without the job, the
	// largest seen so far.
	demand []float64
	// seen is that of the newest mapping.
	seen *linkState
	// alone: no other job has the network.
	alone bool
	// phases are those of the program.
	phases []*commgraph.Traffic
	// limit is that of the total weight of a reweighted graph.
	limit float64
	// seconds is the time that the job's links are to need at most.
	seconds float64
}

// initialState is the feedback state before any measurement.
func initialState(p *mapping.Problem, limit float64) *feedbackState {
	return &feedbackState{factors: ones(len(p.Graph.Weights)), prices: ones(len(p.Machine.Links)),
		correction: ones(len(p.Machine.Links)), demand: make([]float64, len(p.Machine.Links)), limit: limit}
}

func ones(n int) []float64 {
	values := make([]float64, n)
	for i := range values {
		values[i] = 1
	}
	return values
}

// learn is the feedback state after the evaluation of a mapping. gain is that of pairs and prices;
// with 0 nothing is learned of congestion.
func (k *feedbackState) learn(s *linkState, weights *Weights, seconds, gain float64) *feedbackState {
	next := &feedbackState{factors: weights.factor, prices: make([]float64, len(k.prices)),
		correction: make([]float64, len(k.correction)),
		demand:     make([]float64, len(k.demand)), seen: s, alone: k.alone, phases: k.phases, limit: k.limit,
		seconds: seconds}
	mean, used := 0.0, 0
	for l, own := range s.own {
		if own > 0 {
			mean += s.congested[l]
			used++
		}
	}
	mean /= float64(max(1, used))
	for l, congested := range s.congested {
		next.demand[l] = max(k.demand[l], s.demand(l, gain > 0 && !k.alone))
		next.prices[l] = (1-priceRate)*k.prices[l] + priceRate*(1+gain*congested)
		next.correction[l] = k.correction[l]
		if s.own[l] > 0 && gain > 0 {
			next.correction[l] = min(mostCapacity, max(leastCapacity,
				k.correction[l]*math.Exp(-correctionGain*(congested-mean))))
		}
	}
	return next
}

func (k *feedbackState) applyPairs(p *mapping.Problem) {
	w := Weights{factor: k.factors}
	graph := w.Apply(p.Graph, k.limit)
	p.Traffic = heavier(p.Traffic, p.Graph, graph)
	phases := p.Phases
	p.Phases = nil
	for _, t := range phases {
		p.Phases = append(p.Phases, heavier(t, p.Graph, graph))
	}
	p.Graph = graph
}

func (k *feedbackState) applyPrices(p *mapping.Problem) { p.LinkCost = k.prices }

func (k *feedbackState) applyCapacities(p *mapping.Problem) { k.applyCapacitiesAt(p, usualLevel) }

func (k *feedbackState) applyFree(p *mapping.Problem) { k.applyFreeAt(p, usualLevel) }

func (k *feedbackState) applyPhases(p *mapping.Problem) { k.applyPhasesAt(p, usualLevel) }

func (k *feedbackState) applyCapacitiesAt(p *mapping.Problem, level float64) {
	k.applyLinks(p, k.correction, level)
}

func (k *feedbackState) applyFreeAt(p *mapping.Problem, level float64) { k.applyLinks(p, nil, level) }

func (k *feedbackState) applyPhasesAt(p *mapping.Problem, level float64) {
	k.applyLinks(p, k.correction, level)
	p.Phases = k.phases
}

// applyLinks sets the capacity of every link: what the job may use of it so that all traffic that
// crosses it takes at most `level` times what the job's busiest host needs. A link that is shared
// in turn takes as long as its own traffic and that of others together. With a level of 1 the job
// gets what is idle; a higher level allows for a job that is slowed down, and that takes rate from
// others as they take it from the job.
func (k *feedbackState) applyLinks(p *mapping.Problem, correction []float64, level float64) {
	p.Objective, p.LinkSeconds = mapping.Capacity, k.seconds
	p.LinkFree = make([]float64, len(k.demand))
	for l, demand := range k.demand {
		free := level - demand
		if correction != nil {
			free *= correction[l]
		}
		p.LinkFree[l] = max(leastLeft, free)
	}
}
