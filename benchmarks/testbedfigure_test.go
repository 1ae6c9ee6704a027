package benchmarks

import (
	"math"
	"path/filepath"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"remap/experiment"
)

// shapes tell cases apart without colours.
var shapes = []draw.GlyphDrawer{draw.CircleGlyph{}, draw.TriangleGlyph{}, draw.BoxGlyph{}, draw.CrossGlyph{},
	draw.PlusGlyph{}, draw.RingGlyph{}, draw.SquareGlyph{}, draw.PyramidGlyph{}}

// agreementSeries are the mappings of a case.
type agreementSeries struct {
	name string
	runs []experiment.Run
}

// intervals are points with what lies around them in y.
type intervals struct {
	plotter.XYs
	plotter.YErrors
}

// drawAgreement draws measured against predicted times, a mark for each mapping, with the spread of its
// launches and the line on which both are equal.
func drawAgreement(t testing.TB, all []agreementSeries) {
	t.Helper()
	p := plot.New()
	p.Title.Text = "time of a step: predicted and measured"
	p.X.Label.Text, p.Y.Label.Text = "predicted, ms (logarithmic)", "measured, ms (logarithmic)"
	p.X.Scale, p.Y.Scale = plot.LogScale{}, plot.LogScale{}
	p.X.Tick.Marker, p.Y.Tick.Marker = plot.TickerFunc(seriesTicks), plot.TickerFunc(seriesTicks)
	p.Add(plotter.NewGrid())
	legend := plot.NewLegend()
	legend.Top, legend.Left, legend.Padding = true, true, vg.Points(3)
	legend.TextStyle.Font.Size = vg.Points(10)
	least, most := math.Inf(1), 0.0
	for i, series := range all {
		var points intervals
		for _, r := range series.runs {
			x, y := 1000*r.SimulatedSeconds, 1000*r.MeasuredSeconds
			points.XYs = append(points.XYs, plotter.XY{X: x, Y: y})
			points.YErrors = append(points.YErrors, struct{ Low, High float64 }{y - 1000*r.Low, 1000*r.High - y})
			least, most = min(least, x, 1000*r.Low), max(most, x, 1000*r.High)
		}
		marks, err := plotter.NewScatter(points.XYs)
		if err != nil {
			t.Fatal(err)
		}
		marks.GlyphStyle = draw.GlyphStyle{Color: inks[i%len(inks)], Shape: shapes[i%len(shapes)],
			Radius: vg.Points(3.5)}
		bars, err := plotter.NewYErrorBars(points)
		if err != nil {
			t.Fatal(err)
		}
		bars.Color, bars.CapWidth = inks[i%len(inks)], vg.Points(3)
		p.Add(bars, marks)
		legend.Add(series.name, marks)
	}
	p.X.Min, p.X.Max = least*0.95, most*1.05
	p.Y.Min, p.Y.Max = p.X.Min, p.X.Max
	equal, err := plotter.NewLine(plotter.XYs{{X: p.X.Min, Y: p.X.Min}, {X: p.X.Max, Y: p.X.Max}})
	if err != nil {
		t.Fatal(err)
	}
	equal.Dashes = []vg.Length{vg.Points(4), vg.Points(3)}
	p.Add(equal)
	legend.Add("as predicted", equal)
	writeFigure(t, filepath.Join(figures, "predicted-measured"), p, legend)
}
