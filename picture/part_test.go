package picture

import (
	"math"
	"testing"

	"remap/linkview"
	"remap/topology"
)

// The parts of a picture have all its shapes, each in the part of its group, in the same places to each
// other and inside the page.
func TestPart(t *testing.T) {
	for _, spec := range []string{"fattree:nodes-per-leaf=4,leaves-per-pod=3,pods=2,aggs-per-pod=2,cores=2",
		"torus:4x4", "dragonfly:groups=5,routers=4,hosts=2,global=1"} {
		machine, err := topology.Parse(spec)
		if err != nil {
			t.Fatal(err)
		}
		v := &linkview.View{Links: make([]linkview.Link, len(machine.Links)), Seconds: 1}
		for i := range v.Links {
			v.Links[i].Bytes, v.Links[i].Packets = float64(i)*1e6, 10
		}
		whole, err := Network(machine, []Panel{{View: v}, {View: v}}, NetworkOptions{SideBySide: true})
		if err != nil {
			t.Fatal(err)
		}
		total := 0
		for _, s := range whole.Shapes {
			if s.Kind != Text || s.Text != "" {
				total++
			}
		}
		var parts [3]*Scene
		for group := range parts {
			part := whole.Part(group)
			parts[group] = part
			total -= len(part.Shapes)
			for i := range part.Shapes {
				s := &part.Shapes[i]
				x0, y0, x1, y1 := s.extent()
				if s.Group != group || x0 < 0 || y0 < 0 || x1 > part.Width || y1 > part.Height {
					t.Fatalf("%s: %+v on a page of %g by %g", spec, s, part.Width, part.Height)
				}
			}
		}
		if total != 0 {
			t.Errorf("%s: %d shapes are in no part", spec, total)
		}
		a, b := parts[1], parts[2]
		if len(a.Shapes) != len(b.Shapes) || math.Abs(a.Width-b.Width) > 1e-6 {
			t.Fatalf("%s: two panels of one view have %d and %d shapes", spec, len(a.Shapes), len(b.Shapes))
		}
		for i := range a.Shapes {
			if math.Abs(a.Shapes[i].X0-b.Shapes[i].X0)+math.Abs(a.Shapes[i].Y0-b.Shapes[i].Y0) > 1e-6 {
				t.Fatalf("%s: shape %d stands elsewhere in the second panel", spec, i)
			}
		}
	}
	if empty := (&Scene{}).Part(1); len(empty.Shapes) != 0 || empty.Width != 0 {
		t.Errorf("%+v", empty)
	}
}
