package counters

import (
	"strings"

	"remap/topology"
)

// index finds the link that leaves a port.
type index struct {
	machine *topology.Topology
	lids    map[uint64]int32   // LID and port
	guids   map[guidPort]int32 // of nodes and of ports
	nodes   map[string]int32   // by name
	owners  map[uint64]string  // names of nodes by GUID
	known   map[uint32]bool    // LIDs
}

type guidPort struct {
	guid   uint64
	number int32
}

func lidPort(lid uint32, number int32) uint64 { return uint64(lid)<<32 | uint64(uint32(number)) }

func newIndex(machine *topology.Topology) *index {
	x := &index{machine: machine, lids: map[uint64]int32{}, guids: map[guidPort]int32{},
		nodes: map[string]int32{}, owners: map[uint64]string{}, known: map[uint32]bool{}}
	for l := range machine.Ports {
		p := &machine.Ports[l]
		owner := machine.NodeName(machine.Links[l].From)
		if p.LID > 0 {
			x.lids[lidPort(p.LID, p.Number)], x.known[p.LID] = int32(l), true
		}
		for _, guid := range []uint64{p.Node, p.GUID} {
			if guid > 0 {
				x.guids[guidPort{guid, p.Number}], x.owners[guid] = int32(l), owner
			}
		}
	}
	for v := range int32(machine.Hosts() + machine.Switches()) {
		x.nodes[machine.NodeName(v)] = v
	}
	return x
}

// ofPort is the link that leaves a port of a dump, by its LID or else its GUID.
func (x *index) ofPort(p *port) (link int32, known bool) {
	if p.lid > 0 {
		if link, known = x.lids[lidPort(p.lid, p.number)]; known {
			return link, true
		}
	}
	link, known = x.guids[guidPort{p.guid, p.number}]
	return link, known && p.guid > 0
}

// idle tells whether a port without a link is one of a node of the network that
// has no cable, and so nothing to tell.
func (x *index) idle(p *port) bool {
	_, known := x.owners[p.guid]
	return (known || x.known[p.lid]) && p.sent.value == 0 && p.received.value == 0
}

// node finds a node by its name, or by its name before the first dot.
func (x *index) node(name string) (int32, bool) {
	if v, known := x.nodes[name]; known {
		return v, true
	}
	short, _, _ := strings.Cut(name, ".")
	v, known := x.nodes[short]
	return v, known
}

// place says where a row of a table was measured; empty fields and a negative
// number are not known.
type place struct {
	from, to, device string
	number           int32
}

// links lists the links that a place may mean.
func (x *index) links(p place) []int32 {
	node, known := x.node(p.from)
	if !known {
		return nil
	}
	var all, named []int32
	first, end := x.machine.Out(node)
	for l := first; l < end; l++ {
		link := &x.machine.Links[l]
		if p.to != "" && x.machine.NodeName(link.To) != p.to {
			continue
		}
		// generated networks number rails from 0, adapters have ports from 1
		numbered := x.machine.Ports != nil || p.device == ""
		if numbered && p.number >= 0 && link.FromPort != p.number {
			continue
		}
		all = append(all, l)
		if x.machine.Ports != nil && p.device != "" && x.machine.Ports[l].Device == p.device {
			named = append(named, l)
		}
	}
	if len(all) > 1 && len(named) > 0 {
		return named
	}
	return all
}
