package evalsim

import "remap/workload"

// party is the state of a rank that only programs with receives, waits or
// non-blocking sends need.
type party struct {
	at         int64 // ps: when the wait in hand began
	clock      int64 // ps: when it last went on; under the tag invariants only
	latest     int64 // ps: the latest end of a request
	first      int32 // its requests' first place
	window     int32 // how many places it has; request n has place n modulo that
	made       int32 // requests made
	base       int32 // those made before its step
	open       int32 // those not complete
	posts      int32 // receives that found no message
	inside     int32 // its messages in NICs, under MaxInFlight
	early      int32 // messages to it that came before their forerunners; -1 = none
	queue      list  // its messages that wait for room in the NIC, through message.next
	posted     list  // its receives of any source, without a message
	unexpected list  // messages to it without a receive, in the order of arrival
}

// protocol is the state of all messages and receives with envelopes. Its slices
// are empty where no job needs them.
type protocol struct {
	parties      []party    // length ranks
	pairs        []pair     // length flows
	requests     []int64    // windows of all ranks: when a request was complete, or openRequest
	envelopes    []envelope // as messages
	receives     []receive
	freeReceives int32
	memories     []memory // length hosts
	copies       []copying
	freeCopies   int32
}

const openRequest = -1

// needs is what a program asks of this layer.
type needs struct {
	plain    bool    // only blocking sends, Idle and Compute
	receives bool    // some rank receives
	windows  []int32 // length ranks: see windowOf; nil when plain
}

// needsOf finds what a program needs. O(operations).
func needsOf(p *workload.Program) needs {
	n := needs{plain: true}
	for i := range p.Ops {
		switch p.Ops[i].Kind {
		case workload.Send, workload.Idle, workload.Compute:
		case workload.Receive, workload.Ireceive:
			n.receives = true
			n.plain = false
		default:
			n.plain = false
		}
	}
	if n.plain {
		return n
	}
	n.windows = make([]int32, p.Ranks())
	var waited []bool
	for r := range n.windows {
		n.windows[r], waited = windowOf(p.RankOps(int32(r)), waited)
	}
	return n
}

// windowOf is how many requests of a rank need be remembered: the most there
// are from the first that nothing has waited for to the newest. All before are
// complete. waited is scratch.
func windowOf(ops []workload.Op, waited []bool) (window int32, scratch []bool) {
	waited = waited[:0]
	oldest := 0
	for _, op := range ops {
		switch {
		case op.Kind.IsRequest():
			waited = append(waited, false)
			window = max(window, int32(len(waited)-oldest))
		case op.Kind == workload.Wait:
			waited[op.Bytes] = true
			for oldest < len(waited) && waited[oldest] {
				oldest++
			}
		case op.Kind == workload.WaitAll:
			oldest = len(waited)
		}
	}
	return window, waited
}

func newProtocol(jobs []jobState, hosts int) protocol {
	p := protocol{memories: make([]memory, hosts)}
	ranks, flows, requests := 0, 0, 0
	plain, receives := true, false
	for i := range jobs {
		j := &jobs[i]
		ranks += j.Program.Ranks()
		flows += j.flows
		plain = plain && j.plain
		receives = receives || j.receives
		for _, w := range j.windows {
			requests += int(w)
		}
	}
	if !plain {
		p.parties = make([]party, ranks)
		p.requests = make([]int64, requests)
	}
	if receives {
		p.pairs = make([]pair, flows)
	}
	return p
}

func (p *protocol) reset(jobs []jobState) {
	for i := range p.pairs {
		p.pairs[i] = pair{posted: emptyList, unexpected: emptyList}
	}
	for i := range p.memories {
		p.memories[i] = memory{queue: emptyList, due: never}
	}
	p.envelopes = p.envelopes[:0]
	p.receives, p.freeReceives = p.receives[:0], -1
	p.copies, p.freeCopies = p.copies[:0], -1
	if len(p.parties) == 0 {
		return
	}
	r, first := 0, int32(0)
	for i := range jobs {
		for k := range jobs[i].Program.Ranks() {
			p.parties[r] = party{first: first, early: -1, queue: emptyList, posted: emptyList, unexpected: emptyList}
			if jobs[i].windows != nil {
				p.parties[r].window = jobs[i].windows[k]
				first += jobs[i].windows[k]
			}
			r++
		}
	}
}

// newRequest opens a rank's next request.
func (s *simulator) newRequest(r int32) int32 {
	p := &s.parties[r]
	place := p.first + p.made%p.window
	p.made++
	p.open++
	s.requests[place] = openRequest
	return place
}

// complete ends a request, and the wait for it if there is one.
func (s *simulator) complete(r, place int32, at int64) {
	if invariants && s.requests[place] != openRequest {
		panic("a request is complete twice")
	}
	s.requests[place] = at
	p := &s.parties[r]
	p.open--
	p.latest = max(p.latest, at)
	k := &s.ranks[r]
	if k.op >= k.end {
		if p.open == 0 && s.stepsOf[k.job].most != 1 && !s.jobs[k.job].Endless {
			s.endStep(r, max(p.at, p.latest))
		}
		return
	}
	op := &s.jobs[k.job].Program.Ops[k.op]
	if op.Kind != workload.Wait && op.Kind != workload.WaitAll {
		return
	}
	if done, at := s.over(r, op); done {
		s.reach(r, at)
		s.nextOp(r, at)
	}
}

// over says whether a wait that began at party.at is over, and when.
func (s *simulator) over(r int32, op *workload.Op) (done bool, at int64) {
	p := &s.parties[r]
	if op.Kind == workload.WaitAll {
		return p.open == 0, max(p.at, p.latest)
	}
	number := int32(op.Bytes) + p.base
	if number < p.made-p.window {
		return true, p.at
	}
	end := s.requests[p.first+number%p.window]
	return end != openRequest, max(p.at, end)
}
