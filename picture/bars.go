package picture

import (
	"errors"
	"fmt"
)

// BarRow is a named value with its interval, such as the time of a strategy.
type BarRow struct {
	Name string
	// Value at least 0, with its interval from Low to High; equal = none.
	Value, Low, High float64
	// Title is what a reader sees when pointing at it.
	Title string
}

// Bars are rows of values, such as strategies with their simulated times.
type Bars struct {
	// Title is the first line, Caption the last; Unit stands below the axis.
	Title, Caption, Unit string
	Rows                 []BarRow
	// Levels are vertical lines, such as a lower bound.
	Levels []ChartLevel
	// Width of the page in points; 0 = 800.
	Width float64
}

// Scene draws a row for each value: a bar from 0, its interval, and the number.
func (b *Bars) Scene() (*Scene, error) {
	width := b.Width
	if width == 0 {
		width = 800
	}
	x := &axis{}
	names := 0.0
	for _, row := range b.Rows {
		if !(row.Value >= 0) {
			return nil, errors.New("a bar needs a value of at least 0")
		}
		x.widen(row.Value, row.High)
		names = max(names, textWidth(row.Name, 9, true))
	}
	for _, level := range b.Levels {
		x.widen(level.Y)
	}
	if len(b.Rows) == 0 || x.high == 0 {
		return nil, errors.New("a chart needs a value above 0")
	}
	const each = 17.0
	names = min(names, width*0.4)
	x.high *= 1.03
	x.from, x.to = edge+names+8, width-edge-58
	s := &Scene{Width: width, Title: b.Title}
	s.add(Shape{Kind: Text, X0: edge, Y0: edge + 10, Text: fit(b.Title, 13, width-2*edge), Size: 13, Bold: true,
		Fill: Named(InkText)})
	top := edge + 34
	bottom := top + each*float64(len(b.Rows))
	for _, v := range x.ticks() {
		s.add(Shape{Kind: Line, X0: x.at(v), Y0: top, X1: x.at(v), Y1: bottom, Stroke: Named(InkIdle),
			Thickness: 0.7}, label(x.at(v), bottom+11, 8, Middle, fmt.Sprintf("%.4g", v)))
	}
	for i := range b.Rows {
		b.row(s, i, x, top+each*float64(i), names)
	}
	for i, level := range b.Levels {
		at := x.at(level.Y)
		half := textWidth(level.Name, 8, false) / 2
		s.add(Shape{Kind: Line, X0: at, Y0: top - 2, X1: at, Y1: bottom, Stroke: Named(InkText), Thickness: 1.1,
			Dashed: true, Title: fmt.Sprintf("%s: %.4g", level.Name, level.Y), ID: fmt.Sprintf("v%d", i)},
			label(min(max(at, edge+half), width-edge-half), top-4, 8, Middle, level.Name))
	}
	s.add(Shape{Kind: Text, X0: (x.from + x.to) / 2, Y0: bottom + 24, Text: b.Unit, Size: 9, Align: Middle,
		Fill: Named(InkText)}, label(edge, bottom+40, 9, Start, fit(b.Caption, 9, width-2*edge)))
	s.Height = bottom + 40 + edge
	return s, nil
}

// row draws one value.
func (b *Bars) row(s *Scene, number int, x *axis, y, names float64) {
	row := &b.Rows[number]
	title := row.Title
	if title == "" {
		title = fmt.Sprintf("%s: %.4g %s", row.Name, row.Value, b.Unit)
	}
	s.add(Shape{Kind: Text, X0: edge + names, Y0: y + 12, Text: fit(row.Name, 9, names+1), Size: 9, Align: End,
		Fill: Named(InkText)},
		Shape{Kind: Box, X0: x.at(0), Y0: y + 3, X1: x.at(row.Value), Y1: y + 14, Fill: Series(3), Title: title,
			ID: fmt.Sprintf("b%d", number)})
	end := x.at(row.Value)
	if row.Low < row.High {
		s.add(Shape{Kind: Line, X0: x.at(row.Low), Y0: y + 8.5, X1: x.at(row.High), Y1: y + 8.5,
			Stroke: Named(InkText), Thickness: 1})
		for _, v := range []float64{row.Low, row.High} {
			s.add(Shape{Kind: Line, X0: x.at(v), Y0: y + 5.5, X1: x.at(v), Y1: y + 11.5, Stroke: Named(InkText),
				Thickness: 1})
		}
		end = max(end, x.at(row.High))
	}
	s.add(label(end+5, y+12, 9, Start, fmt.Sprintf("%.4g", row.Value)))
}
