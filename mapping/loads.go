package mapping

import (
	"cmp"
	"slices"

	"remap/commgraph"
	"remap/topology"
)

// LinkLoads is the time every directed link needs to carry its share of the
// traffic, in seconds; length links. At every switch a message's bytes divide
// equally over the minimal next links; a host with several rails divides them
// equally over the pairs of source and destination rail of least distance.
// Injection and ejection links count, each direction alone. The mapping must
// pass Check.
//
// Bytes are added up by destination switch, then passed on from switch to
// switch in order of falling distance, touching only switches that hold any:
// O(entries + sum over destination switches of links out of the switches on
// shortest paths to them).
func LinkLoads(machine *topology.Topology, a *Allocation, traffic *commgraph.Traffic, m Mapping) []float64 {
	loads := make([]float64, len(machine.Links))
	demands := hostLinks(machine, traffic, m.Hosts(a), loads)
	slices.SortFunc(demands, func(x, y demand) int {
		return cmp.Or(cmp.Compare(x.to, y.to), cmp.Compare(x.from, y.from))
	})
	s := spreader{
		machine: machine,
		loads:   loads,
		held:    make([]float64, machine.Switches()),
		listed:  make([]bool, machine.Switches()),
	}
	for first := 0; first < len(demands); {
		end := first
		for end < len(demands) && demands[end].to == demands[first].to {
			end++
		}
		s.spread(demands[first:end])
		first = end
	}
	for l := range loads {
		loads[l] /= machine.Links[l].BytesPerSecond
	}
	return loads
}

// demand is bytes to be carried between two different switches (switch numbers).
type demand struct {
	from, to int32
	bytes    float64
}

// hostLinks adds the bytes of injection and ejection links to loads and
// returns what remains to be carried between switches.
func hostLinks(machine *topology.Topology, traffic *commgraph.Traffic, hosts []int32, loads []float64) []demand {
	demands := make([]demand, 0, len(traffic.Destinations))
	var rails []railPair
	for r := range int32(len(hosts)) {
		first, end := traffic.Row(r)
		for i := first; i < end; i++ {
			from, to := hosts[r], hosts[traffic.Destinations[i]]
			if from == to || traffic.Bytes[i] == 0 {
				continue
			}
			rails = nearestRails(rails[:0], machine, from, to)
			share := float64(traffic.Bytes[i]) / float64(len(rails))
			for _, p := range rails {
				loads[p.injection] += share
				loads[p.ejection] += share
				leaf, last := machine.SwitchOf(machine.Links[p.injection].To), machine.SwitchOf(machine.Links[p.ejection].From)
				if leaf != last {
					demands = append(demands, demand{leaf, last, share})
				}
			}
		}
	}
	return demands
}

// railPair is a way out of one host and into another, as link indexes.
type railPair struct{ injection, ejection int32 }

// nearestRails appends the pairs of rails of least distance.
func nearestRails(buffer []railPair, machine *topology.Topology, from, to int32) []railPair {
	first, end := machine.Out(from)
	entries := machine.Ejection(to)
	if end-first == 1 && len(entries) == 1 {
		return append(buffer, railPair{first, entries[0]})
	}
	best := int32(-1)
	for out := first; out < end; out++ {
		leaf := machine.SwitchOf(machine.Links[out].To)
		for _, in := range entries {
			d := machine.SwitchDistance(leaf, machine.SwitchOf(machine.Links[in].From))
			if d < 0 || best >= 0 && d > best {
				continue
			}
			if d != best {
				best, buffer = d, buffer[:0]
			}
			buffer = append(buffer, railPair{out, in})
		}
	}
	return buffer
}

// spreader carries bytes toward one destination switch at a time.
type spreader struct {
	machine *topology.Topology
	loads   []float64 // length links: bytes so far
	held    []float64 // length switches: bytes that have arrived and not left; 0 between calls
	listed  []bool    // length switches: stands in layers; false between calls
	layers  [][]int32 // switches that hold bytes, by distance to the destination
	next    []int32
}

// spread carries demands that share their destination.
func (s *spreader) spread(demands []demand) {
	to := demands[0].to
	for _, d := range demands {
		s.add(d.from, s.machine.SwitchDistance(d.from, to), d.bytes)
	}
	for distance := len(s.layers) - 1; distance > 0; distance-- {
		for _, sw := range s.layers[distance] {
			s.next = s.machine.MinimalNext(s.next[:0], s.machine.NodeOf(sw), to)
			share := s.held[sw] / float64(len(s.next))
			for _, l := range s.next {
				s.loads[l] += share
				if after := s.machine.SwitchOf(s.machine.Links[l].To); after != to {
					s.add(after, int32(distance-1), share)
				}
			}
			s.held[sw], s.listed[sw] = 0, false
		}
		s.layers[distance] = s.layers[distance][:0]
	}
}

// add gives bytes to a switch at a distance from the destination.
func (s *spreader) add(sw, distance int32, bytes float64) {
	for int(distance) >= len(s.layers) {
		s.layers = append(s.layers, nil)
	}
	if !s.listed[sw] {
		s.listed[sw] = true
		s.layers[distance] = append(s.layers[distance], sw)
	}
	s.held[sw] += bytes
}
