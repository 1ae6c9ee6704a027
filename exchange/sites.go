package exchange

import (
	"encoding/binary"
	"math"

	"remap/mapping"
	"remap/topology"
)

// sites groups the slots of an allocation by the switches their hosts are connected to. Hosts with
// rails to the same switches, in the same order and at the same prices, are one site: they are
// equally far from everything. In most networks a site is a leaf switch.
type sites struct {
	// length slots: host of the topology
	host []int32
	// of (length slots) is the site of a slot.
	of []int32
	// sample (length sites) is a host of the site. Sites are numbered in order of their first slot.
	sample []int32
	// first (length sites+1): site i has the slots slots[first[i]:first[i+1]].
	first []int32
	// length slots, ascending within a site
	slots []int32
	// shared: some host has several slots.
	shared bool
	// alike: exchanges within a site change nothing. That is so with one slot a host, equal rates
	// and prices of all links of hosts, and routes that do not depend on the host.
	alike bool

	// length sites+1
	nearFirst []int32
	// near are the sites that fewest links lead to from each site, the site itself left out.
	near []int32
}

func newSites(p *mapping.Problem) *sites {
	machine := p.Machine
	s := &sites{host: p.Allocation.HostOfSlot()}
	s.of = make([]int32, len(s.host))
	known := map[string]int32{}
	var key []byte
	for slot, h := range s.host {
		if slot > 0 && s.host[slot-1] == h {
			s.shared = true
			s.of[slot] = s.of[slot-1]
			continue
		}
		key = key[:0]
		first, end := machine.Out(h)
		for l := first; l < end; l++ {
			key = binary.LittleEndian.AppendUint32(key, uint32(machine.Links[l].To))
			if p.LinkCost != nil {
				key = binary.LittleEndian.AppendUint64(key, math.Float64bits(p.LinkCost[l]))
				key = binary.LittleEndian.AppendUint64(key, math.Float64bits(p.LinkCost[machine.Reverse(l)]))
			}
		}
		site, ok := known[string(key)]
		if !ok {
			site = int32(len(s.sample))
			known[string(key)] = site
			s.sample = append(s.sample, h)
		}
		s.of[slot] = site
	}
	s.first, s.slots = grouped(s.of, len(s.sample))
	routes := p.Routing == mapping.StaticRouting && p.Objective != mapping.PathLength
	s.alike = !s.shared && p.LinkFree == nil && sameRates(machine, s.host) && !routes
	s.findNear(machine)
	return s
}

// sameRates tells whether all links of the hosts have one rate.
func sameRates(machine *topology.Topology, hosts []int32) bool {
	for _, h := range hosts {
		first, end := machine.Out(h)
		for l := first; l < end; l++ {
			rate := machine.Links[machine.Reverse(l)].BytesPerSecond
			if first, _ := machine.Out(hosts[0]); machine.Links[l].BytesPerSecond != rate ||
				rate != machine.Links[first].BytesPerSecond {
				return false
			}
		}
	}
	return true
}

// count is the number of sites.
func (s *sites) count() int { return len(s.sample) }

// at lists the slots of a site.
func (s *sites) at(site int32) []int32 { return s.slots[s.first[site]:s.first[site+1]] }

// beside lists the sites near a site.
func (s *sites) beside(site int32) []int32 {
	return s.near[s.nearFirst[site]:s.nearFirst[site+1]]
}

// grouped lists the indexes of keys by key: those of key k are items[first[k]:first[k+1]],
// ascending.
func grouped(keys []int32, count int) (first, items []int32) {
	first = make([]int32, count+1)
	for _, k := range keys {
		first[k+1]++
	}
	for k := range count {
		first[k+1] += first[k]
	}
	next := append([]int32(nil), first[:count]...)
	items = make([]int32, len(keys))
	for i, k := range keys {
		items[next[k]] = int32(i)
		next[k]++
	}
	return first, items
}

// findNear searches breadth first from the switches of every site until it meets other sites: the
// neighbours on a torus, the leaf switches of the same pod in a fat tree.
func (s *sites) findNear(machine *topology.Topology) {
	hanging := make([][]int32, machine.Switches()) // sites with a rail at the switch
	for site, h := range s.sample {
		first, end := machine.Out(h)
		for l := first; l < end; l++ {
			sw := machine.SwitchOf(machine.Links[l].To)
			hanging[sw] = append(hanging[sw], int32(site))
		}
	}
	w := nearWalk{machine: machine, hanging: hanging, seen: make([]int32, machine.Switches()),
		listed: make([]int32, s.count())}
	s.nearFirst = make([]int32, 1, s.count()+1)
	for site := range int32(s.count()) {
		s.near = w.from(s.near, site, s.sample[site])
		s.nearFirst = append(s.nearFirst, int32(len(s.near)))
	}
}

// nearWalk is the scratch memory of a breadth-first search over switches.
type nearWalk struct {
	machine *topology.Topology
	hanging [][]int32
	// length switches: site that saw it last, plus 1
	seen []int32
	// length sites: the same
	listed []int32
	queue  []int32
}

// from appends the sites of the nearest layer of switches that has any.
func (w *nearWalk) from(list []int32, site, host int32) []int32 {
	begin, mark := len(list), site+1
	w.queue = w.queue[:0]
	visit := func(node int32) {
		if sw := w.machine.SwitchOf(node); !w.machine.IsHost(node) && w.seen[sw] != mark {
			w.seen[sw] = mark
			w.queue = append(w.queue, sw)
			for _, other := range w.hanging[sw] {
				if other != site && w.listed[other] != mark && len(list)-begin < nearLimit {
					w.listed[other] = mark
					list = append(list, other)
				}
			}
		}
	}
	first, end := w.machine.Out(host)
	for l := first; l < end; l++ {
		visit(w.machine.Links[l].To)
	}
	for i := 0; i < len(w.queue) && len(list) == begin; {
		for layer := len(w.queue); i < layer; i++ {
			first, end := w.machine.Out(w.machine.NodeOf(w.queue[i]))
			for l := first; l < end; l++ {
				visit(w.machine.Links[l].To)
			}
		}
	}
	return list
}

// bySite (levels x sites) is the subtree that holds the leaf switch of each site; nil where
// some host has several rails.
func bySite(t *topology.Subtrees, machine *topology.Topology, s *sites) [][]int32 {
	for _, h := range s.sample {
		if first, end := machine.Out(h); end-first != 1 {
			return nil
		}
	}
	var low [][]int32
	for _, of := range t.Of {
		level := make([]int32, s.count())
		for site, h := range s.sample {
			level[site] = of[machine.LeafSwitch(h)]
		}
		low = append(low, level)
	}
	return low
}
