package evalsim

import (
	"fmt"
	"math"
)

// Networks whose channels depend on the hop, whose candidates are not stored as
// groups, or whose packets may go a longer way, are routed packet by packet.

// checkRouting tests that the network has the routes that the options ask for.
func (n *network) checkRouting(o *Options) error {
	if o.Routing.nonMinimal() && len(n.routes.Intermediate) == 0 {
		return fmt.Errorf("routing %s: topology %s has no ways but the shortest; it is for dragonfly and hyperx",
			o.Routing, n.topology.Name)
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

// detour decides at a packet's first switch whether the packet goes by a random
// intermediate switch. link is the next one of the shortest way.
//
// Under Valiant it always does (Valiant 1982). UGAL-L compares the delay of the shortest
// way with that of the better of ugalWays random ones, and leaves the shortest way when
// its delay is longer by more than ugalBias packets (Singh 2005; Kim et al. 2008, section
// 4.2; two random ways and a bias: Faanes et al. 2012). A random way by the packet's own
// first or last switch is the shortest way and not considered.
//
// One random way is not enough. It may begin with the first link of the shortest way, or
// cross the full link of the shortest way further on, and then avoids nothing: a switch
// knows only its own queues. If f is the share of such random ways, and the hosts of a
// group send H times what the full link takes, the group gets at most 1/(H f) of the
// hosts' rate; with two random ways at most 1/(H f^2). On a dragonfly of 9 groups of 4
// switches, f is 0.31 on average and H is 8.
func (s *simulator) detour(at, to, link, virtual int32, pk *packet) (int32, int32) {
	ways, least, ugal := 1, int64(math.MaxInt64), s.options.Routing == UGAL
	if ugal {
		ways = ugalWays
		least = s.delay(link, s.topology.SwitchDistance(at, to)) - ugalBias*int64(s.full)
	}
	for range ways {
		via := s.routes.Intermediate[s.random.Below(uint32(len(s.routes.Intermediate)))]
		if via == at || via == to {
			continue
		}
		other, otherVirtual := s.toward(at, via, pk)
		delay := int64(0)
		if ugal {
			delay = s.delay(other, s.topology.SwitchDistance(at, via)+s.topology.SwitchDistance(via, to))
		}
		if delay < least {
			least, link, virtual = delay, other, otherVirtual
			pk.to = via | pk.to&partial
		}
	}
	return link, virtual
}

// delay is UGAL's estimate of a way: the queue of its first link, with what is being
// sent, times its links between switches, in bytes.
func (s *simulator) delay(first, links int32) int64 {
	return int64(s.load.bytes[first]) * int64(links)
}
