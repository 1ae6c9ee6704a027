package evalsim

import "fmt"

// checkHostLayer finds messages, receives and copies that were lost or freed
// twice, at the end of a run in which nothing moves any more.
func (s *simulator) checkHostLayer(ended bool) error {
	kept := 0 // messages without a receive
	for r := range s.parties {
		p := &s.parties[r]
		for id := p.unexpected.first; id >= 0; id = s.envelopes[id].newer {
			kept++
		}
		if p.inside != 0 || p.queue.first >= 0 || p.early >= 0 {
			return fmt.Errorf("rank %d ended with %d messages in its NIC", r, p.inside)
		}
		if ended && p.open > 0 && !s.jobs[s.ranks[r].job].receives {
			return fmt.Errorf("rank %d ended with %d sends open", r, p.open)
		}
	}
	free := listLength(s.freed, func(i int32) int32 { return s.messages[i].next })
	if free+kept != len(s.messages) {
		return fmt.Errorf("%d of %d messages free and %d without a receive", free, len(s.messages), kept)
	}
	posted := 0
	next := func(i int32) int32 { return s.receives[i].next }
	for i := range s.pairs {
		posted += listLength(s.pairs[i].posted.first, next)
		if ended && s.pairs[i].sent != s.pairs[i].taken {
			return fmt.Errorf("flow %d: %d messages sent, %d arrived", i, s.pairs[i].sent, s.pairs[i].taken)
		}
	}
	for i := range s.parties {
		posted += listLength(s.parties[i].posted.first, next)
	}
	if free := listLength(s.freeReceives, next); free+posted != len(s.receives) {
		return fmt.Errorf("%d of %d receives free and %d posted", free, len(s.receives), posted)
	}
	if free := listLength(s.freeCopies, func(i int32) int32 { return s.copies[i].next }); free != len(s.copies) {
		return fmt.Errorf("%d of %d copies free", free, len(s.copies))
	}
	for link, last := range s.rings {
		if last >= 0 {
			return fmt.Errorf("injection link %d has messages to send", link)
		}
	}
	return nil
}

// checkClock sees to it that no rank goes back in time.
func (s *simulator) checkClock(r int32, now int64) {
	if len(s.parties) == 0 {
		return
	}
	p := &s.parties[r]
	if now < p.clock || now < p.at {
		panic(fmt.Errorf("rank %d goes on at %d ps, after %d", r, now, max(p.clock, p.at)))
	}
	p.clock = now
}

// listLength is the length of a list.
func listLength(first int32, next func(int32) int32) int {
	n := 0
	for i := first; i >= 0; i = next(i) {
		n++
	}
	return n
}

// outcome is the error of a run in which nothing moves any more; nil when all
// ranks have ended.
func (s *simulator) outcome() error {
	if s.stopped {
		return nil
	}
	err := s.blocked()
	if err == nil {
		err = s.unfinishedStep()
	}
	if invariants && !s.endless { // else it was stopped while things moved
		if broken := s.checkHostLayer(err == nil); broken != nil {
			panic(broken)
		}
		if broken := s.checkConservation(err == nil && s.hostWarnings() == nil); broken != nil {
			panic(broken)
		}
		if broken := s.checkLoads(); broken != nil {
			panic(broken)
		}
	}
	return err
}
