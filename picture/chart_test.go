package picture

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"remap/commgraph"
)

// charts are one of each kind.
func charts(t *testing.T) map[string]*Scene {
	t.Helper()
	convergence := &Chart{Title: "convergence of the loop", XName: "simulated mappings",
		YName: "time of a step, us", Levels: []ChartLevel{{"best static", 64.5}, {"lower bound", 40}},
		Series: []ChartSeries{{Name: "feedback", Stairs: true, Points: []ChartPoint{{X: 1, Y: 64.5}, {X: 4, Y: 55},
			{X: 9, Y: 44.1}, {X: 30, Y: 43}}}, {Name: "random restarts", Stairs: true,
			Points: []ChartPoint{{X: 1, Y: 70}, {X: 12, Y: 66}, {X: 30, Y: 65}}}}}
	search := &Chart{Description: "one <search>", XName: "mappings", YName: "us", YLimit: 70, Width: 720,
		Height: 320, Levels: []ChartLevel{{"best without feedback", 60}, {"close to it", 60.2}, {"far above", 300}},
		Series: []ChartSeries{{Name: "best so far", Stairs: true, Points: []ChartPoint{{X: 1, Y: 66}, {X: 3, Y: 60},
			{X: 5, Y: 44}}}, {Name: "without feedback", Points: []ChartPoint{{X: 1, Y: 66}, {X: 2, Y: 300},
			{X: 3, Y: 60}}}, {Name: "by feedback", Points: []ChartPoint{{X: 4, Y: 61}, {X: 5, Y: 44}}}}}
	agreement := &Chart{Title: "time of a step: predicted and measured", XName: "predicted, ms",
		YName: "measured, ms", Logarithmic: true, Diagonal: true,
		Series: []ChartSeries{{Name: "a stencil", Points: []ChartPoint{
			{X: 1, Y: 1.2, Low: 1.1, High: 1.4}, {X: 3, Y: 2.7, Low: 2.5, High: 2.9}}}, {Name: "a ring",
			Points: []ChartPoint{{X: 10, Y: 14, Low: 12, High: 15}}}, {Name: "a third", Points: []ChartPoint{
			{X: 5, Y: 5}}}}}
	all := map[string]*Scene{}
	for name, draw := range map[string]func() (*Scene, error){"convergence": convergence.Scene,
		"agreement": agreement.Scene, "search": search.Scene} {
		s, err := draw()
		if err != nil {
			t.Fatal(err)
		}
		all[name] = s
	}
	return all
}

// Charts stay on their page and show every point; REMAP_PICTURES names a folder to look at them.
func TestCharts(t *testing.T) {
	points := map[string]int{"convergence": 7, "agreement": 4, "search": 8}
	for name, s := range charts(t) {
		inside(t, name, s)
		count := 0
		for _, shape := range s.Shapes {
			if strings.HasPrefix(shape.ID, "p") {
				count++
			}
		}
		if count != points[name] {
			t.Errorf("%s: %d points, want %d", name, count, points[name])
		}
		var png, svg bytes.Buffer
		if err := s.WritePNG(&png, 1); err != nil {
			t.Fatal(err)
		}
		if err := s.WriteSVG(&svg); err != nil {
			t.Fatal(err)
		}
		wellFormed(t, svg.Bytes())
		if folder := os.Getenv("REMAP_PICTURES"); folder != "" {
			if err := os.WriteFile(filepath.Join(folder, "chart-"+name+".png"), png.Bytes(), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// Points are where their values are: in order, and equal values on the diagonal.
func TestChartPositions(t *testing.T) {
	s := charts(t)["agreement"]
	var x, y []float64
	var diagonal Shape
	for _, shape := range s.Shapes {
		if strings.HasPrefix(shape.ID, "p0-") || strings.HasPrefix(shape.ID, "p2-") {
			x, y = append(x, (shape.X0+shape.X1)/2), append(y, (shape.Y0+shape.Y1)/2)
		}
		if shape.Title == "both are equal" {
			diagonal = shape
		}
	}
	if len(x) != 3 || !(x[0] < x[1] && x[1] < x[2] && y[1] < y[0] && y[2] < y[1]) {
		t.Fatalf("x %v, y %v", x, y)
	}
	at := diagonal.Y0 + (diagonal.Y1-diagonal.Y0)*(x[2]-diagonal.X0)/(diagonal.X1-diagonal.X0)
	if math.Abs(at-y[2]) > 0.01 {
		t.Errorf("(5, 5) is at y %g, the diagonal at %g", y[2], at)
	}
}

// What is above the limit is at the upper edge, levels above it are left out, and the names of others do
// not cover each other. Marks differ by form, and stairs go on to the end of the axis.
func TestChartOfSearch(t *testing.T) {
	s := charts(t)["search"]
	shapes, texts := map[string]Shape{}, map[string]float64{}
	for _, shape := range s.Shapes {
		shapes[shape.ID] = shape
		if shape.Kind == Text {
			texts[shape.Text] = shape.Y0
		}
	}
	middle := func(id string) float64 { return (shapes[id].Y0 + shapes[id].Y1) / 2 }
	if !(middle("p1-1") < middle("p1-0") && middle("p1-0") < middle("p1-2")) {
		t.Errorf("300, 66 and 60 are at %g, %g, %g", middle("p1-1"), middle("p1-0"), middle("p1-2"))
	}
	if _, there := texts["far above"]; there || texts["best without feedback"]-texts["close to it"] < 9 {
		t.Errorf("names of levels at %v", texts)
	}
	if math.Abs(shapes["v1"].Y0-middle("p1-2")) > 0.01 {
		t.Errorf("the level 60 is at %g, the point at %g", shapes["v1"].Y0, middle("p1-2"))
	}
	if shapes["p1-0"].Kind == shapes["p2-0"].Kind || shapes["p0-2"].X1 != shapes["v1"].X1 {
		t.Errorf("marks %v, %v; the last stair ends at %g of %g", shapes["p1-0"].Kind, shapes["p2-0"].Kind,
			shapes["p0-2"].X1, shapes["v1"].X1)
	}
	for _, want := range []string{"1", "2", "3", "4", "5"} {
		if _, there := texts[want]; !there {
			t.Errorf("whole numbers have no tick %s: %v", want, texts)
		}
	}
	var svg bytes.Buffer
	if err := s.WriteSVG(&svg); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"<desc>one &lt;search&gt;</desc>", `class="series1 series1-line"`,
		`class="paper series2-line"`, `class="series0-line"`, `class="faint-line"`} {
		if !strings.Contains(svg.String(), want) {
			t.Errorf("no %s in the SVG", want)
		}
	}
}

// Whatever the values, points are inside the axes, faster ones never above slower ones, the ticks few.
func TestChartOfAnyValues(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		value := rapid.Float64Range(0, 1e6)
		times := rapid.SliceOfN(value, 1, 40).Draw(r, "times")
		c := Chart{YLimit: value.Draw(r, "limit"), Levels: []ChartLevel{{"a", value.Draw(r, "a")},
			{"b", value.Draw(r, "b")}}, Series: []ChartSeries{{Name: "x"}}}
		for i, y := range times {
			c.Series[0].Points = append(c.Series[0].Points, ChartPoint{X: float64(i + 1), Y: y})
		}
		s, err := c.Scene()
		if err != nil {
			r.Fatal(err)
		}
		inside(t, "any values", s)
		y, grid := make([]float64, len(times)), 0
		for _, shape := range s.Shapes {
			if i, found := strings.CutPrefix(shape.ID, "p0-"); found {
				at, _ := strconv.Atoi(i)
				y[at] = shape.Y0
			}
			if shape.Stroke == Named(InkIdle) {
				grid++
			}
		}
		for i := range times {
			for k := range times {
				if times[i] < times[k] && y[i] < y[k]-1e-9 {
					r.Fatalf("%g is above %g", times[i], times[k])
				}
			}
		}
		if grid < 3 || grid > 20 { // one at a single place across, two up
			r.Fatalf("%d lines of the grid", grid)
		}
	})
}

// Charts without values are refused.
func TestChartsRefuse(t *testing.T) {
	for name, draw := range map[string]func() (*Scene, error){
		"empty":       (&Chart{}).Scene,
		"logarithm":   (&Chart{Logarithmic: true, Series: []ChartSeries{{Points: []ChartPoint{{Y: 1}}}}}).Scene,
		"not numbers": (&Chart{Series: []ChartSeries{{Points: []ChartPoint{{X: math.NaN(), Y: 1}}}}}).Scene,
	} {
		if _, err := draw(); err == nil {
			t.Errorf("%s: not refused", name)
		}
	}
}

// A ring's matrix has the bytes of its pairs, in any order and at any resolution.
func TestMatrix(t *testing.T) {
	for _, ranks := range []int{5, 900, 3000} {
		var flows []commgraph.Flow
		for r := range ranks {
			flows = append(flows, commgraph.Flow{From: int32(r), To: int32((r + 1) % ranks), Bytes: 10, Messages: 1})
		}
		traffic, err := commgraph.NewTraffic(ranks, flows, true)
		if err != nil {
			t.Fatal(err)
		}
		order := make([]int32, ranks)
		for i := range order {
			order[i] = int32(ranks - 1 - i)
		}
		m := &matrix{ranks: ranks, each: (ranks + mostSide - 1) / mostSide}
		for _, o := range [][]int32{nil, order} {
			sum := 0.0
			for _, run := range m.cells(traffic, o) {
				sum += run.bytes * float64(run.end-run.from)
				near := run.from - run.row
				if wrapped := run.from == 0 || run.row == 0; !wrapped && (near < -1 || near > 1) {
					t.Errorf("%d ranks: %+v is not near the diagonal", ranks, run)
				}
			}
			if sum != float64(10*ranks) {
				t.Errorf("%d ranks: %g bytes", ranks, sum)
			}
		}
		s, err := Matrix(traffic, []MatrixPanel{{Heading: "by number"}, {Heading: "reversed", Order: order,
			Lines: [][]int{{ranks / 2}}, LineNames: []string{"pod"}}}, MatrixOptions{Title: "ring"})
		if err != nil {
			t.Fatal(err)
		}
		inside(t, "matrix", s)
	}
}

// Matrices of the wrong size are refused.
func TestMatrixRefuses(t *testing.T) {
	traffic, err := commgraph.NewTraffic(2, []commgraph.Flow{{From: 0, To: 1, Bytes: 1}}, false)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Matrix(traffic, nil, MatrixOptions{}); err == nil {
		t.Error("no panels")
	}
	if _, err := Matrix(traffic, []MatrixPanel{{Order: []int32{0}}}, MatrixOptions{}); err == nil {
		t.Error("an order of one rank")
	}
}
