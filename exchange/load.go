package exchange

import "remap/mapping"

// recomputeAfter is how many exchanges pass before loads are added up anew.
const recomputeAfter = 4096

// load is the bytes on all links, as mapping.LinkLoads adds them up, and the
// seconds they take at the rates that others leave (LinkFree), phase by phase.
type load struct {
	*State
	links  *links
	lists  *lists  // nil where trees say it all
	phases []phase // one, or as many as the problem has

	spread   float64 // that of all phases, see together
	fullness mapping.Fullness
	steep    bool      // the objective is Capacity
	count    int       // exchanges since bytes were added up
	spreads  []float64 // scratch, length phases

	change   []float64 // length classes: bytes that come with an exchange under way, in the phase in hand
	marks    []int32   // length classes: mark when change was set last
	mark     int32     // of an exchange and phase
	touched  []int32   // classes with that mark
	crossing [][2]sums // length levels: bytes that cross the edge of a subtree before and after a move
}

// phase is what loads links at one time.
type phase struct {
	flows  flows
	bytes  []float64 // length classes: on each link in trees times the links, elsewhere on the link
	price  []float64 // length classes: links.spread of the phase
	peaks  *peaks    // seconds of every class
	spread float64   // sum of measure over all classes
	summed float64   // the most that spread has been since it was added up
}

func newLoad(s *State) *load {
	p := s.problem
	l := &load{State: s, steep: p.Objective == mapping.Capacity, links: newLinks(p, s.sites)}
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
		l.phases = append(l.phases, phase{flows: newFlows(p.Graph, traffic), bytes: make([]float64, classes), price: price, peaks: newPeaks(classes)})
	}
	l.spreads = make([]float64, len(l.phases))
	if l.steep {
		l.fullness = p.Fullness()
	}
	l.recompute()
	return l
}

// worst is the seconds of the link that needs most, phase after phase.
func (l *load) worst() float64 {
	sum := 0.0
	for i := range l.phases {
		sum += l.phases[i].peaks.greatest()
	}
	return sum
}

// recompute adds up all bytes anew.
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
		ph.peaks.setAll(func(c int) float64 { return ph.bytes[c] * l.links.slowest[c] }, len(ph.bytes))
		l.sum(ph)
	}
	l.count = 0
	l.putTogether()
}

// sum adds up the spread of a phase anew.
func (l *load) sum(ph *phase) {
	ph.spread = 0
	for c, bytes := range ph.bytes {
		ph.spread += l.measure(ph.price[c], bytes)
	}
	ph.summed = ph.spread
}

// putTogether makes spread of those of the phases.
func (l *load) putTogether() {
	for i := range l.phases {
		l.spreads[i] = l.phases[i].spread
	}
	l.spread = l.together()
}

// together is what phases with these spreads have: their sum, or under Capacity
// what they add to it.
func (l *load) together() float64 {
	if l.steep {
		return l.fullness.Overload(l.spreads)
	}
	sum := 0.0
	for _, spread := range l.spreads {
		sum += spread
	}
	return sum
}

// begin forgets all changes.
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

// carry adds bytes (below 0: takes them away) to all links from one slot to another.
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

// exchangeFlows fills change with what exchanging the contents of two slots does
// to one phase.
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

// moveFlows takes rank u from one slot to another, its flows with the rank
// except left out.
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

// measure is what a class with so many bytes adds to spread, at its price in the
// phase: its links' seconds squared, or what they add to Capacity.
func (l *load) measure(price, bytes float64) float64 {
	square := bytes * bytes
	if !l.steep {
		return price * square
	}
	fourth := square * square
	return price * (fourth * fourth * bytes)
}

// after is worst after an exchange, and by how much spread grows. Under Capacity,
// which has no use for it, worst is that of the links whose bytes change.
func (l *load) after(a, b int32) (worst, spread float64) {
	for i := range l.phases {
		ph := &l.phases[i]
		l.spreads[i] = ph.spread
		if len(l.phases) > 1 && ph.flows.none(l.rankAt[a]) && ph.flows.none(l.rankAt[b]) {
			worst += ph.peaks.greatest()
			continue
		}
		l.exchangeFlows(&ph.flows, a, b)
		top, more := l.changed(ph)
		if !l.steep && top < ph.peaks.greatest() {
			top = ph.peaks.greatestBut(l.marks, l.mark, 1, top)
		}
		worst += top
		spread += more
		l.spreads[i] += more
		if l.steep && len(l.phases) > 1 && l.spreads[i] < ph.spread/lostDigits {
			l.spreads[i] = l.sumAfter(ph)
		}
	}
	if l.steep && len(l.phases) > 1 {
		return worst, l.together() - l.spread
	}
	return worst, spread
}

// changed is the most seconds of a touched class in a phase, and by how much the
// phase's spread grows.
func (l *load) changed(ph *phase) (top, more float64) {
	for _, c := range l.touched {
		before, change := ph.bytes[c], l.change[c]
		top = max(top, (before+change)*l.links.slowest[c])
		if l.steep {
			more += l.measure(ph.price[c], before+change) - l.measure(ph.price[c], before)
		} else {
			more += change * (2*before + change) * ph.price[c]
		}
	}
	return top, more
}

// lostDigits is how far a spread may fall before errors of rounding made when it
// was large would show.
const lostDigits = 1024

// sumAfter is the spread of a phase after the exchange under way, added up anew.
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

// exchange changes the loads; the mapping still is as before.
func (l *load) exchange(a, b int32) {
	for i := range l.phases {
		ph := &l.phases[i]
		l.exchangeFlows(&ph.flows, a, b)
		for _, c := range l.touched {
			before, after := ph.bytes[c], ph.bytes[c]+l.change[c]
			ph.bytes[c] = after
			ph.spread += l.measure(ph.price[c], after) - l.measure(ph.price[c], before)
			ph.peaks.set(c, after*l.links.slowest[c])
		}
	}
	l.count++
}

// clearRounding adds up again where errors of rounding may have grown: the loads after
// many exchanges, their spread when it has fallen far.
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
	l.putTogether()
}
