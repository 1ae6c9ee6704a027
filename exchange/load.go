package exchange

// recomputeAfter is how many exchanges pass before loads are added up anew.
const recomputeAfter = 4096

// load is the bytes on all links, as mapping.LinkLoads adds them up, and the
// seconds they take at the rates that others leave (LinkFree).
type load struct {
	*State
	links *links
	lists *lists // nil where trees say it all
	flows flows

	bytes   []float64 // length classes: on each link in trees times the links, elsewhere on the link
	peaks   *peaks    // seconds of every class
	squares float64   // sum over all links of seconds squared
	count   int       // exchanges since bytes were added up

	change  []float64 // length classes: bytes that come with an exchange under way
	marks   []int32   // length classes: exchange in which change was set last
	mark    int32
	touched []int32      // classes with that mark
	leaving [][4]float64 // length levels: scratch of moveInTree
}

func newLoad(s *State) *load {
	l := &load{State: s, links: newLinks(s.problem, s.sites), flows: newFlows(s.problem)}
	if l.links.low == nil {
		l.lists = newLists(s.problem.Machine, s.sites, l.links)
	}
	l.leaving = make([][4]float64, len(l.links.low))
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
	l.squares, l.count = 0, 0
	for c, bytes := range l.bytes {
		l.squares += bytes * bytes * l.links.squares[c]
	}
	l.peaks.setAll(func(c int) float64 { return l.bytes[c] * l.links.slowest[c] }, len(l.bytes))
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

// moveInTree is moveFlows in a tree of hosts with one rail. At every level only
// what crosses the edge of a subtree before or after the move changes, at the
// partner's end only what does one and not the other, and from the level on at
// which both slots share a subtree nothing.
func (l *load) moveInTree(u, except, from, to int32) {
	f, s, bottom := &l.flows, l.sites, l.links.bottom
	hostFrom, hostTo := s.host[from], s.host[to]
	clear(l.leaving)
	var before, after [2]float64 // out of and into u's host
	for i := f.first[u]; i < f.first[u+1]; i++ {
		x, out, in := f.partners[i], f.out[i], f.in[i]
		if x == except {
			continue
		}
		at := l.slotOf[x]
		site, host := s.of[at], s.host[at]
		rail := l.links.rails[host]
		if host == hostFrom {
			l.add(rail, in)
			l.add(rail+1, out)
		} else {
			before[0] += out
			before[1] += in
		}
		if host == hostTo {
			l.add(rail, -in)
			l.add(rail+1, -out)
		} else {
			after[0] += out
			after[1] += in
		}
		for k, low := range l.links.low {
			a, b, c := low[s.of[from]], low[s.of[to]], low[site]
			l.steps++
			if a == b {
				break
			}
			sums := &l.leaving[k]
			if a != c {
				sums[0] += out
				sums[1] += in
			} else {
				l.add(bottom+2*c, in)
				l.add(bottom+2*c+1, out)
			}
			if b != c {
				sums[2] += out
				sums[3] += in
			} else {
				l.add(bottom+2*c, -in)
				l.add(bottom+2*c+1, -out)
			}
		}
	}
	rail := l.links.rails[hostFrom]
	l.add(rail, -before[0])
	l.add(rail+1, -before[1])
	rail = l.links.rails[hostTo]
	l.add(rail, after[0])
	l.add(rail+1, after[1])
	for k, low := range l.links.low {
		a, b := low[s.of[from]], low[s.of[to]]
		if a == b {
			break
		}
		l.steps += 4
		l.add(bottom+2*a, -l.leaving[k][0])
		l.add(bottom+2*a+1, -l.leaving[k][1])
		l.add(bottom+2*b, l.leaving[k][2])
		l.add(bottom+2*b+1, l.leaving[k][3])
	}
}

// after is the worst link's seconds after an exchange, and by how much the sum
// of squares grows.
func (l *load) after(a, b int32) (worst, squares float64) {
	l.exchangeFlows(a, b)
	for _, c := range l.touched {
		before, change := l.bytes[c], l.change[c]
		worst = max(worst, (before+change)*l.links.slowest[c])
		squares += change * (2*before + change) * l.links.squares[c]
	}
	if worst >= l.worst() {
		return worst, squares
	}
	return l.peaks.greatestBut(l.marks, l.mark, 1, worst), squares
}

// exchange changes the loads; the mapping still is as before.
func (l *load) exchange(a, b int32) {
	l.exchangeFlows(a, b)
	for _, c := range l.touched {
		before, change := l.bytes[c], l.change[c]
		l.bytes[c] += change
		l.squares += change * (2*before + change) * l.links.squares[c]
		l.peaks.set(c, l.bytes[c]*l.links.slowest[c])
	}
	l.count++
}

// settle adds the loads up anew when errors of rounding may have grown.
func (l *load) settle() {
	if l.count >= recomputeAfter {
		l.recompute()
	}
}
