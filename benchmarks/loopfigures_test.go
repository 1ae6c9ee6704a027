package benchmarks

import (
	"fmt"
	"image/color"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// figures is where the documents find them.
const figures = "../docs/figures"

// inks tell lines apart for people who do not see all colours alike too (Okabe
// and Ito 2008).
var inks = []color.Color{
	color.RGBA{R: 0, G: 114, B: 178, A: 255}, color.RGBA{R: 213, G: 94, B: 0, A: 255},
	color.RGBA{R: 0, G: 158, B: 115, A: 255},
	color.RGBA{R: 204, G: 121, B: 167, A: 255}, color.RGBA{R: 230, G: 159, B: 0, A: 255},
	color.RGBA{R: 90, G: 90, B: 90, A: 255},
}

// drawConvergence draws the best time so far against the mappings simulated, for
// each feedback model on exact counters: medians over the searches.
func drawConvergence(t testing.TB, scenario string, rows []*ablationRow) {
	t.Helper()
	p := plot.New()
	p.Title.Text = fmt.Sprintf("%s, seeds of the search: %d", scenario, len(rows[0].curves))
	p.X.Label.Text, p.Y.Label.Text = "mappings simulated", "best time so far, us"
	p.X.Min, p.X.Max = 1, 1
	p.X.Tick.Marker = plot.TickerFunc(wholeTicks)
	p.Add(plotter.NewGrid())
	legend := plot.NewLegend()
	legend.Top, legend.Left, legend.Padding = true, true, vg.Points(3)
	legend.TextStyle.Font.Size = vg.Points(10)
	least, most := math.Inf(1), 0.0
	for i, row := range rows {
		if row.view != "" {
			continue
		}
		points := medians(row.curves)
		line, err := plotter.NewLine(points)
		if err != nil {
			t.Fatal(err)
		}
		line.StepStyle = plotter.PostStep
		// one below others is seen at their sides
		line.Color, line.Width = inks[i%len(inks)], vg.Points(4.5-0.6*float64(i))
		if i > 2 {
			line.Dashes = []vg.Length{vg.Points(6), vg.Points(2)}
		}
		p.Add(line)
		legend.Add(row.name, line)
		for _, xy := range points {
			least, most = min(least, xy.Y), max(most, xy.Y)
		}
	}
	if p.Y.Min, p.Y.Max = least*0.98, most*1.02; most > 2.5*least {
		p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, plot.TickerFunc(seriesTicks)
		p.Y.Label.Text += " (logarithmic)"
	}
	begins, err := plotter.NewLine(plotter.XYs{{X: float64(rows[0].statics), Y: p.Y.Min},
		{X: float64(rows[0].statics), Y: p.Y.Max}})
	if err != nil {
		t.Fatal(err)
	}
	begins.Dashes = []vg.Length{vg.Points(1), vg.Points(3)}
	p.Add(begins)
	legend.Add("left of it: static mappings", begins)
	writeFigure(t, filepath.Join(figures, "convergence-"+scenario), p, legend)
}

// medians are over the curves that are as long.
func medians(curves [][]float64) plotter.XYs {
	var points plotter.XYs
	longest := 0
	for _, c := range curves {
		longest = max(longest, len(c))
	}
	for i := range longest {
		var values []float64
		for _, c := range curves { // one that has ended stays where it was
			values = append(values, c[min(i, len(c)-1)])
		}
		slices.Sort(values)
		middle := (values[(len(values)-1)/2] + values[len(values)/2]) / 2
		points = append(points, plotter.XY{X: float64(i + 1), Y: middle})
	}
	return points
}

// wholeTicks are at whole numbers, at most a dozen.
func wholeTicks(low, high float64) []plot.Tick {
	step := 1.0
	for (high-low)/step > 12 {
		step++
	}
	ticks := []plot.Tick{{Value: low, Label: fmt.Sprint(low)}}
	for x := math.Ceil(low/step) * step; x <= high; x += step {
		if x > low {
			ticks = append(ticks, plot.Tick{Value: x, Label: fmt.Sprint(x)})
		}
	}
	return ticks
}

// seriesTicks are 1, 1.5, 2, 3, 4, 5 and 7 times powers of ten.
func seriesTicks(low, high float64) []plot.Tick {
	var ticks []plot.Tick
	for decade := math.Pow(10, math.Floor(math.Log10(low))); decade <= high; decade *= 10 {
		for _, digit := range []float64{1, 1.5, 2, 3, 4, 5, 7} {
			if x := digit * decade; x >= low && x <= high {
				ticks = append(ticks, plot.Tick{Value: x, Label: fmt.Sprintf("%g", x)})
			}
		}
	}
	return ticks
}

// writeFigure writes a plot with its legend beside it as SVG and as PNG.
func writeFigure(t testing.TB, path string, p *plot.Plot, legend plot.Legend) {
	t.Helper()
	const width, height, beside = 21 * vg.Centimeter, 10 * vg.Centimeter, 6.5 * vg.Centimeter
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	svg, png := vgsvg.New(width, height), vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(width, height),
		vgimg.UseDPI(120))}
	for ending, canvas := range map[string]vg.CanvasSizer{".svg": svg, ".png": png} {
		whole := draw.New(canvas)
		p.Draw(draw.Crop(whole, vg.Points(4), -beside, vg.Points(2), -vg.Points(2)))
		legend.Draw(draw.Crop(whole, width-beside+vg.Points(8), 0, 0, -vg.Points(24)))
		file, err := os.Create(path + ending)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := canvas.(io.WriterTo).WriteTo(file); err != nil {
			t.Fatal(err)
		}
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
	}
	fmt.Fprintf(os.Stderr, "written: %s.svg and .png\n", path)
}
