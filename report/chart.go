package report

import (
	"bytes"
	"fmt"
	"html/template"
	"math"
	"strconv"
	"strings"
)

// Convergence is how a search went.
type Convergence struct {
	// Tries are the simulated mappings in their order.
	Tries []Try
	// Static is the best time without feedback, Bound a lower bound of all times, in us; 0 = not known.
	Static, Bound float64
}

// Try is a simulated mapping.
type Try struct {
	Name string
	// Round of feedback; 0 = without feedback.
	Round int
	// Time of a step in us.
	Time float64
	// Dropped: few repeats were simulated, since the mapping was behind. It does not count as best.
	Dropped bool
}

// chart is a drawing with its legend, as the template reads it.
type chart struct {
	Title, Text, Axis string
	Lines             []key
	Drawing           template.HTML
}

// key is an entry of a legend, with the class of its colour.
type key struct{ Name, Class string }

// frame is the range of values that a chart shows.
type frame struct{ low, high float64 }

// y is the height of a value, in per cent from above; what is higher than the frame is at its edge.
func (f frame) y(value float64) float64 {
	return 4 + 90*(1-(min(f.high, max(f.low, value))-f.low)/(f.high-f.low))
}

// x is the place of try i of n, in per cent.
func x(i, n int) float64 { return 9 + 89*(float64(i)+0.5)/float64(n) }

// chart draws the search: a point for every try, the best so far as a line.
func (c *Convergence) chart() *chart {
	if len(c.Tries) == 0 {
		return nil
	}
	f, hidden := c.frame()
	d := &chart{Title: "Convergence of the search", Axis: "Across: simulated mappings, in order. Up: time of " +
		"a step in us; the axis does not begin at 0."}
	d.Text = fmt.Sprintf("Every point is a mapping that the search simulated, %d in all. The line is the best "+
		"time so far. These are times of the search's own seeds. What is found last is chosen on "+
		"other seeds, so it need not be the lowest point.", len(c.Tries))
	if hidden > 0 {
		d.Axis += fmt.Sprintf(" %d slower mappings lie at the upper edge.", hidden)
	}
	d.Lines = []key{{"best so far", "best"}, {"without feedback", "tried"}}
	if c.rounds() {
		d.Lines = append(d.Lines, key{"by feedback", "round"})
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg width="100%%" height="300" role="img" aria-label="%s">`,
		template.HTMLEscapeString(c.summary()))
	for _, at := range ticks(f.low, f.high) {
		y := f.y(at)
		fmt.Fprintf(&b, `<line class="grid" x1="0" x2="100%%" y1="%.2f%%" y2="%.2f%%"/>`, y, y)
		fmt.Fprintf(&b, `<text x="0" y="%.2f%%" dy="-4">%s</text>`, y, strconv.FormatFloat(at, 'g', 6, 64))
	}
	for _, line := range []struct {
		key
		value float64
	}{{key{"best without feedback", "static"}, c.Static}, {key{"lower bound", "bound"}, c.Bound}} {
		if line.value < f.low || line.value > f.high || line.value == 0 {
			continue
		}
		d.Lines = append(d.Lines, line.key)
		y := f.y(line.value)
		fmt.Fprintf(&b, `<line class="%s" x1="9%%" x2="100%%" y1="%.2f%%" y2="%.2f%%"/>`, line.Class, y, y)
	}
	c.points(&b, f)
	b.WriteString("</svg>")
	d.Drawing = template.HTML(b.String())
	return d
}

// points draws the line of the best so far, in a frame of its own that is stretched, and the tries.
func (c *Convergence) points(b *strings.Builder, f frame) {
	var path bytes.Buffer
	best, n := math.Inf(1), len(c.Tries)
	for i, t := range c.Tries {
		if !t.Dropped {
			best = min(best, t.Time)
		}
		if math.IsInf(best, 1) {
			continue
		}
		step := "H%.2fV%.2f"
		if path.Len() == 0 {
			step = "M%.2f %.2f"
		}
		fmt.Fprintf(&path, step, x(i, n), f.y(best))
	}
	fmt.Fprintf(b, `<svg viewBox="0 0 100 100" preserveAspectRatio="none" width="100%%" height="100%%">`+
		`<path class="best" d="%sH100"/></svg>`, path.String())
	best = math.Inf(1)
	for i, t := range c.Tries {
		if !t.Dropped {
			best = min(best, t.Time)
		}
		class, after := "tried", "without feedback"
		if t.Round > 0 {
			class, after = "round", fmt.Sprintf("round %d of feedback", t.Round)
		}
		if t.Dropped {
			after += ", dropped after the first repeats"
		}
		title := fmt.Sprintf("%d of %d: %s (%s): %.5g us", i+1, n, shown(t.Name), after, t.Time)
		fmt.Fprintf(b, `<circle class="%s" cx="%.2f%%" cy="%.2f%%" r="4" data-title="%s"/>`, class, x(i, n),
			f.y(t.Time), template.HTMLEscapeString(title))
	}
}

// frame is the range that shows how the best falls: from the least time or the bound beside it to half
// again as much as the first time. hidden is how many tries lie above.
func (c *Convergence) frame() (f frame, hidden int) {
	low, high := c.Tries[0].Time, c.Tries[0].Time
	for _, t := range c.Tries {
		low, high = min(low, t.Time), max(high, t.Time)
	}
	if c.Static > 0 {
		low, high = min(low, c.Static), max(high, c.Static)
	}
	high = min(high, 1.5*max(c.Tries[0].Time, c.Static))
	if c.Bound > 0 && c.Bound > low/2 {
		low = min(low, c.Bound)
	}
	margin := max(0.08*(high-low), 0.001*high, 1e-9)
	f = frame{max(0, low-margin), high + margin}
	for _, t := range c.Tries {
		if t.Time > f.high {
			hidden++
		}
	}
	return f, hidden
}

func (c *Convergence) rounds() bool {
	for _, t := range c.Tries {
		if t.Round > 0 {
			return true
		}
	}
	return false
}

// summary is the chart in a sentence.
func (c *Convergence) summary() string {
	best, at := math.Inf(1), 0
	for i, t := range c.Tries {
		if !t.Dropped && t.Time < best {
			best, at = t.Time, i
		}
	}
	return fmt.Sprintf("%d simulated mappings: the first takes %.5g us a step, the best, number %d, %.5g us",
		len(c.Tries), c.Tries[0].Time, at+1, best)
}

// ticks are 3 to 7 round values within a range.
func ticks(low, high float64) []float64 {
	step := math.Pow(10, math.Floor(math.Log10((high-low)/3)))
	for _, times := range []float64{5, 2} {
		if (high-low)/(step*times) >= 3 {
			step *= times
			break
		}
	}
	var all []float64
	for i := math.Ceil(low / step); i*step <= high; i++ {
		all = append(all, i*step)
	}
	return all
}
