package picture

import (
	"cmp"
	"fmt"
	"slices"
)

// legend names the series from y on, in rows, and returns where the last row ends.
func (c *Chart) legend(s *Scene, y float64) float64 {
	const row = 15.0
	x, y := edge, y+row
	for i := range c.Series {
		name := fit(c.Series[i].Name, 9, s.Width-2*edge-26)
		wide := 26 + textWidth(name, 9, true)
		if x > edge && x+wide > s.Width-edge {
			x, y = edge, y+row
		}
		if c.Series[i].Stairs {
			s.add(stair(i, x, y-3, x+20, y-3))
		} else {
			s.add(chartMark(i, x+10, y-3))
		}
		s.add(label(x+26, y, 9, Start, name))
		x += wide + 18
	}
	return y
}

// levels draws the horizontal lines, with their names behind them that do not cover each other.
func (c *Chart) levels(s *Scene, x, y *axis) {
	const row = 11.0
	var shown []ChartLevel
	for _, level := range c.Levels {
		if c.YLimit <= 0 || level.Y <= c.YLimit {
			shown = append(shown, level)
		}
	}
	slices.SortStableFunc(shown, func(a, b ChartLevel) int { return cmp.Compare(b.Y, a.Y) }) // from above
	under := y.to - row
	for i, level := range shown {
		at := y.at(level.Y)
		under = max(under+row, min(at, y.from-row*float64(len(shown)-1-i)))
		s.add(Shape{Kind: Line, X0: x.from, Y0: at, X1: x.to, Y1: at, Stroke: Named(InkFaint), Thickness: 1.2,
			Dashed: true, Title: fmt.Sprintf("%s: %.5g", level.Name, level.Y), ID: fmt.Sprintf("v%d", i)},
			label(x.to+5, under+3, 9, Start, fit(level.Name, 9, s.Width-edge-x.to-5)))
	}
}

// series draws stairs, or marks with their intervals.
func (c *Chart) series(s *Scene, number int, x, y *axis) {
	series := &c.Series[number]
	for i, p := range series.Points {
		px, py := x.at(p.X), y.at(p.Y)
		if p.Low < p.High {
			s.add(Shape{Kind: Line, X0: px, Y0: y.at(p.Low), X1: px, Y1: y.at(p.High), Stroke: Series(number),
				Thickness: 1})
		}
		var shape Shape
		if series.Stairs {
			end := x.to
			if i+1 < len(series.Points) {
				next := &series.Points[i+1]
				end = x.at(next.X)
				s.add(stair(number, end, py, end, y.at(next.Y)))
			}
			shape = stair(number, px, py, end, py)
		} else {
			shape = chartMark(number, px, py)
		}
		shape.Title, shape.ID = p.Title, fmt.Sprintf("p%d-%d", number, i)
		if shape.Title == "" {
			shape.Title = fmt.Sprintf("%s: %.5g at %.5g", series.Name, p.Y, p.X)
		}
		s.add(shape)
	}
}

// stair is a piece of the line of a series: of every second one it is dashed.
func stair(number int, x0, y0, x1, y1 float64) Shape {
	return Shape{Kind: Line, X0: x0, Y0: y0, X1: x1, Y1: y1, Stroke: Series(number), Thickness: 1.8,
		Dashed: number%2 == 1}
}

// chartMark is the mark of a series: filled or open, round or square, so that colours are not needed.
func chartMark(number int, x, y float64) Shape {
	const r = 2.8
	ink := Series(number)
	mark := Shape{Kind: []Kind{Disc, Box}[number%2], X0: x - r, Y0: y - r, X1: x + r, Y1: y + r, Fill: ink,
		Stroke: ink, Thickness: 1}
	if number%4 >= 2 {
		mark.Fill = Named(InkPaper)
	}
	return mark
}
