package evalsim

// endlessly tells when the jobs that are not endless are done.
type endlessly struct {
	endless bool  // some jobs are
	flying  int64 // messages of the others that have not arrived
	latest  lastProgress
}

// atEnd is called when a rank has come to the end of its program.
func (s *simulator) atEnd(r int32, now int64) {
	k := &s.ranks[r]
	job := &s.jobs[k.job]
	first := job.Program.Offsets[r-job.firstRank]
	switch {
	case job.Endless && first < k.end:
		k.op = first - 1
		s.wake(r, now+againAfter)
	case job.Endless:
	case s.waitsForRequests(r):
		s.parties[r].at = now // complete goes on
	default:
		s.endStep(r, now)
	}
}

// waitsForRequests tells whether a rank at the end of its program must wait for requests
// that are open: before it begins again.
func (s *simulator) waitsForRequests(r int32) bool {
	return s.stepsOf[s.ranks[r].job].most != 1 && len(s.parties) > 0 && s.parties[r].open > 0
}

// settled tells whether nothing of the jobs that are not endless moves any more:
// none of their ranks waits for a time, and messages that have not arrived wait
// for receives that nobody has posted. Copies within a host are such messages too.
func (s *simulator) settled() bool {
	if s.hasTimer() {
		return false
	}
	asking := int64(0)
	for r := range s.parties {
		for id := s.parties[r].unexpected.first; id >= 0; id = s.envelopes[id].newer {
			if s.messages[id].kind == requestToSend {
				asking++
			}
		}
	}
	return s.flying == asking
}
