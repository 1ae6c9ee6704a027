package exchange

// moveInTree is moveFlows in a fat tree of hosts with one rail. At every level only the bytes
// change that cross the edge of a subtree before or after the move. At the partner's end only bytes
// change that cross an edge before and not after, or after and not before. From the level on at
// which one subtree holds both slots nothing changes.
//
//	level 2   [      .  .      |      .       ]
//	level 1   [ from | x  to   |  y   |       ]
//
//	partner y: only level 1 changes, out of the subtree of `from` and into that of `to`
//	partner x: bytes no longer enter its subtree, and none leave the subtree of `to` for it
//
// O(degree x levels).
func (l *load) moveInTree(f *flows, u, except, from, to int32) {
	clear(l.crossing)
	var before, after sums // at u's own host
	hostFrom, hostTo := l.sites.host[from], l.sites.host[to]
	for i := f.first[u]; i < f.first[u+1]; i++ {
		x, flow := f.partners[i], sums{f.out[i], f.in[i]}
		if x == except {
			continue
		}
		at := l.slotOf[x]
		host := l.sites.host[at]
		if host == hostFrom {
			l.addBoth(l.links.rails[host], flow.in, flow.out)
		} else {
			before.add(flow)
		}
		if host == hostTo {
			l.addBoth(l.links.rails[host], -flow.in, -flow.out)
		} else {
			after.add(flow)
		}
		l.partnerInTree(flow, l.sites.of[from], l.sites.of[to], l.sites.of[at])
	}
	l.addBoth(l.links.rails[hostFrom], -before.out, -before.in)
	l.addBoth(l.links.rails[hostTo], after.out, after.in)
	for k, low := range l.links.low {
		a, b := low[l.sites.of[from]], low[l.sites.of[to]]
		if a == b {
			break
		}
		c := &l.crossing[k]
		l.addBoth(l.links.bottom+2*a, -c[0].out, -c[0].in)
		l.addBoth(l.links.bottom+2*b, c[1].out, c[1].in)
	}
}

// sums are bytes out of and into a host or subtree.
type sums struct{ out, in float64 }

func (s *sums) add(f sums) {
	s.out += f.out
	s.in += f.in
}

// partnerInTree fills change at the edges of the subtrees that hold a partner, at site x. The bytes
// at the edges of the subtrees of `from` and `to` are summed in crossing.
func (l *load) partnerInTree(flow sums, from, to, x int32) {
	for k, low := range l.links.low {
		a, b, c := low[from], low[to], low[x]
		l.steps++
		if a == b {
			return
		}
		class := l.links.bottom + 2*c
		if a != c {
			l.crossing[k][0].add(flow)
		} else {
			l.addBoth(class, flow.in, flow.out)
		}
		if b != c {
			l.crossing[k][1].add(flow)
		} else {
			l.addBoth(class, -flow.in, -flow.out)
		}
	}
}

// addBoth adds bytes to the class up out of a subtree or host, and to the class down into it, which
// follows.
func (l *load) addBoth(class int32, out, in float64) {
	l.steps += 2
	l.add(class, out)
	l.add(class+1, in)
}
