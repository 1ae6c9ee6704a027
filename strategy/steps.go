package strategy

import (
	"cmp"
	"context"
	"slices"

	"remap/mapping"
)

// Bounds of part: how often it looks at all steps, and how many mappings of one
// look are measured where every one takes a look at all links.
const (
	looks    = 8
	measures = 24
)

// part goes the part of the way that gains most within a limit of moved ranks.
//
// It looks at the steps by what each would gain from here for each rank that it
// moves, the best first, and makes all that fit the limit: once so, as ranks
// that belong together lose before the last of them has come, and once only
// those that gain when their turn comes. Of all the mappings on both ways it
// keeps the best, and looks again from there, until nothing is gained (the
// sequences with a best prefix of Kernighan and Lin 1970, on cycles instead of
// exchanges). O(looks x edges of the ranks on the way), and for objectives that
// links decide a number of their evaluations.
func (w *way) part(ctx context.Context, limit int) (mapping.Mapping, error) {
	least := w.Cost(w.at)
	left := make([]int32, len(w.steps))
	for i := range left {
		left[i] = int32(i)
	}
	for range looks {
		order := w.byGain(left, limit)
		if len(order) == 0 {
			break
		}
		var best []int32
		for _, greedy := range []bool{false, true} {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if made, cost := w.try(order, limit, greedy, least); cost < least {
				best, least = made, cost
			}
		}
		if best == nil {
			break
		}
		for _, i := range best {
			w.make(&w.steps[i])
			limit -= len(w.steps[i].ranks)
		}
		done := make([]bool, len(w.steps))
		for _, i := range best {
			done[i] = true
		}
		left = slices.DeleteFunc(left, func(i int32) bool { return done[i] })
	}
	return w.at, nil
}

// byGain sorts those of the steps that fit the limit by gain for each rank moved.
func (w *way) byGain(left []int32, limit int) []int32 {
	gain := make([]float64, len(w.steps))
	var order []int32
	for _, i := range left {
		s := &w.steps[i]
		if len(s.ranks) > limit {
			continue
		}
		undo := w.slotsOf(s)
		gain[i] = float64(w.make(s)) / float64(len(s.ranks))
		w.undo(s, undo)
		order = append(order, i)
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(gain[b], gain[a]) })
	return order
}

// try makes steps in order as far as the limit allows, greedy: only those that
// gain, and undoes them. It gives the first of them, up to the best mapping met,
// and its cost; least if that is not below.
func (w *way) try(order []int32, limit int, greedy bool, least float64) (best []int32, cost float64) {
	cost = least
	var made []int32
	var undo [][]int32
	now, counted, every := w.Cost(w.at), w.counted(), max(1, len(order)/measures)
	for k, i := range order {
		s := &w.steps[i]
		if len(s.ranks) <= limit {
			before := w.slotsOf(s)
			gain := w.make(s)
			if greedy && gain <= 0 {
				w.undo(s, before)
			} else {
				made, undo, limit, now = append(made, i), append(undo, before), limit-len(s.ranks), now-float64(gain)
			}
		}
		if !counted && ((k+1)%every == 0 || k+1 == len(order)) {
			now = w.Cost(w.at)
		} else if !counted {
			continue
		}
		if now < cost {
			best, cost = slices.Clone(made), now
		}
	}
	for k := len(made) - 1; k >= 0; k-- {
		w.undo(&w.steps[made[k]], undo[k])
	}
	return best, cost
}

// counted tells whether the cost follows from the gains of the steps, which
// look at one direction of every path.
func (w *way) counted() bool {
	return w.Objective == mapping.PathLength && w.LinkCost == nil && mapping.SameBothWays(w.Machine)
}

// slotsOf lists where the ranks of a step are.
func (w *way) slotsOf(s *step) []int32 {
	slots := make([]int32, len(s.ranks))
	for i, r := range s.ranks {
		slots[i] = w.at[r]
	}
	return slots
}

// make has the ranks of a step move and gives by how much bytes times switches
// on the path fall.
func (w *way) make(s *step) (gain int64) {
	first, last := w.at[s.ranks[0]], len(s.ranks)-1
	for i, r := range s.ranks {
		to := first
		switch {
		case i < last:
			to = w.at[s.ranks[i+1]]
		case s.into >= 0:
			free := w.empty[s.into]
			to, w.empty[s.into] = free[len(free)-1], free[:len(free)-1]
		}
		gain += w.move(r, to)
	}
	return gain
}

// undo takes a step back to the slots its ranks had.
func (w *way) undo(s *step, slots []int32) {
	last := len(s.ranks) - 1
	if s.into >= 0 {
		w.empty[s.into] = append(w.empty[s.into], w.at[s.ranks[last]])
	}
	for i, r := range s.ranks {
		w.at[r] = slots[i]
	}
}

// move puts a rank on a slot, whoever has it, and gives the gain.
func (w *way) move(r, slot int32) (gain int64) {
	from, to := w.hosts[w.at[r]], w.hosts[slot]
	first, end := w.Graph.Row(r)
	for e := first; e < end; e++ {
		other := w.hosts[w.at[w.Graph.Neighbors[e]]]
		gain += w.Graph.Weights[e] * int64(w.Machine.PathLength(from, other)-w.Machine.PathLength(to, other))
	}
	w.at[r] = slot
	return gain
}
