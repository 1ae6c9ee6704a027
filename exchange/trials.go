package exchange

import (
	"cmp"
	"slices"
)

// trial is an exchange that may be priced in full.
type trial struct {
	slot int32
	// gain is the gain in path length.
	gain int64
}

// bestLoad is the best exchange for rank u of those with the shortest paths, priced in full. It
// tries slots on the sites of u's heaviest partners, beside these, and at random. Shorter paths
// load links less, and pricing a path takes a fraction of the time that pricing all its links
// takes.
func (r *localSearch) bestLoad(u int32, most int) (slot int32, gain GainTerms) {
	from := r.slotOf[u]
	r.findTrials(u)
	if len(r.trials) > most {
		slices.SortStableFunc(r.trials, func(x, y trial) int { return cmp.Compare(y.gain, x.gain) })
		r.trials = r.trials[:most]
	}
	slot = -1
	for _, t := range r.trials {
		if g := r.Gain(from, t.slot); g.Improves() && g.Above(gain) {
			slot, gain = t.slot, g
		}
	}
	return slot, gain
}

// findTrials lists slots with the gain in path length of exchanging u with their contents.
func (r *localSearch) findTrials(u int32) {
	from := r.slotOf[u]
	r.turn++
	r.trials = r.trials[:0]
	try := func(to int32) {
		if r.sites.host[from] != r.sites.host[to] && r.Allowed(from, to) {
			r.trials = append(r.trials, trial{to, r.path.gain(from, to)})
		}
	}
	site := func(site int32) {
		if r.listed[site] == r.turn || r.sites.alike && site == r.sites.of[from] {
			return
		}
		r.listed[site] = r.turn
		for _, to := range r.slotsToTry(site) {
			try(to)
		}
	}
	for _, i := range r.partners(u) {
		here := r.sites.of[r.slotOf[r.problem.Graph.Neighbors[i]]]
		site(here)
		near := r.sites.beside(here)
		for range min(len(near), r.options.Near) {
			slots := r.sites.at(near[r.chance.IntN(len(near))])
			try(slots[r.chance.IntN(len(slots))])
		}
	}
	for range r.options.Random {
		try(int32(r.chance.IntN(len(r.rankAt))))
	}
}
