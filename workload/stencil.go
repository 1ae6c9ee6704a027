package workload

// step is one neighbour of a stencil: where it is and how much it is sent.
type step struct {
	dx, dy, dz int
	bytes      int64
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

// buildStencil lets every rank of the grid send to the neighbours of steps, in
// their order, one after the other. Where a neighbour is missing a rank waits
// the time of the message (edges=wait, as in the thesis) or goes on at once
// (edges=skip, as miniGhost does).
func buildStencil(s *spec, maxOps int64, extents []int, steps []step) (*Program, error) {
	rounds := s.rounds(maxOps)
	wait := s.choice("edges", "wait", "skip") == "wait"
	ranks, largest := 1, int64(0)
	for _, e := range extents {
		ranks *= e
	}
	for _, st := range steps {
		largest = max(largest, st.bytes)
	}
	s.room(maxOps, ranks, largest, int64(len(steps)), rounds)
	if err := s.finish(); err != nil {
		return nil, err
	}
	box := [3]int{1, 1, 1}
	copy(box[:], extents)
	p := newProgram(ranks, ranks*len(steps)*int(rounds), extents)
	for z := range box[2] {
		for y := range box[1] {
			for x := range box[0] {
				for range rounds {
					p.exchange(box, x, y, z, steps, wait)
				}
				p.endRank()
			}
		}
	}
	return p, nil
}

// exchange appends one round of the rank at x, y, z.
func (p *Program) exchange(box [3]int, x, y, z int, steps []step, wait bool) {
	for _, st := range steps {
		u, v, w := x+st.dx, y+st.dy, z+st.dz
		inside := u >= 0 && u < box[0] && v >= 0 && v < box[1] && w >= 0 && w < box[2]
		switch {
		case inside:
			peer := (w*box[1]+v)*box[0] + u
			p.Ops = append(p.Ops, Op{Kind: Send, Peer: int32(peer), Bytes: st.bytes})
		case wait:
			p.Ops = append(p.Ops, Op{Kind: Idle, Bytes: st.bytes})
		}
	}
}

// newProgram is an empty program to be filled rank by rank: append to Ops,
// then endRank.
func newProgram(ranks, ops int, grid []int) *Program {
	offsets := make([]int32, 1, ranks+1)
	return &Program{Offsets: offsets, Ops: make([]Op, 0, ops), Grid: grid, VolumeScale: 1}
}

func (p *Program) endRank() { p.Offsets = append(p.Offsets, int32(len(p.Ops))) }
