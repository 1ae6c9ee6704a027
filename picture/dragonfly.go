package picture

import (
	"fmt"
	"math"

	"remap/topology"
)

// dragonflyLayout draws groups around a circle, with a line for the links between two groups. A group has
// a row a router: its hosts, then its links to the other routers of the group. With many groups the links
// between them are a matrix.
func dragonflyLayout(t *topology.Topology, d *topology.DragonflyRoute, shown []bool,
	shape treeShape) *layout {
	hosts := leafHosts(t)
	visible := shownSwitches(hosts, shown)
	groups, routers := int(d.GroupCount), int(d.Routers)
	l := &layout{width: shape.width}
	between := map[[2]int][]int32{}
	var within []wire
	for _, w := range wires(t, visible) {
		a, b := int(w.from)/routers, int(w.to)/routers
		if a == b {
			within = append(within, w)
			continue
		}
		between[[2]int{a, b}] = append(between[[2]int{a, b}], w.links...)
	}
	most := 0
	for _, list := range hosts {
		most = max(most, len(list))
	}
	cells := float64(routers+most) + 0.5 // width of a tile in cells
	var place func(g int) (x, y float64) // middle of a group's tile
	var cell float64
	if groups <= mostGroups {
		place, cell = l.circle(t, groups, cells, float64(routers), between, shape)
	} else {
		place, cell = l.groupMatrix(groups, cells, float64(routers), between, shape)
	}
	corner := func(sw int) (x, y float64) { // of a router's row
		x, y = place(sw / routers)
		return x - cells*cell/2, y + (float64(sw%routers)-float64(routers)/2)*cell
	}
	for sw := range t.Switches() {
		if !visible(int32(sw)) {
			continue
		}
		x, y := corner(sw)
		for i, h := range hosts[sw] {
			left := x + float64(i)*cell
			l.hosts = append(l.hosts, hostMark{[]int32{h}, left, y, left + cell*0.9, y + cell*0.9})
		}
		left := x + (float64(most)+0.5)*cell
		l.under = append(l.under, Shape{Kind: Box, X0: left, Y0: y, X1: left + float64(routers)*cell - cell*0.1,
			Y1: y + cell*0.9, Fill: Named(InkGround)})
	}
	for _, w := range within {
		x, y := corner(int(w.from))
		left := x + (float64(most)+0.5+float64(int(w.to)%routers))*cell
		l.marks = append(l.marks, mark{w.links, wireName(t, &w),
			Shape{Kind: Box, X0: left, Y0: y, X1: left + cell*0.9, Y1: y + cell*0.9}})
	}
	l.explain = append(l.explain, "A block is a group, a row of it a router: boxes at its left are its hosts, "+
		"shaded by the links to them; cell j at its right is its link to router j of the group, with a bar as "+
		"wide as the traffic.")
	return l
}

// circle places groups around a circle and draws the lines between them.
func (l *layout) circle(t *topology.Topology, groups int, cells, rows float64, between map[[2]int][]int32,
	shape treeShape) (place func(g int) (x, y float64), cell float64) {
	l.height = min(shape.width*0.52, 90*shape.unit)
	cell = min(13, 0.8*math.Pi*(l.height*0.5)/float64(groups)/cells, l.height*0.2/rows)
	rx := min(shape.width/2-cells*cell*0.6-4, l.height)
	ry := l.height/2 - rows*cell*0.6 - 12
	place = func(g int) (x, y float64) {
		turn := 2*math.Pi*float64(g)/float64(groups) - math.Pi/2
		return shape.width/2 + rx*math.Cos(turn), l.height/2 + ry*math.Sin(turn)
	}
	inner := func(g int) (x, y float64) { // where a group's lines end
		x, y = place(g)
		return shape.width/2 + (x-shape.width/2)*(1-(cells*cell*0.5+6)/rx),
			l.height/2 + (y-l.height/2)*(1-(rows*cell*0.5+6)/ry)
	}
	for a := range groups {
		x, y := place(a)
		under := y - rows*cell/2 - 3
		if y > l.height*0.6 {
			under = y + rows*cell/2 + 8
		}
		l.over = append(l.over, label(x, under, 7, Middle, fmt.Sprintf("group %d", a)))
		for b := range groups {
			if links := between[[2]int{a, b}]; len(links) > 0 {
				line := Shape{Kind: Curve, CX: shape.width / 2, CY: l.height / 2}
				line.X0, line.Y0 = inner(a)
				line.X1, line.Y1 = inner(b)
				line.CX, line.CY = (line.X0+line.X1)/2*0.6+line.CX*0.4, (line.Y0+line.Y1)/2*0.6+line.CY*0.4
				first, _ := halves(line)
				l.marks = append(l.marks, mark{links, fmt.Sprintf("group %d to group %d", a, b), first})
			}
		}
	}
	l.explain = append(l.explain, "Lines are all links between two groups: the half next to a group shows what "+
		"that group sends.")
	return place, cell
}

// groupMatrix places groups in rows below a matrix of the links between them.
func (l *layout) groupMatrix(groups int, cells, rows float64, between map[[2]int][]int32,
	shape treeShape) (place func(g int) (x, y float64), cell float64) {
	size := min(shape.width*0.45, 60*shape.unit)
	unit := size / float64(groups)
	left, top := (shape.width-size)/2, 12.0
	l.under = append(l.under, Shape{Kind: Box, X0: left, Y0: top, X1: left + size, Y1: top + size,
		Fill: Named(InkGround)})
	l.over = append(l.over, label(left, top-3, 8, Start, "links between groups: row = from, column = to"))
	for a := range groups {
		for b := range groups {
			if links := between[[2]int{a, b}]; len(links) > 0 {
				x, y := left+float64(b)*unit, top+float64(a)*unit
				l.marks = append(l.marks, mark{links, fmt.Sprintf("group %d to group %d", a, b),
					Shape{Kind: Box, X0: x, Y0: y, X1: x + unit*0.95, Y1: y + unit*0.95}})
			}
		}
	}
	across := int(math.Ceil(math.Sqrt(float64(groups) * 2.5 * (rows + 1) / (cells + 1))))
	cell = min(8, shape.width/float64(across)/(cells+1))
	base := top + size + 10
	lines := math.Ceil(float64(groups) / float64(across))
	l.height = base + lines*(rows*cell+14)
	place = func(g int) (x, y float64) {
		return (float64(g%across) + 0.5) * shape.width / float64(across),
			base + (float64(g/across)+0.5)*(rows*cell+14)
	}
	for g := range groups {
		x, y := place(g)
		l.over = append(l.over, label(x-cells*cell/2, y-rows*cell/2-2, 7, Start, fmt.Sprintf("group %d", g)))
		if g%4 == 0 {
			middle := (float64(g) + 0.5) * unit
			l.over = append(l.over, label(left-3, top+middle+2, 6, End, fmt.Sprint(g)),
				label(left+middle, top+size+7, 6, Middle, fmt.Sprint(g)))
		}
	}
	return place, cell
}
