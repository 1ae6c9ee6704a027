package feedback

import (
	"context"

	"remap/mapping"
)

// proposal is one way to make a mapping of a problem.
type proposal struct {
	name string
	// refines: it goes on from the problem's start, which is to be the base.
	refines bool
	makes   func(ctx context.Context, p *mapping.Problem) (mapping.Mapping, error)
}

// proposals are what to make of a problem that a feedback model was applied to: refinement of the
// base, and under the best base a restart of every strategy, refined where it can be.
func (s *search) proposals(form Model, learned *feedbackState, best bool) []proposal {
	var all []proposal
	switch counted := s.Problem.MaxMoves > 0; { // a second step would count moves from the first
	case s.Refine == nil || counted:
		if s.Refine != nil {
			all = append(all, chain([]mapping.Strategy{*s.Refine}))
		}
		if best || s.Refine == nil {
			for _, strategy := range s.Strategies {
				if s.Refine == nil || strategy.Name != s.Refine.Name {
					all = append(all, chain([]mapping.Strategy{strategy}))
				}
			}
		}
	case form.applyAt != nil:
		f := &portfolio{search: s, form: form, learned: learned, restart: best}
		all = append(all, f.pick("hosts exchanged", ofHosts), f.pick("ranks exchanged", ofRanks))
		if best {
			all = append(all, f.pick("restart", ofRestarts))
		}
	default:
		all = append(all, chain([]mapping.Strategy{*s.Refine}))
		for _, strategy := range s.Strategies {
			if best && strategy.Name != s.Refine.Name {
				all = append(all, chain([]mapping.Strategy{strategy, *s.Refine}))
			}
		}
	}
	return all
}

// chain maps step by step, each from the result of the one before.
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
