package feedback

import (
	"context"
	"sync"

	"remap/mapping"
)

// ahead is how many mappings are simulated in their first repeats before it is known what
// came of those before them, so that all cores have work. What is known decides only
// whether the other repeats follow, and that in order: results do not depend on it. A run
// that is killed simulates these again.
const ahead = 4

// underway is a candidate whose first repeats are being simulated.
type underway struct {
	*Candidate
	head func() (*Evaluation, error) // waits for them
}

// begin has a candidate's first repeats simulated beside what follows. What the journal
// may hold is not begun before it is asked for.
func (s *search) begin(ctx context.Context, c *Candidate) underway {
	head := sync.OnceValues(func() (*Evaluation, error) { return s.Evaluate(ctx, c.Mapping, 0, s.raceRepeats()) })
	if s.Journal == nil || s.Journal.Known() == 0 {
		s.flying.Go(func() { _, _ = head() }) // who waits for it has the error
	}
	return underway{c, head}
}

// submit judges a candidate, at the latest with the next settle, unless its mapping was seen before.
func (s *search) submit(ctx context.Context, c *Candidate) error {
	if !s.unseen(c.Mapping) {
		return nil
	}
	if s.queue = append(s.queue, s.begin(ctx, c)); len(s.queue) <= ahead {
		return nil
	}
	return s.next(ctx)
}

// settle judges all that were submitted.
func (s *search) settle(ctx context.Context) error {
	for len(s.queue) > 0 {
		if err := s.next(ctx); err != nil {
			return err
		}
	}
	return nil
}

// next judges the one that was submitted first.
func (s *search) next(ctx context.Context) error {
	u := s.queue[0]
	s.queue = s.queue[1:]
	if err := s.judge(ctx, u); err != nil {
		return err
	}
	if better(u.Evaluation, s.best.Evaluation) {
		s.best, s.changed = u.Candidate, true
	}
	return nil
}

// unseen tells once of every mapping that it was not seen before.
func (s *search) unseen(m mapping.Mapping) bool {
	k := key(m)
	if s.seen[k] {
		return false
	}
	s.seen[k] = true
	return true
}

// submitted counts the mappings that were submitted so far, and those of closer looks.
func (s *search) submitted() int { return s.result.Simulations + len(s.queue) }
