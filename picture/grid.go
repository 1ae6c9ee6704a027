package picture

import (
	"fmt"
	"math"
	"strings"

	"remap/topology"
)

// plane is how switches on a grid are drawn: the first two dimensions are a plane, and the planes of the
// further ones stand in rows, the third dimension fastest.
type plane struct {
	extents []int16
	// columns of planes; a plane with the gap after it is stepX by stepY squares.
	columns      int
	stepX, stepY float64
	// across, tall: squares of the whole drawing.
	across, tall float64
}

// planesOf lays a grid out; wide is the ratio of width to height that is wanted.
func planesOf(extents []int16, wide float64) *plane {
	p := &plane{extents: extents, columns: 1, stepX: float64(extents[0]), stepY: 1}
	if len(extents) > 1 {
		p.stepY = float64(extents[1])
	}
	planes := 1
	for _, n := range extents[min(2, len(extents)):] {
		planes *= int(n)
	}
	if planes > 1 {
		p.stepX, p.stepY = p.stepX+1, p.stepY+1.5
		wanted := math.Sqrt(float64(planes) * wide * p.stepY / p.stepX)
		for columns := 2; columns <= planes; columns++ { // full rows, if there are such
			if planes%columns == 0 && math.Abs(math.Log(float64(columns)/wanted)) <=
				math.Abs(math.Log(float64(p.columns)/wanted)) {
				p.columns = columns
			}
		}
	}
	p.across = float64(p.columns)*p.stepX - float64(min(planes-1, 1))
	p.tall = float64((planes+p.columns-1)/p.columns) * p.stepY // with the names of planes
	return p
}

// place is a switch's square.
func (p *plane) place(coordinates []int16) (x, y float64) {
	x = float64(coordinates[0])
	if len(coordinates) > 1 {
		y = float64(coordinates[1])
	}
	number, stride := 0, 1
	for k := 2; k < len(coordinates); k++ {
		number += int(coordinates[k]) * stride
		stride *= int(p.extents[k])
	}
	return x + float64(number%p.columns)*p.stepX, y + float64(number/p.columns)*p.stepY
}

// top is how many squares are above the middle of the first row.
func (p *plane) top() float64 {
	if len(p.extents) > 2 {
		return 1.1
	}
	return 0.6
}

// gridLayout draws a torus or a mesh: squares are switches with their hosts, and every link is a line from
// the switch that sends. Lines in the plane end half-way to the neighbour, so that both directions make
// one line; those of further dimensions are short and slanted.
func gridLayout(t *topology.Topology, g *topology.GridRoute, shown []bool, shape treeShape) *layout {
	p := planesOf(g.Extents, min(shape.width/(50*shape.unit), 2.2))
	square := min(64, (shape.width-8)/(p.across+1), 40*shape.unit/math.Sqrt(p.tall)+10)
	l := &layout{width: shape.width, explain: gridWords(g)}
	last := make([]int16, len(g.Extents))
	for k, n := range g.Extents {
		last[k] = n - 1
	}
	_, bottom := p.place(last)
	l.height, l.thickest = (bottom+p.top()+0.6)*square, min(mostThick, square*0.25)
	d := int(g.Dimensions)
	left := square*0.5 + 4
	hosts := leafHosts(t)
	visible := shownSwitches(hosts, shown)
	for sw := range int32(t.Switches()) {
		if !visible(sw) {
			continue
		}
		x, y := p.place(g.Coordinates[int(sw)*d : int(sw+1)*d])
		l.hostBlock(hosts[sw], left+(x+0.5)*square, (y+p.top())*square, square*0.42)
	}
	for _, w := range wires(t, visible) {
		x, y := p.place(g.Coordinates[int(w.from)*d : int(w.from+1)*d])
		dx, dy := step(g, w.from, w.to)
		x, y = left+(x+0.5)*square, (y+p.top())*square
		l.marks = append(l.marks, mark{w.links, wireName(t, &w),
			Shape{Kind: Line, X0: x, Y0: y, X1: x + dx*square, Y1: y + dy*square}})
	}
	l.over = append(l.over, planeNames(p, left, square)...)
	return l
}

// shownSwitches tells which switches have hosts that are asked for; shown nil = all switches.
func shownSwitches(hosts [][]int32, shown []bool) func(sw int32) bool {
	return func(sw int32) bool {
		if shown == nil {
			return true
		}
		for _, h := range hosts[sw] {
			if shown[h] {
				return true
			}
		}
		return false
	}
}

// step is the line of a link in squares: along the plane, or slanted for further dimensions.
func step(g *topology.GridRoute, from, to int32) (dx, dy float64) {
	d := g.Dimensions
	for k := range d {
		a, b := g.Coordinates[from*d+k], g.Coordinates[to*d+k]
		if a == b {
			continue
		}
		sign := -1.0
		if b == a+1 || g.Wrap[k] && b == 0 && a == g.Extents[k]-1 && a > 1 {
			sign = 1
		}
		switch k {
		case 0:
			return sign * 0.5, 0
		case 1:
			return 0, sign * 0.5
		}
		turn := math.Pi / 2 * (float64(k-2) + 1) / float64(d-1)
		return sign * 0.44 * math.Cos(turn), -sign * 0.44 * math.Sin(turn)
	}
	return 0, 0
}

// hostBlock draws hosts as a block of boxes around a point.
func (l *layout) hostBlock(hosts []int32, x, y, size float64) {
	n := len(hosts)
	if n == 0 {
		return
	}
	across := int(math.Ceil(math.Sqrt(float64(n))))
	cell := size / float64(across)
	tall := float64((n+across-1)/across) * cell
	for i, h := range hosts {
		left, top := x-size/2+float64(i%across)*cell, y-tall/2+float64(i/across)*cell
		l.hosts = append(l.hosts, hostMark{[]int32{h}, left, top, left + cell*0.92, top + cell*0.92})
	}
}

// gridWords explain the drawing of a grid.
func gridWords(g *topology.GridRoute) []string {
	words := []string{"A square is a switch with its hosts, shaded by the links to the hosts. The half of a " +
		"line next to a switch shows what that switch sends."}
	for _, wrap := range g.Wrap {
		if wrap {
			words[0] += " Lines that leave the drawing come in at the other side."
			break
		}
	}
	if g.Dimensions > 2 {
		words = append(words, "Planes of further dimensions stand beside or below each other; slanted lines lead "+
			"to the next plane (up) and to the one before (down).")
	}
	return words
}

// planeNames are the coordinates of planes, above each.
func planeNames(p *plane, left, square float64) (names []Shape) {
	if len(p.extents) < 3 || square < 6 {
		return nil
	}
	coordinates := make([]int16, len(p.extents))
	for {
		x, y := p.place(coordinates)
		var parts []string
		for k, c := range coordinates[2:] {
			parts = append(parts, fmt.Sprintf("%s=%d", dimensionName(k+2), c))
		}
		names = append(names, label(left+x*square, (y+p.top()-0.6)*square, min(7, square*0.5), Start,
			strings.Join(parts, " ")))
		k := 2
		for k < len(coordinates) {
			if coordinates[k]++; coordinates[k] < p.extents[k] {
				break
			}
			coordinates[k] = 0
			k++
		}
		if k == len(coordinates) {
			return names
		}
	}
}

// dimensionName is x, y, z, or the dimension's number.
func dimensionName(k int) string {
	if k < 3 {
		return string(rune('x' + k))
	}
	return fmt.Sprintf("d%d", k+1)
}
