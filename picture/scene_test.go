package picture

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"math"
	"strings"
	"testing"
)

// lightness is CIE L* of an ink, from its sRGB values (IEC 61966-2-1, D65).
func lightness(i Ink) float64 {
	c, _ := i.Color()
	linear := func(v uint8) float64 {
		x := float64(v) / 255
		if x <= 0.04045 {
			return x / 12.92
		}
		return math.Pow((x+0.055)/1.055, 2.4)
	}
	y := 0.2126*linear(c.R) + 0.7152*linear(c.G) + 0.0722*linear(c.B)
	if y <= 216.0/24389 {
		return y * 24389 / 27
	}
	return 116*math.Cbrt(y) - 16
}

// The scale darkens evenly, so it is legible in grey.
func TestScaleIsMonotone(t *testing.T) {
	before := lightness(Scale(0))
	for i := 1; i <= 100; i++ {
		now := lightness(Scale(float64(i) / 100))
		if fall := before - now; fall < 0.5 || fall > 1.1 {
			t.Errorf("%d of 100: L* falls by %.2f to %.1f", i, fall, now)
		}
		before = now
	}
	if first := lightness(Scale(0)); first > 92 || before > 15 {
		t.Errorf("L* from %.1f to %.1f", first, before)
	}
	if Scale(math.NaN()).Name != InkUnknown || Scale(7) != Scale(1) || Scale(-1) != Scale(0) {
		t.Error("values out of the scale")
	}
}

// example has every kind of shape, with names that want to be markup.
func example() *Scene {
	s := &Scene{Width: 200, Height: 100, Title: "an <example> & more"}
	s.add(Shape{Kind: Box, X0: 10, Y0: 10, X1: 30, Y1: 20, Fill: Scale(0.5), ID: "h0", Group: 1,
		Title: `<script>alert("x")</script>` + "\x1b[31m\x00"},
		Shape{Kind: Disc, X0: 40, Y0: 10, X1: 50, Y1: 20, Stroke: Named(InkFaint), Thickness: 1},
		Shape{Kind: Line, X0: 10, Y0: 40, X1: 90, Y1: 50, Stroke: Scale(1), Thickness: 2, Dashed: true},
		Shape{Kind: Curve, X0: 10, Y0: 60, X1: 90, Y1: 60, CX: 50, CY: 90, Stroke: Scale(0.1), Thickness: 1},
		Shape{Kind: Text, X0: 100, Y0: 90, Text: "a text → \x1b<b>", Size: 9, Align: Middle, Bold: true,
			Fill: Named(InkText)})
	return s
}

// wellFormed parses XML to its end and gives the names of its elements with their number.
func wellFormed(t *testing.T, text []byte) map[string]int {
	t.Helper()
	count := map[string]int{}
	for d := xml.NewDecoder(bytes.NewReader(text)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return count
		}
		if err != nil {
			t.Fatalf("not XML: %v", err)
		}
		if start, ok := token.(xml.StartElement); ok {
			count[start.Name.Local]++
		}
	}
}

// Hostile names stay text, in every format.
func TestRenderersEscape(t *testing.T) {
	var first, second bytes.Buffer
	for _, b := range []*bytes.Buffer{&first, &second} {
		if err := example().WriteSVG(b); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("two renderings differ")
	}
	count := wellFormed(t, first.Bytes())
	if count["script"] != 0 || count["b"] != 0 || count["rect"] != 2 || count["circle"] != 1 ||
		count["path"] != 2 || count["text"] != 1 {
		t.Errorf("elements: %v", count)
	}
	if strings.ContainsAny(first.String(), "\x1b\x00") {
		t.Error("control characters are in the file")
	}
	for _, want := range []string{`data-id="h0"`, `data-v="0.5"`, `data-g="1"`} {
		if !strings.Contains(first.String(), want) {
			t.Errorf("no %s in %s", want, first.String())
		}
	}
}

// PNG and PDF have the size of the page.
func TestPNGAndPDF(t *testing.T) {
	var image, page bytes.Buffer
	if err := example().WritePNG(&image, 1.5); err != nil {
		t.Fatal(err)
	}
	decoded, err := png.Decode(&image)
	if err != nil {
		t.Fatal(err)
	}
	if size := decoded.Bounds().Size(); size.X != 400 || size.Y != 200 {
		t.Errorf("size %v, want 400x200", size)
	}
	if r, _, b, _ := decoded.At(40, 30).RGBA(); r <= b {
		t.Errorf("the box at (20, 15) is not drawn: %v", decoded.At(40, 30))
	}
	if err := example().WritePDF(&page); err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(page.Bytes(), []byte("%PDF")) || page.Len() > 1<<20 {
		t.Errorf("%d bytes beginning with %q", page.Len(), page.Bytes()[:8])
	}
	if err := (&Scene{Width: 1e6, Height: 1e6}).WritePNG(io.Discard, 1); err == nil {
		t.Error("a picture of a million points was not refused")
	}
}
