package evalsim

import (
	"fmt"
	"strings"

	"remap/workload"
)

// BlockedRank is a rank that nothing can wake any more.
type BlockedRank struct {
	// Rank: within its job.
	Rank int32
	// Job: index of the job.
	Job int
	// Operation: index of the operation in hand in the rank's program, from 0.
	Operation int32
	// Waits: what it waits for, such as "receive from rank 5 tag 3".
	Waits string
}

// BlockedError says that nothing moves any more although some ranks have not
// come to the end of their programs.
type BlockedError struct {
	// Ranks: by job, then by rank; at least one.
	Ranks []BlockedRank
	// Jobs: of the simulation.
	Jobs int
	// Unreceived: which messages arrived that no receive took; empty if none.
	Unreceived string
}

// listed is how many blocked ranks the text of the error names.
const listed = 10

// Error names the first ten ranks and what each waits for.
func (e *BlockedError) Error() string {
	var b strings.Builder
	if len(e.Ranks) == 1 {
		b.WriteString("1 rank waits for ever:")
	} else {
		fmt.Fprintf(&b, "%d ranks wait for ever:", len(e.Ranks))
	}
	for i, r := range e.Ranks[:min(listed, len(e.Ranks))] {
		if i > 0 {
			b.WriteString(";")
		}
		fmt.Fprintf(&b, " rank %d", r.Rank)
		if e.Jobs > 1 {
			fmt.Fprintf(&b, " of job %d", r.Job)
		}
		fmt.Fprintf(&b, ", operation %d: %s", r.Operation, r.Waits)
	}
	if more := len(e.Ranks) - listed; more > 0 {
		fmt.Fprintf(&b, "; and %d more", more)
	}
	if e.Unreceived != "" {
		fmt.Fprintf(&b, "; %s", e.Unreceived)
	}
	return b.String()
}

// blocked is the error of a simulation in which nothing moves any more; nil
// when all ranks have ended.
func (s *simulator) blocked() error {
	var e *BlockedError
	for r := range s.ranks {
		k := &s.ranks[r]
		if k.op >= k.end || s.jobs[k.job].Endless {
			continue
		}
		if e == nil {
			e = &BlockedError{Jobs: len(s.jobs)}
		}
		job := &s.jobs[k.job]
		own := int32(r) - job.firstRank
		e.Ranks = append(e.Ranks, BlockedRank{Rank: own, Job: int(k.job),
			Operation: k.op - job.Program.Offsets[own], Waits: s.waits(int32(r))})
	}
	if e == nil {
		return nil
	}
	e.Unreceived = s.unreceived()
	return e
}

// waits says what a rank waits for.
func (s *simulator) waits(r int32) string {
	k := &s.ranks[r]
	program := s.jobs[k.job].Program
	op := &program.Ops[k.op]
	switch op.Kind {
	case workload.Wait:
		request := requestOp(program, r-s.jobs[k.job].firstRank, op.Bytes)
		return fmt.Sprintf("wait for request %d: %s", op.Bytes, describe(request))
	case workload.WaitAll:
		p := &s.parties[r]
		number := int64(max(0, p.made-p.window))
		for s.requests[p.first+int32(number)%p.window] != openRequest {
			number++
		}
		return fmt.Sprintf("wait for all requests: %d open, the first is request %d: %s", p.open,
			number-int64(p.base),
			describe(requestOp(program, r-s.jobs[k.job].firstRank, number-int64(p.base))))
	}
	return describe(op)
}

// requestOp is the operation that made a request of a rank.
func requestOp(p *workload.Program, r int32, number int64) *workload.Op {
	ops := p.RankOps(r)
	for i := range ops {
		if ops[i].Kind.IsRequest() {
			if number == 0 {
				return &ops[i]
			}
			number--
		}
	}
	panic("a wait names a request that was never made")
}

// describe is the text of a send or receive that did not end.
func describe(op *workload.Op) string {
	if op.Kind.IsSend() {
		return fmt.Sprintf("send to rank %d tag %d (rendezvous): no matching receive", op.Peer, op.Tag)
	}
	from, tag := fmt.Sprintf("rank %d", op.Peer), fmt.Sprintf("tag %d", op.Tag)
	if op.Peer == workload.AnySource {
		from = "any rank"
	}
	if op.Tag == workload.AnyTag {
		tag = "any tag"
	}
	return fmt.Sprintf("receive from %s %s", from, tag)
}

// unreceived says which messages to ranks of programs with receives nobody
// took, those included whose data was never asked for; empty if there are none.
func (s *simulator) unreceived() string {
	count, first := 0, int32(-1)
	for r := range s.parties {
		for id := s.parties[r].unexpected.first; id >= 0; id = s.envelopes[id].newer {
			count++
			if first < 0 || s.envelopes[id].arrived < s.envelopes[first].arrived {
				first = id
			}
		}
	}
	if count == 0 {
		return ""
	}
	m := &s.messages[first]
	job := &s.jobs[m.job]
	which := fmt.Sprintf("from rank %d to rank %d tag %d, %d bytes", m.rank-job.firstRank,
		m.peer-job.firstRank, s.envelopes[first].tag, s.opOf(m).Bytes)
	if len(s.jobs) > 1 {
		which += fmt.Sprintf(", of job %d", m.job)
	}
	if count == 1 {
		return "no receive took the message " + which
	}
	return fmt.Sprintf("no receive took %d messages, the first to arrive %s", count, which)
}

// unfinished says how many requests were open when their ranks ended; empty if
// none.
func (s *simulator) unfinished() string {
	open, ranks := int32(0), 0
	for i := range s.parties {
		if p := &s.parties[i]; p.open > 0 {
			open += p.open
			ranks++
		}
	}
	if open == 0 {
		return ""
	}
	return fmt.Sprintf("%d requests of %d ranks never came to an end; no wait names them", open, ranks)
}

// hostWarnings are the problems that do not stop a run.
func (s *simulator) hostWarnings() []string {
	if s.stopped { // while things moved
		return nil
	}
	var warnings []string
	for _, w := range []string{s.unreceived(), s.unfinished()} {
		if w != "" {
			warnings = append(warnings, w)
		}
	}
	return warnings
}
