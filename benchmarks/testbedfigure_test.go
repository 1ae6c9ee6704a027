package benchmarks

import (
	"os"
	"path/filepath"
	"testing"

	"remap/experiment"
	"remap/picture"
)

// agreementSeries are the mappings of a case.
type agreementSeries struct {
	name string
	runs []experiment.Run
}

// drawAgreement draws measured against predicted times, a mark for each mapping, with the spread of its
// launches and the line on which both are equal.
func drawAgreement(t testing.TB, all []agreementSeries) {
	t.Helper()
	chart := picture.Chart{Title: "time of a step: predicted and measured", Logarithmic: true, Diagonal: true,
		XName: "predicted, ms (logarithmic)", YName: "measured, ms (logarithmic)",
		Caption: "A mark is a mapping, its line the spread of its launches; dashed: as predicted."}
	for _, series := range all {
		points := picture.ChartSeries{Name: series.name}
		for _, r := range series.runs {
			points.Points = append(points.Points, picture.ChartPoint{X: 1000 * r.SimulatedSeconds,
				Y: 1000 * r.MeasuredSeconds, Low: 1000 * r.Low, High: 1000 * r.High})
		}
		chart.Series = append(chart.Series, points)
	}
	scene, err := chart.Scene()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(figures, "predicted-measured")
	if err := os.MkdirAll(figures, 0o755); err != nil {
		t.Fatal(err)
	}
	for ending, write := range map[string]func(*os.File) error{
		".svg": func(f *os.File) error { return scene.WriteSVG(f) },
		".png": func(f *os.File) error { return scene.WritePNG(f, 1) },
	} {
		file, err := os.Create(path + ending)
		if err != nil {
			t.Fatal(err)
		}
		if err := write(file); err != nil {
			t.Fatal(err)
		}
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
