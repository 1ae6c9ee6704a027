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
	case form.levels != nil:
		f := &portfolio{search: s, form: form, knows: knows, afresh: best}
		all = append(all, f.pick("hosts", ofHosts, hard), f.pick(s.Refine.Name, ofRanks, hard))
		if best {
			all = append(all, f.pick("afresh", ofAfresh, hard), f.pick("soft "+s.Refine.Name, ofRanks, soft), f.pick("soft afresh", ofAfresh, soft))
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
