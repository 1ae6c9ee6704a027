package mapping

import (
	"remap/commgraph"
	"remap/topology"
)

// PathSeconds is a time that no run under this routing is shorter than: the most
// seconds that links between switches need for bytes which no path avoids.
//
// Under StaticRouting these are the loads of single links. Under MinimalRouting they are
// what must cross all parallel links from one switch to the next, as every shortest path
// does, and what must cross all links from the sender's group of a level to the
// receiver's, such as the global links between two groups of a dragonfly. In fat trees
// with all their links these say no more than the links that leave a subtree do under
// any routing. There, and under other routings, PathSeconds is 0.
//
// Of hosts with several rails only those bytes count whose pairs of rails all join the
// same two switches.
//
// O(entries + sum over destination switches of links out of the switches on shortest
// paths to them, times levels).
func (r RoutingModel) PathSeconds(machine *topology.Topology, a *Allocation, traffic *commgraph.Traffic,
	m Mapping) float64 {
	hosts := m.Hosts(a)
	switch {
	case machine.Routes == nil:
		return 0
	case r == StaticRouting:
		return staticSeconds(machine, traffic, hosts)
	case r == MinimalRouting && machine.Subtrees() == nil:
		var demands []demand
		collect := func(d demand) { demands = append(demands, d) }
		hostLinks(machine, oneWay(machine, traffic, hosts), hosts, make([]float64, len(machine.Links)), collect)
		return newForcedPaths(machine).seconds(demands)
	}
	return 0
}

// staticSeconds is the most that a link between switches needs under StaticRouting.
func staticSeconds(machine *topology.Topology, traffic *commgraph.Traffic, hosts []int32) (most float64) {
	loads := make([]float64, len(machine.Links))
	staticLoads(machine, oneWay(machine, traffic, hosts), hosts, loads)
	for l, bytes := range loads {
		if link := &machine.Links[l]; !machine.IsHost(link.From) && !machine.IsHost(link.To) {
			most = max(most, bytes/link.BytesPerSecond)
		}
	}
	return most
}

// oneWay is the traffic between hosts whose nearest rails all join the same two
// switches: all of it where hosts have one rail.
func oneWay(machine *topology.Topology, traffic *commgraph.Traffic, hosts []int32) *commgraph.Traffic {
	several := false
	for _, h := range hosts {
		several = several || len(machine.Ejection(h)) > 1
	}
	if !several {
		return traffic
	}
	left := *traffic
	left.Bytes = make([]int64, len(traffic.Bytes))
	var rails []topology.Rails
	for r := range int32(traffic.Ranks()) {
		for i, end := traffic.Row(r); i < end; i++ {
			to := hosts[traffic.Destinations[i]]
			if to == hosts[r] {
				continue
			}
			rails = machine.NearestRails(rails, hosts[r], to)
			left.Bytes[i] = traffic.Bytes[i]
			for _, p := range rails[1:] {
				if machine.Links[p.Injection].To != machine.Links[rails[0].Injection].To ||
					machine.Links[p.Ejection].From != machine.Links[rails[0].Ejection].From {
					left.Bytes[i] = 0
				}
			}
		}
	}
	return &left
}
