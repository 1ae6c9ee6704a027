package picture

import (
	"fmt"
	"image/color"
	"math"
)

// scaleStops are the colours of the scale from 0 to 1, in equal steps. Their lightness (CIE L*) falls
// evenly from 86 to 6, so the scale keeps its order in a grey print and for colour-blind readers; the hue
// goes from grey over yellow and red to black.
var scaleStops = [...]color.RGBA{
	{0xd3, 0xd8, 0xdc, 255}, // 0: L* 86
	{0xe4, 0x9d, 0x28, 255}, // L* 70
	{0xce, 0x62, 0x29, 255}, // L* 54
	{0xa1, 0x32, 0x34, 255}, // L* 38
	{0x62, 0x18, 0x38, 255}, // L* 22
	{0x1f, 0x0c, 0x23, 255}, // 1: L* 6
}

// namedInks are the named colours, the scale's and the greys apart.
var namedInks = map[InkName]color.RGBA{
	InkText: {0x1c, 0x20, 0x24, 255}, InkFaint: {0x6a, 0x72, 0x79, 255}, InkIdle: {0xe6, 0xe9, 0xeb, 255},
	InkGround:  {0xf4, 0xf5, 0xf6, 255},
	InkUnknown: {0x9a, 0xc3, 0xe6, 255}, InkPaper: {255, 255, 255, 255},
}

// seriesColors tell series apart (Okabe and Ito 2008), in an order in which their lightness alternates.
var seriesColors = [...]color.RGBA{
	{0x00, 0x72, 0xb2, 255}, {0xe6, 0x9f, 0x00, 255}, {0x00, 0x00, 0x00, 255}, {0x56, 0xb4, 0xe9, 255},
	{0xd5, 0x5e, 0x00, 255}, {0xcc, 0x79, 0xa7, 255}, {0x00, 0x9e, 0x73, 255},
}

// Series is the ink of series i of a chart.
func Series(i int) Ink { return Ink{Name: InkSeries + InkName(i%len(seriesColors))} }

// Color is the ink as a colour; false for InkNone.
func (i Ink) Color() (color.RGBA, bool) {
	switch {
	case i.Name == InkNone:
		return color.RGBA{}, false
	case i.Name == InkScale:
		return scaleColor(i.Value), true
	case i.Name == InkGrey:
		grey := uint8(math.Round(255 * (1 - min(1, max(0, i.Value)))))
		return color.RGBA{grey, grey, grey, 255}, true
	case i.Name >= InkSeries:
		return seriesColors[int(i.Name-InkSeries)%len(seriesColors)], true
	}
	return namedInks[i.Name], true
}

// scaleColor is the colour of a value from 0 to 1, between two stops.
func scaleColor(value float64) color.RGBA {
	steps := float64(len(scaleStops) - 1)
	at := min(1, max(0, value)) * steps
	low := min(int(at), len(scaleStops)-2)
	share := at - float64(low)
	mix := func(a, b uint8) uint8 { return uint8(math.Round(float64(a) + share*(float64(b)-float64(a)))) }
	a, b := scaleStops[low], scaleStops[low+1]
	return color.RGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), 255}
}

// hex is a colour as SVG writes it.
func hex(c color.RGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }
