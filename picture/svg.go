package picture

import (
	"bufio"
	"encoding/xml"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode"
)

// classes are the SVG classes of named inks.
var classes = map[InkName]string{InkText: "ink", InkFaint: "faint", InkIdle: "idle", InkGround: "ground",
	InkUnknown: "unknown", InkPaper: "paper"}

// class is the SVG class of an ink, so that a page may give it another colour in the dark; empty = none.
func (i Ink) class() string {
	if i.Name >= InkSeries {
		return "series" + strconv.Itoa(int(i.Name-InkSeries))
	}
	return classes[i.Name]
}

// WriteSVG writes the drawing as SVG. Shapes have their Title as <title>, their ID as data-id, their
// place on the scale as data-v and their Group as data-g. Named colours that fill a shape are classes
// ink, faint, idle, ground, unknown, paper and series0 to series6, too, and those of lines and outlines
// ink-line and so on. The same scene gives the same bytes.
func (s *Scene) WriteSVG(w io.Writer) error {
	b := bufio.NewWriter(w)
	p := &svgPrinter{Writer: b}
	p.text(`<svg xmlns="http://www.w3.org/2000/svg" class="remap-picture" role="img" width="`, number(s.Width),
		`pt" height="`, number(s.Height), `pt" viewBox="0 0 `, number(s.Width), ` `, number(s.Height),
		`" font-family="Liberation Sans, Arial, Helvetica, sans-serif">`, "\n<title>")
	p.escaped(s.Title)
	p.text("</title>\n")
	if s.Description != "" {
		p.text("<desc>")
		p.escaped(s.Description)
		p.text("</desc>\n")
	}
	p.shape(&Shape{Kind: Box, X1: s.Width, Y1: s.Height, Fill: Named(InkPaper)})
	for i := range s.Shapes {
		p.shape(&s.Shapes[i])
	}
	p.text("</svg>\n")
	return b.Flush()
}

// number is a length with at most two digits after the point.
func number(x float64) string {
	if text := strconv.FormatFloat(math.Round(x*100)/100, 'f', -1, 64); text != "-0" {
		return text
	}
	return "0"
}

// svgPrinter writes elements. Errors are kept by the writer until it is flushed.
type svgPrinter struct{ *bufio.Writer }

// text writes strings as they are.
func (p *svgPrinter) text(parts ...string) {
	for _, part := range parts {
		_, _ = p.WriteString(part) // Flush reports it
	}
}

// escaped writes a text as XML.
func (p *svgPrinter) escaped(text string) { _ = xml.EscapeText(p, []byte(printable(text))) }

// attributes writes names with numbers.
func (p *svgPrinter) attributes(values ...any) {
	for i := 0; i < len(values); i += 2 {
		p.text(" ", values[i].(string), `="`, number(values[i+1].(float64)), `"`)
	}
}

// shape writes one element.
func (p *svgPrinter) shape(s *Shape) {
	element := [...]string{"rect", "circle", "path", "path", "text"}[s.Kind]
	p.text("<", element)
	switch s.Kind {
	case Box:
		p.attributes("x", min(s.X0, s.X1), "y", min(s.Y0, s.Y1), "width", math.Abs(s.X1-s.X0),
			"height", math.Abs(s.Y1-s.Y0))
	case Disc:
		p.attributes("cx", (s.X0+s.X1)/2, "cy", (s.Y0+s.Y1)/2, "r", math.Abs(s.X1-s.X0)/2)
	case Line:
		p.text(` d="M`, number(s.X0), " ", number(s.Y0), "L", number(s.X1), " ", number(s.Y1), `"`)
	case Curve:
		p.text(` d="M`, number(s.X0), " ", number(s.Y0), "Q", number(s.CX), " ", number(s.CY), " ", number(s.X1),
			" ", number(s.Y1), `"`)
	case Text:
		p.attributes("x", s.X0, "y", s.Y0, "font-size", s.Size)
		p.text([...]string{"", ` text-anchor="middle"`, ` text-anchor="end"`}[s.Align])
		if s.Bold {
			p.text(` font-weight="bold"`)
		}
	}
	p.inks(s)
	p.data(s)
	if s.Text == "" && s.Title == "" {
		p.text("/>\n")
		return
	}
	p.text(">")
	if s.Title != "" {
		p.text("<title>")
		p.escaped(s.Title)
		p.text("</title>")
	}
	p.escaped(s.Text)
	p.text("</", element, ">\n")
}

// inks writes fill and stroke with their classes.
func (p *svgPrinter) inks(s *Shape) {
	var all []string
	add := func(class, end string) {
		if class != "" {
			all = append(all, class+end)
		}
	}
	if fill, ok := s.Fill.Color(); ok && s.Kind != Line && s.Kind != Curve {
		p.text(` fill="`, hex(fill), `"`)
		add(s.Fill.class(), "")
	} else if s.Kind != Line { // a straight line has no inside
		p.text(` fill="none"`)
	}
	if stroke, ok := s.Stroke.Color(); ok && s.Kind != Text {
		p.text(` stroke="`, hex(stroke), `"`)
		p.attributes("stroke-width", s.Thickness)
		add(s.Stroke.class(), "-line")
	}
	if s.Dashed {
		p.text(` stroke-dasharray="2 2"`)
	}
	if len(all) > 0 {
		p.text(` class="`, strings.Join(all, " "), `"`)
	}
}

// data writes what a page's program reads.
func (p *svgPrinter) data(s *Shape) {
	if s.ID != "" {
		p.text(` data-id="`)
		p.escaped(s.ID)
		p.text(`"`)
	}
	for _, ink := range []Ink{s.Fill, s.Stroke} {
		if s.ID != "" && ink.Name == InkScale {
			p.text(` data-v="`, strconv.FormatFloat(math.Round(ink.Value*1000)/1000, 'f', -1, 64), `"`)
			break
		}
	}
	if s.Group > 0 && s.ID != "" {
		p.text(` data-g="`, strconv.Itoa(s.Group), `"`)
	}
}

// printable replaces control characters, which names of hosts may have, and those that change the
// direction of others by a question mark.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == unicode.ReplacementChar {
			return '?'
		}
		return r
	}, text)
}
