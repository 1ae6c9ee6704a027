package topology

import (
	"slices"
	"sync"
)

// PathLinks knows the links that packets may cross, so that a receiver need not
// suspect others (Taffet 2018, sections 5.2 and 5.5). It goes by what Routes
// offers: exactly what adaptive, two-choices and random routing may take. Hashed
// and static routing take fixed ones of the candidates at every switch, so for
// them the sets are supersets.
//
// Under non-minimal routing (Valiant, UGAL) a packet between two switches may
// also go by any switch of Routes.Intermediate, minimally before and after. So
// its links are those on minimal ways from its first switch to any intermediate
// one, and those on minimal ways from any of these to its last switch: again
// exactly these, each half computed once a switch.
//
// Sets are computed when they are first asked for and kept, in at most 256 MB;
// beyond that those not used for longest are dropped in bulk. A set costs
// O(its links) the first time; under non-minimal routing O(links of the network
// + switches x links on minimal ways) the first time for its first and its last
// switch, then O(its ranges). Safe for concurrent use; a hit takes no lock.
type PathLinks struct {
	t          *Topology
	nonMinimal bool
	ways       *setCache // by two switches: links between switches on minimal ways
	whole      *setCache // by first switch and ejection link: what Between gives
	walkers    sync.Pool // of *walker
}

// NewPathLinks makes the sets of a network, under minimal or non-minimal
// routing. Where Routes has no Intermediate, non-minimal is minimal.
func NewPathLinks(t *Topology, nonMinimal bool) *PathLinks {
	p := &PathLinks{t: t, nonMinimal: nonMinimal && len(t.Routes.Intermediate) > 0,
		ways: newSetCache(maxPathBytes), whole: newSetCache(maxPathBytes)}
	p.walkers.New = func() any { return newWalker(t) }
	return p
}

// All is every switch output port, those into hosts included: no pruning.
func (p *PathLinks) All() []LinkRange {
	first := p.t.firstLink[p.t.Hosts()]
	if count := int32(len(p.t.Links)) - first; count > 0 {
		return []LinkRange{{first, count}}
	}
	return nil
}

// Between lists the switch output ports (no injection links; the last one into
// the host included) that a packet may cross which enters by injection link
// `in` and leaves by ejection link `out`: ranges ascending, disjoint, not
// adjacent; empty when there is no way. The result is shared: do not write. It
// stays as it is as long as the caller holds it.
func (p *PathLinks) Between(in, out int32) []LinkRange {
	from := p.t.SwitchOf(p.t.Links[in].To)
	key := pairKey(from, out)
	if s := p.whole.get(key); s != nil {
		return s.ranges
	}
	ranges := p.append(nil, from, out)
	if cap(ranges) > len(ranges)+len(ranges)/8 {
		ranges = slices.Clone(ranges) // keep no more memory than it needs
	}
	return p.whole.put(key, ranges).ranges
}

// Append appends what Between lists to buffer. It keeps no set for every
// ejection link, so all pairs of hosts take no more memory than all pairs of
// switches do, but copies, and under non-minimal routing merges, at every call.
func (p *PathLinks) Append(buffer []LinkRange, in, out int32) []LinkRange {
	return p.append(buffer, p.t.SwitchOf(p.t.Links[in].To), out)
}

func (p *PathLinks) append(buffer []LinkRange, from, out int32) []LinkRange {
	to := p.t.SwitchOf(p.t.Links[out].From)
	if from == to {
		return append(buffer, LinkRange{out, 1})
	}
	ways := p.between(from, to)
	switch {
	case len(ways) == 0:
		return buffer
	case p.nonMinimal:
		return union(buffer, ways, p.between(from, anySwitch), p.between(anySwitch, to), []LinkRange{{out, 1}})
	}
	return withLink(slices.Grow(buffer, len(ways)+1), ways, out)
}

// Place is the number (from 1) of switch output ports crossed when link is
// crossed, and the number of them on the whole path, for a packet as in Between
// under minimal routing: all its ways have the same length, those around failed
// links too, because every candidate leads one link closer. 0, 0 when the link
// is on none, and under non-minimal routing between two different switches.
func (p *PathLinks) Place(in, out, link int32) (place, length int) {
	t := p.t
	from, to := t.SwitchOf(t.Links[in].To), t.SwitchOf(t.Links[out].From)
	if from == to {
		if link == out {
			return 1, 1
		}
		return 0, 0
	}
	if p.nonMinimal {
		return 0, 0
	}
	ways := p.between(from, to)
	if len(ways) == 0 {
		return 0, 0
	}
	links := int(t.SwitchDistance(from, to))
	if link == out {
		return links + 1, links + 1
	}
	if !hasLink(ways, link) {
		return 0, 0
	}
	return links - int(t.SwitchDistance(t.SwitchOf(t.Links[link].From), to)) + 1, links + 1
}

// pairKey names a set by two numbers.
func pairKey(a, b int32) uint64 { return uint64(uint32(a))<<32 | uint64(uint32(b)) }

// anySwitch stands for all intermediate switches.
const anySwitch = -1

// between gives the links between switches on minimal ways from one to another,
// either of which may be anySwitch.
func (p *PathLinks) between(from, to int32) []LinkRange {
	key := pairKey(from, to)
	if s := p.ways.get(key); s != nil {
		return s.ranges
	}
	w := p.walkers.Get().(*walker)
	defer p.walkers.Put(w)
	switch {
	case to == anySwitch:
		return p.ways.put(key, w.scatter(from)).ranges
	case from == anySwitch:
		return p.ways.put(key, w.gather(to)).ranges
	}
	return p.ways.put(key, w.minimal(from, to)).ranges
}
