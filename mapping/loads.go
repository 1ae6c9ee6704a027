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
// pass Check. Routing.LinkLoads has the loads of other routings.
//
// Bytes are added up for each pair of switches. In fat trees these go by what
// leaves and enters every subtree (treeLoads). Elsewhere, and where links have
// failed, they are passed on toward one destination switch at a time, in order
// of falling distance, touching only switches that hold any: O(entries + sum
// over destination switches of links out of the switches on shortest paths to
// them).
func LinkLoads(machine *topology.Topology, a *Allocation, traffic *commgraph.Traffic, m Mapping) []float64 {
	return MinimalRouting.LinkLoads(machine, a, traffic, m)
}

// demand is bytes to be carried between two different switches (switch numbers).
type demand struct {
	from, to int32
	bytes    float64
}

// hostLinks adds the bytes of injection and ejection links to loads and
// hands on what remains to be carried, one demand for each pair of switches
// that has any.
func hostLinks(machine *topology.Topology, traffic *commgraph.Traffic, hosts []int32, loads []float64,
	carry func(demand)) {
	last := func(ejection int32) int32 { return machine.SwitchOf(machine.Links[ejection].From) }
	betweenRails(machine, traffic, hosts, loads, machine.Switches(), last, carry)
}

// betweenRails is hostLinks with one demand for each pair of a first switch and a
// target: to is one of `targets` numbers that target makes of ejection links, each of
// links from one switch only.
func betweenRails(machine *topology.Topology, traffic *commgraph.Traffic, hosts []int32, loads []float64,
	targets int, target func(ejection int32) int32, carry func(demand)) {
	var rails []topology.Rails
	toward := make([]float64, targets) // bytes from the switch in hand
	var reached []int32                // targets with any of them, in order of the first
	flush := func(from int32) {
		for _, to := range reached {
			carry(demand{from, to, toward[to]})
			toward[to] = 0
		}
		reached = reached[:0]
	}
	senders := sendersBySwitch(machine, hosts)
	for k, s := range senders {
		first, end := traffic.Row(s.rank)
		for i := first; i < end; i++ {
			to := hosts[traffic.Destinations[i]]
			if hosts[s.rank] == to || traffic.Bytes[i] == 0 {
				continue
			}
			rails = machine.NearestRails(rails[:0], hosts[s.rank], to)
			share := float64(traffic.Bytes[i]) / float64(len(rails))
			for _, p := range rails {
				if p.Injection != s.injection {
					continue
				}
				loads[p.Injection] += share
				loads[p.Ejection] += share
				if machine.SwitchOf(machine.Links[p.Ejection].From) == s.leaf {
					continue
				}
				to := target(p.Ejection)
				if toward[to] == 0 {
					reached = append(reached, to)
				}
				toward[to] += share
			}
		}
		if k+1 == len(senders) || senders[k+1].leaf != s.leaf {
			flush(s.leaf)
		}
	}
}

// sender is a rank and one of its host's rails.
type sender struct{ rank, injection, leaf int32 }

// sendersBySwitch lists every rank with every rail of its host, in order of
// the switch the rail hangs on.
func sendersBySwitch(machine *topology.Topology, hosts []int32) []sender {
	senders := make([]sender, 0, len(hosts))
	for r, h := range hosts {
		first, end := machine.Out(h)
		for l := first; l < end; l++ {
			senders = append(senders, sender{int32(r), l, machine.SwitchOf(machine.Links[l].To)})
		}
	}
	slices.SortStableFunc(senders, func(x, y sender) int { return cmp.Compare(x.leaf, y.leaf) })
	return senders
}

// byDestination sorts demands by their destination, keeping the order of each;
// O(demands + switches).
func byDestination(demands []demand, switches int) []demand {
	next := make([]int, switches+1)
	for _, d := range demands {
		next[d.to+1]++
	}
	for s := range switches {
		next[s+1] += next[s]
	}
	sorted := make([]demand, len(demands))
	for _, d := range demands {
		sorted[next[d.to]] = d
		next[d.to]++
	}
	return sorted
}

// spreadAll adds to loads what links between switches carry of all demands,
// one destination after the other.
func spreadAll(machine *topology.Topology, demands []demand, loads []float64) {
	demands = byDestination(demands, machine.Switches())
	s := newSpreader(machine, loads)
	for first := 0; first < len(demands); {
		end := first
		for end < len(demands) && demands[end].to == demands[first].to {
			end++
		}
		s.spread(demands[first:end])
		first = end
	}
}

// spreader carries bytes toward one destination switch at a time and adds them to loads.
type spreader struct {
	walk  *topology.Spreader
	loads []float64 // length links: bytes so far
}

func newSpreader(machine *topology.Topology, loads []float64) *spreader {
	return &spreader{topology.NewSpreader(machine), loads}
}

// spread carries demands that share their destination.
func (s *spreader) spread(demands []demand) {
	to := demands[0].to
	for _, d := range demands {
		s.walk.Add(d.from, to, d.bytes)
	}
	s.walk.Spread(to, func(link int32, bytes float64) { s.loads[link] += bytes })
}
