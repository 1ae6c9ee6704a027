package workload

import (
	"slices"
	"strings"
)

// step is one neighbour of a stencil: where it is and how much it is sent.
type step struct {
	dx, dy, dz int
	bytes      int64
}

// name is the call site of a step: its direction, such as "-x" or "+x+y".
func (to step) name() string {
	var name strings.Builder
	for axis, d := range []int{to.dx, to.dy, to.dz} {
		if d != 0 {
			name.WriteByte("-0+"[d+1])
			name.WriteByte("xyz"[axis])
		}
	}
	return name.String()
}

// buildStencil2D is the 5-point stencil: rank = y*X + x exchanges with -x,
// +x, -y, +y, in this order (2018 thesis (Taffet), section 4.2; the order is
// our choice, the thesis gives none).
func buildStencil2D(s *spec, maxOps int64) (*Program, error) {
	extents := s.grid(2)
	bytes := s.messageBytes()
	return buildStencil(s, maxOps, extents, []step{
		{dx: -1, bytes: bytes}, {dx: +1, bytes: bytes},
		{dy: -1, bytes: bytes}, {dy: +1, bytes: bytes},
	})
}

// buildStencil3D7 is the 7-point stencil: rank = (z*Y + y)*X + x exchanges
// with -x, +x, -y, +y, -z, +z, in this order.
func buildStencil3D7(s *spec, maxOps int64) (*Program, error) {
	extents := s.grid(3)
	bytes := s.messageBytes()
	return buildStencil(s, maxOps, extents, []step{
		{dx: -1, bytes: bytes}, {dx: +1, bytes: bytes},
		{dy: -1, bytes: bytes}, {dy: +1, bytes: bytes},
		{dz: -1, bytes: bytes}, {dz: +1, bytes: bytes},
	})
}

// buildStencil3D27 is the 27-point stencil: rank = (z*Y + y)*X + x exchanges
// with the 26 cells around it, dz ascending from -1, within it dy, within it
// dx. bytes= is the size of a face's message, edge-bytes= (an eighth of it)
// and corner-bytes= (a sixty-fourth) of those that touch in a line or a point,
// as halos of a cube of 8 cells' side have.
func buildStencil3D27(s *spec, maxOps int64) (*Program, error) {
	extents := s.grid(3)
	face := s.messageBytes()
	part := func(n int64) int64 { return max(min(face, 1), face/n) }
	bytes := [4]int64{1: face}
	bytes[2] = s.int64("edge-bytes", part(8), 0, maxTotal)
	bytes[3] = s.int64("corner-bytes", part(64), 0, maxTotal)
	var steps []step
	for dz := -1; dz <= 1; dz++ {
		for dy := -1; dy <= 1; dy++ {
			for dx := -1; dx <= 1; dx++ {
				if axes := dx*dx + dy*dy + dz*dz; axes > 0 {
					steps = append(steps, step{dx, dy, dz, bytes[axes]})
				}
			}
		}
	}
	return buildStencil(s, maxOps, extents, steps)
}

// stencil is what all ranks of a stencil have in common.
type stencil struct {
	box     [3]int // extents, 1 beyond the grid's dimensions
	steps   []step
	idle    bool  // edges=wait: missing neighbours take as long as others
	back    []int // length steps: the step in the opposite direction
	receive bool  // wait=true: a round ends when all neighbours' messages have come
	post    bool  // sends=nonblocking
}

// buildStencil lets every rank of the grid send to the neighbours of steps, in
// their order, one after the other. Where a neighbour is missing a rank waits
// the time of the message (edges=wait, as in the thesis) or goes on at once
// (edges=skip, as miniGhost does).
//
// With wait=true a rank first posts the receives of its neighbours' messages, and
// after its sends waits for all of them; the tag of a message is the number of
// its step, so that directions are distinguished. With sends=nonblocking all
// sends of a round are posted at once, and then waited for.
//
// Call sites are the directions, such as "-x" or "+x+y", of the neighbours that
// are sent to or received from.
func buildStencil(s *spec, maxOps int64, extents []int, steps []step) (*Program, error) {
	rounds, compute := s.rounds(maxOps), s.computeNanoseconds()
	st := stencil{box: [3]int{1, 1, 1}, steps: steps}
	copy(st.box[:], extents)
	for _, to := range steps {
		st.back = append(st.back, slices.IndexFunc(steps, func(o step) bool {
			return o.dx == -to.dx && o.dy == -to.dy && o.dz == -to.dz
		}))
	}
	st.idle = s.choice("edges", "wait", "skip") == "wait"
	st.receive = s.choice("wait", "false", "true") == "true"
	st.post = s.choice("sends", "blocking", "nonblocking") == "nonblocking"
	l := load{ranks: 1, rounds: rounds, messages: int64(len(steps)), compute: compute}
	for _, e := range extents {
		l.ranks *= e
	}
	for _, to := range steps {
		l.bytes = max(l.bytes, to.bytes)
	}
	if st.receive {
		l.others += l.messages
	}
	if st.receive || st.post {
		l.others++
	}
	s.room(maxOps, l)
	if err := s.finish(); err != nil {
		return nil, err
	}
	p := newProgram(l.ranks, l.ranks*int(l.operations()*rounds), extents)
	p.Sites = make([]uint16, 0, cap(p.Ops))
	p.CallSites = []string{""}
	for _, to := range steps {
		p.CallSites = append(p.CallSites, to.name())
	}
	for z := range st.box[2] {
		for y := range st.box[1] {
			for x := range st.box[0] {
				for range rounds {
					p.compute(compute)
					p.mark(0)
					st.exchange(p, x, y, z)
				}
				p.endRank()
			}
		}
	}
	return p, nil
}

// neighbor is the rank one step from x, y, z; -1 beyond the edge.
func (st *stencil) neighbor(x, y, z int, to step) int32 {
	u, v, w := x+to.dx, y+to.dy, z+to.dz
	if u < 0 || u >= st.box[0] || v < 0 || v >= st.box[1] || w < 0 || w >= st.box[2] {
		return -1
	}
	return int32((w*st.box[1]+v)*st.box[0] + u)
}

// exchange appends one round of the rank at x, y, z.
func (st *stencil) exchange(p *Program, x, y, z int) {
	if st.receive {
		for i, to := range st.steps {
			if peer := st.neighbor(x, y, z, to); peer >= 0 {
				p.Ops = append(p.Ops, Op{Kind: Ireceive, Tag: uint16(st.back[i]), Peer: peer, Bytes: to.bytes})
				p.mark(uint16(i + 1))
			}
		}
	}
	kind := Send
	if st.post {
		kind = Isend
	}
	for i, to := range st.steps {
		peer := st.neighbor(x, y, z, to)
		switch {
		case peer >= 0 && st.receive:
			p.Ops = append(p.Ops, Op{Kind: kind, Tag: uint16(i), Peer: peer, Bytes: to.bytes})
		case peer >= 0:
			p.Ops = append(p.Ops, Op{Kind: kind, Peer: peer, Bytes: to.bytes})
		case st.idle:
			p.Ops = append(p.Ops, Op{Kind: Idle, Bytes: to.bytes})
		}
		p.mark(uint16(i + 1))
	}
	if st.receive || st.post {
		p.Ops = append(p.Ops, Op{Kind: WaitAll})
	}
	p.mark(0)
}

// newProgram is an empty program to be filled rank by rank: append to Ops,
// then endRank.
func newProgram(ranks, ops int, grid []int) *Program {
	offsets := make([]int32, 1, ranks+1)
	return &Program{Offsets: offsets, Ops: make([]Op, 0, ops), Grid: grid, VolumeScale: 1}
}

func (p *Program) endRank() { p.Offsets = append(p.Offsets, int32(len(p.Ops))) }
