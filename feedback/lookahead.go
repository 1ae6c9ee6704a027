package feedback

import (
	"context"
	"sync"

	"remap/mapping"
)

// pendingEvaluation is a candidate whose first repeats are being simulated. head waits for them.
type pendingEvaluation struct {
	*Candidate
	head func() (*Evaluation, error)
}

// simulateHead starts the simulation of a candidate's first repeats beside what follows. What the
// journal may hold is not simulated before it is needed.
func (s *search) simulateHead(ctx context.Context, c *Candidate) pendingEvaluation {
	head := sync.OnceValues(func() (*Evaluation, error) {
		return s.Evaluate(ctx, c.Mapping, 0,
			s.raceRepeats())
	})
	if s.Journal == nil || s.Journal.Known() == 0 {
		s.running.Go(func() { _, _ = head() }) // the caller that waits for head gets the error
	}
	return pendingEvaluation{c, head}
}

// submit queues a candidate unless its mapping was seen before. It is evaluated when the queue is
// full, at the latest by evaluateSubmitted.
func (s *search) submit(ctx context.Context, c *Candidate) error {
	if !s.markSeen(c.Mapping) {
		return nil
	}
	if s.queue = append(s.queue, s.simulateHead(ctx, c)); len(s.queue) <= maxAhead {
		return nil
	}
	return s.next(ctx)
}

// evaluateSubmitted evaluates all candidates that were submitted.
func (s *search) evaluateSubmitted(ctx context.Context) error {
	for len(s.queue) > 0 {
		if err := s.next(ctx); err != nil {
			return err
		}
	}
	return nil
}

// next evaluates the candidate that was submitted first.
func (s *search) next(ctx context.Context) error {
	u := s.queue[0]
	s.queue = s.queue[1:]
	if err := s.evaluateCandidate(ctx, u); err != nil {
		return err
	}
	if better(u.Evaluation, s.best.Evaluation) {
		s.best, s.changed = u.Candidate, true
	}
	return nil
}

// markSeen notes a mapping and tells whether it is new.
func (s *search) markSeen(m mapping.Mapping) bool {
	k := key(m)
	if s.seen[k] {
		return false
	}
	s.seen[k] = true
	return true
}

// submitted counts the mappings that were submitted so far, and the closer looks.
func (s *search) submitted() int { return s.result.Simulations + len(s.queue) }
