package picture

import (
	"cmp"
	"fmt"
)

// packetScale says what the scale is of samples and counts of packets.
const packetScale = "fraction of packets that found the port congested"

// legend draws the one scale, the key of the thickness, what the parts mean and the caption below y, and
// returns the height of the page.
func (d *drawing) legend(l *layout, o *NetworkOptions, y float64) float64 {
	const long, high, steps = 220.0, 9.0, 44
	s := d.scene
	s.add(Shape{Kind: Line, X0: edge, Y0: y, X1: o.Width - edge, Y1: y, Stroke: Named(InkIdle), Thickness: 1})
	y += 16
	s.add(Shape{Kind: Text, X0: edge, Y0: y, Size: 8.5, Text: cmp.Or(o.ScaleName, packetScale),
		Fill: Named(InkText)})
	for i := range steps {
		x := edge + long*float64(i)/steps
		s.add(Shape{Kind: Box, X0: x, Y0: y + 5, X1: x + long/steps + 0.3, Y1: y + 5 + high,
			Fill: Scale((float64(i) + 0.5) / steps)})
	}
	for i := range 5 {
		x := edge + 0.3 + long*float64(i)/4
		align := Middle
		switch i {
		case 0:
			align = Start
		case 4:
			align = End
		}
		s.add(label(x, y+high+14, 8, align, fmt.Sprint(float64(i)/4)))
	}
	x := d.thicknessKey(edge+long+50, y)
	d.otherKeys(x, y)
	y += high + 30
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

// thicknessKey shows what thickness, or the width of a bar, means, and returns where it ends.
func (d *drawing) thicknessKey(x, y float64) float64 {
	s := d.scene
	if d.lines && d.most > 0 {
		s.add(Shape{Kind: Text, X0: x, Y0: y, Size: 8.5, Text: "traffic: thickness of a line",
			Fill: Named(InkText)})
		for i, share := range []float64{0.25, 0.5, 1} {
			at := x + 55*float64(i)
			s.add(Shape{Kind: Line, X0: at, Y0: y + 9.5, X1: at + 40, Y1: y + 9.5, Stroke: Scale(0.5),
				Thickness: d.thickest * share},
				label(at+20, y+23, 8, Middle, gbps(d.most*share)+" Gb/s"))
		}
		x += 190
	}
	if d.bars {
		s.add(Shape{Kind: Text, X0: x, Y0: y, Size: 8.5, Text: "traffic: width of the bar, of the link's rate",
			Fill: Named(InkText)})
		for i, share := range []float64{leastBar, 0.6, 1} {
			at := x + 55*float64(i)
			s.add(Shape{Kind: Box, X0: at, Y0: y + 5, X1: at + 40, Y1: y + 14, Fill: Named(InkGround)},
				Shape{Kind: Box, X0: at + 20 - 20*share, Y0: y + 5, X1: at + 20 + 20*share, Y1: y + 14, Fill: Scale(0.5)},
				label(at+20, y+23, 8, Middle, []string{"<= 30 %", "60 %", "100 %"}[i]))
		}
		x += 190
	}
	return x
}

// otherKeys show what has no place on the scale.
func (d *drawing) otherKeys(x, y float64) {
	for _, key := range []struct {
		there bool
		ink   InkName
		text  string
	}{{d.idle, InkIdle, "no traffic"}, {d.unknown, InkUnknown, "not known"}} {
		if key.there {
			d.scene.add(Shape{Kind: Box, X0: x, Y0: y + 5, X1: x + 18, Y1: y + 14, Fill: Named(key.ink),
				Stroke: Named(InkFaint), Thickness: 0.3}, label(x+23, y+12.5, 8, Start, key.text))
			x += 80
		}
	}
}
