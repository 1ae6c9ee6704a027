package exchange

import (
	"context"
	"slices"
)

// criticalRanks are the free ranks on the critical link of some phase: those that send or receive a
// message that crosses the link which takes longest. They are in order of their numbers. O(flows x
// links of a path).
func (r *localSearch) criticalRanks() []int32 {
	r.critical = r.critical[:0]
	clear(r.isCritical)
	for k := range r.load.phases {
		worst := r.load.phases[k].maxima.where()
		f := &r.load.phases[k].flows
		for u, slot := range r.slotOf {
			for i := f.first[u]; i < f.first[u+1]; i++ {
				if v := f.partners[i]; f.out[i] > 0 && r.load.crosses(worst, slot, r.slotOf[v]) {
					r.isCritical[u], r.isCritical[v] = true, true
				}
			}
		}
	}
	for u, in := range r.isCritical {
		if in && !r.pinned(int32(u)) {
			r.critical = append(r.critical, int32(u))
		}
	}
	return r.critical
}

// relieveBottleneck exchanges ranks on the critical link of a phase until none of them has an
// exchange that gains. It tells whether the cost fell.
func (r *localSearch) relieveBottleneck(ctx context.Context) (bool, error) {
	start := r.Cost()
	for r.withinWork() && !r.atLowerBound() {
		worst, moved := r.load.worstClasses(), false
		critical := r.criticalRanks()
		r.chance.Shuffle(len(critical), func(i, j int) {
			critical[i], critical[j] = critical[j],
				critical[i]
		})
		for _, u := range critical {
			if err := ctx.Err(); err != nil {
				return r.Cost() < start, err
			}
			if !r.withinWork() {
				break
			}
			if r.move(u, bottleneckTrials*r.options.Trials) {
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

// worstClasses is the class of the critical link in every phase.
func (l *load) worstClasses() []int32 {
	worst := make([]int32, len(l.phases))
	for i := range worst {
		worst[i] = l.phases[i].maxima.where()
	}
	return worst
}

// crosses tells whether bytes from one slot to another load a class of links.
func (l *load) crosses(class, from, to int32) bool {
	l.begin()
	l.carry(from, to, 1)
	return l.marks[class] == l.mark
}

// lowerBound is a lower bound of worst for all mappings. Where hosts have one slot, all bytes that
// a rank sends and receives in a phase pass the rails of its host; the bound is the time that these
// bytes of the busiest rank take on the fastest rails of any host. It is 0 where a host has several
// slots.
func (l *load) lowerBound() float64 {
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
