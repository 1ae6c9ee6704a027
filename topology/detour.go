package topology

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
// Networks routed so have hosts on every switch. Cost: O(switches x switches
// with failed links + what changes), what changes being counted in pairs of a
// switch and a destination.
type detours struct {
	*switchGraph // of the links that are left
	whole        *Topology
	kept         []int32 // length links of whole: index here, -1 = failed
	tails        []int32 // switches with failed links
	route        *DetourRoute
	lists        *lists // groups of candidates of route, numbered after those of the whole network

	// For the destination in hand.
	touched  []int32   // length switches: the last destination for which it was found
	lost     []int32   // switches off the way
	off      []uint16  // length switches: links to the first switch on the way; 0 on it
	length   []uint16  // length switches: links to the destination of those off the way
	byLength [][]int32 // switches to look at, by their links to the destination

	mostOff, longest int // of all destinations
	scratch, mapped  []int32
}

// detour sets distance and Routes of a network that some links have been taken
// out of; false when that would take more than maxChannels virtual channels, or
// too much memory.
func (t *Topology) detour(whole *Topology, kept []int32) bool {
	switches, own := t.Switches(), whole.Routes
	if switches > maxDetourSwitches {
		return false
	}
	d := &detours{switchGraph: newSwitchGraph(t), whole: whole, kept: kept, route: own.Detours.clone(switches),
		lists: newLists(), longest: own.longest(),
		touched: make([]int32, switches), off: make([]uint16, switches), length: make([]uint16, switches),
		scratch: make([]int32, 0, maxDimensions)}
	for l := range whole.Links {
		from := whole.Links[l].From
		if kept[l] < 0 && (len(d.tails) == 0 || d.tails[len(d.tails)-1] != whole.SwitchOf(from)) {
			d.tails = append(d.tails, whole.SwitchOf(from))
		}
	}
	for s := range d.touched {
		d.touched[s] = -1
	}
	for leaf := range int32(switches) {
		d.toLeaf(leaf)
		channels := d.longest
		if !own.PerHop {
			channels = d.mostOff + int(own.VirtualChannels)
		}
		if channels > maxChannels || len(d.route.groups) > maxDetourPages*detourPage {
			return false
		}
	}
	t.Routes = d.routes()
	t.distance = &detourDistance{before: whole.distance, route: d.route}
	return true
}

// longest is the number of links of the longest path of a network with a
// virtual channel per hop.
func (r *Routes) longest() int {
	if r.Intermediate != nil {
		return int(r.VirtualChannels) / 2
	}
	return int(r.VirtualChannels)
}

// toLeaf finds what changes on the way to one destination: which switches get
// off the way, which only lose some of their candidates, and where they go.
func (d *detours) toLeaf(leaf int32) {
	for _, s := range d.tails {
		if s != leaf {
			d.touch(s, leaf)
		}
	}
	// Nearest first: a switch is on the way if one of its next switches is.
	for k := 0; k < len(d.byLength); k++ {
		for _, s := range d.byLength[k] {
			left, all := d.own(s, leaf)
			if len(left) > 0 && len(left) == all {
				continue
			}
			if len(left) > 0 {
				d.set(s, leaf, left, uint16(k))
				continue
			}
			d.lost, d.off[s] = append(d.lost, s), unreachable
			for _, v := range d.adjacent(s) {
				if d.whole.SwitchDistance(v, leaf) == int32(k+1) {
					d.touch(v, leaf)
				}
			}
		}
		d.byLength[k] = d.byLength[k][:0]
	}
	d.measure(leaf)
	for _, s := range d.lost {
		d.set(s, leaf, d.candidates(s, leaf), d.length[s])
		d.mostOff, d.longest = max(d.mostOff, int(d.off[s])), max(d.longest, int(d.length[s]))
	}
	for _, s := range d.lost {
		d.off[s] = 0
	}
	d.lost = d.lost[:0]
}

// set makes channels the candidates at a switch that is length links away.
func (d *detours) set(s, leaf int32, channels []int32, length uint16) {
	before := len(d.whole.Routes.Offsets) - 1
	d.route.set(s, leaf, int32(before)+d.lists.group(channels), length)
}

// touch has a switch looked at, once for a destination.
func (d *detours) touch(s, leaf int32) {
	if d.touched[s] != leaf {
		d.touched[s] = leaf
		d.await(s, int(d.whole.SwitchDistance(s, leaf)))
	}
}

func (d *detours) await(s int32, length int) {
	for len(d.byLength) <= length {
		d.byLength = append(d.byLength, nil)
	}
	d.byLength[length] = append(d.byLength[length], s)
}

// measure sets length and off of the switches off the way, nearest first.
func (d *detours) measure(leaf int32) {
	for _, s := range d.lost {
		d.length[s] = unreachable
		for _, v := range d.adjacent(s) {
			if d.off[v] == 0 {
				d.length[s] = min(d.length[s], d.links(v, leaf)+1)
			}
		}
		if d.length[s] != unreachable {
			d.await(s, int(d.length[s]))
		}
	}
	for k := 0; k < len(d.byLength); k++ {
		for _, s := range d.byLength[k] {
			if int(d.length[s]) != k {
				continue // there was a shorter one
			}
			for _, v := range d.adjacent(s) {
				switch length := int(d.links(v, leaf)); {
				case length == k-1:
					d.off[s] = min(d.off[s], d.off[v]+1)
				case length > k+1 && d.off[v] > 0:
					d.length[v] = uint16(k + 1)
					d.await(v, k+1)
				}
			}
		}
		d.byLength[k] = d.byLength[k][:0]
	}
}

// links is the length of the path from a switch to the destination, as far as
// it is known.
func (d *detours) links(s, leaf int32) uint16 {
	if d.off[s] > 0 {
		return d.length[s]
	}
	return uint16(d.whole.SwitchDistance(s, leaf))
}

// own gives the whole network's candidates that are left and lead on to a
// switch on the way, as channels here, and how many are left in all.
func (d *detours) own(s, leaf int32) (channels []int32, all int) {
	r := d.whole.Routes
	channels = d.mapped[:0]
	for _, c := range r.CandidatesIn(d.scratch, s, leaf) {
		l := d.kept[c/r.VirtualChannels]
		if l < 0 {
			continue
		}
		if all++; d.off[d.t.SwitchOf(d.t.Links[l].To)] == 0 {
			channels = append(channels, l*maxChannels+c%r.VirtualChannels)
		}
	}
	d.mapped = channels
	return channels, all
}

// candidates gives the channels by which a switch off the way goes on: to those
// one link closer both to the destination and to the way.
func (d *detours) candidates(s, leaf int32) []int32 {
	channel := int32(0)
	if r := d.whole.Routes; !r.PerHop {
		channel = r.VirtualChannels + int32(d.off[s]) - 1
	}
	channels := d.mapped[:0]
	first, end := d.t.Out(d.t.NodeOf(s))
	for l := first; l < end; l++ {
		if to := d.t.Links[l].To; !d.t.IsHost(to) {
			if v := d.t.SwitchOf(to); d.off[v] == d.off[s]-1 && d.links(v, leaf) == d.length[s]-1 {
				channels = append(channels, l*maxChannels+channel)
			}
		}
	}
	d.mapped = channels
	return channels
}

// routes are the whole network's without the failed links, and the detours.
func (d *detours) routes() *Routes {
	r, own := *d.whole.Routes, d.whole.Routes
	switch {
	case !own.PerHop:
		r.VirtualChannels = own.VirtualChannels + int32(d.mostOff)
	case own.Intermediate != nil && 2*d.longest <= maxChannels:
		r.VirtualChannels = hopChannels(d.longest)
	default:
		r.VirtualChannels, r.Intermediate = int32(max(d.longest, 1)), nil
	}
	r.Offsets, r.Channels = []int32{0}, nil
	for g := range len(own.Offsets) - 1 {
		for _, c := range own.Channels[own.Offsets[g]:own.Offsets[g+1]] {
			if l := d.kept[c/own.VirtualChannels]; l >= 0 {
				r.Channels = append(r.Channels, l*r.VirtualChannels+c%own.VirtualChannels)
			}
		}
		r.Offsets = append(r.Offsets, int32(len(r.Channels)))
	}
	before := int32(len(r.Channels))
	for _, c := range d.lists.channels {
		r.Channels = append(r.Channels, c/maxChannels*r.VirtualChannels+c%maxChannels)
	}
	for _, end := range d.lists.offsets[1:] {
		r.Offsets = append(r.Offsets, before+end)
	}
	r.Detours = d.route
	if own.HyperX != nil {
		r.HyperX = own.HyperX.without(d.kept, r.VirtualChannels)
	}
	return &r
}
