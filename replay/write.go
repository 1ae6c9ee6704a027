package replay

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"remap/workload"
)

// maxMessage is the most bytes of a message of the replaying program.
const maxMessage = 1 << 30

// Write writes a complete program (WithReceives) for the application Play, as text:
//
//	remap-replay 1 RANKS
//	OFFSET LINE PEERS OPERATIONS        for every rank: where its part begins
//	PEER                                parts, rank by rank: whom it exchanges messages with,
//	isend PEER TAG BYTES                then its operations
//	ireceive PEER TAG BYTES EXACT       from PEER or -1 = any, tag 65535 = any
//	wait REQUEST
//	compute NANOSECONDS
//
// OFFSET counts bytes from the first part on, LINE is the file's line of the first operation. EXACT
// is 1 where the size of the message is certain; else BYTES is the largest that may come. Phases,
// call sites and scales are not written.
func Write(w io.Writer, p *workload.Program) error {
	if err := p.Check(); err != nil {
		return err
	}
	if err := checkComplete(p); err != nil {
		return err
	}
	if leavesOpen(p) {
		return errors.New("a rank ends with requests that nothing has waited for: use WithReceives")
	}
	n := p.Ranks()
	head, parts := &bytes.Buffer{}, &bytes.Buffer{}
	fmt.Fprintf(head, "remap-replay 1 %d\n", n)
	line := n + 2
	s := newSizes(p)
	for r := range int32(n) {
		peers, ops := s.peers(r), p.RankOps(r)
		line += len(peers)
		fmt.Fprintf(head, "%d %d %d %d\n", parts.Len(), line, len(peers), len(ops))
		line += len(ops)
		for _, peer := range peers {
			fmt.Fprintln(parts, peer)
		}
		for i, op := range ops {
			if op.Kind.IsSend() && op.Bytes > maxMessage {
				return fmt.Errorf("rank %d, operation %d: a message of %d bytes, at most %d can be played", r,
					i, op.Bytes, maxMessage)
			}
			s.write(parts, r, op)
		}
	}
	out := bufio.NewWriter(w)
	out.Write(head.Bytes())
	out.Write(parts.Bytes())
	return out.Flush() // the first error
}

// sizes knows the sizes of messages before they come.
type sizes struct {
	program *workload.Program
	of      map[channel][]int64 // of the messages of each channel, in order
	to      [][]channel         // of each rank: the channels that lead to it, without repetition
	sendsTo [][]int32           // of each rank: the receivers of its messages
	largest map[channel]int64   // of the messages of each channel
	wild    []bool              // ranks with receives of any rank or tag
	taken   map[channel]int     // messages of a channel that have been received
}

func newSizes(p *workload.Program) *sizes {
	n := p.Ranks()
	s := &sizes{p, map[channel][]int64{}, make([][]channel, n), make([][]int32, n),
		map[channel]int64{}, make([]bool, n), map[channel]int{}}
	for r := range int32(n) {
		for _, op := range p.RankOps(r) {
			if op.Kind.IsSend() {
				c := channel{r, op.Peer, op.Tag}
				if s.of[c] == nil {
					s.to[op.Peer] = append(s.to[op.Peer], c)
				}
				s.of[c] = append(s.of[c], op.Bytes)
				s.largest[c] = max(s.largest[c], op.Bytes)
				s.sendsTo[r] = append(s.sendsTo[r], op.Peer)
			} else if op.Kind.IsReceive() && (op.Peer == workload.AnySource || op.Tag == workload.AnyTag) {
				s.wild[r] = true
			}
		}
	}
	return s
}

// peers is the ranks that a rank sends to or hears from, itself left out, ascending.
func (s *sizes) peers(r int32) []int32 {
	peers := slices.Clone(s.sendsTo[r])
	for _, c := range s.to[r] {
		peers = append(peers, c.from)
	}
	slices.Sort(peers)
	peers = slices.Compact(peers)
	return slices.DeleteFunc(peers, func(p int32) bool { return p == r })
}

// write writes an operation.
func (s *sizes) write(b *bytes.Buffer, r int32, op workload.Op) {
	line := append(b.AvailableBuffer(), op.Kind.String()...)
	numbers := []int64{}
	switch {
	case op.Kind.IsSend():
		numbers = []int64{int64(op.Peer), int64(op.Tag), op.Bytes}
	case op.Kind.IsReceive():
		bytes, exact := s.incoming(channel{op.Peer, r, op.Tag})
		numbers = []int64{int64(op.Peer), int64(op.Tag), bytes, exact}
	case op.Kind != workload.WaitAll:
		numbers = []int64{op.Bytes}
	}
	for _, n := range numbers {
		line = strconv.AppendInt(append(line, ' '), n, 10)
	}
	b.Write(append(line, '\n'))
}

// incoming is the size of the message that the next receive of a channel gets. On a rank with
// receives of any rank or tag it is the largest that may come, and exact is 0.
func (s *sizes) incoming(c channel) (bytes, exact int64) {
	if !s.wild[c.to] {
		s.taken[c]++
		return s.of[c][s.taken[c]-1], 1
	}
	for _, from := range s.to[c.to] {
		if c.takes(from) {
			bytes = max(bytes, s.largest[from])
		}
	}
	return bytes, 0
}
