package exchange

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
)

// search is a state and whom to ask next.
type search struct {
	*State
	options Options
	chance  *rand.Rand
	queue   []int32 // ranks to ask, in order; a ring
	waiting []bool  // length ranks: stands in queue
	head    int
	filled  int

	heaviest []int32 // scratch: half-edges of a rank's heaviest partners
	places   []place
	trials   []trial
	crowd    []int32
	inCrowd  []bool // length ranks
	floor    float64
	parts    bool    // parts of blocks move too
	short    bool    // a block could not move for the limit of moves alone
	listed   []int32 // length sites: rank turn that listed it
	turn     int32
}

// place is a site and what a rank would gain by being there, whoever sits there now.
type place struct {
	site int32
	gain int64
}

func newSearch(s *State, options Options) *search {
	ranks := len(s.slotOf)
	r := &search{State: s, options: options, chance: rand.New(rand.NewPCG(s.problem.Seed, 0x73776170))} // "swap": a stream of its own
	r.waiting, r.queue = make([]bool, ranks), make([]int32, ranks)
	r.listed = make([]int32, s.sites.count())
	if s.load != nil {
		r.inCrowd = make([]bool, ranks)
		r.floor = s.load.floor()
	}
	return r
}

// mayGain tells whether a rank has partners and may move.
func (r *search) mayGain(u int32) bool {
	first, end := r.problem.Graph.Row(u)
	return first < end && !r.pinned(u)
}

// ask puts a rank into the queue unless it waits already or has nothing to gain.
func (r *search) ask(u int32) {
	if r.waiting[u] || !r.mayGain(u) {
		return
	}
	r.waiting[u] = true
	r.queue[(r.head+r.filled)%len(r.queue)] = u
	r.filled++
}

// sweep asks the ranks in turn. One that moves wakes its partners, and so does
// whom it moves: their best places have changed.
func (r *search) sweep(ctx context.Context) error {
	for r.filled > 0 && r.withinWork() {
		if r.load != nil && r.atFloor() {
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

// move makes the best exchange for a rank that gains, if there is one. For link
// loads at most so many are priced.
func (r *search) move(u int32, most int) bool {
	slot, gain := r.best(u, most)
	if !gain.Improves() {
		return false
	}
	from := r.slotOf[u]
	r.Exchange(from, slot)
	r.wake(from)
	r.wake(slot)
	return true
}

// wake asks the rank on a slot and its partners again.
func (r *search) wake(slot int32) {
	u := r.rankAt[slot]
	if u < 0 {
		return
	}
	r.ask(u)
	g := r.problem.Graph
	first, end := g.Row(u)
	for _, v := range g.Neighbors[first:end] {
		r.ask(v)
	}
}

// best is the slot whose content rank u should take the place of.
func (r *search) best(u int32, most int) (slot int32, gain Gain) {
	if r.load == nil {
		return r.bestPath(u)
	}
	return r.bestLoad(u, most)
}

// bestPath looks at the sites where u itself would gain: an exchange that gains
// has a rank that does, and the other finds it when it is asked. Those who sit
// there can gain no more by leaving than their edges cost above the least.
func (r *search) bestPath(u int32) (slot int32, gain Gain) {
	from, best := r.slotOf[u], int64(0)
	slot = -1
	r.findPlaces(u)
	for _, place := range r.places {
		if place.gain <= 0 {
			break
		}
		for _, to := range r.some(place.site) {
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
	return slot, Gain{Cost: float64(best)}
}

// some lists slots of a site: all, or from a random one on as many as options say.
func (r *search) some(site int32) []int32 {
	slots := r.sites.at(site)
	if len(slots) <= r.options.Slots {
		return slots
	}
	first := r.chance.IntN(len(slots) - r.options.Slots + 1)
	return slots[first : first+r.options.Slots]
}

// findPlaces lists the sites of u's heaviest partners, sites beside them, and
// from the best of these on what lies beside the best while it gets better, in
// order of falling gain.
func (r *search) findPlaces(u int32) {
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

// addNear lists sites beside one, as many as options say, from a random one on.
func (r *search) addNear(u, site int32) {
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

func (r *search) addPlace(u, site int32) {
	if r.listed[site] == r.turn {
		return
	}
	r.listed[site] = r.turn
	r.places = append(r.places, place{site, r.path.of[u] - r.path.hopeful(u, site)})
}

// partners are the half-edges of u's heaviest partners, the heaviest first.
func (r *search) partners(u int32) []int32 {
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
