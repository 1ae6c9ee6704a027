package picture

import "math"

// Part is a drawing of the shapes of one panel, or with group 0 of what belongs to none, such as the
// legend, cut to their size. A page shows the panels of a picture beside or below each other by it.
func (s *Scene) Part(group int) *Scene {
	const around = 2
	part := &Scene{Title: s.Title}
	left, top, right, bottom := math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for _, shape := range s.Shapes {
		if shape.Group != group || shape.Kind == Text && shape.Text == "" {
			continue
		}
		x0, y0, x1, y1 := shape.extent()
		left, right = min(left, x0), max(right, x1)
		top, bottom = min(top, y0), max(bottom, y1)
		part.add(shape)
	}
	if len(part.Shapes) == 0 {
		return part
	}
	for i := range part.Shapes {
		part.Shapes[i].move(around-left, around-top)
	}
	part.Width, part.Height = right-left+2*around, bottom-top+2*around
	return part
}

// move shifts a shape.
func (s *Shape) move(x, y float64) {
	s.X0, s.X1, s.CX = s.X0+x, s.X1+x, s.CX+x
	s.Y0, s.Y1, s.CY = s.Y0+y, s.Y1+y, s.CY+y
}

// extent is the rectangle that holds a shape; a text has no X1 and Y1.
func (s *Shape) extent() (x0, y0, x1, y1 float64) {
	if s.Kind == Text {
		wide := textWidth(s.Text, s.Size, s.Bold)
		x0 = s.X0 - wide*[...]float64{0, 0.5, 1}[s.Align]
		return x0, s.Y0 - s.Size, x0 + wide, s.Y0 + 0.3*s.Size
	}
	half := s.Thickness / 2
	x0, x1 = min(s.X0, s.X1)-half, max(s.X0, s.X1)+half
	y0, y1 = min(s.Y0, s.Y1)-half, max(s.Y0, s.Y1)+half
	if s.Kind == Curve { // a curve stays within its ends and its control point
		x0, x1 = min(x0, s.CX), max(x1, s.CX)
		y0, y1 = min(y0, s.CY), max(y1, s.CY)
	}
	return x0, y0, x1, y1
}
