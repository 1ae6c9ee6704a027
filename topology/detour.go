package topology

// maxChannels bounds the virtual channels of a network with failed links: more
// than that no switch has.
const maxChannels = 16

// detours routes a network around failed links so that most routes stay. A
// switch from which a way of the whole network to a destination is left, end to
// end, goes on by it. The others, off the way, take a shortest path, and of
// these one that is soonest at a switch on the way.
//
// Packets that are n links off the way use virtual channel n of those added to
// the whole network's. So channels for fewer links off the way never wait for
// those for more, the ways themselves never wait for any of them, and as there
// was no circle in the ways, there is none now. Where the whole network has a
// virtual channel per hop, packets keep to that, and hops may become more.
//
// Where the whole network's ways are shortest, these are too.
//
// Cost: O(leaf switches x links between switches).
type detours struct {
	*switchGraph
	whole    *Topology
	kept     []int32   // length links of whole: index here, -1 = failed
	off      []uint16  // length switches: links to the first switch on the way to the leaf in hand
	byLength [][]int32 // switches by the links on their way to that leaf
	most     int       // largest of off for any leaf
	scratch  []int32   // for computed candidates of the whole network
	channels []int32   // for those given
}

// detour sets distance and Routes of a network that some links have been taken
// out of; false when that would take more than maxChannels virtual channels.
func (t *Topology) detour(whole *Topology, kept []int32) bool {
	switches, own := t.Switches(), whole.Routes
	if switches > maxTableSwitches {
		return false
	}
	d := &detours{switchGraph: newSwitchGraph(t), whole: whole, kept: kept, off: make([]uint16, switches), scratch: make([]int32, 0, maxDimensions)}
	table, longest := newTable(switches, maxChannels), 1
	for i, leaf := range d.leaves {
		length := d.length[i*switches : (i+1)*switches]
		d.toLeaf(length, leaf)
		for s := range int32(switches) {
			if s == leaf || length[s] == unreachable {
				continue
			}
			if d.most = max(d.most, int(d.off[s])); d.column[s] >= 0 {
				longest = max(longest, int(length[s]))
			}
			if own.PerHop && longest > maxChannels || !own.PerHop && d.most+int(own.VirtualChannels) > maxChannels {
				return false
			}
			table.set(s, leaf, d.candidates(s, leaf, length))
		}
	}
	t.distance, t.Routes = d.switchGraph, table.routes
	if t.Routes.PerHop = own.PerHop; !own.PerHop {
		t.Routes.widen(own.VirtualChannels + int32(d.most))
		return true
	}
	if own.Intermediate != nil && 2*longest <= maxChannels {
		t.Routes.widen(hopChannels(longest))
		t.Routes.Intermediate = d.leaves
		return true
	}
	t.Routes.widen(int32(longest))
	return true
}

// widen sets another number of virtual channels.
func (r *Routes) widen(channels int32) {
	for i, c := range r.Channels {
		r.Channels[i] = c/r.VirtualChannels*channels + c%r.VirtualChannels
	}
	r.VirtualChannels = channels
}

// toLeaf fills length (length switches) and off with the way to one leaf.
func (d *detours) toLeaf(length []uint16, leaf int32) {
	for k := range d.byLength {
		d.byLength[k] = d.byLength[k][:0]
	}
	for s := range length {
		length[s], d.off[s] = unreachable, unreachable
		if before := d.whole.SwitchDistance(int32(s), leaf); before >= 0 {
			d.add(int32(s), int(before))
		}
	}
	length[leaf], d.off[leaf] = 0, 0
	for k := 1; k < len(d.byLength); k++ {
		left := d.byLength[k][:0]
		for _, s := range d.byLength[k] {
			if length[s] = uint16(k); len(d.own(s, leaf, length)) > 0 {
				d.off[s], left = 0, append(left, s)
			} else {
				length[s] = unreachable
			}
		}
		d.byLength[k] = left
	}
	for k := 0; k < len(d.byLength); k++ {
		for _, s := range d.byLength[k] {
			for _, v := range d.adjacent(s) {
				if length[v] == unreachable {
					length[v] = uint16(k + 1)
					d.add(v, k+1)
				}
				if length[v] == uint16(k+1) {
					d.off[v] = min(d.off[v], d.off[s]+1)
				}
			}
		}
	}
}

func (d *detours) add(s int32, length int) {
	for len(d.byLength) <= length {
		d.byLength = append(d.byLength, nil)
	}
	d.byLength[length] = append(d.byLength[length], s)
}

// own gives the whole network's candidates that are left and lead on to a
// switch on the way, as channels here.
func (d *detours) own(s, leaf int32, length []uint16) []int32 {
	r := d.whole.Routes
	channels := d.channels[:0]
	for _, c := range r.CandidatesIn(d.scratch, s, leaf) {
		l := d.kept[c/r.VirtualChannels]
		if l < 0 {
			continue
		}
		if v := d.t.SwitchOf(d.t.Links[l].To); d.off[v] == 0 && length[v] == length[s]-1 {
			channels = append(channels, l*maxChannels+c%r.VirtualChannels)
		}
	}
	d.channels = channels
	return channels
}

// candidates gives the channels to go on by, in scratch memory: on the way by
// the whole network's, else to switches one link closer both to the leaf and
// to the way.
func (d *detours) candidates(s, leaf int32, length []uint16) []int32 {
	if d.off[s] == 0 {
		return d.own(s, leaf, length)
	}
	channel := int32(0)
	if !d.whole.Routes.PerHop {
		channel = d.whole.Routes.VirtualChannels + int32(d.off[s]) - 1
	}
	channels := d.channels[:0]
	first, end := d.t.Out(d.t.NodeOf(s))
	for l := first; l < end; l++ {
		if to := d.t.Links[l].To; !d.t.IsHost(to) {
			if v := d.t.SwitchOf(to); length[v] == length[s]-1 && d.off[v] == d.off[s]-1 {
				channels = append(channels, l*maxChannels+channel)
			}
		}
	}
	d.channels = channels
	return channels
}
