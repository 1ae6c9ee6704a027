// Package workload holds messages in time: each rank's program, the synthetic
// patterns, and recorded graphs turned into rounds of messages.
package workload

import (
	"fmt"
	"time"

	"remap/commgraph"
)

// Kind tells operations apart.
type Kind uint8

const (
	Send Kind = iota // send Bytes to Peer; the next operation starts when the last byte has left the host
	Idle             // do nothing for as long as sending Bytes at the host's injection rate takes
)

// Op is one step of a rank's program.
type Op struct {
	Kind  Kind
	Peer  int32 // Send: the receiving rank
	Bytes int64 // >= 0; a message without bytes still is one packet
}

// Program is what every rank does, in order. Receives never block a send and
// there is no barrier (time model of the 2018 thesis, section 4.2).
type Program struct {
	Offsets     []int32 // length ranks+1: operations of rank r are Ops[Offsets[r]:Offsets[r+1]]
	Ops         []Op
	Grid        []int   // extents of the process grid, first dimension fastest; nil = unknown
	VolumeScale float64 // factor already applied to all volumes; 1 = as recorded
	Warning     string  // what did not stop the work but should be told; usually empty
}

// Ranks is the number of ranks.
func (p *Program) Ranks() int { return max(0, len(p.Offsets)-1) }

// RankOps is the program of rank r.
func (p *Program) RankOps(r int32) []Op { return p.Ops[p.Offsets[r]:p.Offsets[r+1]] }

// Packets counts the packets of all sends to other ranks.
func (p *Program) Packets(packetBytes int) int64 {
	var sum int64
	for r := range int32(p.Ranks()) {
		for _, op := range p.RankOps(r) {
			if op.Kind == Send && op.Peer != r {
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
			if op.Kind == Send {
				flows = append(flows, commgraph.Flow{From: r, To: op.Peer, Bytes: op.Bytes, Messages: 1})
			}
		}
	}
	return commgraph.NewTraffic(p.Ranks(), flows, true)
}

// Check tests that peers are ranks and sizes not negative.
func (p *Program) Check() error {
	n := p.Ranks()
	if len(p.Offsets) == 0 || p.Offsets[0] != 0 || int(p.Offsets[n]) != len(p.Ops) {
		return fmt.Errorf("offsets do not span the %d operations", len(p.Ops))
	}
	for r := range int32(n) {
		if p.Offsets[r] > p.Offsets[r+1] {
			return fmt.Errorf("offsets of rank %d descend", r)
		}
		for _, op := range p.RankOps(r) {
			if op.Bytes < 0 || op.Kind > Idle || op.Kind == Send && (op.Peer < 0 || int(op.Peer) >= n) {
				return fmt.Errorf("rank %d has the operation %+v among %d ranks", r, op, n)
			}
		}
	}
	return nil
}

// InjectionTime is how long bytes take at a rate in bytes a second.
func InjectionTime(bytes int64, bytesPerSecond float64) time.Duration {
	return time.Duration(float64(bytes) / bytesPerSecond * 1e9)
}
