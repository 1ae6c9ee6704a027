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

// Form is a way to put what was measured into a problem.
type Form struct {
	Name, Doc string
	pose      func(k *knowledge, p *mapping.Problem)
	levels    func(k *knowledge, p *mapping.Problem, level float64) // poses at a level of slowdown; nil = the form has none
	apart     bool                                                  // it needs the phases of the program
}

// Forms lists all forms of feedback.
func Forms() []Form {
	return []Form{
		{Name: "capacities", Doc: "links hold what others leave free of them, less where the job still meets congestion", pose: (*knowledge).poseCapacities, levels: (*knowledge).levelCapacities},
		{Name: "prices", Doc: "links cost more the more of the job's packets find them congested", pose: (*knowledge).posePrices},
		{Name: "pairs", Doc: "pairs of ranks weigh more the more congestion their packets meet", pose: (*knowledge).posePairs},
		{Name: "free", Doc: "capacities by what others leave free alone: no congestion term", pose: (*knowledge).poseFree, levels: (*knowledge).levelFree},
		{Name: "phases", Doc: "capacities, the phases of a program weighed apart that do not overlap in time", pose: (*knowledge).posePhases, levels: (*knowledge).levelPhases, apart: true},
	}
}

// DefaultForms are those that pay: capacities move most, prices move few ranks.
func DefaultForms() []Form { return Forms()[:2] }

// ParseForms reads names of forms, separated by commas. Errors are *input.Error.
func ParseForms(list string) ([]Form, error) {
	var chosen []Form
	var names []string
	for _, f := range Forms() {
		names = append(names, f.Name)
	}
	for _, name := range strings.Split(list, ",") {
		found := false
		for _, f := range Forms() {
			if f.Name == name {
				chosen, found = append(chosen, f), true
			}
		}
		if !found {
			e := &input.Error{Reason: fmt.Sprintf("unknown form of feedback %q", name), Hint: "known: " + strings.Join(names, ", ")}
			if near := nearest.Name(name, names); near != "" {
				e.Hint = fmt.Sprintf("did you mean %s? %s", near, e.Hint)
			}
			return nil, e
		}
	}
	return chosen, nil
}

// What is learned, and how fast. The laws of prices and of the correction and
// their constants are those of a study of eight scenarios, in which others
// overshot or gained less; they are a damped integral of the error, as in
// traffic assignment.
const (
	priceRate      = 0.4  // weight of the newest measurement in the price (exponentially weighted mean)
	correctionGain = 0.7  // of the integral correction of capacities; 1.5 overshoots
	leastCapacity  = 0.2  // bounds of the correction
	mostCapacity   = 2    //
	leastLeft      = 0.02 // share of a link that is left at least, whatever others do
	leastFree      = 0.35 // the same, where a bound is estimated
	usualLevel     = 1.2  // level of a problem posed without one
)

// knowledge is what a line of mappings, each made from the one before, has
// learned. It is never changed: learning makes a new one.
type knowledge struct {
	factors    []float64            // length half-edges: how much heavier pairs are
	prices     []float64            // length links
	correction []float64            // length links: of the capacity
	demand     []float64            // length links: share of the rate that others would use without the job, the most seen
	seen       *state               // of the newest mapping
	alone      bool                 // no other job has the network
	phases     []*commgraph.Traffic // of the program
	limit      float64              // of the total weight of a reweighted graph
	seconds    float64              // that the job's links are to need at most
}

// ignorance is what is known before any measurement.
func ignorance(p *mapping.Problem, limit float64) *knowledge {
	return &knowledge{factors: ones(len(p.Graph.Weights)), prices: ones(len(p.Machine.Links)), correction: ones(len(p.Machine.Links)), demand: make([]float64, len(p.Machine.Links)), limit: limit}
}

func ones(n int) []float64 {
	values := make([]float64, n)
	for i := range values {
		values[i] = 1
	}
	return values
}

// learn takes in how a mapping was judged. gain steers pairs and prices: 0
// learns nothing of congestion.
func (k *knowledge) learn(s *state, weights *Weights, seconds, gain float64) *knowledge {
	next := &knowledge{factors: weights.factor, prices: make([]float64, len(k.prices)), correction: make([]float64, len(k.correction)),
		demand: make([]float64, len(k.demand)), seen: s, alone: k.alone, phases: k.phases, limit: k.limit, seconds: seconds}
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
			next.correction[l] = min(mostCapacity, max(leastCapacity, k.correction[l]*math.Exp(-correctionGain*(congested-mean))))
		}
	}
	return next
}

func (k *knowledge) posePairs(p *mapping.Problem) {
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

func (k *knowledge) posePrices(p *mapping.Problem) { p.LinkCost = k.prices }

func (k *knowledge) poseCapacities(p *mapping.Problem) { k.levelCapacities(p, usualLevel) }

func (k *knowledge) poseFree(p *mapping.Problem) { k.levelFree(p, usualLevel) }

func (k *knowledge) posePhases(p *mapping.Problem) { k.levelPhases(p, usualLevel) }

func (k *knowledge) levelCapacities(p *mapping.Problem, level float64) {
	k.poseLinks(p, k.correction, level)
}

func (k *knowledge) levelFree(p *mapping.Problem, level float64) { k.poseLinks(p, nil, level) }

func (k *knowledge) levelPhases(p *mapping.Problem, level float64) {
	k.poseLinks(p, k.correction, level)
	p.Phases = k.phases
}

// poseLinks leaves of every link what the job may use for all traffic that
// crosses it to take no longer than level times what the job's busiest host
// needs. A link shared in turn takes as long as its own traffic and that of
// others together; a level of 1 is what is left idle, a higher one allows
// for a job that is slowed down and then crowds others out as they do it.
func (k *knowledge) poseLinks(p *mapping.Problem, correction []float64, level float64) {
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
