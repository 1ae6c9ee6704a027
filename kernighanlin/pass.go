package kernighanlin

import (
	"remap/internal/scratch"
)

// Passes improves pairs by passes of tentative moves and keeps its memory
// between them. The zero value is ready to use.
//
// A pass moves every vertex at most once, always the best one that the balance
// allows, also when it makes the cost worse, and in the end returns to the best
// state it saw (Kernighan and Lin 1970). Moves are of single vertices with
// incremental gains (Fiduccia and Mattheyses 1982); with Slack 1 and unit
// weights two consecutive moves are one swap of Kernighan and Lin, the second
// vertex chosen with the first already moved. With a larger slack one side may
// run ahead, then the other must follow until the target is met.
//
// A pass costs O(edges + moves x degree), times log vertices where gains are too
// many for buckets, or times vertices over degree where those are few.
type Passes struct {
	pair   *Pair
	limits Limits

	gain   []int64 // length vertices: by how much the cost falls when the vertex changes side
	place  []int32 // length vertices: index in the queue of its side, -1 = not in it
	locked []bool  // length vertices: has moved in this pass, or is too heavy to
	queues [2]queue
	form   form // of both queues
	scale  gainScale
	links  []link  // length vertices, of buckets
	moves  []int32 // of this pass, in order
	stamp  int32

	deviation int64 // weight of side 0 - Target
	away      int   // vertices that newly left their home side, minus those that came home
	returning bool  // the deviation reached Slack and has not yet come back
	undoing   bool  // moves are taken back: the queues are done with
}

// Improve runs passes until one finds nothing better or their number is used
// up, and gives by how much the cost fell. That can be negative only when the
// pair did not meet the tolerance and now does, or deviates less.
func (s *Passes) Improve(p *Pair, limits Limits) int64 {
	s.begin(p, limits)
	var total int64
	for range limits.Passes {
		gain, better := s.pass()
		total += gain
		if !better {
			break
		}
	}
	s.pair = nil
	return total
}

// Excess is how far the pair is from the target beyond the tolerance.
func (s *Passes) Excess(p *Pair, limits Limits) int64 {
	return max(0, abs(p.weightOfSide0()-limits.Target)-limits.Tolerance)
}

// begin computes the gains and the balance.
func (s *Passes) begin(p *Pair, limits Limits) {
	n := p.Vertices()
	s.pair, s.limits = p, limits
	s.gain = scratch.Resize(s.gain, n)
	s.place = scratch.Resize(s.place, n)
	s.locked = scratch.Resize(s.locked, n)
	for v, side := range p.Side {
		var gain int64
		if p.Bias != nil {
			gain = p.Bias[v]
			if side == 1 {
				gain = -gain
			}
		}
		for i := p.Offsets[v]; i < p.Offsets[v+1]; i++ {
			if p.Side[p.Neighbors[i]] == side {
				gain -= p.Weights[i]
			} else {
				gain += p.Weights[i]
			}
		}
		s.gain[v] = gain
	}
	s.chooseForm()
	s.deviation = p.weightOfSide0() - limits.Target
	s.away = 0
}

// chooseForm decides on the form of the queues.
func (s *Passes) chooseForm() {
	p := s.pair
	n := p.Vertices()
	s.form = list
	if n <= listedPair {
		return
	}
	s.form = heap
	var reach, common uint64 // the largest gain there can be, and all bits of gains
	for v := range n {
		var far uint64
		if p.Bias != nil {
			far = uint64(abs(p.Bias[v]))
			common |= far
		}
		for _, w := range p.Weights[p.Offsets[v]:p.Offsets[v+1]] {
			size := uint64(abs(w)) // between prices edges may be cheaper cut
			far += size
			common |= size
		}
		reach = max(reach, far)
	}
	if scale, ok := newGainScale(reach, common); ok {
		s.form, s.scale, s.links = bucketed, scale, scratch.Resize(s.links, n)
	}
}

// pass gives by how much the cost fell and whether the state is better: nearer
// to the target if it was outside the tolerance, else of less cost.
func (s *Passes) pass() (gain int64, better bool) {
	s.fill()
	var sum, best int64
	bestAt, bestExcess := 0, s.excess()
	for {
		v := s.next()
		if v < 0 {
			break
		}
		sum += s.gain[v]
		s.move(v)
		s.moves = append(s.moves, v)
		excess := s.excess()
		nearer := excess < bestExcess || excess == bestExcess && sum > best
		if nearer && !s.overBudget() {
			best, bestAt, bestExcess = sum, len(s.moves), excess
		} else if len(s.moves)-bestAt > s.limits.Fruitless {
			break
		}
	}
	if bestAt == 0 {
		s.forget()
		return 0, false
	}
	s.undoing = true
	for i := len(s.moves) - 1; i >= bestAt; i-- {
		s.move(s.moves[i])
	}
	s.undoing = false
	return best, true
}

// forget takes all moves of the last pass back. No other follows, so that gains
// need not be right any more.
func (s *Passes) forget() {
	for _, v := range s.moves {
		s.flip(v)
	}
}

// excess is the deviation beyond the tolerance.
func (s *Passes) excess() int64 { return max(0, abs(s.deviation)-s.limits.Tolerance) }

func (s *Passes) overBudget() bool { return s.pair.Home != nil && s.away > s.limits.Budget }

func abs(x int64) int64 {
	if x < 0 {
		return -x
	}
	return x
}

// fill starts a pass: it frees all vertices and queues those that may gain,
// which are those with an edge to the other side or a bias. Small pairs and
// unbalanced ones are queued whole.
func (s *Passes) fill() {
	p := s.pair
	whole := p.Vertices() <= smallPair || s.excess() > 0
	s.stamp = 0
	s.returning = s.excess() > 0 // first meet the tolerance, while every vertex is free to move
	s.moves = s.moves[:0]
	for i := range s.queues {
		s.queues[i].reset(s.form, s.scale, s.links)
	}
	for v, side := range p.Side {
		s.place[v], s.locked[v] = -1, false
		if whole || p.Bias != nil && p.Bias[v] != 0 || s.onBoundary(int32(v)) {
			s.queues[side].set(item{s.gain[v], s.tick(), int32(v)}, s.place)
		}
	}
}

func (s *Passes) tick() int32 {
	s.stamp++
	return s.stamp
}

func (s *Passes) onBoundary(v int32) bool {
	p := s.pair
	for i := p.Offsets[v]; i < p.Offsets[v+1]; i++ {
		if p.Side[p.Neighbors[i]] != p.Side[v] {
			return true
		}
	}
	return false
}

// next takes the best vertex that the balance allows out of its queue, or gives -1.
func (s *Passes) next() int32 {
	for {
		from := s.side()
		if from < 0 {
			return -1
		}
		v := s.queues[from].pop(s.place)
		s.locked[v] = true
		after := s.deviation + s.pair.weight(v)
		if from == 0 {
			after = s.deviation - s.pair.weight(v)
		}
		if abs(after) <= s.limits.Slack || abs(after) < abs(s.deviation) {
			return v
		}
	}
}

// side chooses which side to move from: the heavier one while the pass turns
// back, else the one whose best vertex gains more (of equals the heavier side).
func (s *Passes) side() int {
	heavier := 0
	if s.deviation < 0 {
		heavier = 1
	}
	a, b := &s.queues[heavier], &s.queues[1-heavier]
	switch {
	case abs(s.deviation) >= s.limits.Slack && s.deviation != 0:
		s.returning = true
	case abs(s.deviation) <= s.limits.Tolerance:
		s.returning = false
	}
	switch {
	case a.empty() && (b.empty() || s.returning):
		return -1
	case s.returning:
		return heavier
	case a.empty() || !b.empty() && b.rank() > a.rank():
		return 1 - heavier
	}
	return heavier
}

// flip changes the side of v.
func (s *Passes) flip(v int32) (from uint8) {
	p := s.pair
	from = p.Side[v]
	p.Side[v] = 1 - from
	if from == 0 {
		s.deviation -= p.weight(v)
	} else {
		s.deviation += p.weight(v)
	}
	if p.Home != nil && p.Home[v] >= 0 {
		if uint8(p.Home[v]) == from {
			s.away++
		} else {
			s.away--
		}
	}
	return from
}

// move changes the side of v and the gains of its neighbours.
func (s *Passes) move(v int32) {
	p := s.pair
	from := s.flip(v)
	s.gain[v] = -s.gain[v]
	for i := p.Offsets[v]; i < p.Offsets[v+1]; i++ {
		u, w := p.Neighbors[i], p.Weights[i]
		if p.Side[u] == from {
			s.gain[u] += 2 * w
		} else {
			s.gain[u] -= 2 * w
		}
		if s.undoing || s.locked[u] {
			continue
		}
		s.queues[p.Side[u]].set(item{s.gain[u], s.tick(), u}, s.place)
	}
}
