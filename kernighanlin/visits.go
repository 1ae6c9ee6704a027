package kernighanlin

import "math/bits"

// visits remembers which pairs of blocks have nothing to offer. A pass over a
// pair depends on the vertices of the two blocks and on the blocks of their
// neighbours only, so a pair that offered nothing offers nothing until one of
// these has changed. That leaves every result as it is and makes the last sweeps,
// in which few blocks still change, almost free.
//
// The memory is a table with one place for each hash of a pair: what comes later
// stays, and a pair that is forgotten is visited once more.
type visits struct {
	now     int64
	changed []int64 // length blocks: when a vertex of the block or a neighbour of one last changed its block
	table   []visit
	shift   int
}

type visit struct {
	a, b   int32
	time   int64
	budget int
}

func newVisits(blocks int) *visits {
	size := bits.Len(uint(max(1, blocks)*visitsPerBlock - 1))
	return &visits{now: 1, changed: make([]int64, blocks), table: make([]visit, 1<<size), shift: 64 - size}
}

func (s *visits) place(a, b int32) *visit {
	const multiplier = 0x9e3779b97f4a7c15 // 2^64 over the golden ratio (Knuth 1973)
	return &s.table[(uint64(uint32(a))<<32|uint64(uint32(b)))*multiplier>>s.shift]
}

// futile tells whether a visit is known to gain nothing. A smaller budget allows
// nothing that a larger one did not.
func (s *visits) futile(a, b int32, budget int) bool {
	v := s.place(a, b)
	return v.time > max(s.changed[a], s.changed[b]) && v.a == a && v.b == b && budget <= v.budget
}

// note remembers a visit that gained nothing.
func (s *visits) note(a, b int32, budget int) {
	s.now++
	*s.place(a, b) = visit{a, b, s.now, budget}
}

// touch says that a vertex of the block, or a neighbour, has changed its block.
func (s *visits) touch(block int32) {
	s.now++
	s.changed[block] = s.now
}
