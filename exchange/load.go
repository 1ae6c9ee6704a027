package exchange

import "remap/mapping"

// recomputeAfter is how many exchanges pass before loads are added up anew.
const recomputeAfter = 4096

// load is the bytes on all links, as mapping.LinkLoads adds them up, and the
// seconds they take at the rates that others leave (LinkFree).
type load struct {
	*State
	links *links
	lists *lists // nil where trees say it all
	flows flows

	bytes  []float64 // length classes: on each link in trees times the links, elsewhere on the link
	peaks  *peaks    // seconds of every class
	spread float64   // sum of measure over all classes
	summed float64   // the most that spread has been since it was added up
	steep  bool      // the objective is Capacity
	count  int       // exchanges since bytes were added up

	change   []float64 // length classes: bytes that come with an exchange under way
	marks    []int32   // length classes: exchange in which change was set last
	mark     int32
	touched  []int32   // classes with that mark
	crossing [][2]sums // length levels: bytes that cross the edge of a subtree before and after a move
}

func newLoad(s *State) *load {
	l := &load{State: s, steep: s.problem.Objective == mapping.Capacity, links: newLinks(s.problem, s.sites), flows: newFlows(s.problem)}
	if l.links.low == nil {
		l.lists = newLists(s.problem.Machine, s.sites, l.links)
	}
	l.crossing = make([][2]sums, len(l.links.low))
	classes := len(l.links.slowest)
	l.bytes, l.change, l.marks = make([]float64, classes), make([]float64, classes), make([]int32, classes)
	l.peaks = newPeaks(classes)
	l.recompute()
	return l
}

// worst is the seconds of the link that needs most.
func (l *load) worst() float64 { return l.peaks.greatest() }

// recompute adds up all bytes anew.
func (l *load) recompute() {
	clear(l.bytes)
	l.begin()
	f := &l.flows
	for r, slot := range l.slotOf {
		for i := f.first[r]; i < f.first[r+1]; i++ {
			l.carry(slot, l.slotOf[f.partners[i]], f.out[i])
		}
	}
	for _, c := range l.touched {
		l.bytes[c] = l.change[c]
	}
	l.count = 0
	l.sum()
	l.peaks.setAll(func(c int) float64 { return l.bytes[c] * l.links.slowest[c] }, len(l.bytes))
}

// sum adds up spread anew.
func (l *load) sum() {
	l.spread = 0
	for c := range l.bytes {
		l.spread += l.measure(int32(c), l.bytes[c])
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

// exchangeFlows fills change with what exchanging the contents of two slots does.
func (l *load) exchangeFlows(a, b int32) {
	l.begin()
	u, v := l.rankAt[a], l.rankAt[b]
	if u >= 0 {
		l.moveFlows(u, v, a, b)
	}
	if v < 0 {
		return
	}
	l.moveFlows(v, u, b, a)
	if u < 0 {
		return
	}
	if i := l.flows.find(u, v); i >= 0 {
		forth, back := l.flows.out[i], l.flows.in[i]
		l.carry(a, b, back-forth)
		l.carry(b, a, forth-back)
	}
}

// moveFlows takes rank u from one slot to another, its flows with the rank
// except left out.
func (l *load) moveFlows(u, except, from, to int32) {
	if l.lists == nil {
		l.moveInTree(u, except, from, to)
		return
	}
	f := &l.flows
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

// measure is what a class with so many bytes adds to spread: its links' seconds
// squared, or what they add to Capacity.
func (l *load) measure(class int32, bytes float64) float64 {
	square := bytes * bytes
	if !l.steep {
		return l.links.spread[class] * square
	}
	fourth := square * square
	return l.links.spread[class] * (fourth * fourth * bytes)
}

// after is the worst link's seconds after an exchange, and by how much spread
// grows.
func (l *load) after(a, b int32) (worst, spread float64) {
	l.exchangeFlows(a, b)
	for _, c := range l.touched {
		before, change := l.bytes[c], l.change[c]
		worst = max(worst, (before+change)*l.links.slowest[c])
		if l.steep {
			spread += l.measure(c, before+change) - l.measure(c, before)
		} else {
			spread += change * (2*before + change) * l.links.spread[c]
		}
	}
	if l.steep || worst >= l.worst() {
		return worst, spread
	}
	return l.peaks.greatestBut(l.marks, l.mark, 1, worst), spread
}

// exchange changes the loads; the mapping still is as before.
func (l *load) exchange(a, b int32) {
	l.exchangeFlows(a, b)
	for _, c := range l.touched {
		before, after := l.bytes[c], l.bytes[c]+l.change[c]
		l.bytes[c] = after
		l.spread += l.measure(c, after) - l.measure(c, before)
		l.peaks.set(c, after*l.links.slowest[c])
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
