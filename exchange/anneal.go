package exchange

import (
	"context"
	"slices"
)

// anneal leaves a local optimum of path length, or of Capacity, by simulated annealing on
// exchanges (Kirkpatrick, Gelatt and Vecchi 1983; Bollinger and Midkiff 1988 for
// mappings): exchanges drawn at random are made if they gain, and with the
// probability exp(-loss/temperature) if they lose. The temperature begins at a
// share of the usual loss and falls to a hundredth of that.
//
// Deviations: it begins so low that what is good at large stays, for the start
// is worth something; and exchanges bring a rank to the site of a partner or
// beside it, since few others have a chance to gain. Under Capacity one in eight
// goes anywhere: a crowded leaf switch is relieved by what is far too. It ends
// early when the work is done. O(proposals x degree), under Capacity times the
// links of a path.
func (r *search) anneal(ctx context.Context) error {
	ranks := r.movable()
	count := r.proposals(len(ranks))
	if count < leastProposals {
		return nil
	}
	temperature := r.options.Heat * r.usualLoss(ranks)
	for range coolings {
		for range count * len(ranks) / coolings {
			from, to := r.propose(ranks)
			if to < 0 {
				continue
			}
			if gain := r.worth(from, to); gain >= 0 || -gain < temperature*r.chance.ExpFloat64() {
				r.Exchange(from, to)
			}
		}
		if err := ctx.Err(); err != nil || !r.withinWork() {
			return err
		}
		temperature *= cooling
	}
	return nil
}

// The schedule of temperatures, and how many proposals a rank there must be for
// it to do any good.
const (
	coolings       = 100
	cooling        = 0.955 // to a hundredth in the end
	leastProposals = 50
)

// Under Capacity a proposal costs several times as much, and fewer do.
const (
	capacityPart  = 5 // one in so many of the proposals of the options is made
	capacitySteps = 8 // steps that pricing takes for each that a path takes
	anywhere      = 8 // one proposal in so many goes anywhere
)

// worth is what an exchange gains, in the unit of the objective.
func (r *search) worth(from, to int32) float64 {
	if r.load != nil {
		return r.Gain(from, to).Cost
	}
	return float64(r.path.gain(from, to))
}

// proposals is how many a rank there shall be: those of the options, or as many
// as half of the work that is left allows. Each looks at the edges of two ranks.
func (r *search) proposals(ranks int) int {
	count, times := r.options.Proposals, int64(1)
	if r.load != nil {
		count, times = count/capacityPart, capacitySteps
	}
	if r.options.Work > 0 {
		each := (int64(ranks) + 4*int64(r.problem.Graph.Edges())) * times
		count = int(min(int64(count), (r.options.Work-r.steps)/2/max(1, each)))
	}
	return count
}

// movable lists the ranks that may gain.
func (r *search) movable() []int32 {
	var ranks []int32
	for u := range int32(len(r.slotOf)) {
		if r.mayGain(u) {
			ranks = append(ranks, u)
		}
	}
	return ranks
}

// propose draws a rank and a slot at a partner's site or beside it; to is -1
// when the draw is no exchange that may be made.
func (r *search) propose(ranks []int32) (from, to int32) {
	u := ranks[r.chance.IntN(len(ranks))]
	if r.load != nil && r.chance.IntN(anywhere) == 0 {
		return r.meant(u, int32(r.chance.IntN(len(r.rankAt))))
	}
	first, end := r.problem.Graph.Row(u)
	x := r.problem.Graph.Neighbors[first+r.chance.Int32N(end-first)]
	site := r.sites.of[r.slotOf[x]]
	if near := r.sites.beside(site); len(near) > 0 && (len(r.sites.at(site)) == 1 || r.chance.IntN(4) == 0) {
		site = near[r.chance.IntN(len(near))]
	}
	slots := r.sites.at(site)
	return r.meant(u, slots[r.chance.IntN(len(slots))])
}

// meant is the exchange that brings a rank to a slot, if it may be made and
// changes anything.
func (r *search) meant(u, slot int32) (from, to int32) {
	from, to = r.slotOf[u], slot
	if r.sites.host[from] == r.sites.host[to] || r.sites.alike && r.sites.of[from] == r.sites.of[to] || !r.Allowed(from, to) {
		return from, -1
	}
	return from, to
}

// usualLoss is the mean loss of proposals that lose, and the median under
// Capacity, where a few lose millions of times what the others do.
func (r *search) usualLoss(ranks []int32) float64 {
	sum, losses := 0.0, []float64(nil)
	for range 10 * len(ranks) {
		if from, to := r.propose(ranks); to >= 0 {
			if gain := r.worth(from, to); gain < 0 {
				sum -= gain
				losses = append(losses, -gain)
			}
		}
	}
	if r.load != nil && len(losses) > 0 {
		slices.Sort(losses)
		return losses[len(losses)/2]
	}
	return sum / float64(max(1, len(losses)))
}
