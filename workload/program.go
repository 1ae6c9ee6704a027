// Package workload holds messages in time: each rank's program, the synthetic
// patterns, and recorded graphs turned into rounds of messages.
package workload

import (
	"fmt"
	"math"
	"time"

	"remap/commgraph"
)

// OpKind tells operations apart.
type OpKind uint8

const (
	// blocking send of Bytes to Peer: goes on when the last byte has left the host (eager) or, above
	// the eager threshold, after the receiver has posted a matching receive and the last byte has
	// left
	Send     OpKind = iota
	Idle            // do nothing for as long as sending Bytes at the host's injection rate takes
	Isend           // non-blocking send of Bytes to Peer: makes a request
	Receive         // blocking receive from Peer (AnySource) with Tag (AnyTag)
	Ireceive        // non-blocking receive: makes a request
	Wait            // wait for request number Bytes of this rank
	WaitAll         // wait for all requests made so far
	Compute         // compute for Bytes nanoseconds
	kinds           // how many there are
)

// kindNames are for error messages.
var kindNames = [kinds]string{"send", "idle", "isend", "receive", "ireceive", "wait", "waitall", "compute"}

// String is the name in error messages.
func (k OpKind) String() string {
	if k < kinds {
		return kindNames[k]
	}
	return fmt.Sprintf("kind %d", uint8(k))
}

// IsSend says whether the operation makes a message.
func (k OpKind) IsSend() bool { return k == Send || k == Isend }

// IsReceive says whether the operation takes a message.
func (k OpKind) IsReceive() bool { return k == Receive || k == Ireceive }

// IsRequest says whether the operation makes a request, which Wait and WaitAll
// wait for. A rank's requests are numbered from 0 in the order of its
// operations, and no number is used twice.
func (k OpKind) IsRequest() bool { return k == Isend || k == Ireceive }

const (
	// AnySource as the peer of a receive takes messages of every rank.
	AnySource = -1
	// AnyTag as the tag of a receive takes messages of every tag; sends have
	// lower tags.
	AnyTag = math.MaxUint16
	// MaxPhases is the most names of phases a program may have.
	MaxPhases = math.MaxUint8 + 1
)

// Op is one step of a rank's program, in 16 bytes: there are tens of millions.
type Op struct {
	Kind OpKind
	// Phase: index into Program.Phases, kept with the samples of the operation's packets; 0 when
	// there are none
	Phase uint8
	// Tag: sends and receives: a receive takes the earliest message of its peer and tag.
	Tag uint16
	// Peer: sends: the receiving rank; receives: the sending rank or AnySource.
	Peer int32
	// Bytes: >= 0. Sends: a message without bytes still is one packet. Receives: the size expected,
	// for readers only, 0 = unknown. Wait: the request's number. Compute: nanoseconds
	Bytes int64
}

// Program is what every rank does, in order. A send needs no matching receive:
// a program without receives is the time model of the 2018 thesis, section 4.2,
// in which nothing but its own link delays a sender. There is no barrier but
// those that a program spells out in messages.
type Program struct {
	// Offsets (length ranks+1): operations of rank r are Ops[Offsets[r]:Offsets[r+1]].
	Offsets []int32
	Ops     []Op
	// Phases: names of the phases, at most MaxPhases; nil = one nameless phase.
	Phases []string
	// CallSites: names of the places in the application that post operations, such as lines of its
	// source or calls of collectives, at most MaxCallSites; "" = not known; nil = none is known
	CallSites []string
	// Sites: of every operation, in the order of Ops, the index into CallSites, kept with the
	// samples of its packets; nil = 0 for all
	Sites []uint16
	// Grid: extents of the process grid, first dimension fastest; nil = unknown.
	Grid []int
	// VolumeScale is the share of the full volume that this program is, in messages
	// and sizes together; 1 = as recorded.
	VolumeScale float64
	// SizeScale is the factor already applied to the sizes of messages, idle and
	// computing times; 0 and 1 = none.
	SizeScale float64
	// Smaller is the same program at half this volume or less: two volumes tell the
	// time of the full one (evalsim.Result.Full); nil = not scaled.
	Smaller *Program
	// Warning: a problem that did not stop the work; usually empty.
	Warning string
}

// Ranks is the number of ranks.
func (p *Program) Ranks() int { return max(0, len(p.Offsets)-1) }

// RankOps is the program of rank r.
func (p *Program) RankOps(r int32) []Op { return p.Ops[p.Offsets[r]:p.Offsets[r+1]] }

// Packets counts the packets of all sends, blocking or not, to other ranks.
func (p *Program) Packets(packetBytes int) int64 {
	var sum int64
	for r := range int32(p.Ranks()) {
		for _, op := range p.RankOps(r) {
			if op.Kind.IsSend() && op.Peer != r {
				sum += packets(op.Bytes, packetBytes)
			}
		}
	}
	return sum
}

func packets(bytes int64, packetBytes int) int64 {
	return max(1, (bytes+int64(packetBytes)-1)/int64(packetBytes))
}

// Traffic folds the program: bytes and messages of every pair of ranks.
func (p *Program) Traffic() (*commgraph.Traffic, error) {
	flows := make([]commgraph.Flow, 0, len(p.Ops))
	for r := range int32(p.Ranks()) {
		for _, op := range p.RankOps(r) {
			if op.Kind.IsSend() {
				flows = append(flows, commgraph.Flow{From: r, To: op.Peer, Bytes: op.Bytes, Messages: 1})
			}
		}
	}
	return commgraph.NewTraffic(p.Ranks(), flows, true)
}

// Check tests that offsets span the operations, kinds, phases and call sites exist,
// sizes are not negative, peers are ranks, sends name one tag, and waits name requests
// that were made before them. That every receive is answered is known only when
// the program runs.
func (p *Program) Check() error {
	n := p.Ranks()
	if len(p.Offsets) == 0 || p.Offsets[0] != 0 || int(p.Offsets[n]) != len(p.Ops) {
		return fmt.Errorf("offsets do not span the %d operations", len(p.Ops))
	}
	if len(p.Phases) > MaxPhases {
		return fmt.Errorf("%d phases, at most %d have numbers", len(p.Phases), MaxPhases)
	}
	if err := p.checkSites(); err != nil {
		return err
	}
	for r := range n {
		if p.Offsets[r] < 0 || p.Offsets[r] > p.Offsets[r+1] || int(p.Offsets[r+1]) > len(p.Ops) {
			return fmt.Errorf("offsets of rank %d descend", r)
		}
		requests := int64(0)
		for i, op := range p.RankOps(int32(r)) {
			if problem := p.problem(op, requests); problem != "" {
				return fmt.Errorf("rank %d, operation %d (%v): %s", r, i, op.Kind, problem)
			}
			if op.Kind.IsRequest() {
				requests++
			}
		}
	}
	return nil
}

// problem says what is wrong with an operation before which its rank has made
// that many requests; empty if nothing is.
func (p *Program) problem(op Op, requests int64) string {
	n := p.Ranks()
	switch {
	case op.Kind >= kinds:
		return "no such operation"
	case op.Bytes < 0:
		return fmt.Sprintf("a size of %d", op.Bytes)
	case int(op.Phase) >= max(1, len(p.Phases)):
		return fmt.Sprintf("phase %d of %d", op.Phase, max(1, len(p.Phases)))
	case op.Kind.IsSend() && (op.Peer < 0 || int(op.Peer) >= n):
		return fmt.Sprintf("receiver %d among %d ranks", op.Peer, n)
	case op.Kind.IsSend() && op.Tag == AnyTag:
		return fmt.Sprintf("tag %d, which only receives have", op.Tag)
	case op.Kind.IsReceive() && op.Peer != AnySource && (op.Peer < 0 || int(op.Peer) >= n):
		return fmt.Sprintf("sender %d among %d ranks", op.Peer, n)
	case op.Kind == Wait && op.Bytes >= requests:
		return fmt.Sprintf("request %d of %d made so far", op.Bytes, requests)
	}
	return ""
}

// InjectionTime is how long bytes take at a rate in bytes a second.
func InjectionTime(bytes int64, bytesPerSecond float64) time.Duration {
	return duration(float64(bytes) / bytesPerSecond)
}

// duration is a time in seconds, the longest there is for those that are longer.
func duration(seconds float64) time.Duration {
	if ns := seconds * 1e9; ns < math.MaxInt64 {
		return time.Duration(ns)
	}
	return math.MaxInt64
}
