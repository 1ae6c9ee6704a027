package exchange

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
)

// localSearch is a state and a queue of the ranks to look for exchanges of next.
type localSearch struct {
	*State
	options Options
	chance  *rand.Rand
	// queue is a ring of the ranks to try, in order.
	queue []int32
	// waiting (length ranks) tells whether a rank stands in the queue.
	waiting []bool
	head    int
	filled  int

	// heaviest is scratch memory: the half-edges of a rank's heaviest partners.
	heaviest []int32
	places   []place
	trials   []trial
	critical []int32
	// isCritical (length ranks) is scratch memory of criticalRanks.
	isCritical []bool
	lowerBound float64
	// splitBlocks: parts of blocks move too.
	splitBlocks bool
	// limitHit: a block that lowers the cost could not move because of the limit of moves.
	limitHit bool
	// listed (length sites) is the turn in which a site was listed last.
	listed []int32
	turn   int32
}

// place is a site, and what a rank would gain on it, whichever rank it changes places with.
type place struct {
	site int32
	gain int64
}

func newLocalSearch(s *State, options Options) *localSearch {
	ranks := len(s.slotOf)
	// 0x73776170 is "swap": a stream of random numbers of its own.
	r := &localSearch{State: s, options: options, chance: rand.New(rand.NewPCG(s.problem.Seed, 0x73776170))}
	r.waiting, r.queue = make([]bool, ranks), make([]int32, ranks)
	r.listed = make([]int32, s.sites.count())
	if s.load != nil {
		r.isCritical = make([]bool, ranks)
		r.lowerBound = s.load.lowerBound()
	}
	return r
}

// mayGain tells whether a rank has partners and may move.
func (r *localSearch) mayGain(u int32) bool {
	first, end := r.problem.Graph.Row(u)
	return first < end && !r.pinned(u)
}

// enqueue puts a rank into the queue, unless it is there already or cannot gain.
func (r *localSearch) enqueue(u int32) {
	if r.waiting[u] || !r.mayGain(u) {
		return
	}
	r.waiting[u] = true
	r.queue[(r.head+r.filled)%len(r.queue)] = u
	r.filled++
}

// sweep tries the ranks of the queue in turn. When a rank moves, it, the rank it changed places
// with, and the partners of both are put into the queue again, since their best places have
// changed.
func (r *localSearch) sweep(ctx context.Context) error {
	for r.filled > 0 && r.withinWork() {
		if r.load != nil && r.atLowerBound() {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		u := r.queue[r.head]
		r.head = (r.head + 1) % len(r.queue)
		r.filled--
		r.waiting[u] = false
		r.move(u, r.options.Trials)
	}
	return nil
}

// move makes the best exchange of a rank if it gains. For objectives with link loads it prices at
// most `most` exchanges in full.
func (r *localSearch) move(u int32, most int) bool {
	slot, gain := r.best(u, most)
	if !gain.Improves() {
		return false
	}
	from := r.slotOf[u]
	r.Exchange(from, slot)
	r.enqueueAround(from)
	r.enqueueAround(slot)
	return true
}

// enqueueAround puts the rank on a slot and its partners into the queue.
func (r *localSearch) enqueueAround(slot int32) {
	u := r.rankAt[slot]
	if u < 0 {
		return
	}
	r.enqueue(u)
	g := r.problem.Graph
	first, end := g.Row(u)
	for _, v := range g.Neighbors[first:end] {
		r.enqueue(v)
	}
}

// best is the slot that rank u should move to, and what the exchange gains.
func (r *localSearch) best(u int32, most int) (slot int32, gain GainTerms) {
	if r.load == nil {
		return r.bestPath(u)
	}
	return r.bestLoad(u, most)
}

// bestPath looks at the sites where u itself would gain. That is enough: an exchange that gains has
// a rank that gains by itself, and if that is the other one, it finds the exchange in its own turn.
// A rank that u changes places with gains at most what its edges cost above the least; with that
// bound most slots need no pricing.
func (r *localSearch) bestPath(u int32) (slot int32, gain GainTerms) {
	from, best := r.slotOf[u], int64(0)
	slot = -1
	r.findPlaces(u)
	for _, place := range r.places {
		if place.gain <= 0 {
			break
		}
		for _, to := range r.slotsToTry(place.site) {
			possible := place.gain
			if v := r.rankAt[to]; v >= 0 {
				possible += r.path.of[v] - r.path.least[v]
			}
			if possible <= best || !r.Allowed(from, to) || r.sites.host[from] == r.sites.host[to] {
				continue
			}
			if gain := r.path.gain(from, to); gain > best {
				slot, best = to, gain
			}
		}
	}
	return slot, GainTerms{Cost: float64(best)}
}

// slotsToTry are all slots of a site, or Options.Slots of them from a random one on.
func (r *localSearch) slotsToTry(site int32) []int32 {
	slots := r.sites.at(site)
	if len(slots) <= r.options.Slots {
		return slots
	}
	first := r.chance.IntN(len(slots) - r.options.Slots + 1)
	return slots[first : first+r.options.Slots]
}

// findPlaces lists the sites of u's heaviest partners and the sites beside them. Then it lists the
// sites beside the best one, as long as that adds any. The list is sorted by falling gain.
func (r *localSearch) findPlaces(u int32) {
	r.turn++
	r.places = r.places[:0]
	for _, i := range r.partners(u) {
		site := r.sites.of[r.slotOf[r.problem.Graph.Neighbors[i]]]
		r.addPlace(u, site)
		r.addNear(u, site)
	}
	for {
		best := slices.MaxFunc(r.places, func(x, y place) int { return cmp.Compare(x.gain, y.gain) })
		before := len(r.places)
		r.addNear(u, best.site)
		if len(r.places) == before {
			break
		}
	}
	slices.SortStableFunc(r.places, func(x, y place) int { return cmp.Compare(y.gain, x.gain) })
}

// addNear lists sites beside a site, at most Options.Near, from a random one on.
func (r *localSearch) addNear(u, site int32) {
	near := r.sites.beside(site)
	count := min(len(near), r.options.Near)
	if count == 0 {
		return
	}
	at := 0
	if count < len(near) {
		at = r.chance.IntN(len(near))
	}
	for range count {
		r.addPlace(u, near[at])
		if at++; at == len(near) {
			at = 0
		}
	}
}

func (r *localSearch) addPlace(u, site int32) {
	if r.listed[site] == r.turn {
		return
	}
	r.listed[site] = r.turn
	r.places = append(r.places, place{site, r.path.of[u] - r.path.leastOnSite(u, site)})
}

// partners are the half-edges of u's heaviest partners, the heaviest first.
func (r *localSearch) partners(u int32) []int32 {
	g := r.problem.Graph
	first, end := g.Row(u)
	r.heaviest = r.heaviest[:0]
	for i := first; i < end; i++ {
		r.heaviest = append(r.heaviest, i)
	}
	slices.SortFunc(r.heaviest, func(x, y int32) int {
		return cmp.Or(cmp.Compare(g.Weights[y], g.Weights[x]), cmp.Compare(x, y))
	})
	return r.heaviest[:min(len(r.heaviest), r.options.Partners)]
}
