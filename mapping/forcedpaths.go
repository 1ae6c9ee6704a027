package mapping

import "remap/topology"

// forcedPaths finds the links that no shortest path avoids, one destination switch at
// a time. There the shortest paths are a graph without cycles, whose nodes are in
// order of their distance to the destination.
//
// Every path from a switch meets next(x), the first switch that all have in common: its
// immediate postdominator. So what must pass a switch x is what x sends itself and what
// must pass those switches whose next is x, and where all candidates of x lead to one
// switch, it must cross the links to that switch (Cooper, Harvey and Kennedy 2001).
type forcedPaths struct {
	machine *topology.Topology
	first   []int32    // length links: first link between the same two switches in this direction
	rates   []float64  // length links: of all links between them, at the first
	bytes   []float64  // length links: that must cross them, at the first
	cells   []cellPair // one for each level above leaf switches

	// For the destination in hand.
	held     []float64 // length switches: bytes that must pass
	distance []int32   // length switches: to the destination; -1 = on no path
	next     []int32   // length switches: the switch that all paths meet first
	// length switches: the first link of those to the only next switch, -1 = there are several
	alone  []int32
	layers [][]int32 // switches by distance
	links  []int32
}

// cellPair is what goes from one group of a level to another without a third between.
// Of the switch that is looked at, direct tells whether all paths leave its group for that
// of the destination in hand.
type cellPair struct {
	of     []int32              // length switches: group of its hosts, -1 = none or several
	rates  map[[2]int32]float64 // of all links from one group to another
	bytes  map[[2]int32]float64 // that must cross them
	direct []bool               // length switches
}

func newForcedPaths(machine *topology.Topology) *forcedPaths {
	n, switches := len(machine.Links), machine.Switches()
	f := &forcedPaths{machine: machine,
		first: make([]int32, n), rates: make([]float64, n), bytes: make([]float64, n),
		held: make([]float64, switches), distance: make([]int32, switches),
		next: make([]int32, switches), alone: make([]int32, switches)}
	seen := make([]int32, machine.Hosts()+switches) // node: the first link to it from the node in hand
	for sw := range int32(switches) {
		f.distance[sw] = -1
		begin, end := machine.Out(machine.NodeOf(sw))
		for l := end - 1; l >= begin; l-- {
			seen[machine.Links[l].To] = l
		}
		for l := begin; l < end; l++ {
			f.first[l] = seen[machine.Links[l].To]
			f.rates[f.first[l]] += machine.Links[l].BytesPerSecond
		}
	}
	for i := range machine.Levels {
		if level := &machine.Levels[i]; i > 0 && level.Groups() > 1 {
			f.cells = append(f.cells, newCellPair(machine, level))
		}
	}
	return f
}

func newCellPair(machine *topology.Topology, level *topology.Level) cellPair {
	const mixed = -2
	n := machine.Switches()
	c := cellPair{make([]int32, n), map[[2]int32]float64{}, map[[2]int32]float64{}, make([]bool, n)}
	for sw := range c.of {
		c.of[sw] = -1
	}
	for h, group := range level.Group {
		switch of := &c.of[machine.LeafSwitch(int32(h))]; *of {
		case -1, group:
			*of = group
		default:
			*of = mixed
		}
	}
	for sw, group := range c.of {
		c.of[sw] = max(group, -1)
	}
	for l := range machine.Links {
		link := &machine.Links[l]
		if machine.IsHost(link.From) || machine.IsHost(link.To) {
			continue
		}
		from, to := c.of[machine.SwitchOf(link.From)], c.of[machine.SwitchOf(link.To)]
		if from >= 0 && to >= 0 && from != to {
			c.rates[[2]int32{from, to}] += link.BytesPerSecond
		}
	}
	return c
}

// seconds is the most that any of the sets of links needs for what must cross it.
func (f *forcedPaths) seconds(demands []demand) (most float64) {
	demands = byDestination(demands, f.machine.Switches())
	for first := 0; first < len(demands); {
		end := first
		for end < len(demands) && demands[end].to == demands[first].to {
			end++
		}
		f.toward(demands[first:end])
		first = end
	}
	for l, bytes := range f.bytes {
		if bytes > 0 {
			most = max(most, bytes/f.rates[l])
		}
	}
	for i := range f.cells {
		for pair, bytes := range f.cells[i].bytes {
			most = max(most, bytes/f.cells[i].rates[pair])
		}
	}
	return most
}

// toward adds demands that share their destination.
func (f *forcedPaths) toward(demands []demand) {
	to := demands[0].to
	f.reach(demands)
	for _, layer := range f.layers[1:] {
		for _, sw := range layer {
			f.meet(sw, to)
		}
	}
	for _, d := range demands {
		f.held[d.from] += d.bytes
		for i := range f.cells {
			if c := &f.cells[i]; c.direct[d.from] {
				c.bytes[[2]int32{c.of[d.from], c.of[to]}] += d.bytes
			}
		}
	}
	for distance := len(f.layers) - 1; distance > 0; distance-- {
		for _, sw := range f.layers[distance] {
			if l := f.alone[sw]; l >= 0 {
				f.bytes[l] += f.held[sw]
			}
			if next := f.next[sw]; next != to {
				f.held[next] += f.held[sw]
			}
			f.held[sw] = 0
		}
	}
	for i, layer := range f.layers {
		for _, sw := range layer {
			f.distance[sw] = -1
		}
		f.layers[i] = layer[:0]
	}
}

// reach fills layers with the switches on shortest paths.
func (f *forcedPaths) reach(demands []demand) {
	to := demands[0].to
	f.list(to, 0)
	for _, d := range demands {
		f.list(d.from, f.machine.SwitchDistance(d.from, to))
	}
	for distance := len(f.layers) - 1; distance > 0; distance-- {
		for _, sw := range f.layers[distance] {
			f.links = f.machine.MinimalNext(f.links[:0], f.machine.NodeOf(sw), to)
			for _, l := range f.links {
				f.list(f.machine.SwitchOf(f.machine.Links[l].To), int32(distance-1))
			}
		}
	}
}

func (f *forcedPaths) list(sw, distance int32) {
	for int(distance) >= len(f.layers) {
		f.layers = append(f.layers, nil)
	}
	if f.distance[sw] < 0 {
		f.distance[sw] = distance
		f.layers[distance] = append(f.layers[distance], sw)
	}
}

// meet sets next, alone and direct of a switch, those of nearer ones being known.
func (f *forcedPaths) meet(sw, to int32) {
	f.links = f.machine.MinimalNext(f.links[:0], f.machine.NodeOf(sw), to)
	f.alone[sw] = f.first[f.links[0]]
	f.next[sw] = f.machine.SwitchOf(f.machine.Links[f.links[0]].To)
	for i := range f.cells {
		c := &f.cells[i]
		c.direct[sw] = c.of[sw] >= 0 && c.of[to] >= 0 && c.of[sw] != c.of[to]
	}
	for _, l := range f.links {
		after := f.machine.SwitchOf(f.machine.Links[l].To)
		if f.first[l] != f.alone[sw] {
			f.alone[sw] = -1
		}
		f.next[sw] = f.common(f.next[sw], after)
		for i := range f.cells {
			c := &f.cells[i]
			inside := c.of[after] == c.of[sw] && c.direct[after]
			c.direct[sw] = c.direct[sw] && (inside || c.of[after] == c.of[to])
		}
	}
}

// common is the first switch that all paths from two switches meet.
func (f *forcedPaths) common(a, b int32) int32 {
	for a != b {
		if f.distance[a] < f.distance[b] {
			a, b = b, a
		}
		a = f.next[a]
	}
	return a
}
