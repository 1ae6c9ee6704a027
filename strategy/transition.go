package strategy

import (
	"cmp"
	"slices"

	"remap/mapping"
)

// transition is what must happen for the start of a problem to become a target:
// cycles of moves that can be made one without the other. In a cycle each rank takes
// the slot of the next; in an open one the last rank takes an empty slot:
//
//	start   leaf 0: a b c    leaf 1: d e f    leaf 2: g h .
//	target  leaf 0: d b g    leaf 1: a e .    leaf 2: c h f
//	cycles  a <-> d   c <-> g   f -> the empty slot (open)
//
// Ranks move between sites: hosts of several slots, or else all hosts of one leaf
// switch, which are the same to any path. Where in a site a rank arrives makes no
// difference, so that any rank leaving a site can make room for any that arrives.
// Cycles are as short as pairing in order makes them.
type transition struct {
	*mapping.Problem
	at     mapping.Mapping // where ranks are now; begins at the start
	hosts  []int32         // length slots
	site   []int32         // length slots
	cycles []moveCycle
	empty  [][]int32 // length sites: the slots that nobody has in the start, used from the end
}

// moveCycle is a cycle of moves, all between different hosts.
type moveCycle struct {
	ranks []int32
	into  int32 // an open cycle: site with an empty slot for the last rank; -1 = closed
}

// move takes a rank from one site to another. A rank of -1 stands for an empty slot.
type move struct{ from, to, rank int32 }

// newTransition finds the cycles of moves from the problem's start to a target. O(ranks log ranks).
func newTransition(p *mapping.Problem, target mapping.Mapping) *transition {
	w := &transition{Problem: p, at: p.StartMapping(), hosts: p.Allocation.HostOfSlot()}
	count := w.sites()
	held, wanted := make([]int32, count), make([]int32, count)
	var moves []move
	for r, s := range w.at {
		from, to := w.site[s], w.site[target[r]]
		held[from]++
		wanted[to]++
		if from != to {
			moves = append(moves, move{from, to, int32(r)})
		}
	}
	w.empty = make([][]int32, count)
	for s, rank := range w.at.Holders(len(w.hosts)) {
		if rank < 0 {
			w.empty[w.site[s]] = append(w.empty[w.site[s]], int32(s))
		}
	}
	moves = w.open(moves, held, wanted)
	moves = w.exchanges(moves)
	w.walk(moves, held, wanted)
	return w
}

// sites numbers them from 0 in order of their first slot.
func (w *transition) sites() (count int) {
	several := false
	for s := 1; s < len(w.hosts); s++ {
		several = several || w.hosts[s] == w.hosts[s-1]
	}
	number := make(map[int32]int32)
	w.site = make([]int32, len(w.hosts))
	for s, h := range w.hosts {
		first, end := w.Machine.Out(h)
		if !several && end-first == 1 { // a rail
			h = int32(w.Machine.Hosts()) + w.Machine.LeafSwitch(h)
		}
		k, known := number[h]
		if !known {
			k = int32(len(number))
			number[h] = k
		}
		w.site[s] = k
	}
	return len(number)
}

// open makes open cycles of moves out of a site that will hold fewer ranks into one
// that will hold more, and gives the other moves.
func (w *transition) open(moves []move, held, wanted []int32) []move {
	return slices.DeleteFunc(moves, func(g move) bool {
		if held[g.from] <= wanted[g.from] || held[g.to] >= wanted[g.to] {
			return false
		}
		held[g.from]--
		held[g.to]++
		w.cycles = append(w.cycles, moveCycle{[]int32{g.rank}, g.to})
		return true
	})
}

// exchanges makes cycles of pairs of opposite moves, and gives the other moves.
func (w *transition) exchanges(moves []move) []move {
	ends := func(g move) (low, high int32) { return min(g.from, g.to), max(g.from, g.to) }
	slices.SortStableFunc(moves, func(a, b move) int {
		lowA, highA := ends(a)
		lowB, highB := ends(b)
		return cmp.Or(cmp.Compare(lowA, lowB), cmp.Compare(highA, highB), cmp.Compare(a.from, b.from))
	})
	var rest []move
	for first := 0; first < len(moves); {
		low, high := ends(moves[first])
		end, back := first, first
		for ; end < len(moves); end++ {
			if l, h := ends(moves[end]); l != low || h != high {
				break
			}
			if moves[end].from == low {
				back = end + 1
			}
		}
		pairs := min(back-first, end-back)
		for i := range pairs {
			w.cycles = append(w.cycles, moveCycle{[]int32{moves[first+i].rank, moves[back+i].rank}, -1})
		}
		rest = append(append(rest, moves[first+pairs:back]...), moves[back+pairs:end]...)
		first = end
	}
	return rest
}

// walk makes cycles of the moves that are left, by walking from site to site until one
// comes again. Empty slots pass through a site beyond all others, which closes the
// open cycles.
func (w *transition) walk(moves []move, held, wanted []int32) {
	beyond := int32(len(held))
	out := make([][]move, beyond+1)
	for _, g := range moves {
		out[g.from] = append(out[g.from], g)
	}
	for k := range beyond {
		for range wanted[k] - held[k] {
			out[k] = append(out[k], move{k, beyond, -1})
		}
		for range held[k] - wanted[k] {
			out[beyond] = append(out[beyond], move{beyond, k, -1})
		}
	}
	stands := make([]int32, beyond+1) // in walked: the move out of a site, -1 = none
	for k := range stands {
		stands[k] = -1
	}
	var walked []move
	for first := range beyond + 1 {
		for here := first; len(out[here]) > 0 || len(walked) > 0; {
			if at := stands[here]; at >= 0 {
				w.close(walked[at:], beyond)
				for _, g := range walked[at:] {
					stands[g.from] = -1
				}
				walked = walked[:at]
				continue
			}
			last := len(out[here]) - 1
			g := out[here][last]
			out[here] = out[here][:last]
			stands[here] = int32(len(walked))
			walked = append(walked, g)
			here = g.to
		}
	}
}

// close makes a cycle of a closed walk, which passes beyond once at most.
func (w *transition) close(walk []move, beyond int32) {
	c := moveCycle{into: -1}
	begin := 0
	for i, g := range walk {
		if g.from == beyond {
			begin = i + 1
		}
		if g.to == beyond {
			c.into = g.from
		}
	}
	for i := range walk {
		if g := walk[(begin+i)%len(walk)]; g.rank >= 0 {
			c.ranks = append(c.ranks, g.rank)
		}
	}
	if len(c.ranks) > 0 {
		w.cycles = append(w.cycles, c)
	}
}
