package mapping

import (
	"remap/commgraph"
	"remap/topology"
)

// RoutingModel is what loads of links and lower bounds need to know of how packets are
// routed.
type RoutingModel uint8

// What is known of the routing.
const (
	AnyRouting     RoutingModel = iota // nothing, or shortest paths and longer ones as queues decide (UGAL)
	MinimalRouting                     // shortest paths, by any of the candidates of every switch
	StaticRouting                      // destination-modulo: topology.Routes.StaticNext
	ValiantRouting                     // by way of a random one of topology.Routes.Intermediate
)

// RoutingNamed is what is known of a routing of the simulator by its name there
// (evalsim.Routing): adaptive, two-choices, random and hash take shortest paths. Of ugal
// and of every name that is not listed nothing is known.
func RoutingNamed(name string) RoutingModel {
	switch name {
	case "adaptive", "two-choices", "random", "hash":
		return MinimalRouting
	case "static":
		return StaticRouting
	case "valiant":
		return ValiantRouting
	}
	return AnyRouting
}

// LinkLoads is what LinkLoads is for MinimalRouting, under any routing.
//
// Under StaticRouting it is exact, to the byte: every pair of hosts has one route. Only
// hosts with several rails of equal distance, which take turns over messages, have
// equal shares.
//
// Where packets or flows draw among candidates with equal chances (random, hash), equal
// shares are the expectation; a run of hash differs from it, the mean over seeds does
// not. Where queues decide (adaptive, two-choices) equal shares are a model.
//
// Under ValiantRouting it is the expectation too: the switch on the way is drawn with
// equal chances, and a draw of the first or the last switch is the shortest path.
//
// Under AnyRouting loads are those of MinimalRouting: UGAL lies between these and those
// of ValiantRouting.
func (r RoutingModel) LinkLoads(machine *topology.Topology, a *Allocation, traffic *commgraph.Traffic,
	m Mapping) []float64 {
	loads, hosts := make([]float64, len(machine.Links)), m.Hosts(a)
	var demands []demand
	collect := func(d demand) { demands = append(demands, d) }
	tree := newTreeLoads(machine)
	switch {
	case r == StaticRouting:
		staticLoads(machine, traffic, hosts, loads)
	case r == ValiantRouting:
		hostLinks(machine, traffic, hosts, loads, collect)
		spreadValiant(machine, demands, loads)
	case tree != nil:
		hostLinks(machine, traffic, hosts, loads, tree.add)
		tree.spread(loads)
	default:
		hostLinks(machine, traffic, hosts, loads, collect)
		spreadAll(machine, demands, loads)
	}
	for l := range loads {
		loads[l] /= machine.Links[l].BytesPerSecond
	}
	return loads
}

// staticLoads adds the bytes of all links under StaticRouting to loads:
// O(entries + links on the routes from switches to hosts).
func staticLoads(machine *topology.Topology, traffic *commgraph.Traffic, hosts []int32, loads []float64) {
	rails := int32(0) // injection links come first
	for h := range int32(machine.Hosts()) {
		_, rails = machine.Out(h)
	}
	betweenRails(machine, traffic, hosts, loads, int(rails), machine.Reverse, func(d demand) {
		rail := &machine.Links[d.to]
		to := machine.SwitchOf(rail.To)
		for at := d.from; at != to; {
			l := machine.Routes.StaticNext(d.from, at, to, rail.From)
			loads[l] += d.bytes
			at = machine.SwitchOf(machine.Links[l].To)
		}
	})
}

// spreadValiant adds to loads what links between switches are expected to carry of all
// demands by way of a random switch. Of n intermediate switches each gets a share of
// 1/n of what every switch sends, and sends 1/n of what every switch gets. A draw of
// the first or of the last switch is the minimal path between both, which is the same
// formula: O(switches x (switches + links on shortest paths to one)).
func spreadValiant(machine *topology.Topology, demands []demand, loads []float64) {
	switches, count := machine.Switches(), float64(len(machine.Routes.Intermediate))
	if count == 0 {
		spreadAll(machine, demands, loads)
		return
	}
	sent, received, via := make([]float64, switches), make([]float64, switches), make([]bool, switches)
	for _, d := range demands {
		sent[d.from] += d.bytes / count
		received[d.to] += d.bytes / count
	}
	for _, sw := range machine.Routes.Intermediate {
		via[sw] = true
	}
	s, toOne := newSpreader(machine, loads), make([]demand, 0, switches)
	for to := range int32(switches) {
		toOne = toOne[:0]
		for from := range int32(switches) {
			bytes := 0.0
			if via[to] {
				bytes += sent[from]
			}
			if via[from] {
				bytes += received[to]
			}
			if from != to && bytes > 0 {
				toOne = append(toOne, demand{from, to, bytes})
			}
		}
		if len(toOne) > 0 {
			s.spread(toOne)
		}
	}
}
