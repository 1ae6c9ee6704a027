package topology

// Routes are the next hops a packet may take, deadlock-free by construction,
// as a function of the switch it is at and the switch its host hangs on.
// A channel is link x VirtualChannels + virtual channel; every channel has
// its own buffer downstream.
//
// Five schemes cover all networks. Intervals: a switch sends down to the
// switches numbered [Low, High) by table, anything else up (fat trees; a few
// bytes a switch). Dimension order: the first coordinate that differs is
// corrected, on the dateline channel of that ring (Dally and Seitz 1987).
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

	Intervals []Interval      // length switches, or nil
	Detours   *DetourRoute    // what comes before the scheme below, where links have failed; or nil
	Table     []int32         // length switches x switches, or nil: group, row = where the packet is; -1 = no way
	Grid      *GridRoute      // or nil
	Dragonfly *DragonflyRoute // or nil
	HyperX    *HyperXRoute    // or nil

	// StaticDivisor (length switches): destination-modulo routing takes candidate
	// (host / StaticDivisor) mod candidates; nil = 1.
	StaticDivisor []int32
}

// Interval routes at one switch: destinations in [Low, High) take group
// Base + (destination-Low)/Divide, all others take group Up (-1: no way).
type Interval struct{ Low, High, Divide, Base, Up int32 }

// GridRoute routes in dimension order.
type GridRoute struct {
	Dimensions  int32
	Coordinates []int16 // length switches x dimensions
	Extents     []int16 // length dimensions
	Wrap        []bool  // length dimensions: a ring, not a line
	Groups      []int32 // length switches x dimensions x 4: group of (dimension, direction 0 down 1 up, dateline channel 0 or 1)
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
// without failures; longer lists get new memory. Do not write to the result, nor use it after scratch has been used again.
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

// group corrects the first coordinate that differs. On a ring it goes the
// shorter way (up when both are equal) and uses channel 0 until it has crossed
// the dateline, channel 1 after it or when it never will: no cycle of channels.
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
			up = 2*ahead <= g.Extents[k]
		}
		group := (at*d + k) * 4
		if up {
			group += 2
		}
		if wraps := up != (b[k] > a[k]); !wraps {
			group++
		}
		return g.Groups[group]
	}
	return -1
}
