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

	spread float64 // sum of measure over all phases and classes
	summed float64 // the most that spread has been since it was added up
	steep  bool    // the objective is Capacity
	count  int     // exchanges since bytes were added up

	change   []float64 // length classes: bytes that come with an exchange under way, in the phase in hand
	marks    []int32   // length classes: mark when change was set last
	mark     int32     // of an exchange and phase
	touched  []int32   // classes with that mark
	crossing [][2]sums // length levels: bytes that cross the edge of a subtree before and after a move
}

// phase is what loads links at one time.
type phase struct {
	flows flows
	bytes []float64 // length classes: on each link in trees times the links, elsewhere on the link
	price []float64 // length classes: links.spread of the phase
	peaks *peaks    // seconds of every class
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
		l.phases = append(l.phases, phase{newFlows(p.Graph, traffic), make([]float64, classes), price, newPeaks(classes)})
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
	}
	l.count = 0
	l.sum()
}

// sum adds up spread anew.
func (l *load) sum() {
	l.spread = 0
	for i := range l.phases {
		ph := &l.phases[i]
		for c, bytes := range ph.bytes {
			l.spread += l.measure(ph.price[c], bytes)
		}
	}
	l.summed = l.spread
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
	list := l.lists.between(siteA, siteB)
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
		if len(l.phases) > 1 && ph.flows.none(l.rankAt[a]) && ph.flows.none(l.rankAt[b]) {
			worst += ph.peaks.greatest()
			continue
		}
		l.exchangeFlows(&ph.flows, a, b)
		top := 0.0
		for _, c := range l.touched {
			before, change := ph.bytes[c], l.change[c]
			top = max(top, (before+change)*l.links.slowest[c])
			if l.steep {
				spread += l.measure(ph.price[c], before+change) - l.measure(ph.price[c], before)
			} else {
				spread += change * (2*before + change) * ph.price[c]
			}
		}
		if !l.steep && top < ph.peaks.greatest() {
			top = ph.peaks.greatestBut(l.marks, l.mark, 1, top)
		}
		worst += top
	}
	return worst, spread
}

// exchange changes the loads; the mapping still is as before.
func (l *load) exchange(a, b int32) {
	for i := range l.phases {
		ph := &l.phases[i]
		l.exchangeFlows(&ph.flows, a, b)
		for _, c := range l.touched {
			before, after := ph.bytes[c], ph.bytes[c]+l.change[c]
			ph.bytes[c] = after
			l.spread += l.measure(ph.price[c], after) - l.measure(ph.price[c], before)
			ph.peaks.set(c, after*l.links.slowest[c])
		}
	}
	l.count++
}

// settle adds up anew where errors of rounding may have grown: the loads after
// many exchanges, their spread when it has fallen so far that errors made when
// it was large would show.
func (l *load) settle() {
	l.summed = max(l.summed, l.spread)
	if l.count >= recomputeAfter {
		l.recompute()
	} else if l.spread < l.summed/1024 {
		l.sum()
	}
}
