package partition

import (
	"context"
	"math/rand/v2"
)

// chainLimits steer ejection chains.
type chainLimits struct {
	Length int   // most vertices of a cycle of moves, >= 2
	Drop   int64 // a chain ends when it is so much below the best cycle found on it, or below 0
	Rounds int   // most rounds over all vertices
	Work   int   // most vertices looked at, for each vertex of the graph
}

// chains finds cycles of moves that gain, by ejection chains (Glover 1992). The
// sizes of all blocks stay exact.
//
// A chain begins with the best move of one vertex. It leaves a hole behind, and one
// vertex too many where it goes. Of the vertices there the one moves on whose best
// move gains most, and so on. At every block the chain can also close, with a vertex
// that fills the hole. The cycle of the largest gain is made, if that is above zero:
//
//	hole A <....... could close ........
//	   \                               :
//	    u --> B, out goes v --> C, out goes w --> ...
//
// A cycle whose gains sum to more than zero has a vertex from which every partial
// sum is above zero too (Lin and Kernighan 1973). So with Drop 0 most chains end at
// their first move.
//
// A round costs O(chains x length x vertices of a block x degree), bounded by
// Work; after a first round only blocks that changed are visited.
type chains struct {
	*moves
	limits chainLimits
	mark   []int32 // length positions: stamp of the last chain the vertex was in
	stamp  int32
	cycle  []int32
	before []int32 // block of every vertex of the chain before it
	work   int     // vertices that may still be looked at
}

// ejectionChains tries chains from all vertices in random order, in rounds until none
// gains, and gives by how much the cost fell. When ctx ends it ends with its
// error, the assignment valid.
func (m *moves) ejectionChains(ctx context.Context, limits chainLimits, chance *rand.Rand) (int64, error) {
	n := m.graph.Vertices()
	c := &chains{moves: m, limits: limits, work: limits.Work * n}
	c.mark = make([]int32, len(m.assign.Members))
	active, changed := make([]bool, m.assign.Blocks()), make([]bool, m.assign.Blocks())
	for b := range active {
		active[b] = true
	}
	order := make([]int32, n)
	for v := range order {
		order[v] = int32(v)
	}
	var total int64
	for range limits.Rounds {
		if err := ctx.Err(); err != nil {
			return total, err
		}
		chance.Shuffle(n, func(i, j int) { order[i], order[j] = order[j], order[i] })
		var gain int64
		for _, v := range order {
			if b := m.assign.Block[v]; !active[b] && !changed[b] {
				continue
			}
			if g := c.from(v); g > 0 {
				gain += g
				for _, u := range c.cycle {
					changed[m.assign.Block[u]] = true
				}
			}
		}
		if total += gain; gain == 0 || c.work <= 0 {
			break
		}
		active, changed = changed, active
		clear(changed)
	}
	return total, nil
}

// from makes the best cycle of the chain that begins with v and gives its gain,
// 0 if there is none.
func (c *chains) from(v int32) int64 {
	c.stamp++
	if c.fixed != nil && c.fixed[v] || c.work <= 0 {
		return 0
	}
	hole := c.assign.Block[v]
	to, sum, _ := c.bestMove(v, -1)
	if to < 0 || sum <= -c.limits.Drop {
		return 0
	}
	c.cycle, c.before = c.cycle[:0], c.before[:0]
	c.push(v, to)
	var best int64
	length, last := 0, int32(-1) // of the best cycle: without the one that fills the hole, and that
	for len(c.cycle) < c.limits.Length {
		s := c.leave(to, hole)
		if s.filler >= 0 && sum+s.fillGain > best {
			best, length, last = sum+s.fillGain, len(c.cycle), s.filler
		}
		if s.next < 0 || sum+s.gain <= best-c.limits.Drop {
			break
		}
		c.push(s.next, s.to)
		sum, to = sum+s.gain, s.to
	}
	for i := len(c.cycle) - 1; i >= 0; i-- {
		c.assign.Block[c.cycle[i]] = c.before[i]
	}
	if best > 0 {
		c.cycle = append(c.cycle[:length], last)
		c.apply(c.cycle)
	}
	return best
}

// push lets v go to a block for the time of the chain.
func (c *chains) push(v, to int32) {
	c.cycle, c.before = append(c.cycle, v), append(c.before, c.assign.Block[v])
	c.mark[v] = c.stamp
	c.assign.Block[v] = to
}

// departure is what may leave a block with one vertex too many; -1 = nothing.
type departure struct {
	next, to int32 // the vertex whose best move gains most, and where to
	gain     int64
	filler   int32 // the vertex that gains most by filling the hole
	fillGain int64
}

// leave looks at all vertices of a block that the chain has not moved.
func (c *chains) leave(block, hole int32) departure {
	s := departure{next: -1, to: -1, filler: -1}
	members := c.assign.Of(block)
	c.work -= len(members)
	for _, u := range members {
		if c.mark[u] == c.stamp || c.fixed != nil && c.fixed[u] {
			continue
		}
		to, gain, fillGain := c.bestMove(u, hole)
		if to >= 0 && (s.next < 0 || gain > s.gain) {
			s.next, s.to, s.gain = u, to, gain
		}
		if s.filler < 0 || fillGain > s.fillGain {
			s.filler, s.fillGain = u, fillGain
		}
	}
	return s
}

// bestMove gives the best move of v to a block around it other than the hole, and
// what it gains; to is -1 if there is none. fillGain is what a move to the hole
// gains; a hole of -1 is none.
func (c *chains) bestMove(v, hole int32) (to int32, gain, fillGain int64) {
	c.look(v)
	from := c.assign.Block[v]
	here := c.price(from)
	to = -1
	for _, b := range c.near {
		if b == from || b == hole {
			continue
		}
		if g := here - c.price(b); to < 0 || g > gain || g == gain && b < to {
			to, gain = b, g
		}
	}
	if hole >= 0 {
		fillGain = here - c.price(hole)
	}
	return to, gain, fillGain
}
