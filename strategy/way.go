package strategy

import (
	"cmp"
	"slices"

	"remap/mapping"
)

// way is what must happen for the start of a problem to become a target: steps
// that can be made one without the other. A step is a cycle of ranks, each
// taking the slot of the next, or a chain whose last rank takes an empty slot:
//
//	start   leaf 0: a b c    leaf 1: d e f    leaf 2: g h .
//	target  leaf 0: d b g    leaf 1: a e .    leaf 2: c h f
//	steps   a <-> d (a cycle)   c <-> g   f -> the empty slot (a chain)
//
// Ranks move between neighbourhoods: hosts of several slots, or else all hosts
// of one leaf switch, which are the same to any path. Where in a neighbourhood
// a rank arrives makes no difference, so that any rank leaving one can make room
// for any that comes; steps are as short as pairing in order makes them.
type way struct {
	*mapping.Problem
	at    mapping.Mapping // where ranks are now; begins at the start
	hosts []int32         // length slots
	near  []int32         // length slots: neighbourhood
	steps []step
	empty [][]int32 // for every neighbourhood the slots that nobody has in the start, used from the end
}

// step is a cycle or a chain of ranks. All of them change hosts.
type step struct {
	ranks []int32
	into  int32 // neighbourhood with an empty slot for the last rank, -1 = a cycle
}

// passage is a rank on its way between neighbourhoods; -1 for an empty slot.
type passage struct{ from, to, rank int32 }

// newWay finds the steps from the problem's start to a target. O(ranks log ranks).
func newWay(p *mapping.Problem, target mapping.Mapping) *way {
	w := &way{Problem: p, at: p.StartMapping(), hosts: p.Allocation.HostOfSlot()}
	count := w.neighbourhoods()
	held, wanted := make([]int32, count), make([]int32, count)
	var passages []passage
	for r, s := range w.at {
		from, to := w.near[s], w.near[target[r]]
		held[from]++
		wanted[to]++
		if from != to {
			passages = append(passages, passage{from, to, int32(r)})
		}
	}
	w.empty = make([][]int32, count)
	for s, rank := range w.at.Holders(len(w.hosts)) {
		if rank < 0 {
			w.empty[w.near[s]] = append(w.empty[w.near[s]], int32(s))
		}
	}
	passages = w.chains(passages, held, wanted)
	passages = w.exchanges(passages)
	w.cycles(passages, held, wanted)
	return w
}

// neighbourhoods numbers them from 0 in order of their first slot.
func (w *way) neighbourhoods() (count int) {
	several := false
	for s := 1; s < len(w.hosts); s++ {
		several = several || w.hosts[s] == w.hosts[s-1]
	}
	number := make(map[int32]int32)
	w.near = make([]int32, len(w.hosts))
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
		w.near[s] = k
	}
	return len(number)
}

// chains makes steps of passages out of a neighbourhood that will hold fewer
// ranks into one that will hold more, and gives the others.
func (w *way) chains(passages []passage, held, wanted []int32) []passage {
	return slices.DeleteFunc(passages, func(g passage) bool {
		if held[g.from] <= wanted[g.from] || held[g.to] >= wanted[g.to] {
			return false
		}
		held[g.from]--
		held[g.to]++
		w.steps = append(w.steps, step{[]int32{g.rank}, g.to})
		return true
	})
}

// exchanges makes steps of pairs of opposite passages, and gives the others.
func (w *way) exchanges(passages []passage) []passage {
	ends := func(g passage) (low, high int32) { return min(g.from, g.to), max(g.from, g.to) }
	slices.SortStableFunc(passages, func(a, b passage) int {
		lowA, highA := ends(a)
		lowB, highB := ends(b)
		return cmp.Or(cmp.Compare(lowA, lowB), cmp.Compare(highA, highB), cmp.Compare(a.from, b.from))
	})
	var rest []passage
	for first := 0; first < len(passages); {
		low, high := ends(passages[first])
		end, back := first, first
		for ; end < len(passages); end++ {
			if l, h := ends(passages[end]); l != low || h != high {
				break
			}
			if passages[end].from == low {
				back = end + 1
			}
		}
		pairs := min(back-first, end-back)
		for i := range pairs {
			w.steps = append(w.steps, step{[]int32{passages[first+i].rank, passages[back+i].rank}, -1})
		}
		rest = append(append(rest, passages[first+pairs:back]...), passages[back+pairs:end]...)
		first = end
	}
	return rest
}

// cycles makes steps of what is left by walking from neighbourhood to
// neighbourhood until one comes again. Empty slots pass through a place beyond
// all neighbourhoods, which closes the chains.
func (w *way) cycles(passages []passage, held, wanted []int32) {
	beyond := int32(len(held))
	out := make([][]passage, beyond+1)
	for _, g := range passages {
		out[g.from] = append(out[g.from], g)
	}
	for k := range beyond {
		for range wanted[k] - held[k] {
			out[k] = append(out[k], passage{k, beyond, -1})
		}
		for range held[k] - wanted[k] {
			out[beyond] = append(out[beyond], passage{beyond, k, -1})
		}
	}
	stands := make([]int32, beyond+1) // in walked: the passage out of a neighbourhood, -1 = none
	for k := range stands {
		stands[k] = -1
	}
	var walked []passage
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

// close makes a step of a closed walk, which passes beyond once at most.
func (w *way) close(walk []passage, beyond int32) {
	s := step{into: -1}
	begin := 0
	for i, g := range walk {
		if g.from == beyond {
			begin = i + 1
		}
		if g.to == beyond {
			s.into = g.from
		}
	}
	for i := range walk {
		if g := walk[(begin+i)%len(walk)]; g.rank >= 0 {
			s.ranks = append(s.ranks, g.rank)
		}
	}
	if len(s.ranks) > 0 {
		w.steps = append(w.steps, s)
	}
}
