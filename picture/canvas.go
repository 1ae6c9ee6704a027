package picture

import (
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"sync"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
)

// fonts are those of all renderers; SVG names them. The bold one is a variant, since the PDF canvas finds
// no fonts by weight.
var fonts = sync.OnceValue(func() *font.Cache {
	all := slices.Clone(liberation.Collection())
	for _, f := range all {
		if f.Font.Variant == "Sans" && f.Font.Weight > 0 && f.Font.Style == 0 {
			f.Font.Variant, f.Font.Weight = boldVariant, 0
			return font.NewCache(append(all, f))
		}
	}
	return font.NewCache(all)
})

// boldVariant is the variant of bold texts.
const boldVariant = "SansBold"

// face is a font in a size.
func face(size float64, bold bool) font.Face {
	f := font.Font{Typeface: "Liberation", Variant: "Sans"}
	if bold {
		f.Variant = boldVariant
	}
	return fonts().Lookup(f, vg.Length(size))
}

// textWidth is the length of a text in points.
func textWidth(text string, size float64, bold bool) float64 {
	f := face(size, bold)
	return float64(f.Width(printable(text)))
}

// pixelsPerInch of PNG: a page of 1,200 points is 1,600 pixels wide.
const pixelsPerInch = 96

// mostPixels is the largest picture that WritePNG makes.
const mostPixels = 64 << 20

// WritePNG writes the drawing as PNG with 96 pixels an inch, times zoom.
func (s *Scene) WritePNG(w io.Writer, zoom float64) error {
	dots := int(math.Round(pixelsPerInch * zoom))
	if dots < 1 || s.Width*s.Height*float64(dots)*float64(dots)/72/72 > mostPixels {
		return errors.New("the picture would have more than 64 million pixels")
	}
	c := vgimg.NewWith(vgimg.UseWH(vg.Length(s.Width), vg.Length(s.Height)), vgimg.UseDPI(dots))
	s.draw(c)
	_, err := vgimg.PngCanvas{Canvas: c}.WriteTo(w)
	return err
}

// WritePDF writes the drawing as PDF of one page.
func (s *Scene) WritePDF(w io.Writer) error {
	c := vgpdf.New(vg.Length(s.Width), vg.Length(s.Height))
	s.draw(c)
	_, err := c.WriteTo(w)
	return err
}

// draw draws all shapes on a canvas, whose y grows upwards.
func (s *Scene) draw(c vg.Canvas) {
	at := func(x, y float64) vg.Point { return vg.Point{X: vg.Length(x), Y: vg.Length(s.Height - y)} }
	for i := range s.Shapes {
		shape := &s.Shapes[i]
		if shape.Kind == Text {
			drawText(c, shape, at)
			continue
		}
		path := shape.path(at)
		if fill, ok := shape.Fill.Color(); ok {
			c.SetColor(fill)
			c.Fill(path)
		}
		if stroke, ok := shape.Stroke.Color(); ok {
			c.SetColor(stroke)
			c.SetLineWidth(vg.Length(shape.Thickness))
			if shape.Dashed {
				c.SetLineDash([]vg.Length{2, 2}, 0)
			}
			c.Stroke(path)
			if shape.Dashed {
				c.SetLineDash(nil, 0)
			}
		}
	}
}

// path is the outline of a shape; at converts points.
func (s *Shape) path(at func(x, y float64) vg.Point) (p vg.Path) {
	switch s.Kind {
	case Box:
		p.Move(at(s.X0, s.Y0))
		p.Line(at(s.X1, s.Y0))
		p.Line(at(s.X1, s.Y1))
		p.Line(at(s.X0, s.Y1))
		p.Close()
	case Disc:
		// Four Bézier curves: arcs of the PDF canvas draw themselves.
		const k = 0.5522847498
		x, y, r := (s.X0+s.X1)/2, (s.Y0+s.Y1)/2, math.Abs(s.X1-s.X0)/2
		p.Move(at(x+r, y))
		for _, q := range [][2]float64{{1, 0}, {0, 1}, {-1, 0}, {0, -1}} {
			cos, sin := q[0]*r, q[1]*r
			p.CubeTo(at(x+cos-k*sin, y+sin+k*cos), at(x-sin+k*cos, y+cos+k*sin), at(x-sin, y+cos))
		}
		p.Close()
	case Line:
		p.Move(at(s.X0, s.Y0))
		p.Line(at(s.X1, s.Y1))
	case Curve:
		p.Move(at(s.X0, s.Y0))
		p.QuadTo(at(s.CX, s.CY), at(s.X1, s.Y1))
	}
	return p
}

// drawText draws a text with its alignment.
func drawText(c vg.Canvas, s *Shape, at func(x, y float64) vg.Point) {
	ink, ok := s.Fill.Color()
	if !ok {
		return
	}
	text, x := latin(printable(s.Text)), s.X0
	switch s.Align {
	case Middle:
		x -= textWidth(text, s.Size, s.Bold) / 2
	case End:
		x -= textWidth(text, s.Size, s.Bold)
	}
	c.SetColor(ink)
	for _, part := range strings.SplitAfter(text, "1") { // the fonts' kerning makes one stroke of 11
		c.FillString(face(s.Size, s.Bold), at(x, s.Y0), part)
		x += textWidth(part, s.Size, s.Bold)
	}
}

// latin replaces characters that the fonts of PDF files lack here.
func latin(text string) string {
	return strings.Map(func(r rune) rune {
		if r > 0xff {
			return '?'
		}
		return r
	}, text)
}
