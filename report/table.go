package report

import (
	"fmt"
	"math"
	"strconv"
)

// Table is a table of results. The reader sorts it by any column.
type Table struct {
	Title string
	// Text explains the columns.
	Text    string
	Columns []Column
	// Rows: each has a cell for every column; the first names the row.
	Rows [][]Cell
}

// Column is a heading. Left is of columns of text; the others hold numbers.
type Column struct {
	Name string
	Left bool
}

// Cell is a text, a number, or an interval.
type Cell struct {
	Text string
	// Number is what the column is sorted by; NaN = not a number. Text cells leave Numeric false.
	Number  float64
	Numeric bool
	// Bar is drawn instead of the text.
	Bar *Bar
}

// TextCell is a cell of text. Text that is a number is sorted as one.
func TextCell(text string) Cell {
	if x, err := strconv.ParseFloat(text, 64); err == nil {
		return Cell{Text: text, Number: x, Numeric: true}
	}
	return Cell{Text: text}
}

// NumberCell is a number and how it is written.
func NumberCell(number float64, text string) Cell {
	return Cell{Text: text, Number: number, Numeric: true}
}

// Sort is the number for the page's program.
func (c Cell) Sort() string {
	number := c.Number
	if c.Bar != nil {
		number = c.Bar.value
	}
	if math.IsNaN(number) || math.IsInf(number, 0) {
		return ""
	}
	return strconv.FormatFloat(number, 'g', -1, 64)
}

// Bar is a value with its interval, on an axis from 0 that all bars of a column share.
type Bar struct {
	// Title has the numbers.
	Title           string
	value           float64
	low, high, most float64
}

// BarCells are the bars of a column: one for every value, with its interval; NaN = not known. unit is
// what the titles say behind the numbers.
func BarCells(values, low, high []float64, unit string) []Cell {
	most := 0.0
	for i := range values {
		for _, x := range []float64{values[i], high[i]} {
			if x > most { // not NaN
				most = x
			}
		}
	}
	cells := make([]Cell, len(values))
	for i, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) || most == 0 {
			cells[i] = Cell{Text: "-", Number: math.NaN(), Numeric: true}
			continue
		}
		title := fmt.Sprintf("%.4g %s", v, unit)
		l, h := v, v
		if !math.IsNaN(low[i]) && !math.IsNaN(high[i]) {
			l, h = low[i], high[i]
			title += fmt.Sprintf(", 95 %% interval %.4g to %.4g", l, h)
		}
		cells[i].Bar = &Bar{Title: title, value: v, low: l, high: h, most: most}
	}
	return cells
}

// percent is a place on the axis, which ends before the right edge.
func (b *Bar) percent(x float64) string {
	return strconv.FormatFloat(97*max(0, x)/b.most, 'f', 2, 64)
}

// At, Low and Width are places on the axis in per cent, for the template.
func (b *Bar) At() string    { return b.percent(b.value) }
func (b *Bar) Low() string   { return b.percent(b.low) }
func (b *Bar) Width() string { return b.percent(max(0, b.high-b.low)) }

// check tests that every row has a cell for every column.
func (t *Table) check() error {
	for i, row := range t.Rows {
		if len(row) != len(t.Columns) {
			return fmt.Errorf("table %q: row %d has %d cells, not %d", t.Title, i+1, len(row), len(t.Columns))
		}
	}
	return nil
}
