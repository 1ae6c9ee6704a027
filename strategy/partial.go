package strategy

import (
	"cmp"
	"context"
	"slices"

	"remap/mapping"
)

// partial makes those cycles of moves that gain most within a limit of moved ranks.
//
// It sorts the cycles by what each would gain from here for each rank that it moves,
// and makes all in this order that fit the limit. It does so twice: once whatever a
// cycle gains, as ranks that belong together lose before the last of them has arrived,
// and once only those that gain when their turn comes. It keeps the best of all the
// mappings met, and sorts again from there, until nothing is gained (the sequences with
// a best prefix of Kernighan and Lin 1970, on cycles instead of exchanges).
// O(transitionLooks x edges of the ranks that move), and for objectives that links
// decide transitionCosts evaluations of each look.
func (w *transition) partial(ctx context.Context, limit int) (mapping.Mapping, error) {
	least := w.Cost(w.at)
	left := make([]int32, len(w.cycles))
	for i := range left {
		left[i] = int32(i)
	}
	for range transitionLooks {
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
			w.make(&w.cycles[i])
			limit -= len(w.cycles[i].ranks)
		}
		done := make([]bool, len(w.cycles))
		for _, i := range best {
			done[i] = true
		}
		left = slices.DeleteFunc(left, func(i int32) bool { return done[i] })
	}
	return w.at, nil
}

// byGain sorts those of the cycles that fit the limit by gain for each rank moved.
func (w *transition) byGain(left []int32, limit int) []int32 {
	gain := make([]float64, len(w.cycles))
	var order []int32
	for _, i := range left {
		c := &w.cycles[i]
		if len(c.ranks) > limit {
			continue
		}
		undo := w.slotsOf(c)
		gain[i] = float64(w.make(c)) / float64(len(c.ranks))
		w.undo(c, undo)
		order = append(order, i)
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(gain[b], gain[a]) })
	return order
}

// try makes cycles in order as far as the limit allows, greedy: only those that
// gain, and undoes them. It gives the first of them, up to the best mapping met,
// and its cost; least if that is not below.
func (w *transition) try(order []int32, limit int, greedy bool, least float64) (best []int32, cost float64) {
	cost = least
	var made []int32
	var undo [][]int32
	now, counted, every := w.Cost(w.at), w.counted(), max(1, len(order)/transitionCosts)
	for k, i := range order {
		c := &w.cycles[i]
		if len(c.ranks) <= limit {
			before := w.slotsOf(c)
			gain := w.make(c)
			if greedy && gain <= 0 {
				w.undo(c, before)
			} else {
				made, undo = append(made, i), append(undo, before)
				limit, now = limit-len(c.ranks), now-float64(gain)
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
		w.undo(&w.cycles[made[k]], undo[k])
	}
	return best, cost
}

// counted tells whether the cost follows from the gains of the cycles, which
// look at one direction of every path.
func (w *transition) counted() bool {
	return w.Objective == mapping.PathLength && w.LinkCost == nil && mapping.SameBothWays(w.Machine)
}

// slotsOf lists where the ranks of a cycle are.
func (w *transition) slotsOf(c *moveCycle) []int32 {
	slots := make([]int32, len(c.ranks))
	for i, r := range c.ranks {
		slots[i] = w.at[r]
	}
	return slots
}

// make has the ranks of a cycle move and gives by how much bytes times switches
// on the path fall.
func (w *transition) make(c *moveCycle) (gain int64) {
	first, last := w.at[c.ranks[0]], len(c.ranks)-1
	for i, r := range c.ranks {
		to := first
		switch {
		case i < last:
			to = w.at[c.ranks[i+1]]
		case c.into >= 0:
			free := w.empty[c.into]
			to, w.empty[c.into] = free[len(free)-1], free[:len(free)-1]
		}
		gain += w.move(r, to)
	}
	return gain
}

// undo takes a cycle back to the slots its ranks had.
func (w *transition) undo(c *moveCycle, slots []int32) {
	last := len(c.ranks) - 1
	if c.into >= 0 {
		w.empty[c.into] = append(w.empty[c.into], w.at[c.ranks[last]])
	}
	for i, r := range c.ranks {
		w.at[r] = slots[i]
	}
}

// move puts a rank on a slot, whoever has it, and gives the gain.
func (w *transition) move(r, slot int32) (gain int64) {
	from, to := w.hosts[w.at[r]], w.hosts[slot]
	first, end := w.Graph.Row(r)
	for e := first; e < end; e++ {
		other := w.hosts[w.at[w.Graph.Neighbors[e]]]
		gain += w.Graph.Weights[e] * int64(w.Machine.PathLength(from, other)-w.Machine.PathLength(to, other))
	}
	w.at[r] = slot
	return gain
}
