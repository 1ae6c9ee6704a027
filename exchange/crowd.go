package exchange

import (
	"context"
	"slices"
)

// crowded lists the free ranks whose messages cross the worst link of their phase,
// senders and receivers, in order of their numbers. O(flows x links of a path).
func (r *search) crowded() []int32 {
	r.crowd = r.crowd[:0]
	clear(r.inCrowd)
	for k := range r.load.phases {
		worst := r.load.phases[k].peaks.where()
		f := &r.load.phases[k].flows
		for u, slot := range r.slotOf {
			for i := f.first[u]; i < f.first[u+1]; i++ {
				if v := f.partners[i]; f.out[i] > 0 && r.load.crosses(worst, slot, r.slotOf[v]) {
					r.inCrowd[u], r.inCrowd[v] = true, true
				}
			}
		}
	}
	for u, in := range r.inCrowd {
		if in && !r.pinned(int32(u)) {
			r.crowd = append(r.crowd, int32(u))
		}
	}
	return r.crowd
}

// relieve exchanges ranks whose messages cross the worst link of a phase until none
// of them has an exchange that gains. It tells whether the cost fell.
func (r *search) relieve(ctx context.Context) (bool, error) {
	start := r.Cost()
	for r.withinWork() && !r.atFloor() {
		worst, moved := r.load.worstClasses(), false
		crowd := r.crowded()
		r.chance.Shuffle(len(crowd), func(i, j int) { crowd[i], crowd[j] = crowd[j], crowd[i] })
		for _, u := range crowd {
			if err := ctx.Err(); err != nil {
				return r.Cost() < start, err
			}
			if !r.withinWork() {
				break
			}
			if r.move(u, 4*r.options.Trials) {
				moved = true
				if !slices.Equal(r.load.worstClasses(), worst) {
					break
				}
			}
		}
		if !moved {
			break
		}
	}
	return r.Cost() < start*(1-rounding), nil
}

// worstClasses is the class of the worst link in every phase.
func (l *load) worstClasses() []int32 {
	worst := make([]int32, len(l.phases))
	for i := range worst {
		worst[i] = l.phases[i].peaks.where()
	}
	return worst
}

// crosses tells whether bytes from one slot to another load a class of links.
func (l *load) crosses(class, from, to int32) bool {
	l.begin()
	l.carry(from, to, 1)
	return l.marks[class] == l.mark
}

// floor is what no mapping can bring worst below: what every rank
// sends and gets in a phase passes the rails of its host, if that holds no other rank.
func (l *load) floor() float64 {
	if l.sites.shared {
		return 0
	}
	machine := l.problem.Machine
	least := [2]float64{}
	for i, h := range l.sites.host {
		first, end := machine.Out(h)
		rails, class := end-first, l.links.rails[h]
		var fastest [2]float64
		for way := range fastest {
			fastest[way] = l.links.slowest[class+int32(way)*rails]
			for c := range rails {
				fastest[way] = min(fastest[way], l.links.slowest[class+int32(way)*rails+c])
			}
			fastest[way] /= float64(rails)
			if i == 0 || fastest[way] < least[way] {
				least[way] = fastest[way]
			}
		}
	}
	sum := 0.0
	for k := range l.phases {
		f, most := &l.phases[k].flows, 0.0
		for u := range l.slotOf {
			var out, in float64
			for i := f.first[u]; i < f.first[u+1]; i++ {
				out += f.out[i]
				in += f.in[i]
			}
			most = max(most, out*least[0], in*least[1])
		}
		sum += most
	}
	return sum
}
