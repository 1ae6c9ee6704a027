package feedback

import (
	"context"

	"remap/mapping"
)

// proposal is one way to make a mapping of a posed problem.
type proposal struct {
	name    string
	refines bool // goes on from the problem's start, which is to be the base
	makes   func(ctx context.Context, p *mapping.Problem) (mapping.Mapping, error)
}

// proposals are what to make of a problem that a form of feedback posed:
// refinement from the base, and under the best base every strategy afresh,
// refined where it can be.
func (s *search) proposals(form Form, knows *knowledge, best bool) []proposal {
	var all []proposal
	if s.Refine != nil {
		all = append(all, chain([]mapping.Strategy{*s.Refine}))
	}
	if !best && s.Refine != nil {
		return all
	}
	for _, strategy := range s.Strategies {
		switch {
		case s.Refine == nil || s.Problem.MaxMoves > 0: // a second step would count moves from the first
			all = append(all, chain([]mapping.Strategy{strategy}))
		case strategy.Name != s.Refine.Name:
			p := chain([]mapping.Strategy{strategy, *s.Refine})
			if form.colder {
				p.makes = afresh([]mapping.Strategy{strategy, *s.Refine}, knows.seen.foreign)
			}
			all = append(all, p)
		}
	}
	return all
}

// chain maps step by step, each from what the one before has made.
func chain(steps []mapping.Strategy) proposal {
	p := proposal{name: steps[0].Name, refines: steps[0].Refine}
	for _, step := range steps[1:] {
		p.name += "+" + step.Name
	}
	p.makes = func(ctx context.Context, p *mapping.Problem) (mapping.Mapping, error) {
		problem := *p
		for _, step := range steps {
			m, err := step.Map(ctx, &problem)
			if err != nil {
				return nil, err
			}
			problem.Start = m
		}
		return problem.Start, nil
	}
	return p
}

// afresh is a chain whose first step has only the slots that are left when those
// on the links that others use most are avoided.
func afresh(steps []mapping.Strategy, foreign []float64) func(ctx context.Context, p *mapping.Problem) (mapping.Mapping, error) {
	return func(ctx context.Context, p *mapping.Problem) (mapping.Mapping, error) {
		part, slots := colder(p, foreign)
		if part == nil || steps[0].Refine {
			return chain(steps).makes(ctx, p)
		}
		m, err := steps[0].Map(ctx, part)
		if err != nil {
			return nil, err
		}
		for r, slot := range m {
			m[r] = slots[slot]
		}
		problem := *p
		problem.Start = m
		return chain(steps[1:]).makes(ctx, &problem)
	}
}
