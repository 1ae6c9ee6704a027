package report_test

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"remap/report"
)

// places are the numbers of an attribute of elements with a class, in per cent.
func places(t *testing.T, page, element, class, attribute string) (all []float64) {
	t.Helper()
	tags := regexp.MustCompile(`<`+element+` class="`+class+`"[^>]*>`).FindAllString(page, -1)
	for _, tag := range tags {
		value := regexp.MustCompile(` ` + attribute + `="([-0-9.]+)%"`).FindStringSubmatch(tag)
		if value == nil {
			t.Fatalf("%s has no %s in per cent", tag, attribute)
		}
		x, err := strconv.ParseFloat(value[1], 64)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, x)
	}
	return all
}

// Every try is a point inside the chart, at a height that falls with its time; the line of the best
// never rises.
func TestConvergence(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		c := report.Convergence{Static: rapid.Float64Range(0, 200).Draw(r, "static"),
			Bound: rapid.Float64Range(0, 100).Draw(r, "bound")}
		for i := range rapid.IntRange(1, 40).Draw(r, "tries") {
			c.Tries = append(c.Tries, report.Try{Name: "x", Time: rapid.Float64Range(0.001, 1e6).Draw(r, "time"),
				Dropped: i > 0 && rapid.Bool().Draw(r, "dropped")})
		}
		page := written(t, &report.Page{Convergence: &c})
		x, y := places(t, page, "circle", "tried", "cx"), places(t, page, "circle", "tried", "cy")
		if len(x) != len(c.Tries) {
			r.Fatalf("%d points of %d tries", len(x), len(c.Tries))
		}
		for i := range x {
			if x[i] < 0 || x[i] > 100 || y[i] < 0 || y[i] > 100 || i > 0 && x[i] <= x[i-1] {
				r.Fatalf("point %d at %g, %g", i, x[i], y[i])
			}
			for k := range i {
				if c.Tries[i].Time < c.Tries[k].Time && y[i] < y[k] {
					r.Fatalf("the faster of %d and %d is higher", i, k)
				}
			}
		}
		path := between(t, page, `<path class="best" d="`, `"`)
		last := 0.0
		for _, v := range regexp.MustCompile(`[V ]([0-9.]+)`).FindAllStringSubmatch(path, -1) {
			height, err := strconv.ParseFloat(v[1], 64)
			if err != nil || height < last {
				r.Fatalf("the best rises in %s", path)
			}
			last = height
		}
		if n := strings.Count(page, `class="grid"`); n < 2 || n > 16 {
			r.Fatalf("%d lines of the grid", n)
		}
	})
}

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
