package exchange

import "remap/mapping"

// load is the bytes on all links, as mapping.LinkLoads sums them, and the seconds these bytes take
// at the rates that others leave (LinkFree), for each phase.
type load struct {
	*State
	links *links
	// lists is nil in fat trees of hosts with one rail, where subtrees are enough.
	lists *lists
	// one, or as many as the problem has
	phases []phase

	// spread is that of all phases (combined).
	spread   float64
	fullness mapping.Fullness
	// capacity tells whether the objective is Capacity.
	capacity bool
	// count is how many exchanges there were since bytes were summed.
	count int
	// spreads (length phases) is scratch memory.
	spreads []float64

	// change (length classes) is by how many bytes an exchange changes each class in the current
	// phase.
	change []float64
	// marks (length classes) is the mark when change was set last.
	marks []int32
	// mark is the number of the current exchange and phase.
	mark int32
	// touched are the classes with the current mark.
	touched []int32
	// crossing (length levels) is the bytes that cross the edge of a subtree before and after a
	// move.
	crossing [][2]sums
}

// phase is the traffic that loads links at one time.
type phase struct {
	flows flows
	// bytes (length classes) is the bytes of each class. In fat trees it is the bytes on one link
	// times the number of links of the class, elsewhere the bytes on the link.
	bytes []float64
	// price (length classes) is links.spread of the phase.
	price []float64
	// maxima has the seconds of every class.
	maxima *maxTree
	// spread is the sum of measure over all classes.
	spread float64
	// summed is the largest value of spread since it was last summed.
	summed float64
}

func newLoad(s *State) *load {
	p := s.problem
	l := &load{State: s, capacity: p.Objective == mapping.Capacity, links: newLinks(p, s.sites)}
	if l.links.low == nil {
		l.lists = newLists(p.Machine, s.sites, l.links)
	}
	l.crossing = make([][2]sums, len(l.links.low))
	classes := len(l.links.slowest)
	l.change, l.marks = make([]float64, classes), make([]int32, classes)
	for i, price := range l.links.spread {
		traffic := p.Traffic
		if len(p.Phases) > 1 {
			traffic = p.Phases[i]
		}
		l.phases = append(l.phases, phase{flows: newFlows(p.Graph, traffic), bytes: make([]float64, classes),
			price: price, maxima: newMaxTree(classes)})
	}
	l.spreads = make([]float64, len(l.phases))
	if l.capacity {
		l.fullness = p.Fullness()
	}
	l.recompute()
	return l
}

// worst is the seconds of the link that needs most, summed over phases.
func (l *load) worst() float64 {
	sum := 0.0
	for i := range l.phases {
		sum += l.phases[i].maxima.greatest()
	}
	return sum
}

// recompute sums all bytes again.
func (l *load) recompute() {
	for i := range l.phases {
		ph := &l.phases[i]
		clear(ph.bytes)
		l.begin()
		f := &ph.flows
		for r, slot := range l.slotOf {
			for i := f.first[r]; i < f.first[r+1]; i++ {
				l.carry(slot, l.slotOf[f.partners[i]], f.out[i])
			}
		}
		for _, c := range l.touched {
			ph.bytes[c] = l.change[c]
		}
		ph.maxima.setAll(func(c int) float64 { return ph.bytes[c] * l.links.slowest[c] }, len(ph.bytes))
		l.sum(ph)
	}
	l.count = 0
	l.combineSpreads()
}

// sum sums the spread of a phase again.
func (l *load) sum(ph *phase) {
	ph.spread = 0
	for c, bytes := range ph.bytes {
		ph.spread += l.measure(ph.price[c], bytes)
	}
	ph.summed = ph.spread
}

// combineSpreads sets spread from the spreads of the phases.
func (l *load) combineSpreads() {
	for i := range l.phases {
		l.spreads[i] = l.phases[i].spread
	}
	l.spread = l.combined()
}

// combined is the spread of phases with these spreads: their sum, or under Capacity what they add
// to the cost.
func (l *load) combined() float64 {
	if l.capacity {
		return l.fullness.Overload(l.spreads)
	}
	sum := 0.0
	for _, spread := range l.spreads {
		sum += spread
	}
	return sum
}

// begin clears all changes.
func (l *load) begin() {
	l.touched = l.touched[:0]
	if l.mark++; l.mark < 0 {
		clear(l.marks)
		l.mark = 1
	}
}

func (l *load) add(class int32, bytes float64) {
	if l.marks[class] != l.mark {
		l.marks[class] = l.mark
		l.change[class] = 0
		l.touched = append(l.touched, class)
	}
	l.change[class] += bytes
}

// carry adds bytes to all links from one slot to another. Negative bytes take away.
func (l *load) carry(from, to int32, bytes float64) {
	a, b := l.sites.host[from], l.sites.host[to]
	if a == b || bytes == 0 {
		return
	}
	siteA, siteB := l.sites.of[from], l.sites.of[to]
	if l.lists == nil {
		l.add(l.links.rails[a], bytes)
		l.add(l.links.rails[b]+1, bytes)
		l.steps += 4
		for _, low := range l.links.low {
			x, y := low[siteA], low[siteB]
			if x == y {
				return
			}
			l.add(l.links.bottom+2*x, bytes)
			l.add(l.links.bottom+2*y+1, bytes)
			l.steps += 2
		}
		return
	}
	list := l.lists.between(siteA, to)
	l.steps += 4 + int64(len(list.entries))
	entries := list.entries
	for _, e := range entries[:list.out] {
		l.add(l.links.rails[a]+e.class, bytes*e.share)
	}
	for _, e := range entries[list.out : list.out+list.in] {
		l.add(l.links.rails[b]+e.class, bytes*e.share)
	}
	for _, e := range entries[list.out+list.in:] {
		l.add(e.class, bytes*e.share)
	}
}

// exchangeFlows fills change with the effect on one phase of exchanging the contents of two slots.
func (l *load) exchangeFlows(f *flows, a, b int32) {
	l.begin()
	u, v := l.rankAt[a], l.rankAt[b]
	if u >= 0 {
		l.moveFlows(f, u, v, a, b)
	}
	if v < 0 {
		return
	}
	l.moveFlows(f, v, u, b, a)
	if u < 0 {
		return
	}
	if i := f.find(u, v); i >= 0 {
		forth, back := f.out[i], f.in[i]
		l.carry(a, b, back-forth)
		l.carry(b, a, forth-back)
	}
}

// moveFlows fills change with the effect of moving rank u from one slot to another. The flows
// between u and the rank `except` are left out.
func (l *load) moveFlows(f *flows, u, except, from, to int32) {
	if l.lists == nil {
		l.moveInTree(f, u, except, from, to)
		return
	}
	for i := f.first[u]; i < f.first[u+1]; i++ {
		x := f.partners[i]
		if x == except {
			continue
		}
		at := l.slotOf[x]
		l.carry(from, at, -f.out[i])
		l.carry(to, at, f.out[i])
		l.carry(at, from, -f.in[i])
		l.carry(at, to, f.in[i])
	}
}

// measure is what a class with these bytes adds to spread, at its price in the phase: the squared
// seconds of its links, or what they add to Capacity.
func (l *load) measure(price, bytes float64) float64 {
	square := bytes * bytes
	if !l.capacity {
		return price * square
	}
	fourth := square * square
	return price * (fourth * fourth * bytes)
}

// after is worst after an exchange, and by how much spread grows. Under Capacity, which does not
// use it, worst only counts the links whose bytes change.
func (l *load) after(a, b int32) (worst, spread float64) {
	for i := range l.phases {
		ph := &l.phases[i]
		l.spreads[i] = ph.spread
		if len(l.phases) > 1 && ph.flows.none(l.rankAt[a]) && ph.flows.none(l.rankAt[b]) {
			worst += ph.maxima.greatest()
			continue
		}
		l.exchangeFlows(&ph.flows, a, b)
		top, more := l.changed(ph)
		if !l.capacity && top < ph.maxima.greatest() {
			top = ph.maxima.greatestBut(l.marks, l.mark, 1, top)
		}
		worst += top
		spread += more
		l.spreads[i] += more
		if l.capacity && len(l.phases) > 1 && l.spreads[i] < ph.spread/lostDigits {
			l.spreads[i] = l.sumAfter(ph)
		}
	}
	if l.capacity && len(l.phases) > 1 {
		return worst, l.combined() - l.spread
	}
	return worst, spread
}

// changed is the most seconds of a touched class in a phase, and by how much the phase's spread
// grows.
func (l *load) changed(ph *phase) (top, more float64) {
	for _, c := range l.touched {
		before, change := ph.bytes[c], l.change[c]
		top = max(top, (before+change)*l.links.slowest[c])
		if l.capacity {
			more += l.measure(ph.price[c], before+change) - l.measure(ph.price[c], before)
		} else {
			more += change * (2*before + change) * ph.price[c]
		}
	}
	return top, more
}

// sumAfter is the spread of a phase after the current exchange, summed again.
func (l *load) sumAfter(ph *phase) float64 {
	sum := 0.0
	for c, bytes := range ph.bytes {
		if l.marks[c] == l.mark {
			bytes += l.change[c]
		}
		sum += l.measure(ph.price[c], bytes)
	}
	l.steps += int64(len(ph.bytes))
	return sum
}

// exchange updates the loads. It is called before the mapping changes.
func (l *load) exchange(a, b int32) {
	for i := range l.phases {
		ph := &l.phases[i]
		l.exchangeFlows(&ph.flows, a, b)
		for _, c := range l.touched {
			before, after := ph.bytes[c], ph.bytes[c]+l.change[c]
			ph.bytes[c] = after
			ph.spread += l.measure(ph.price[c], after) - l.measure(ph.price[c], before)
			ph.maxima.set(c, after*l.links.slowest[c])
		}
	}
	l.count++
}

// clearRounding sums again where rounding errors may have grown: the loads after many exchanges,
// the spread of a phase when it has fallen far.
func (l *load) clearRounding() {
	if l.count >= recomputeAfter {
		l.recompute()
		return
	}
	for i := range l.phases {
		ph := &l.phases[i]
		if ph.summed = max(ph.summed, ph.spread); ph.spread < ph.summed/lostDigits {
			l.sum(ph)
		}
	}
	l.combineSpreads()
}
