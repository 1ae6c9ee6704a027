package picture

import (
	"cmp"
	"fmt"
)

// packetScale says what the scale is of samples and counts of packets.
const packetScale = "fraction of packets that found the port congested"

// keyHeight is that of a row of keys.
const keyHeight = 38.0

// legend draws the one scale, the key of the thickness, what the parts mean and the caption below y, and
// returns the height of the page.
func (d *drawing) legend(l *layout, o *NetworkOptions, y float64) float64 {
	s := d.scene
	s.add(Shape{Kind: Line, X0: edge, Y0: y, X1: o.Width - edge, Y1: y, Stroke: Named(InkIdle), Thickness: 1})
	x, y := edge, y+16
	for _, key := range []struct {
		there bool
		width float64
		draw  func(x, y float64)
	}{
		{true, 270, func(x, y float64) { d.scaleKey(x, y, cmp.Or(o.ScaleName, packetScale)) }},
		{d.lines && d.most > 0, 200, d.lineKey},
		{d.bars, 230, d.barKey},
		{d.idle, 90, func(x, y float64) { d.boxKey(x, y, InkIdle, "no traffic") }},
		{d.unknown, 90, func(x, y float64) { d.boxKey(x, y, InkUnknown, "not known") }},
	} {
		if !key.there {
			continue
		}
		if x+key.width > o.Width {
			x, y = edge, y+keyHeight
		}
		key.draw(x, y)
		x += key.width
	}
	y += keyHeight
	for _, text := range l.explain {
		s.add(label(edge, y, 9, Start, fit(text, 9, o.Width-2*edge)))
		y += 12
	}
	if o.Caption != "" {
		s.add(Shape{Kind: Text, X0: edge, Y0: y, Size: 9, Text: fit(o.Caption, 9, o.Width-2*edge),
			Fill: Named(InkText)})
		y += 12
	}
	return y + edge - 8
}

// keyName is the line above a key.
func (d *drawing) keyName(x, y float64, text string) {
	d.scene.add(Shape{Kind: Text, X0: x, Y0: y, Size: 8.5, Text: text, Fill: Named(InkText)})
}

// scaleKey draws the scale with its numbers.
func (d *drawing) scaleKey(x, y float64, name string) {
	const long, high, steps = 220.0, 9.0, 44
	d.keyName(x, y, name)
	for i := range steps {
		left := x + long*float64(i)/steps
		d.scene.add(Shape{Kind: Box, X0: left, Y0: y + 5, X1: left + long/steps + 0.3, Y1: y + 5 + high,
			Fill: Scale((float64(i) + 0.5) / steps)})
	}
	for i, align := range []Align{Start, Middle, Middle, Middle, End} {
		d.scene.add(label(x+long*float64(i)/4, y+high+14, 8, align, fmt.Sprint(float64(i)/4)))
	}
}

// lineKey shows what the thickness of a line is.
func (d *drawing) lineKey(x, y float64) {
	d.keyName(x, y, "traffic: thickness of a line")
	for i, share := range []float64{0.25, 0.5, 1} {
		at := x + 55*float64(i)
		d.scene.add(Shape{Kind: Line, X0: at, Y0: y + 9.5, X1: at + 40, Y1: y + 9.5, Stroke: Scale(0.5),
			Thickness: d.thickest * share}, label(at+20, y+23, 8, Middle, gbps(d.most*share)+" Gb/s"))
	}
}

// barKey shows what the width of a bar is.
func (d *drawing) barKey(x, y float64) {
	d.keyName(x, y, "traffic: width of the bar, of the link's rate")
	for i, share := range []float64{leastBar, 0.6, 1} {
		at := x + 55*float64(i)
		d.scene.add(Shape{Kind: Box, X0: at, Y0: y + 5, X1: at + 40, Y1: y + 14, Fill: Named(InkGround)},
			Shape{Kind: Box, X0: at + 20 - 20*share, Y0: y + 5, X1: at + 20 + 20*share, Y1: y + 14, Fill: Scale(0.5)},
			label(at+20, y+23, 8, Middle, []string{"<= 30 %", "60 %", "100 %"}[i]))
	}
}

// boxKey shows a colour that is not on the scale.
func (d *drawing) boxKey(x, y float64, ink InkName, text string) {
	d.scene.add(Shape{Kind: Box, X0: x, Y0: y + 5, X1: x + 18, Y1: y + 14, Fill: Named(ink),
		Stroke: Named(InkFaint), Thickness: 0.3}, label(x+23, y+12.5, 8, Start, text))
}
