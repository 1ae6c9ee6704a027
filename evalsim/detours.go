package evalsim

import "fmt"

// Networks whose channels depend on the hop, whose candidates are not stored as
// groups, or whose packets may go a longer way, are routed packet by packet.

// checkRouting tests that the network has the routes that the options ask for.
func (n *network) checkRouting(o *Options) error {
	if o.Routing.nonMinimal() && len(n.routes.Intermediate) == 0 {
		return fmt.Errorf("routing %s: topology %s has no ways but the shortest; it is for dragonfly and hyperx", o.Routing, n.topology.Name)
	}
	return nil
}

// nonMinimal tells whether packets may go by an intermediate switch.
func (r Routing) nonMinimal() bool { return r == Valiant || r == UGAL }

// passOn takes the packets that have reached their intermediate switch out of
// those that have reached their last one.
func (s *simulator) passOn(count *[3]int) {
	kept := 0
	for _, l := range s.landed[ejects][:count[ejects]] {
		pk := &s.packets[l.packet]
		if to := s.messages[pk.message].to; pk.to&^partial != to {
			pk.to = to | pk.to&partial
			s.landed[goesOn][count[goesOn]] = l
			count[goesOn]++
			continue
		}
		s.landed[ejects][kept] = l
		kept++
	}
	count[ejects] = kept
}

// routeEach is route for these networks.
func (s *simulator) routeEach(landings []landing, done int) {
	for i, l := range landings {
		pk := &s.packets[l.packet]
		at, to := s.channels[l.link*s.virtual].leads, pk.to&^partial
		hops := int32(pk.hop & countMask)
		link, virtual := s.toward(at, to, pk)
		if hops == 0 && s.options.Routing.nonMinimal() {
			link, virtual = s.detour(at, to, link, virtual, pk)
		}
		if s.routes.PerHop {
			virtual += hops
		}
		s.moves[done+i] = move{l.packet, link, link*s.virtual + virtual, l.link}
		s.load.bound(link, s.full)
	}
}

// toward chooses the next link of a packet on its shortest way to a switch.
func (s *simulator) toward(at, to int32, pk *packet) (link, virtual int32) {
	if s.routes.Grouped() {
		g := s.groups[s.routes.Group(at, to)]
		if g.count == 1 {
			return g.first, int32(g.virtual)
		}
		return s.choose(at, g, pk)
	}
	channels := s.routes.CandidatesIn(s.candidates[:0], at, to)
	s.candidates = channels
	virtual = channels[0] % s.virtual
	for i := range channels {
		channels[i] /= s.virtual
	}
	if len(channels) == 1 {
		return channels[0], virtual
	}
	return s.pick(at, 0, uint32(len(channels)), channels, pk), virtual
}

// detour decides at a packet's first switch whether it goes by a random
// intermediate switch (Valiant 1982): always, or under UGAL-L only when the
// queue of the shortest way times its links is longer than that of the other
// (Singh 2005; Kim et al. 2008, section 4.2). link is the next one of the
// shortest way.
func (s *simulator) detour(at, to, link, virtual int32, pk *packet) (int32, int32) {
	via := s.routes.Intermediate[s.random.Below(uint32(len(s.routes.Intermediate)))]
	if via == at || via == to {
		return link, virtual
	}
	other, otherVirtual := s.toward(at, via, pk)
	if s.options.Routing == UGAL {
		direct := int64(s.topology.SwitchDistance(at, to))
		around := int64(s.topology.SwitchDistance(at, via) + s.topology.SwitchDistance(via, to))
		if int64(s.load.bytes[link])*direct <= int64(s.load.bytes[other])*around {
			return link, virtual
		}
	}
	pk.to = via | pk.to&partial
	return other, otherVirtual
}
