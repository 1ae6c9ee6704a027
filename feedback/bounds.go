package feedback

import (
	"fmt"
	"slices"

	"remap/mapping"
)

// Bound is a lower bound: the time that the links it is named for need for the job's bytes under a
// mapping. That mapping cannot be faster.
//
// Name is one of
//   - injection or ejection: hosts' links;
//   - heavy rank: the same, where few ranks send or receive much more than most;
//   - taper: links out of or into leaf switches and pods of a fat tree;
//   - network: those of switches and groups elsewhere;
//   - minimal paths: links between two switches or groups that no shortest path avoids, where
//     packets take no others (Problem.Routing);
//   - static routes: a single link, under static routing;
//   - memory: of hosts, for messages between their own ranks;
//   - foreign load: links at the rates that others leave: an estimate.
type Bound struct {
	Name string
	// NS is the time of the most loaded link, in ns.
	NS float64
	// Any: the bound holds for every mapping.
	Any bool
}

// bound is the largest lower bound of a candidate that holds for any routing. It decides whether
// the search ends.
func (s *search) bound(c *Candidate) Bound { return largest(s.bounds(c)) }

// boundOf is the largest lower bound of a candidate, paths included, that its time does not
// contradict. A time below a bound by more than a nanosecond of rounding shows that the bound is an
// estimate that does not hold: that of foreign load may be, or an extrapolation to the full volume.
func (s *search) boundOf(c *Candidate) Bound {
	beaten := func(b Bound) bool { return b.NS > float64(c.Summary.ElapsedNS)+1 }
	return largest(slices.DeleteFunc(append(s.bounds(c), s.paths(c.Mapping)), beaten))
}

// largest is the first of the largest bounds; the zero Bound where none takes any time.
func largest(all []Bound) (most Bound) {
	for _, b := range all {
		if b.NS > most.NS {
			most = b
		}
	}
	return most
}

// bounds are all lower bounds of a candidate that hold for any routing. Foreign load is one of them
// where it is over 5 % more than the others.
func (s *search) bounds(c *Candidate) []Bound {
	if s.cuts == nil {
		s.cuts = newCuts(s.Problem.Machine)
	}
	hosts := c.Mapping.Hosts(s.Problem.Allocation)
	out, in, _ := s.cuts[0].seconds(s.Problem.Machine, s.Traffic, hosts, nil)
	b := Bound{Name: "injection", NS: out * 1e9, Any: s.single()}
	if in > out {
		b.Name, b.NS = "ejection", in*1e9
	}
	if b.Any && s.heaviest() {
		b.Name = "heavy rank"
	}
	foreign := c.observed.links.foreign
	if s.Alone { // links lose nothing to others
		foreign = nil
	}
	between, left := 0.0, 0.0
	for i := range s.cuts[1:] {
		out, in, busy := s.cuts[i+1].seconds(s.Problem.Machine, s.Traffic, hosts, foreign)
		between, left = max(between, out, in), max(left, busy)
	}
	all := []Bound{b, {Name: "network", NS: between * 1e9},
		{Name: "memory", NS: s.copying(hosts) * 1e9}, s.LowerBound}
	if s.classes.Tree {
		all[1].Name = "taper"
	}
	if ns := left * 1e9; ns > largest(all).NS*NearBound {
		all = append(all, Bound{Name: "foreign load", NS: ns})
	}
	return all
}

// paths is the lower bound of links that the routing cannot avoid.
func (s *search) paths(m mapping.Mapping) Bound {
	p := s.Problem
	b := Bound{Name: "minimal paths", NS: 1e9 * p.Routing.PathSeconds(p.Machine, p.Allocation, s.Traffic, m)}
	if p.Routing == mapping.StaticRouting {
		b.Name = "static routes"
	}
	return b
}

// copying is the most seconds that a host's memory needs for the messages between its own ranks.
func (s *search) copying(hosts []int32) (most float64) {
	if s.Memory == nil {
		return 0
	}
	bytes := make([]int64, s.Problem.Machine.Hosts())
	for r, host := range hosts {
		for i, end := s.Traffic.Row(int32(r)); i < end; i++ {
			if hosts[s.Traffic.Destinations[i]] == host {
				bytes[host] += s.Traffic.Bytes[i]
			}
		}
	}
	for host, own := range bytes {
		if own > 0 {
			most = max(most, float64(own)/s.Memory(int32(host)))
		}
	}
	return most
}

// single tells whether no two ranks can share a host and the links of all hosts have equal rates.
// These links then carry the same bytes under every mapping.
func (s *search) single() bool {
	a, machine := s.Problem.Allocation, s.Problem.Machine
	for i, h := range a.Hosts {
		if a.Slots != nil && a.Slots[i] != 1 {
			return false
		}
		first, end := machine.Out(h)
		begin, stop := machine.Out(a.Hosts[0])
		if end-first != stop-begin {
			return false
		}
		for k := range end - first {
			mine, other := first+k, begin+k
			mineBack, otherBack := machine.Reverse(mine), machine.Reverse(other)
			if machine.Links[mine].BytesPerSecond != machine.Links[other].BytesPerSecond ||
				machine.Links[mineBack].BytesPerSecond != machine.Links[otherBack].BytesPerSecond {
				return false
			}
		}
	}
	return true
}

// heaviest tells whether few ranks send, or receive, much more than the others.
func (s *search) heaviest() bool {
	t := s.Traffic
	sent, received := make([]int64, t.Ranks()), make([]int64, t.Ranks())
	for r := range int32(t.Ranks()) {
		first, end := t.Row(r)
		for i := first; i < end; i++ {
			sent[r] += t.Bytes[i]
			received[t.Destinations[i]] += t.Bytes[i]
		}
	}
	most := max(slices.Max(sent), slices.Max(received))
	slices.Sort(sent)
	return most > heavyRank*sent[len(sent)/2]
}

// nothingToGain is why the search ends with a best mapping that takes `elapsed` ns; empty when
// there may be something to gain.
func nothingToGain(b Bound, elapsed float64) string {
	switch {
	case elapsed == 0:
		return "nothing to gain: no message takes any time"
	case b.NS <= 0 || elapsed < b.NS*impossible: // no bound, or one that does not hold
		return ""
	case (b.Any || b.Name == "injection" || b.Name == "ejection" || b.Name == "memory") &&
		elapsed <= b.NS*NearBound:
		what := "nothing to gain"
		if !b.Any { // other ranks on each host could need less
			what = "no congestion to avoid"
		}
		return fmt.Sprintf("%s: within %.1f %% of the %s bound of %.1f us", what, 100*max(0, elapsed/b.NS-1),
			b.Name, b.NS/1000)
	}
	return ""
}

// unhindered is why the search ends where the packets of the best mapping meet next to no
// congestion, by the finer definition too; empty where they do.
func (s *search) unhindered(b Bound, finer *savedEvaluation) string {
	hops, congested := int64(0), int64(0)
	for _, r := range finer.Repeats {
		hops += r.PortHops
		congested += r.Congested
	}
	if hops == 0 || float64(congested) > littleCongestion*float64(hops) {
		return ""
	}
	share := "none"
	if congested > 0 {
		share = fmt.Sprintf("%.2g %%", 100*float64(congested)/float64(hops))
	}
	return fmt.Sprintf("no congestion to avoid: %s of the ports that packets cross are congested; "+
		"the %s bound is %.1f us", share, b.Name, b.NS/1000)
}
