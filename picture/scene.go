// Package picture draws what was seen of a network: congested fraction plots, traffic matrices and
// charts. A drawing is a Scene, a list of shapes, which WriteSVG, WritePNG and WritePDF render with the
// same geometry, and the terminal picture is text.
package picture

import "math"

// Scene is a drawing. Lengths are in points (1/72 inch); x grows to the right and y downwards.
type Scene struct {
	// Width, Height: the size of the page.
	Width, Height float64
	// Title is the name of the drawing, for screen readers.
	Title string
	// Description says in a sentence what the drawing shows, for screen readers too; empty = nothing.
	Description string
	// Shapes in drawing order: later ones cover earlier ones.
	Shapes []Shape
}

// Kind is the form of a shape.
type Kind uint8

// The kinds of shapes.
const (
	// Box is a rectangle with the corners (X0, Y0) and (X1, Y1).
	Box Kind = iota
	// Disc is the circle in such a rectangle.
	Disc
	// Line leads from (X0, Y0) to (X1, Y1).
	Line
	// Curve is a Line that is bent towards the control point (CX, CY), a quadratic Bézier curve.
	Curve
	// Text stands with its baseline at (X0, Y0).
	Text
)

// Align is where a text's anchor is.
type Align uint8

// The alignments of texts.
const (
	// Start: the text begins at its anchor.
	Start Align = iota
	// Middle: the anchor is the middle of the text.
	Middle
	// End: the text ends at its anchor.
	End
)

// Shape is a mark of a drawing.
type Shape struct {
	Kind           Kind
	X0, Y0, X1, Y1 float64
	CX, CY         float64
	// Fill is the colour of a box, a disc or a text.
	Fill Ink
	// Stroke is the colour of a line, or of the outline of a box or disc, and Thickness its width.
	Stroke    Ink
	Thickness float64
	// Dashed is of lines: what they show is not known.
	Dashed bool
	// Text, its size (of the font) and its alignment.
	Text  string
	Size  float64
	Align Align
	Bold  bool
	// Title is what a reader sees when pointing at the shape; empty = nothing.
	Title string
	// ID is what the shape stands for: "l17" is link 17, "h4" host 4, "s3" switch 3; several are
	// separated by blanks, of many the first. Empty for frames, legends and titles.
	ID string
	// Group is the number of the panel to which the shape belongs, from 1; 0 = titles and legends.
	Group int
}

// Ink is a colour: a place on the one scale of congested fractions, or one of the named colours. The
// zero value is no colour.
type Ink struct {
	// Name is of a named colour; InkScale means that Value counts.
	Name InkName
	// Value is the place on the scale, from 0 to 1.
	Value float64
}

// InkName is a named colour.
type InkName uint8

// The named colours.
const (
	// InkNone draws nothing.
	InkNone InkName = iota
	// InkScale is Value's colour on the scale.
	InkScale
	// InkText is for titles and labels.
	InkText
	// InkFaint is for second-rate labels and frames.
	InkFaint
	// InkIdle is for links that carry nothing.
	InkIdle
	// InkGround is for strips on which cells stand.
	InkGround
	// InkUnknown is for what nobody knows.
	InkUnknown
	// InkPaper is the colour of the page.
	InkPaper
	// InkGrey is a grey of lightness 1 - Value, for density plots.
	InkGrey
	// InkSeries and the following ones tell series of a chart apart.
	InkSeries
)

// Scale is the ink of a congested fraction; InkUnknown where it is NaN.
func Scale(fraction float64) Ink {
	if math.IsNaN(fraction) {
		return Ink{Name: InkUnknown}
	}
	return Ink{Name: InkScale, Value: min(1, max(0, fraction))}
}

// Named is a named colour as an ink.
func Named(name InkName) Ink { return Ink{Name: name} }

// add appends shapes.
func (s *Scene) add(shapes ...Shape) { s.Shapes = append(s.Shapes, shapes...) }
