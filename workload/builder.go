package workload

import (
	"fmt"
	"math"
)

// Builder fills a program, rank after rank from 0: append the operations of a
// rank in order, then EndRank. The first mistake is kept and returned by
// Program. Collective operations are expanded by Collective.
type Builder struct {
	program *Program
	ranks   int
	phase   uint8
	phases  map[string]uint8
	callSites
	waited []bool                 // of the requests of the rank in hand
	open   int                    // those that nothing has waited for
	err    error                  // the first mistake
	tally  *tally                 // if not nil, operations are counted and not kept
	watch  func(op Op, b payload) // tests follow the data of collectives through it; usually nil
}

// tally is what a counting builder has seen.
type tally struct {
	operations, bytes, nanoseconds int64
}

// NewBuilder begins a program of so many ranks; operations is a guess of how
// many there will be.
func NewBuilder(ranks, operations int) *Builder {
	return &Builder{program: newProgram(ranks, operations, nil), ranks: ranks}
}

// Rank is the rank in hand.
func (b *Builder) Rank() int32 { return int32(len(b.program.Offsets) - 1) }

// Phase begins a phase of the rank in hand, known by its name on all ranks.
// Every rank begins in the phase "". It is an error to name more than
// MaxPhases, that one included.
func (b *Builder) Phase(name string) {
	if b.phases == nil {
		b.phases = map[string]uint8{"": 0}
		b.program.Phases = []string{""}
	}
	number, known := b.phases[name]
	if !known {
		if len(b.program.Phases) == MaxPhases {
			b.fail("phase %q is one more than the %d that can be told apart", name, MaxPhases)
			return
		}
		number = uint8(len(b.program.Phases))
		b.phases[name] = number
		b.program.Phases = append(b.program.Phases, name)
	}
	b.phase = number
}

// Send appends a blocking send.
func (b *Builder) Send(peer int32, bytes int64, tag uint16) {
	b.add(Op{Kind: Send, Tag: tag, Peer: peer, Bytes: bytes}, payload{})
}

// Isend appends a non-blocking send and returns the number of its request.
func (b *Builder) Isend(peer int32, bytes int64, tag uint16) (request int64) {
	return b.add(Op{Kind: Isend, Tag: tag, Peer: peer, Bytes: bytes}, payload{})
}

// Receive appends a blocking receive; bytes is the size expected, 0 = unknown.
func (b *Builder) Receive(peer int32, bytes int64, tag uint16) {
	b.add(Op{Kind: Receive, Tag: tag, Peer: peer, Bytes: bytes}, payload{})
}

// Ireceive appends a non-blocking receive and returns the number of its request.
func (b *Builder) Ireceive(peer int32, bytes int64, tag uint16) (request int64) {
	return b.add(Op{Kind: Ireceive, Tag: tag, Peer: peer, Bytes: bytes}, payload{})
}

// Wait appends waiting for a request of this rank.
func (b *Builder) Wait(request int64) { b.add(Op{Kind: Wait, Bytes: request}, payload{}) }

// WaitAll appends waiting for all requests of this rank.
func (b *Builder) WaitAll() { b.add(Op{Kind: WaitAll}, payload{}) }

// Compute appends computing.
func (b *Builder) Compute(nanoseconds int64) {
	b.add(Op{Kind: Compute, Bytes: nanoseconds}, payload{})
}

// Idle appends doing nothing for as long as sending would take.
func (b *Builder) Idle(bytes int64) { b.add(Op{Kind: Idle, Bytes: bytes}, payload{}) }

// EndRank ends the program of the rank in hand; the next rank's begins.
func (b *Builder) EndRank() {
	if int(b.Rank()) >= b.ranks {
		b.fail("more than the %d ranks announced", b.ranks)
		return
	}
	b.program.endRank()
	b.waited, b.open, b.phase, b.site = b.waited[:0], 0, 0, 0
}

// Program is the finished program, checked; an error if EndRank was not called
// for every rank, or if something before was wrong. The builder is used up.
func (b *Builder) Program() (*Program, error) {
	if int(b.Rank()) < b.ranks {
		b.fail("the program ends before rank %d of %d", b.Rank(), b.ranks)
	}
	if b.err != nil {
		return nil, b.err
	}
	return b.program, b.program.Check()
}

func (b *Builder) fail(format string, args ...any) {
	if b.err == nil {
		b.err = fmt.Errorf(format, args...)
	}
}

// add appends an operation and returns the number of its request, if it makes one.
func (b *Builder) add(op Op, data payload) (request int64) {
	if b.tally != nil {
		b.tally.add(op)
		return 0
	}
	if len(b.program.Ops) == math.MaxInt32 {
		b.fail("more than %d operations", math.MaxInt32)
		return 0
	}
	op.Phase = b.phase
	b.program.Ops = append(b.program.Ops, op)
	if b.numbers != nil {
		b.program.Sites = append(b.program.Sites, b.site)
	}
	if b.watch != nil {
		b.watch(op, data)
	}
	request = int64(len(b.waited))
	switch op.Kind {
	case Isend, Ireceive:
		b.waited = append(b.waited, false)
		b.open++
	case Wait:
		if op.Bytes >= 0 && op.Bytes < request && !b.waited[op.Bytes] {
			b.waited[op.Bytes] = true
			b.open--
		}
	case WaitAll:
		for i := len(b.waited) - 1; b.open > 0; i-- {
			if !b.waited[i] {
				b.waited[i] = true
				b.open--
			}
		}
	}
	return request
}

func (t *tally) add(op Op) {
	t.operations++
	switch {
	case op.Kind.IsSend():
		t.bytes = min(t.bytes, maxTotal) + min(op.Bytes, maxTotal)
	case op.Kind == Compute:
		t.nanoseconds = min(t.nanoseconds, maxTotal) + min(op.Bytes, maxTotal)
	}
}
