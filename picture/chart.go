package picture

import (
	"errors"
	"fmt"
	"math"
)

// Chart is a diagram of series over two axes: the convergence of a search, or predicted against measured
// times.
type Chart struct {
	// Title is the first line, Caption the last; empty ones take no room. XName and YName are the axes'
	// with their units.
	Title, Caption, XName, YName string
	// Description says for screen readers what the chart shows.
	Description string
	// YLimit: higher values are drawn at the upper edge, and levels above it are left out; 0 = the axis
	// spans all values.
	YLimit float64
	// Logarithmic makes both axes logarithmic: all values must be above 0.
	Logarithmic bool
	// Diagonal draws the line on which both values are equal, with one scale for both axes.
	Diagonal bool
	// Series are told apart by colour, and by marks or dashes.
	Series []ChartSeries
	// Levels are horizontal lines, such as a lower bound.
	Levels []ChartLevel
	// Width, Height: the page in points; 0 = 800 x 400.
	Width, Height float64
}

// ChartSeries are the points of one name.
type ChartSeries struct {
	Name   string
	Points []ChartPoint
	// Stairs is a line without marks: a value holds until the next one, the last to the end of the axis.
	// Points are in the order of X.
	Stairs bool
}

// ChartPoint is a value with its interval.
type ChartPoint struct {
	X, Y float64
	// Low, High: the interval of Y; equal = none.
	Low, High float64
	// Title is what a reader sees when pointing at it.
	Title string
}

// ChartLevel is a horizontal line.
type ChartLevel struct {
	Name string
	Y    float64
}

// Scene draws the chart.
func (c *Chart) Scene() (*Scene, error) {
	x, y, err := c.axes()
	if err != nil {
		return nil, err
	}
	width, height := c.Width, c.Height
	if width == 0 {
		width, height = 800, 400
	}
	s := &Scene{Width: width, Height: height, Title: c.Title, Description: c.Description}
	top, bottom, beside := edge, height-edge, 0.0
	if c.Title != "" {
		s.add(Shape{Kind: Text, X0: edge, Y0: top + 10, Text: fit(c.Title, 13, width-2*edge), Size: 13, Bold: true,
			Fill: Named(InkText)})
		top += 18
	}
	if c.Caption != "" {
		s.add(label(edge, bottom+2, 9, Start, fit(c.Caption, 9, width-2*edge)))
		bottom -= 16
	}
	for i := range c.Levels {
		beside = max(beside, textWidth(c.Levels[i].Name, 9, true)+6)
	}
	beside = min(beside, width*0.4)
	x.from, x.to = edge+46, width-edge-beside
	y.from, y.to = bottom-28, c.legend(s, top)+23
	c.frame(s, x, y)
	c.levels(s, x, y)
	for i := range c.Series {
		c.series(s, i, x, y)
	}
	return s, nil
}

// axes span all values.
func (c *Chart) axes() (x, y *axis, err error) {
	x = &axis{low: math.Inf(1), high: math.Inf(-1), logarithmic: c.Logarithmic, whole: true}
	y = &axis{low: math.Inf(1), high: math.Inf(-1), logarithmic: c.Logarithmic, limit: c.YLimit}
	for i := range c.Series {
		for _, p := range c.Series[i].Points {
			x.widen(p.X)
			y.widen(p.Y)
			if p.Low < p.High {
				y.widen(p.Low, p.High)
			}
		}
	}
	for _, level := range c.Levels {
		y.widen(level.Y) // the limit where it is left out
	}
	if c.Diagonal {
		x.widen(y.low, y.high)
		y.widen(x.low, x.high)
	}
	for _, v := range []float64{x.low, x.high, y.low, y.high} {
		if math.IsInf(v, 0) || math.IsNaN(v) || c.Logarithmic && v <= 0 {
			return nil, nil, errors.New("a chart needs points, with numbers above 0 on logarithmic axes")
		}
	}
	x.pad(true)
	y.pad(false)
	return x, y, nil
}

// frame draws the axes with their ticks, and the diagonal.
func (c *Chart) frame(s *Scene, x, y *axis) {
	for _, v := range x.ticks() {
		at := x.at(v)
		s.add(Shape{Kind: Line, X0: at, Y0: y.from, X1: at, Y1: y.to, Stroke: Named(InkIdle), Thickness: 0.7},
			label(at, y.from+11, 8, Middle, fmt.Sprintf("%.6g", v)))
	}
	for _, v := range y.ticks() {
		at := y.at(v)
		s.add(Shape{Kind: Line, X0: x.from, Y0: at, X1: x.to, Y1: at, Stroke: Named(InkIdle), Thickness: 0.7},
			label(x.from-4, at+3, 8, End, fmt.Sprintf("%.6g", v)))
	}
	s.add(Shape{Kind: Line, X0: x.from, Y0: y.from, X1: x.to, Y1: y.from, Stroke: Named(InkFaint),
		Thickness: 0.8}, Shape{Kind: Line, X0: x.from, Y0: y.from, X1: x.from, Y1: y.to,
		Stroke: Named(InkFaint), Thickness: 0.8},
		Shape{Kind: Text, X0: (x.from + x.to) / 2, Y0: y.from + 24, Text: c.XName, Size: 9, Align: Middle,
			Fill: Named(InkText)},
		Shape{Kind: Text, X0: edge, Y0: y.to - 7, Text: c.YName, Size: 9, Fill: Named(InkText)})
	if c.Diagonal {
		s.add(Shape{Kind: Line, X0: x.from, Y0: y.from, X1: x.to, Y1: y.to, Stroke: Named(InkFaint), Thickness: 1,
			Dashed: true, Title: "both are equal"})
	}
}
