package exchange

import (
	"context"
	"slices"
)

// anneal leaves a local optimum of path length or of Capacity by simulated annealing on exchanges
// (Kirkpatrick, Gelatt and Vecchi 1983; Bollinger and Midkiff 1988 for mappings). An exchange drawn
// at random is made if it gains. If it loses, it is made with the probability
// exp(-loss/temperature). The temperature begins at a share of the usual loss and falls to a
// hundredth of that.
//
// Deviations from the sources: the first temperature is so low that the large structure of the
// start stays. An exchange brings a rank to the site of a partner or beside it, since few others
// can gain; under Capacity one in eight goes to any slot, since a leaf switch with too much traffic
// is relieved by slots far away too. Annealing ends early when the work is done.
//
// O(proposals x degree), under Capacity times the links of a path.
func (r *localSearch) anneal(ctx context.Context) error {
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
			if gain := r.gainOf(from, to); gain >= 0 || -gain < temperature*r.chance.ExpFloat64() {
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

// gainOf is what an exchange gains, in the unit of the objective.
func (r *localSearch) gainOf(from, to int32) float64 {
	if r.load != nil {
		return r.Gain(from, to).Cost
	}
	return float64(r.path.gain(from, to))
}

// proposals is the number of proposals for each rank: that of the options, or less, so that
// annealing takes at most half of the work that is left. Each proposal looks at the edges of two
// ranks.
func (r *localSearch) proposals(ranks int) int {
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
func (r *localSearch) movable() []int32 {
	var ranks []int32
	for u := range int32(len(r.slotOf)) {
		if r.mayGain(u) {
			ranks = append(ranks, u)
		}
	}
	return ranks
}

// propose draws a rank and a slot at a partner's site or beside it. to is -1 when the drawn
// exchange may not be made.
func (r *localSearch) propose(ranks []int32) (from, to int32) {
	u := ranks[r.chance.IntN(len(ranks))]
	first, end := r.problem.Graph.Row(u)
	x := r.problem.Graph.Neighbors[first+r.chance.Int32N(end-first)]
	site := r.sites.of[r.slotOf[x]]
	if near := r.sites.beside(site); len(near) > 0 && (len(r.sites.at(site)) == 1 ||
		r.chance.IntN(besidePart) == 0) {
		site = near[r.chance.IntN(len(near))]
	}
	slots := r.sites.at(site)
	return r.exchangeTo(u, slots[r.chance.IntN(len(slots))])
}

// exchangeTo is the exchange that brings a rank to a slot. to is -1 if the exchange may not be made
// or changes nothing.
func (r *localSearch) exchangeTo(u, slot int32) (from, to int32) {
	from, to = r.slotOf[u], slot
	if r.sites.host[from] == r.sites.host[to] || r.sites.alike && r.sites.of[from] == r.sites.of[to] ||
		!r.Allowed(from, to) {
		return from, -1
	}
	return from, to
}

// usualLoss is the mean loss of proposals that lose. Under Capacity it is the median, since a few
// proposals lose millions of times what the others do.
func (r *localSearch) usualLoss(ranks []int32) float64 {
	sum, losses := 0.0, []float64(nil)
	for range lossSamples * len(ranks) {
		if from, to := r.propose(ranks); to >= 0 {
			if gain := r.gainOf(from, to); gain < 0 {
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
