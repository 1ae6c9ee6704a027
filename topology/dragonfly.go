package topology

import (
	"strconv"
	"time"
)

// dragonfly is the network of Kim, Dally, Scott and Abts (2008): groups of
// fully connected routers, and global links between the groups:
//
//	  group 0              group 1
//	r0 --- r1   global   r0 --- r1
//	  \   /  ------------- \   /     every router: hosts, a link to each other
//	   r2                   r2       router of its group, `global` global links
//
// The routers*global ports of a group, numbered router by router, divide over
// the other groups as evenly as can be. Whole rounds of groups-1 ports follow
// the palmtree arrangement (Camarero, Vallejo and Beivide 2014): the next port
// of group g leads to the group before, and so on round all groups. Ports that
// are left lead to the nearest groups on both sides, the same number on each.
// An odd one more leads to the group opposite; when the number of groups is odd
// too, nobody is opposite: it joins groups 0-1, 2-3, ..., and the last port of
// the last group stays free, as some port must. So any two groups have the
// mean number of links between them, rounded down or up.
//
// Switch numbers are router order, group by group. Ports of a router: hosts,
// local links in order of the other router, global links.
type dragonfly struct {
	name string
	// groups: in all, per group, per router, global links per router (0 for one group)
	groups, routers, hosts, global int
	bytesPerSecond                 float64
	latency, globalLatency         time.Duration
	joined                         []uint64 // bit router x groups + group: has a link to that other group
	route                          *DragonflyRoute
	t                              *Topology
}

func (s *spec) dragonfly() (*dragonfly, error) {
	p := &dragonfly{name: s.text}
	p.groups = s.int("groups", -1, 1)
	p.routers = s.int("routers", -1, 1)
	p.hosts = s.int("hosts", -1, 1)
	p.global = s.int("global", -1, 0)
	p.bytesPerSecond, p.latency = s.wires()
	p.globalLatency = s.latency("global-latency-ns", p.latency)
	if s.bare != "" {
		s.complain("field %q is not KEY=VALUE", clip(s.bare))
	}
	if len(s.missing) == 0 {
		p.checkShape(s)
	}
	return p, s.done()
}

// checkShape tests the constraints between fields and the total size.
func (p *dragonfly) checkShape(s *spec) {
	if p.groups == 1 {
		p.global = 0
	} else if float64(p.routers)*float64(p.global) < float64(p.groups-1) {
		s.complain("routers*global must be at least groups-1 = %d, so that every two groups are joined: "+
			"it is %d*%d", p.groups-1, p.routers, p.global)
	}
	switches := float64(p.groups) * float64(p.routers)
	links := switches * (2*float64(p.hosts) + float64(p.routers-1) + float64(p.global))
	if most := max(links, p.entries()); most > MaxLinks {
		s.complain("%.3g hosts, %.3g links and %.3g routing entries are too many: at most %d of each",
			switches*float64(p.hosts), links, p.entries(), MaxLinks)
	}
}

// entries bounds the length of every slice of the routes together: the tables
// by (router, group) and, where some groups have parallel links, those by
// router at the far end, with their lists.
func (p *dragonfly) entries() float64 {
	groups, routers := float64(p.groups), float64(p.routers)
	switches := groups * routers
	if p.groups == 1 {
		return switches
	}
	pair := float64((p.ports() + p.groups - 2) / (p.groups - 1)) // links between two groups
	wide := min(pair, routers)                                   // routers that these end at
	entries := switches * groups
	if pair > 1 {
		entries += switches*(groups+(groups-1)*(2*wide+min(pair, wide*wide))) + groups*(groups-1)*pair*wide
	}
	return entries
}

// ports is the number of global ports of a group.
func (p *dragonfly) ports() int { return p.routers * p.global }

func (p *dragonfly) build() (*Topology, error) {
	switches := p.groups * p.routers
	t := &Topology{Name: p.name, HostNames: numbered("n", switches*p.hosts)}
	for g := range p.groups {
		t.SwitchNames = append(t.SwitchNames, numbered("group"+strconv.Itoa(g)+"-router", p.routers)...)
	}
	if err := t.wire(p.wiring()); err != nil {
		return nil, err
	}
	p.t, t.distance = t, p
	t.addLevel(Level{"leaf", blocks(t.Hosts(), p.hosts)})
	t.addLevel(Level{"group", blocks(t.Hosts(), p.hosts*p.routers)})
	t.Routes = p.routes()
	return t, t.Check()
}

// wiring lists the cables of hosts, of groups, and between groups.
func (p *dragonfly) wiring() []cable {
	switches := p.groups * p.routers
	hosts := switches * p.hosts
	cables := make([]cable, 0, hosts+switches*(p.routers-1+p.global)/2)
	for h := range hosts {
		cables = append(cables, cable{int32(h), int32(hosts + h/p.hosts), -1, -1, p.bytesPerSecond, p.latency})
	}
	for s := range switches {
		for other := s + 1; other < (s/p.routers+1)*p.routers; other++ {
			cables = append(cables, cable{int32(hosts + s), int32(hosts + other), -1, -1, p.bytesPerSecond, p.latency})
		}
	}
	for s := range switches {
		for k := range p.global {
			group, port := s/p.routers, s%p.routers*p.global+k
			otherGroup, otherPort, ok := p.peer(group, port)
			if !ok || otherGroup < group {
				continue
			}
			other := otherGroup*p.routers + otherPort/p.global
			before := p.hosts + p.routers - 1
			cables = append(cables, cable{int32(hosts + s), int32(hosts + other), int32(before + k),
				int32(before + otherPort%p.global),
				p.bytesPerSecond, p.globalLatency})
		}
	}
	return cables
}

// peer is the group and the port of it where a group's global port leads;
// false for the one port that is free when there is an odd number of them.
func (p *dragonfly) peer(group, port int) (otherGroup, otherPort int, ok bool) {
	others := p.groups - 1
	whole := p.ports() / others * others
	if port < whole {
		back := port%others + 1 // how many groups before this one
		return (group - back + p.groups) % p.groups, port - port%others + others - back, true
	}
	extra, left := port-whole, p.ports()-whole
	nearest := 1
	if left%2 == 1 && p.groups%2 == 1 {
		left--
		if extra == left {
			return group ^ 1, port, group < p.groups-1
		}
		nearest = 2 // the groups next to each other may have theirs already
	}
	mirror := left - 1 - extra
	back := nearest + extra
	switch {
	case extra == mirror:
		back = p.groups / 2
	case extra > mirror:
		back = p.groups - nearest - mirror
	}
	return (group - back + p.groups) % p.groups, whole + mirror, true
}

// links is the length of the shortest way of at most one local, one global and
// one local link, the way that Routes takes: a local link is saved at either
// end whose router has a global link to the other's group, both only if that
// is one and the same link. A way through a third group may be shorter, and is
// not legal.
func (p *dragonfly) links(from, to int32) int32 {
	here, there := from/int32(p.routers), to/int32(p.routers)
	switch {
	case from == to:
		return 0
	case here == there:
		return 1
	}
	out, in := p.joins(from, there), p.joins(to, here)
	switch {
	case !out && !in:
		return 3
	case out && in:
		r := p.t.Routes
		link := r.Channels[r.Offsets[p.route.group(from, to)]] / r.VirtualChannels
		if p.t.SwitchOf(p.t.Links[link].To) == to {
			return 1
		}
	}
	return 2
}

// joins tells whether a router has a link to another group.
func (p *dragonfly) joins(router, group int32) bool {
	bit := router*int32(p.groups) + group
	return p.joined[bit>>6]>>(bit&63)&1 == 1
}
