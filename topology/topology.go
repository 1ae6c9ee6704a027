// Package topology describes machines: hosts, switches, the directed links
// between them with rate and latency, distances, candidate next hops and the
// hierarchy of places.
package topology

import (
	"math"
	"time"
)

// Link is one direction of a cable, identified by its index in Topology.Links.
type Link struct {
	// From, To: nodes.
	From, To       int32
	BytesPerSecond float64
	Latency        time.Duration
	// FromPort: port number at From, as printed in links files; from 0 for generated networks.
	FromPort int32
}

// Level is one grouping of hosts, such as "leaf" or "pod".
type Level struct {
	Name string
	// Group (length hosts): group of every host, numbered 0.. in order of their first host.
	Group []int32
}

// Groups is the number of groups of the level.
func (l *Level) Groups() int {
	top := int32(-1)
	for _, g := range l.Group {
		top = max(top, g)
	}
	return int(top + 1)
}

// Topology is a machine. Node numbers: hosts 0..Hosts()-1, then switches:
// switch s is node Hosts()+s. Links leaving a node are consecutive in Links.
//
// Invariants (Check): every link has its reverse; every host has at least one
// link, all of them to switches; every two hosts have rails that reach each
// other (networks of several planes have none between the planes).
type Topology struct {
	// Name: the spec or the file's name.
	Name string
	// HostNames: length hosts, unique.
	HostNames []string
	// SwitchNames: length switches, unique.
	SwitchNames []string
	// Links: sorted by From.
	Links []Link
	// Levels: finest (hosts on one leaf switch) first; each nests in the next; may be empty.
	Levels []Level
	// Routes: deadlock-free next hops for the simulator.
	Routes *Routes
	// Warnings: what a reader had to assume or leave out; nil for generated networks.
	Warnings []string
	// Ports: length links: the port each leaves, as its fabric knows it; nil unless read from a
	// fabric file
	Ports []FabricPort
	// Origin: length links, ascending: LinkNumber of every link; nil unless some links have failed
	Origin []int32

	firstLink []int32 // length nodes+1: links of node v are Links[firstLink[v]:firstLink[v+1]]
	reverse   []int32 // length links: the other direction of the same cable
	hostIndex map[string]int32
	distance  switchDistance
}

// switchDistance is the metric of a network: the number of links on a shortest
// legal path from a switch to a switch that has hosts.
type switchDistance interface {
	// links counts links between switch numbers (not nodes); -1 = unreachable.
	links(from, to int32) int32
}

// Hosts is the number of hosts.
func (t *Topology) Hosts() int { return len(t.HostNames) }

// Switches is the number of switches.
func (t *Topology) Switches() int { return len(t.SwitchNames) }

// IsHost tells whether a node is a host.
func (t *Topology) IsHost(node int32) bool { return int(node) < len(t.HostNames) }

// SwitchOf is the switch number of a switch node.
func (t *Topology) SwitchOf(node int32) int32 { return node - int32(len(t.HostNames)) }

// NodeOf is the node of a switch number.
func (t *Topology) NodeOf(sw int32) int32 { return sw + int32(len(t.HostNames)) }

// NodeName is the host's or switch's name.
func (t *Topology) NodeName(node int32) string {
	if t.IsHost(node) {
		return t.HostNames[node]
	}
	return t.SwitchNames[t.SwitchOf(node)]
}

// Out is the range of link indexes that leave a node. A host's are its rails.
func (t *Topology) Out(node int32) (first, end int32) {
	return t.firstLink[node], t.firstLink[node+1]
}

// HostIndex finds a host by name.
func (t *Topology) HostIndex(name string) (int32, bool) {
	h, ok := t.hostIndex[name]
	return h, ok
}

// Reverse is the link in the other direction of the same cable.
func (t *Topology) Reverse(link int32) int32 { return t.reverse[link] }

// Ejection is the links that enter a host, one a rail, in the order of Out.
// The slice is shared: do not write.
func (t *Topology) Ejection(host int32) []int32 {
	return t.reverse[t.firstLink[host]:t.firstLink[host+1]]
}

// LeafSwitch is the switch number that the host's first rail hangs on.
func (t *Topology) LeafSwitch(host int32) int32 {
	return t.SwitchOf(t.Links[t.firstLink[host]].To)
}

// SwitchDistance is the number of links on a shortest path from a switch to a
// switch with hosts (switch numbers); -1 when no legal path leads there, which
// can only be where no packet passes.
func (t *Topology) SwitchDistance(from, to int32) int32 { return t.distance.links(from, to) }

// PathLength is the number of switches between two hosts: 0 for one and the
// same host, 1 on one leaf switch; the least over their rails.
func (t *Topology) PathLength(a, b int32) int32 {
	if a == b {
		return 0
	}
	fa, ea := t.Out(a)
	fb, eb := t.Out(b)
	best := int32(math.MaxInt32)
	for i := fa; i < ea; i++ {
		for j := fb; j < eb; j++ {
			d := t.distance.links(t.SwitchOf(t.Links[i].To), t.SwitchOf(t.Links[j].To))
			if d >= 0 && d < best {
				best = d
			}
		}
	}
	return best + 1
}

// MinimalNext appends to buffer the links that packets take from switch node
// `node` toward switch number `to` (a switch with hosts); nothing when node is that
// switch. These are the candidates of Routes: on grids those of dimension order.
// Trees have them by distance, which is quicker there and gives the same links.
func (t *Topology) MinimalNext(buffer []int32, node, to int32) []int32 {
	if r := t.Routes; r != nil && r.Intervals == nil {
		if t.SwitchOf(node) == to {
			return buffer
		}
		var scratch [maxDimensions]int32
		for _, c := range r.CandidatesIn(scratch[:], t.SwitchOf(node), to) {
			buffer = append(buffer, c/r.VirtualChannels)
		}
		return buffer
	}
	here := t.distance.links(t.SwitchOf(node), to)
	first, end := t.Out(node)
	for l := first; l < end; l++ {
		next := t.Links[l].To
		if !t.IsHost(next) && t.distance.links(t.SwitchOf(next), to) == here-1 {
			buffer = append(buffer, l)
		}
	}
	return buffer
}
