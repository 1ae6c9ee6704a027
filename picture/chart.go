package picture

import (
	"errors"
	"fmt"
	"math"
)

// Chart is a diagram of series over two axes: the convergence of a search, or predicted against measured
// times.
type Chart struct {
	// Title is the first line, Caption the last; XName and YName are the axes' with their units.
	Title, Caption, XName, YName string
	// Logarithmic makes both axes logarithmic: all values must be above 0.
	Logarithmic bool
	// Diagonal draws the line on which both values are equal, with one scale for both axes.
	Diagonal bool
	// Series are told apart by colour, dash and mark.
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
	// Stairs joins the points: a value holds until the next one. Without it points are marks.
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

// axis maps values to points of the page.
type axis struct {
	low, high   float64 // values
	from, to    float64 // points
	logarithmic bool
}

// at is where a value is.
func (a *axis) at(x float64) float64 {
	low, high := a.low, a.high
	if a.logarithmic {
		x, low, high = math.Log(x), math.Log(low), math.Log(high)
	}
	return a.from + (a.to-a.from)*(x-low)/(high-low)
}

// widen makes room for a value.
func (a *axis) widen(values ...float64) {
	for _, x := range values {
		a.low, a.high = min(a.low, x), max(a.high, x)
	}
}

// pad leaves some room at both ends, and a span where all values are equal.
func (a *axis) pad(zero bool) {
	if a.logarithmic {
		a.low, a.high = a.low/1.08, a.high*1.08
		return
	}
	span := a.high - a.low
	if span == 0 {
		span = max(math.Abs(a.high), 1)
	}
	a.high += 0.06 * span
	if a.low -= 0.06 * span; zero && a.low < 0.06*span {
		a.low = 0
	}
}

// ticks are round values along the axis.
func (a *axis) ticks() (at []float64) {
	if a.logarithmic && a.high/a.low > 3 {
		for decade := math.Pow(10, math.Floor(math.Log10(a.low))); decade <= a.high; decade *= 10 {
			for _, digit := range []float64{1, 2, 5} {
				if x := decade * digit; x >= a.low && x <= a.high {
					at = append(at, x)
				}
			}
		}
		return at
	}
	step := math.Pow(10, math.Floor(math.Log10((a.high-a.low)/4)))
	for _, digit := range []float64{1, 2, 5, 10} {
		if (a.high-a.low)/(step*digit) <= 7 {
			step *= digit
			break
		}
	}
	for i := math.Ceil(a.low / step); i*step <= a.high; i++ {
		at = append(at, i*step)
	}
	return at
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
	s := &Scene{Width: width, Height: height, Title: c.Title}
	s.add(Shape{Kind: Text, X0: edge, Y0: edge + 10, Text: fit(c.Title, 13, width-2*edge), Size: 13, Bold: true,
		Fill: Named(InkText)})
	beside := 0.0 // room for names
	for i := range c.Series {
		beside = max(beside, textWidth(c.Series[i].Name, 9, false)+34)
	}
	for i := range c.Levels {
		beside = max(beside, textWidth(c.Levels[i].Name, 9, false)+34)
	}
	beside = min(beside, width*0.4)
	x.from, x.to = edge+46, width-edge-beside
	y.from, y.to = height-edge-44, edge+34
	c.frame(s, x, y)
	for i := range c.Series {
		c.series(s, i, x, y)
	}
	for i := range c.Levels {
		at := y.at(c.Levels[i].Y)
		s.add(Shape{Kind: Line, X0: x.from, Y0: at, X1: x.to, Y1: at, Stroke: Named(InkFaint), Thickness: 1.2,
			Dashed: true, Title: fmt.Sprintf("%s: %.4g", c.Levels[i].Name, c.Levels[i].Y), ID: fmt.Sprintf("v%d", i)},
			label(x.to+5, at+3, 9, Start, fit(c.Levels[i].Name, 9, beside)))
	}
	s.add(label(edge, height-edge+2, 9, Start, fit(c.Caption, 9, width-2*edge)))
	return s, nil
}

// axes span all values.
func (c *Chart) axes() (x, y *axis, err error) {
	x, y = &axis{low: math.Inf(1), high: math.Inf(-1), logarithmic: c.Logarithmic}, &axis{low: math.Inf(1),
		high: math.Inf(-1), logarithmic: c.Logarithmic}
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
		y.widen(level.Y)
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
			label(at, y.from+11, 8, Middle, fmt.Sprintf("%.4g", v)))
	}
	for _, v := range y.ticks() {
		at := y.at(v)
		s.add(Shape{Kind: Line, X0: x.from, Y0: at, X1: x.to, Y1: at, Stroke: Named(InkIdle), Thickness: 0.7},
			label(x.from-4, at+3, 8, End, fmt.Sprintf("%.4g", v)))
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

// series draws points with their intervals, the stairs between them, and the name beside.
func (c *Chart) series(s *Scene, number int, x, y *axis) {
	series, ink := &c.Series[number], Series(number)
	for i, p := range series.Points {
		px, py := x.at(p.X), y.at(p.Y)
		if series.Stairs && i > 0 {
			before := y.at(series.Points[i-1].Y)
			s.add(Shape{Kind: Line, X0: x.at(series.Points[i-1].X), Y0: before, X1: px, Y1: before, Stroke: ink,
				Thickness: 1.6}, Shape{Kind: Line, X0: px, Y0: before, X1: px, Y1: py, Stroke: ink, Thickness: 1.6})
		}
		if p.Low < p.High {
			s.add(Shape{Kind: Line, X0: px, Y0: y.at(p.Low), X1: px, Y1: y.at(p.High), Stroke: ink, Thickness: 1})
		}
		title := p.Title
		if title == "" {
			title = fmt.Sprintf("%s: %.4g at %.4g", series.Name, p.Y, p.X)
		}
		s.add(chartMark(number, px, py, ink, title, fmt.Sprintf("p%d-%d", number, i)))
	}
	at := y.to + 4 + 15*float64(number)
	s.add(chartMark(number, x.to+12, at-3, ink, "", ""),
		label(x.to+20, at, 9, Start, fit(series.Name, 9, s.Width-edge-x.to-20)))
}

// chartMark is the mark of a series: filled or open, round or square, so that colours are not needed.
func chartMark(number int, x, y float64, ink Ink, title, id string) Shape {
	const r = 2.8
	mark := Shape{Kind: []Kind{Disc, Box}[number%2], X0: x - r, Y0: y - r, X1: x + r, Y1: y + r, Fill: ink,
		Stroke: ink, Thickness: 1, Title: title, ID: id}
	if number%4 >= 2 {
		mark.Fill = Named(InkPaper)
	}
	return mark
}
