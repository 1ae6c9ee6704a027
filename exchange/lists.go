package exchange

import "remap/topology"

// lists are the links from sites to targets with the share of every byte that each link carries. A
// list is made when it is needed first and kept in a bounded amount of memory; when that is full,
// all are dropped. Results do not depend on what is kept. A target is a site, or a host where
// routes depend on the host.
type lists struct {
	machine *topology.Topology
	sites   *sites
	links   *links
	// targets is a host of each target.
	targets []int32
	// of (length slots) is the target of a slot.
	of    []int32
	pairs map[int64]list
	// table (length sites x targets) replaces pairs where it is small.
	table []list
	room  []entry
	// blocks is how many blocks of entries were made so far.
	blocks int
	// size is the entries of a block.
	size int
	walk unitWalk
}

// entry is a class of links and the share of a byte it carries. For the first entries of a list the
// class counts from links.rails of a host.
type entry struct {
	share float64
	class int32
}

// list is what one byte from a site to a target loads.
type list struct {
	// entries are rails out, rails in, then classes between switches.
	entries []entry
	// out and in are how many rails of the sender and of the receiver there are.
	out, in  int32
	computed bool
}

func newLists(machine *topology.Topology, s *sites, k *links) *lists {
	c := &lists{machine: machine, sites: s, links: k, size: blockEntries, targets: s.sample, of: s.of}
	if k.static {
		c.targets, c.of = nil, make([]int32, len(s.host))
		for slot, h := range s.host { // slots of a host follow each other
			if slot == 0 || s.host[slot-1] != h {
				c.targets = append(c.targets, h)
			}
			c.of[slot] = int32(len(c.targets) - 1)
		}
	}
	c.walk.init(machine, k)
	c.forget()
	return c
}

func (c *lists) forget() {
	c.blocks, c.room = 0, nil
	if n := c.sites.count() * len(c.targets); n <= tablePairs {
		c.table = make([]list, n)
	} else {
		c.pairs = map[int64]list{}
	}
}

// between is the list from a site to a slot of another host. The entries must be used before the
// next call.
func (c *lists) between(from, slot int32) list {
	at := int64(from)*int64(len(c.targets)) + int64(c.of[slot])
	if c.table != nil {
		if l := c.table[at]; l.computed {
			return l
		}
	} else if l, known := c.pairs[at]; known {
		return l
	}
	l := c.compute(from, slot)
	if c.table != nil {
		c.table[at] = l
	} else {
		c.pairs[at] = l
	}
	return l
}

func (c *lists) compute(from, slot int32) list {
	a, b := c.sites.sample[from], c.targets[c.of[slot]]
	var rails []topology.Rails
	if from == c.sites.of[slot] {
		a = b
		rails = c.sameSite(a)
	} else {
		rails = c.machine.NearestRails(nil, a, b)
	}
	share := 1 / float64(len(rails))
	firstOut, end := c.machine.Out(a)
	entries := c.machine.Ejection(b)
	out, in := make([]float64, end-firstOut), make([]float64, len(entries))
	c.walk.begin()
	for _, r := range rails {
		out[r.Injection-firstOut] += share
		for j, l := range entries {
			if l == r.Ejection {
				in[j] += share
			}
		}
		first, last := c.machine.Links[r.Injection].To, c.machine.Links[r.Ejection].From
		c.walk.carry(c.machine.SwitchOf(first), c.machine.SwitchOf(last), b, share)
	}
	l := list{computed: true}
	room := c.reserve(len(out) + len(in) + len(c.walk.touched))
	for i, share := range out {
		if share > 0 {
			room = append(room, entry{share, int32(i)})
			l.out++
		}
	}
	for j, share := range in {
		if share > 0 {
			room = append(room, entry{share, int32(len(in) + j)})
			l.in++
		}
	}
	for _, class := range c.walk.touched {
		room = append(room, entry{c.walk.share[class], class})
	}
	l.entries = room[:len(room):len(room)]
	c.room = c.room[len(room):]
	return l
}

// sameSite is what NearestRails returns for two hosts of one site: the rails that meet on a switch.
func (c *lists) sameSite(host int32) []topology.Rails {
	first, end := c.machine.Out(host)
	entries := c.machine.Ejection(host)
	var rails []topology.Rails
	for l := first; l < end; l++ {
		for _, e := range entries {
			if c.machine.Links[l].To == c.machine.Links[e].From {
				rails = append(rails, topology.Rails{Injection: l, Ejection: e})
			}
		}
	}
	return rails
}

// reserve makes room for `count` entries, as an empty slice.
func (c *lists) reserve(count int) []entry {
	if count > len(c.room) {
		if c.blocks == cacheBlocks {
			c.forget()
		}
		c.room = make([]entry, max(c.size, count))
		c.blocks++
	}
	return c.room[:0:count]
}

// unitWalk carries shares of a byte from switch to switch, as mapping.LinkLoads does: in equal
// parts over all shortest paths (topology.Spreader), or by the one route to a host.
type unitWalk struct {
	machine *topology.Topology
	links   *links
	// share (length classes) is what each class carries.
	share []float64
	// touched are the classes with a share, in order of the first.
	touched []int32
	walk    *topology.Spreader
}

func (w *unitWalk) init(machine *topology.Topology, k *links) {
	w.machine, w.links = machine, k
	w.share = make([]float64, len(k.slowest))
	w.walk = topology.NewSpreader(machine)
}

func (w *unitWalk) begin() {
	for _, c := range w.touched {
		w.share[c] = 0
	}
	w.touched = w.touched[:0]
}

func (w *unitWalk) load(class int32, share float64) {
	if w.share[class] == 0 {
		w.touched = append(w.touched, class)
	}
	w.share[class] += share
}

// carry adds a share from one switch to another, where it leaves for a host.
func (w *unitWalk) carry(from, to, host int32, share float64) {
	if w.links.static {
		for at := from; at != to; {
			l := w.machine.Routes.StaticNext(from, at, to, host)
			w.load(w.links.class[l], share)
			at = w.machine.SwitchOf(w.machine.Links[l].To)
		}
		return
	}
	if w.links.tree != nil {
		for _, of := range w.links.tree.Of {
			if of[from] == of[to] {
				return
			}
			w.load(w.links.bottom+2*of[from], share)
			w.load(w.links.bottom+2*of[to]+1, share)
		}
		return
	}
	if from == to {
		return
	}
	w.walk.Add(from, to, share)
	w.walk.Spread(to, func(link int32, part float64) { w.load(w.links.class[link], part) })
}
