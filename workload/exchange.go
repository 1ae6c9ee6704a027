package workload

import "math/rand/v2"

// compute appends computing of the rank being filled, if there is any.
func (p *Program) compute(nanoseconds int64) {
	if nanoseconds > 0 {
		p.Ops = append(p.Ops, Op{Kind: Compute, Bytes: nanoseconds})
	}
}

// send appends a message of the rank being filled.
func (p *Program) send(peer int, bytes int64) {
	p.Ops = append(p.Ops, Op{Kind: Send, Peer: int32(peer), Bytes: bytes})
}

// buildRing lets rank i send rounds messages to rank i-1, rank 0 to the last
// (the primary job of the 2018 thesis's background study). A single rank has
// nobody to send to.
func buildRing(s *spec, maxOps int64) (*Program, error) {
	ranks, bytes, rounds, compute := s.ranks(), s.messageBytes(), s.rounds(maxOps), s.computeNanoseconds()
	s.room(maxOps, load{ranks: ranks, rounds: rounds, messages: 1, bytes: bytes, compute: compute})
	if err := s.finish(); err != nil {
		return nil, err
	}
	p := newProgram(ranks, ranks*int(rounds), nil)
	for r := range ranks {
		for range rounds {
			p.compute(compute)
			if ranks > 1 {
				p.send((r+ranks-1)%ranks, bytes)
			}
		}
		p.endRank()
	}
	return p, nil
}

// uniformStream keeps the numbers of this pattern apart from other users of
// the same seed.
const uniformStream = 0x756e69666f726d

// buildUniform lets every rank send rounds messages, each to another rank
// drawn at random (PCG of seed=, in rank order).
func buildUniform(s *spec, maxOps int64) (*Program, error) {
	ranks, bytes, rounds, seed := s.ranks(), s.messageBytes(), s.rounds(maxOps), s.seed()
	compute := s.computeNanoseconds()
	s.room(maxOps, load{ranks: ranks, rounds: rounds, messages: 1, bytes: bytes, compute: compute})
	if err := s.finish(); err != nil {
		return nil, err
	}
	p := newProgram(ranks, ranks*int(rounds), nil)
	random := rand.New(rand.NewPCG(uint64(seed), uniformStream))
	for r := range ranks {
		for range rounds {
			p.compute(compute)
			if ranks > 1 {
				p.send((r+1+random.IntN(ranks-1))%ranks, bytes)
			}
		}
		p.endRank()
	}
	return p, nil
}

// buildAllToAll lets rank r send to r+1, r+2, ... r-1 modulo the ranks, rounds
// times, so that no two ranks send to the same one at the same step; nobody
// receives. With algorithm= it is the collective operation instead.
func buildAllToAll(s *spec, maxOps int64) (*Program, error) {
	if s.take("algorithm") != nil {
		return collective("alltoall", Auto)(s, maxOps)
	}
	ranks, bytes, rounds, compute := s.ranks(), s.messageBytes(), s.rounds(maxOps), s.computeNanoseconds()
	s.room(maxOps, load{ranks: ranks, rounds: rounds, messages: int64(ranks - 1), bytes: bytes,
		compute: compute})
	if err := s.finish(); err != nil {
		return nil, err
	}
	p := newProgram(ranks, ranks*(ranks-1)*int(rounds), nil)
	for r := range ranks {
		for range rounds {
			p.compute(compute)
			p.transpose(r, 0, 1, ranks, bytes)
		}
		p.endRank()
	}
	return p, nil
}

// buildFFT2D is the 2-D Fourier transform of pF3D (SC'19): planes= planes of
// grid=COLUMNSxROWS ranks, rank = (plane*ROWS + row)*COLUMNS + column. In a
// round a rank first sends to the others of its row (column+1, column+2, ...
// modulo COLUMNS), then to those of its column (row+1, row+2, ... modulo
// ROWS). Planes do not talk to each other. Call sites are "row" and "column".
func buildFFT2D(s *spec, maxOps int64) (*Program, error) {
	planes := int(s.int64("planes", 1, 1, maxRanks))
	grid := s.gridOption("grid", 2)
	columns, rows := grid[0], grid[1]
	bytes, rounds, compute := s.messageBytes(), s.rounds(maxOps), s.computeNanoseconds()
	if s.extents != "" {
		s.fail(s.column, "write for example "+s.name+":"+s.pattern.example, "%q is not an option", s.extents)
	}
	if int64(planes)*int64(rows)*int64(columns) > maxRanks {
		s.fail(0, "", "planes and grid make more than %d ranks", maxRanks)
		planes = 1
	}
	ranks, peers := planes*rows*columns, rows+columns-2
	s.room(maxOps, load{ranks: ranks, rounds: rounds, messages: int64(peers), bytes: bytes, compute: compute})
	if err := s.finish(); err != nil {
		return nil, err
	}
	p := newProgram(ranks, ranks*peers*int(rounds), []int{columns, rows, planes})
	p.CallSites = []string{"", "row", "column"}
	for r := range ranks {
		column, row := r%columns, r/columns%rows
		for range rounds {
			p.compute(compute)
			p.mark(0)
			p.transpose(column, r-column, 1, columns, bytes)
			p.mark(1)
			p.transpose(row, r-row*columns, columns, rows, bytes)
			p.mark(2)
		}
		p.endRank()
	}
	return p, nil
}

// transpose sends to the other members of a group of count ranks, first,
// first+stride, ...; the rank being filled is member number self.
func (p *Program) transpose(self, first, stride, count int, bytes int64) {
	for k := 1; k < count; k++ {
		p.send(first+(self+k)%count*stride, bytes)
	}
}
