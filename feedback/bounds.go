package feedback

import (
	"fmt"
	"slices"

	"remap/mapping"
)

// Bound is a time that the links it is named for need for the job's bytes under
// a mapping: that mapping cannot be faster.
type Bound struct {
	Name string  // injection or ejection (hosts' links), heavy rank, taper (links above the leaf switches of a fat tree), network (links between switches elsewhere), foreign load (those, at the rates that others leave: an estimate)
	NS   float64 // of the most loaded one
	Any  bool    // no mapping can be faster
}

const (
	// NearBound is how near to the bound of hosts' links a time must be for the
	// search to end.
	NearBound = 1.05
	// heavyRank is how many times the bytes of the median rank the busiest
	// must send or receive to be called the bound.
	heavyRank = 2
	// littleCongestion is the share of congested ports below which, even by the
	// finer definition, there is nothing to learn.
	littleCongestion = 0.01
)

// bound is the largest bound of a candidate.
func (s *search) bound(c *Candidate) Bound {
	machine := s.Problem.Machine
	var out, in, between, left float64 // seconds
	for l, seconds := range mapping.LinkLoads(machine, s.Problem.Allocation, s.Traffic, c.Mapping) {
		switch link := &machine.Links[l]; {
		case machine.IsHost(link.From):
			out = max(out, seconds)
		case machine.IsHost(link.To):
			in = max(in, seconds)
		default:
			between = max(between, seconds)
			left = max(left, seconds/max(leastFree, 1-c.digest.state.foreign[l]))
		}
	}
	b := Bound{Name: "injection", NS: out * 1e9, Any: s.single()}
	if in > out {
		b.Name, b.NS = "ejection", in*1e9
	}
	if b.Any && s.heaviest() {
		b.Name = "heavy rank"
	}
	if ns := between * 1e9; ns > b.NS {
		b = Bound{Name: "network", NS: ns}
		if s.classes.Tree {
			b.Name = "taper"
		}
	}
	if ns := left * 1e9; ns > b.NS*NearBound {
		b = Bound{Name: "foreign load", NS: ns}
	}
	if b.NS < s.Floor.NS {
		return s.Floor
	}
	return b
}

// single tells whether no two ranks can share a host, and all hosts' links are
// equal: then these carry the same under every mapping.
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
			if machine.Links[first+k].BytesPerSecond != machine.Links[begin+k].BytesPerSecond {
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

// nothingToGain tells why to end before any feedback, or after some; empty when
// there may be something to gain.
func (s *search) nothingToGain(b Bound) string {
	elapsed := float64(s.best.Summary.ElapsedNS)
	switch {
	case b.NS <= 0 || elapsed < b.NS*0.99: // none, or of other volumes than the judge's
		return ""
	case (b.Any || b.Name == "injection" || b.Name == "ejection") && elapsed <= b.NS*NearBound:
		return fmt.Sprintf("nothing to gain: within %.1f %% of the %s bound of %.1f us", 100*max(0, elapsed/b.NS-1), b.Name, b.NS/1000)
	}
	return ""
}

// unhindered tells whether the best mapping's packets meet next to no
// congestion, by the finer definition too.
func (s *search) unhindered(b Bound, finer *judgement) string {
	hops, congested := int64(0), int64(0)
	for _, r := range finer.Repeats {
		hops += r.PortHops
		congested += r.Congested
	}
	if hops == 0 || float64(congested) > littleCongestion*float64(hops) {
		return ""
	}
	return fmt.Sprintf("nothing to gain: %.2f %% of the ports that packets cross are congested; the %s bound is %.1f us", 100*float64(congested)/float64(hops), b.Name, b.NS/1000)
}
