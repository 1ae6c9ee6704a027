package picture

import (
	"math"

	"remap/topology"
)

// hyperxLayout draws switches as tiles on a grid. A tile has its hosts, and below them a row a dimension
// with a cell for every other coordinate: the link that leads there.
func hyperxLayout(t *topology.Topology, h *topology.HyperXRoute, shown []bool, shape treeShape) *layout {
	d := int(h.Dimensions)
	extents := make([]int16, d)
	for i, c := range h.Coordinates {
		extents[i%d] = max(extents[i%d], c+1)
	}
	p := planesOf(extents, 1.6)
	hosts := leafHosts(t)
	visible := shownSwitches(hosts, shown)
	longest, most := 1, 1
	for _, n := range extents {
		longest = max(longest, int(n))
	}
	for _, list := range hosts {
		most = max(most, len(list))
	}
	rows := (most + longest - 1) / longest // of hosts
	wide, tall := float64(longest)+0.8, float64(rows+d)+1
	cell := min(12, shape.width/(p.across*wide), 100*shape.unit/(p.tall*tall))
	left := (shape.width - p.across*wide*cell) / 2
	l := &layout{width: shape.width, height: p.tall*tall*cell + 4, explain: []string{"A tile is a switch. Its " +
		"upper boxes are hosts, shaded by the links to them. Each row below is a dimension: cell j is the link " +
		"to the switch at place j in it, with a bar as wide as the traffic."}}
	corner := func(sw int32) (x, y float64) {
		x, y = p.place(h.Coordinates[int(sw)*d : int(sw+1)*d])
		return left + x*wide*cell, 2 + y*tall*cell
	}
	for sw := range int32(t.Switches()) {
		if !visible(sw) {
			continue
		}
		x, y := corner(sw)
		for i, host := range hosts[sw] {
			a, b := x+float64(i%longest)*cell, y+float64(i/longest)*cell
			l.hosts = append(l.hosts, hostMark{[]int32{host}, a, b, a + cell*0.9, b + cell*0.9})
		}
		for k, n := range extents {
			top := y + (float64(rows+k)+0.3)*cell
			l.under = append(l.under, Shape{Kind: Box, X0: x, Y0: top, X1: x + (float64(n)-0.1)*cell,
				Y1: top + cell*0.9, Fill: Named(InkGround)})
		}
	}
	for _, w := range wires(t, visible) {
		x, y := corner(w.from)
		for k := range d {
			if to := h.Coordinates[int(w.to)*d+k]; to != h.Coordinates[int(w.from)*d+k] {
				a, b := x+float64(to)*cell, y+(float64(rows+k)+0.3)*cell
				l.marks = append(l.marks, mark{w.links, wireName(t, &w),
					Shape{Kind: Box, X0: a, Y0: b, X1: a + cell*0.9, Y1: b + cell*0.9}})
				break
			}
		}
	}
	l.height = math.Ceil(l.height)
	return l
}
