package topology

import "slices"

// DragonflyRoute routes minimally in a dragonfly: at most one local, one
// global and one local link. Candidates are all links on a shortest path of
// that form, so that every step leads closer. Memory is a few entries for
// every pair of a switch and a group, not of two switches.
//
// Only where groups are joined by several links does it matter to which
// router of the group a packet goes, and then only if that router is near: it
// has itself a link from the packet's group.
type DragonflyRoute struct {
	GroupCount int32
	// Routers: switches of each group, with consecutive numbers.
	Routers int32
	// Degree: links to switches of each switch; each alone is a group of candidates, in order of the
	// links
	Degree int32
	// ToGroup: length switches x groups: group of candidates toward any switch of that group that is
	// not near
	ToGroup []int32
	// Near: length switches x groups, or nil: where in NearGroups a switch's part for packets in
	// that group begins; -1 = it is not near
	Near []int32
	// NearGroups: in parts, length Routers: group of candidates of every switch of one group toward
	// one switch near it
	NearGroups []int32
}

// group is the group of candidates at one switch toward another.
func (d *DragonflyRoute) group(at, to int32) int32 {
	here, there := at/d.Routers, to/d.Routers
	if here == there {
		port := to - here*d.Routers
		if to > at {
			port--
		}
		return at*d.Degree + port
	}
	if d.Near != nil {
		if part := d.Near[to*d.GroupCount+here]; part >= 0 {
			return d.NearGroups[part+at-here*d.Routers]
		}
	}
	return d.ToGroup[at*d.GroupCount+there]
}

// dragonflyBuilder fills the routes group by group. Lists of candidates hold
// links until all are there.
type dragonflyBuilder struct {
	p     *dragonfly
	r     *Routes
	base  int32       // first switch of the group in work
	to    [][]farLink // length groups: global links of the group in work to each other group, in order of ports
	ends  []int32     // routers of the group in work that have a link to the other group
	far   []int32     // routers of the other group that these lead to, ascending
	list  []int32     // scratch
	three bool        // some shortest path has three links
}

// farLink is a global link of the group in work, and the switches it joins.
type farLink struct{ near, link, far int32 }

func (p *dragonfly) routes() *Routes {
	t := p.t
	switches := t.Switches()
	p.route = &DragonflyRoute{GroupCount: int32(p.groups), Routers: int32(p.routers),
		Degree:  int32(p.routers - 1 + p.global),
		ToGroup: make([]int32, switches*p.groups)}
	r := &Routes{Switches: switches, Offsets: []int32{0}, Dragonfly: p.route, PerHop: true,
		Intermediate: ascending(switches)}
	for l := range t.Links {
		if link := &t.Links[l]; !t.IsHost(link.From) && !t.IsHost(link.To) {
			r.Channels = append(r.Channels, int32(l))
			r.Offsets = append(r.Offsets, int32(len(r.Channels)))
		}
	}
	p.joined = make([]uint64, len(p.route.ToGroup)/64+1)
	b := &dragonflyBuilder{p: p, r: r, to: make([][]farLink, p.groups)}
	for g := range p.groups {
		b.base = int32(g * p.routers)
		b.collect()
		for other := range p.groups {
			if other != g {
				b.toward(int32(g), int32(other))
			}
		}
	}
	r.VirtualChannels = hopChannels(b.diameter())
	for i := range r.Channels {
		r.Channels[i] *= r.VirtualChannels
	}
	return r
}

// diameter is the number of links of the longest shortest path.
func (b *dragonflyBuilder) diameter() int {
	switch {
	case b.three:
		return 3
	case b.p.groups > 1 && b.p.routers > 1:
		return 2
	}
	return min(b.p.groups*b.p.routers-1, 1)
}

// collect sorts the global links of the group in work by the other group.
func (b *dragonflyBuilder) collect() {
	for g := range b.to {
		b.to[g] = b.to[g][:0]
	}
	t := b.p.t
	for s := b.base; s < b.base+int32(b.p.routers); s++ {
		first, end := t.Out(t.NodeOf(s))
		for l := first + int32(b.p.hosts+b.p.routers-1); l < end; l++ {
			far := t.SwitchOf(t.Links[l].To)
			group := far / int32(b.p.routers)
			b.to[group] = append(b.to[group], farLink{s, l, far})
			bit := s*int32(b.p.groups) + group
			b.p.joined[bit>>6] |= 1 << (bit & 63)
		}
	}
}

// toward sets the candidates of all routers of a group to another group.
func (b *dragonflyBuilder) toward(group, other int32) {
	route, routers := b.p.route, int32(b.p.routers)
	b.ends, b.far = b.ends[:0], b.far[:0]
	for _, l := range b.to[other] {
		b.ends, b.far = append(b.ends, l.near), append(b.far, l.far)
	}
	b.ends = slices.Compact(b.ends)
	slices.Sort(b.far)
	b.far = slices.Compact(b.far)
	if len(b.ends) < b.p.routers && len(b.far) < b.p.routers {
		b.three = true
	}
	for s := b.base; s < b.base+routers; s++ {
		if b.list = b.own(b.list[:0], s, other); len(b.list) == 0 {
			b.list = b.local(b.list, s, b.ends)
		}
		route.ToGroup[s*route.GroupCount+other] = b.add(s)
	}
	if len(b.far) < 2 {
		return // a router at the far end is reached just as any other of its group
	}
	if route.Near == nil {
		route.Near = slices.Repeat([]int32{-1}, len(route.ToGroup))
	}
	for _, to := range b.far {
		route.Near[to*route.GroupCount+group] = int32(len(route.NearGroups))
		for s := b.base; s < b.base+routers; s++ {
			b.nearList(s, to, other)
			route.NearGroups = append(route.NearGroups, b.add(s))
		}
	}
}

// nearList lists the candidates at a switch toward one that some links of its
// group lead to: those links from here, or else its own links into the other
// group and the local ones to where those links begin, two steps in all.
func (b *dragonflyBuilder) nearList(s, to, other int32) {
	b.list, b.ends = b.list[:0], b.ends[:0]
	for _, l := range b.to[other] {
		if l.far == to {
			if b.ends = append(b.ends, l.near); l.near == s {
				b.list = append(b.list, l.link)
			}
		}
	}
	if len(b.list) == 0 {
		b.list = b.own(b.local(b.list, s, slices.Compact(b.ends)), s, other)
	}
}

// own appends the links of a switch itself to the other group.
func (b *dragonflyBuilder) own(list []int32, s, other int32) []int32 {
	for _, l := range b.to[other] {
		if l.near == s {
			list = append(list, l.link)
		}
	}
	return list
}

// local appends the links of a switch to others of its group.
func (b *dragonflyBuilder) local(list []int32, s int32, ends []int32) []int32 {
	for _, end := range ends {
		list = append(list, b.r.Channels[b.p.route.group(s, end)])
	}
	return list
}

// add gives the group of candidates for the list of a switch.
func (b *dragonflyBuilder) add(s int32) int32 {
	if len(b.list) == 1 {
		first, _ := b.p.t.Out(b.p.t.NodeOf(s))
		return s*b.p.route.Degree + b.list[0] - first - int32(b.p.hosts)
	}
	b.r.Channels = append(b.r.Channels, b.list...)
	b.r.Offsets = append(b.r.Offsets, int32(len(b.r.Channels)))
	return int32(len(b.r.Offsets) - 2)
}
