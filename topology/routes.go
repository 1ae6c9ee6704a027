package topology

// Routes are the next hops a packet may take, deadlock-free by construction,
// as a function of the switch it is at and the switch its host hangs on.
// A channel is link x VirtualChannels + virtual channel; every channel has
// its own buffer downstream.
//
// Five schemes cover all networks. Intervals: a switch sends down to the
// switches numbered [Low, High) by table, anything else up (fat trees; a few
// bytes a switch). Dimension order: the first coordinate that differs is
// corrected, on the dateline channel of that ring (Dally and Seitz 1987); half-way
// round a ring both directions are candidates (see GridRoute).
// Dragonfly: at most a local, a global and a local link. HyperX: any coordinate
// that differs, by the one link that corrects it.
// Table: one entry for every pair of switch and switch with hosts. Where links
// have failed, Detours may come before any of them.
type Routes struct {
	VirtualChannels int32
	Switches        int

	// PerHop says that candidates are given for virtual channel 0, and that a
	// packet takes the channel as many places after it as links between
	// switches it has crossed: candidate + hops. Channels of later hops never
	// wait for earlier ones, so nothing can wait in a circle (Günther 1981).
	// VirtualChannels is the longest path, or with Intermediate twice that, so
	// that a way over any of these fits, minimal before and after (Valiant 1982).
	// Injection and ejection links are always used on virtual channel 0.
	PerHop bool

	// Intermediate (ascending) are the switches that non-minimal routing may go
	// by; nil = the network has no non-minimal routing.
	Intermediate []int32

	// Groups of candidate channels, flat: group g is Channels[Offsets[g]:Offsets[g+1]].
	Offsets  []int32
	Channels []int32

	// Intervals: length switches, or nil.
	Intervals []Interval
	// Detours: what comes before the scheme below, where links have failed; or nil.
	Detours *DetourRoute
	// Table: length switches x switches, or nil: group, row = where the packet is; -1 = no way
	Table []int32
	// Grid: or nil.
	Grid *GridRoute
	// Dragonfly: or nil.
	Dragonfly *DragonflyRoute
	// HyperX: or nil.
	HyperX *HyperXRoute

	// StaticDivisor (length switches): destination-modulo routing takes candidate
	// (host / StaticDivisor) mod candidates; nil = 1.
	StaticDivisor []int32
}

// Interval routes at one switch: destinations in [Low, High) take group
// Base + (destination-Low)/Divide, all others take group Up (-1: no way).
type Interval struct{ Low, High, Divide, Base, Up int32 }

// GridRoute routes in dimension order, in every ring the shorter way round.
//
// On a ring of even extent the switch half-way round is equally far in both
// directions. Both are candidates then, down before up, so that a routing which
// chooses by packet divides such traffic over both; after the first link one
// direction is the shorter one. Routings that keep a pair's packets in order
// choose by TieUp.
//
// Virtual channels of a ring and direction: a packet that has the link between the
// last and the first switch (the dateline) still to cross uses channel 0, that link
// included. After it, or when its way does not lead over it, it uses channel 1.
// No packet on channel 1 crosses the dateline, and none on channel 0 goes on behind
// it, so neither channel closes a circle of buffers that wait for each other, and
// channel 1 never waits for channel 0 of the same ring (Dally and Seitz 1987).
// A tie is decided once, at the first switch of the ring, so this holds for it too.
type GridRoute struct {
	Dimensions int32
	// Coordinates: length switches x dimensions.
	Coordinates []int16
	// Extents: length dimensions.
	Extents []int16
	// Wrap (length dimensions): a ring, not a line.
	Wrap []bool

	// Groups of (switch, dimension, direction 0 down 1 up, dateline channel 0 or 1):
	// length switches x dimensions x 4.
	Groups []int32

	// Ties are the groups toward the switch half-way round, of channel down and
	// channel up: length switches x dimensions; -1 = the dimension has no such switch.
	Ties []int32
}

// Candidates are the channels a packet at switch number `at` may take toward
// switch number `to` (a switch with hosts, not `at` itself); nil when there is
// no way. Between planes that no link joins (SwitchDistance is negative) the
// answer means nothing. The slice is shared: do not write. Only where there are
// no groups it is made for the call, see CandidatesIn.
func (r *Routes) Candidates(at, to int32) []int32 {
	if r.HyperX != nil {
		return r.CandidatesIn(nil, at, to)
	}
	group := r.Group(at, to)
	if group < 0 {
		return nil
	}
	return r.Channels[r.Offsets[group]:r.Offsets[group+1]]
}

// CandidatesIn is Candidates without a new slice in any network: a list that
// is made for the call is made in scratch's memory. Eight entries are enough
// without failures; longer lists get new memory. Do not write to the result, nor use it after
// scratch has been used again.
func (r *Routes) CandidatesIn(scratch []int32, at, to int32) []int32 {
	if r.HyperX == nil {
		return r.Candidates(at, to)
	}
	if r.Detours != nil {
		if g := r.Detours.group(at, to); g >= 0 {
			return append(scratch[:0], r.Channels[r.Offsets[g]:r.Offsets[g+1]]...)
		}
	}
	return r.HyperX.candidates(scratch[:0], at, to)
}

// Grouped tells whether lists of candidates are stored as groups; if not, they
// are computed for every call and only Candidates and CandidatesIn have them.
func (r *Routes) Grouped() bool { return r.HyperX == nil }

// Group is the number of the group that Candidates lists; -1 = no way, or the
// network is not Grouped.
func (r *Routes) Group(at, to int32) int32 {
	if r.HyperX != nil {
		return -1
	}
	if r.Detours != nil {
		if g := r.Detours.group(at, to); g >= 0 {
			return g
		}
	}
	switch {
	case r.Intervals != nil:
		iv := &r.Intervals[at]
		if to < iv.Low || to >= iv.High {
			return iv.Up
		}
		group := to - iv.Low
		if iv.Divide > 1 {
			group /= iv.Divide
		}
		return group + iv.Base
	case r.Grid != nil:
		return r.Grid.group(at, to)
	case r.Dragonfly != nil:
		return r.Dragonfly.group(at, to)
	}
	return r.Table[int(at)*r.Switches+int(to)]
}

// hopChannels is the number of virtual channels when every hop on the way over
// an intermediate switch has its own and no minimal path has more than longest
// links.
func hopChannels(longest int) int32 { return int32(max(2*longest, 2)) }

// ascending is 0, 1, ..., count-1.
func ascending(count int) []int32 {
	all := make([]int32, count)
	for i := range all {
		all[i] = int32(i)
	}
	return all
}

// group corrects the first coordinate that differs.
func (g *GridRoute) group(at, to int32) int32 {
	d := g.Dimensions
	a, b := g.Coordinates[at*d:(at+1)*d], g.Coordinates[to*d:(to+1)*d]
	for k := range d {
		if a[k] == b[k] {
			continue
		}
		up := b[k] > a[k]
		if g.Wrap[k] {
			ahead := b[k] - a[k]
			if ahead < 0 {
				ahead += g.Extents[k]
			}
			if 2*ahead == g.Extents[k] {
				return g.Ties[at*d+k]
			}
			up = 2*ahead < g.Extents[k]
		}
		return g.Groups[g.entry(at, k, up, up != (b[k] > a[k]))]
	}
	return -1
}

// entry is where Groups has the channels of a direction, for a way that crosses
// the dateline or not.
func (g *GridRoute) entry(at, dimension int32, up, wraps bool) int32 {
	i := (at*g.Dimensions + dimension) * 4
	if up {
		i += 2
	}
	if !wraps {
		i++
	}
	return i
}

// TieUp is the direction at a tie in a dimension for routings that keep the packets
// of a pair in order: up when the coordinates of the first and of the last switch,
// without the last one's in this dimension, have an odd sum. Next to each other
// along the ring the directions alternate, and where an extent is not a multiple of
// four, the other coordinates even out what alternation leaves.
func (g *GridRoute) TieUp(from, to, dimension int32) bool {
	d := g.Dimensions
	sum := -g.Coordinates[to*d+dimension]
	for k := range d {
		sum += g.Coordinates[from*d+k] + g.Coordinates[to*d+k]
	}
	return sum&1 == 1
}

// Differs is the first dimension in which two different switches differ: the one
// that a packet travels in next.
func (g *GridRoute) Differs(at, to int32) int32 {
	k := int32(0)
	for g.Coordinates[at*g.Dimensions+k] == g.Coordinates[to*g.Dimensions+k] {
		k++
	}
	return k
}
