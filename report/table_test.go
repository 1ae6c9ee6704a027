package report_test

import (
	"math"
	"strings"
	"testing"

	"remap/report"
)

// Bars stand on one axis: places are proportional to values, and intervals end where they say.
func TestBars(t *testing.T) {
	cells := report.BarCells([]float64{50, 100, math.NaN()}, []float64{40, 90, math.NaN()},
		[]float64{60, 200, math.NaN()}, "us")
	first, second := cells[0].Bar, cells[1].Bar
	if first.At() != "24.25" || second.At() != "48.50" || second.Low() != "43.65" || second.Width() != "53.35" {
		t.Errorf("%+v %+v", first, second)
	}
	if cells[2].Bar != nil || cells[2].Sort() != "" || cells[0].Sort() != "50" {
		t.Errorf("%+v", cells[2])
	}
	if !strings.Contains(second.Title, "100 us, 95 % interval 90 to 200") {
		t.Error(second.Title)
	}
}

// Text that is a number is sorted as one, other text as text.
func TestTextCell(t *testing.T) {
	if c := report.TextCell("12.50"); !c.Numeric || c.Sort() != "12.5" {
		t.Errorf("%+v", c)
	}
	if c := report.TextCell("[1, 2]"); c.Numeric {
		t.Errorf("%+v", c)
	}
}
