package topology

import "slices"

// DetourRoute is what failed links change in the routes of a network, for pairs
// of a switch and a destination: groups of candidates, in pages of consecutive
// switches toward one destination. Few failures change few pages.
type DetourRoute struct {
	rows    int32    // pages of a destination
	pages   []int32  // length switches x rows: page; 0 = nothing changes
	groups  []int32  // detourPage to a page: group of candidates, -1 = no change
	lengths []uint16 // detourPage to a page: links to the destination where there is a change
}

// clone is a copy for more changes; of nil, one for the first.
func (d *DetourRoute) clone(switches int) *DetourRoute {
	if d != nil {
		return &DetourRoute{d.rows, slices.Clone(d.pages), slices.Clone(d.groups), slices.Clone(d.lengths)}
	}
	rows := (switches + detourPage - 1) / detourPage
	d = &DetourRoute{rows: int32(rows), pages: make([]int32, switches*rows)}
	d.page()
	return d
}

// page appends an empty page.
func (d *DetourRoute) page() (number int32) {
	number = int32(len(d.groups) / detourPage)
	for range detourPage {
		d.groups = append(d.groups, -1)
	}
	d.lengths = append(d.lengths, make([]uint16, detourPage)...)
	return number
}

// place is where groups and lengths have a pair of switches.
func (d *DetourRoute) place(at, to int32) int32 {
	return d.pages[to*d.rows+at/detourPage]*detourPage + at%detourPage
}

func (d *DetourRoute) set(at, to, group int32, length uint16) {
	if page := &d.pages[to*d.rows+at/detourPage]; *page == 0 {
		*page = d.page()
	}
	i := d.place(at, to)
	d.groups[i], d.lengths[i] = group, length
}

// group is the group of candidates at one switch toward another, -1 when it is
// that of the network without failures.
func (d *DetourRoute) group(at, to int32) int32 { return d.groups[d.place(at, to)] }

// detourDistance is the metric of a network with detours.
type detourDistance struct {
	before switchDistance // without failures
	route  *DetourRoute
}

// links is the length of the path that packets take.
func (d *detourDistance) links(from, to int32) int32 {
	if i := d.route.place(from, to); d.route.groups[i] >= 0 {
		return int32(d.route.lengths[i])
	}
	return d.before.links(from, to)
}
