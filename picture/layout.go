package picture

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"remap/linkview"
	"remap/topology"
)

// layout says where everything of a network is drawn, whatever the views are. Its origin is the top left
// corner of a panel.
type layout struct {
	width, height float64
	// marks show links; each directed link between shown switches is of one mark.
	marks []mark
	// hosts are boxes that show the links into hosts.
	hosts []hostMark
	// under and over are drawn before and after the marks: strips, frames, switches, labels.
	under, over []Shape
	// thickest is the thickness of the line with the most traffic, in points.
	thickest float64
	// explain are sentences of the legend.
	explain []string
}

// mark is where the traffic of some links is drawn.
type mark struct {
	links []int32
	// name says from where to where.
	name string
	// geometry: a Line or a Curve, whose thickness is the traffic, or a Box, whose filled width is.
	shape Shape
}

// hostMark is a box of one host, or of several.
type hostMark struct {
	hosts          []int32
	x0, y0, x1, y1 float64
}

// drawing is a picture in work.
type drawing struct {
	t     *topology.Topology
	scene *Scene
	// thickest is the layout's.
	thickest float64
	// most is the largest rate of a line mark in any panel, in bytes per second.
	most float64
	// idle and unknown: such marks are there, so that the legend tells.
	idle, unknown, lines, bars bool
}

// measure finds the largest rate of all lines.
func (d *drawing) measure(l *layout, v *linkview.View) {
	for i := range l.marks {
		m := &l.marks[i]
		if m.shape.Kind == Box {
			d.bars = true
			continue
		}
		d.lines = true
		load := loadOf(d.t, v, m.links)
		if load.rate > d.most {
			d.most = load.rate
		}
	}
}

// panel draws a view at a place of the page; group is the panel's number.
func (d *drawing) panel(l *layout, v *linkview.View, x, y float64, group int) {
	put := func(s Shape) {
		s.X0, s.X1, s.CX = s.X0+x, s.X1+x, s.CX+x
		s.Y0, s.Y1, s.CY = s.Y0+y, s.Y1+y, s.CY+y
		s.Group = group
		d.scene.add(s)
	}
	for _, s := range l.under {
		put(s)
	}
	drawn := make([]Shape, 0, len(l.marks))
	for i := range l.marks {
		m := &l.marks[i]
		load := loadOf(d.t, v, m.links)
		if len(l.marks) > mostCells && load.idle() {
			continue // too many to be told apart
		}
		if s, ok := d.inked(m, &load); ok {
			drawn = append(drawn, s)
		}
	}
	slices.SortStableFunc(drawn, func(a, b Shape) int { return cmp.Compare(darkness(&a), darkness(&b)) })
	for _, s := range drawn {
		put(s)
	}
	for i := range l.hosts {
		put(d.hostBox(&l.hosts[i], v))
	}
	for _, s := range l.over {
		put(s)
	}
}

// darkness orders shapes: those that matter most are drawn last.
func darkness(s *Shape) float64 {
	ink := s.Stroke
	if s.Kind == Box {
		ink = s.Fill
	}
	switch ink.Name {
	case InkIdle:
		return -2
	case InkUnknown:
		return -1
	}
	return ink.Value
}

// inked is a mark with its colour and thickness; false for a box that shows no traffic.
func (d *drawing) inked(m *mark, l *load) (Shape, bool) {
	s := m.shape
	s.ID, s.Title = linkIDs(m.links), m.name+": "+l.String()
	ink := Scale(l.congested)
	if l.idle() {
		d.idle = true
		ink = Named(InkIdle)
	}
	d.unknown = d.unknown || ink.Name == InkUnknown
	if s.Kind == Box {
		if ink.Name == InkIdle {
			return s, false
		}
		s.Fill = ink
		spare := (s.X1 - s.X0) * (1 - max(l.use(), leastBar)) / 2
		s.X0, s.X1 = s.X0+spare, s.X1-spare
		return s, true
	}
	s.Stroke, s.Dashed, s.Thickness = ink, ink.Name == InkUnknown, 0.5
	switch {
	case ink.Name == InkIdle:
		s.ID, s.Title = "", "" // as many as there are links, and nothing to tell
	case math.IsNaN(l.rate):
		s.Thickness = 1.2
	case d.most > 0 && l.rate > 0:
		s.Thickness = max(leastThick(l.congested), d.thickest*l.rate/d.most)
	}
	return s, true
}

// leastThick is the least thickness of a line: dark lines must be seen even where there is little traffic.
func leastThick(congested float64) float64 {
	if math.IsNaN(congested) {
		return 0.5
	}
	return 0.5 + 0.6*congested
}

// hostBox is the box of hosts, shaded by the links into them.
func (d *drawing) hostBox(m *hostMark, v *linkview.View) Shape {
	var in, out []int32
	for _, h := range m.hosts {
		first, end := d.t.Out(h)
		for l := first; l < end; l++ {
			out = append(out, l)
		}
		in = append(in, d.t.Ejection(h)...)
	}
	to, from := loadOf(d.t, v, in), loadOf(d.t, v, out)
	name, id := d.t.HostNames[m.hosts[0]], fmt.Sprintf("h%d", m.hosts[0])
	if n := len(m.hosts); n > 1 {
		name += fmt.Sprintf(" and %d more", n-1)
	}
	title := name + ": receives " + to.String()
	if from.rate > 0 {
		title += "; sends " + gbps(from.rate) + " Gb/s"
	}
	s := Shape{Kind: Box, X0: m.x0, Y0: m.y0, X1: m.x1, Y1: m.y1, ID: id, Title: title,
		Fill: Scale(to.congested)}
	if to.idle() {
		d.idle = true
		s.Fill = Named(InkIdle)
	}
	d.unknown = d.unknown || s.Fill.Name == InkUnknown
	return s
}

// label is a small text.
func label(x, y, size float64, align Align, text string) Shape {
	return Shape{Kind: Text, X0: x, Y0: y, Size: size, Align: align, Text: text, Fill: Named(InkFaint)}
}

// halves are the two halves of a line or a curve: the first belongs to its first end.
func halves(s Shape) (first, second Shape) {
	first, second = s, s
	if s.Kind == Line {
		x, y := (s.X0+s.X1)/2, (s.Y0+s.Y1)/2
		first.X1, first.Y1 = x, y
		second.X0, second.Y0, second.X1, second.Y1 = s.X1, s.Y1, x, y
		return first, second
	}
	// de Casteljau at the middle
	ax, ay, bx, by := (s.X0+s.CX)/2, (s.Y0+s.CY)/2, (s.CX+s.X1)/2, (s.CY+s.Y1)/2
	x, y := (ax+bx)/2, (ay+by)/2
	first.CX, first.CY, first.X1, first.Y1 = ax, ay, x, y
	second.X0, second.Y0, second.CX, second.CY, second.X1, second.Y1 = s.X1, s.Y1, bx, by, x, y
	return first, second
}
