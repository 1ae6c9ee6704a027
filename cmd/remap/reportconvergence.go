package main

import (
	"fmt"
	"math"
	"slices"

	"remap/feedback"
	"remap/picture"
	htmlreport "remap/report"
)

// convergence draws the simulated mappings of a search in their order; nil where there are none.
func convergence(found *feedback.Result) (*htmlreport.Picture, error) {
	if len(found.Candidates) == 0 {
		return nil, nil
	}
	chart := convergenceChart(found)
	note := chart.addLevels(found.Bound.NS / 1000)
	scene, err := chart.Scene()
	if err != nil {
		return nil, err
	}
	scene.Title = "Convergence of the search"
	svg, err := svgOf(scene)
	return &htmlreport.Picture{Title: scene.Title, SVG: svg, Text: fmt.Sprintf("Every mark is a mapping that "+
		"the search simulated, %d in all. The line is the best time so far. The axis of times does not begin at "+
		"0.%s The search has seeds of its own for these times. The result is chosen on other seeds, so it need "+
		"not be the lowest mark.", len(found.Candidates), note)}, err
}

// searchChart is the convergence of a search with its least time, the best one without feedback and that
// of the first mapping, in us; 0 = there is none.
type searchChart struct {
	picture.Chart
	times                []float64
	first, least, static float64
}

// convergenceChart has a mark for every simulated mapping and the best so far as a line.
func convergenceChart(found *feedback.Result) *searchChart {
	c := &searchChart{Chart: picture.Chart{Width: 720, Height: 330, XName: "simulated mappings, in their order",
		YName: "time of a step, us", Series: []picture.ChartSeries{{Name: "best so far", Stairs: true},
			{Name: "without feedback"}, {Name: "by feedback"}}}}
	add := func(series, i int, us float64, title string) {
		c.Series[series].Points = append(c.Series[series].Points, picture.ChartPoint{X: float64(i + 1), Y: us,
			Title: fmt.Sprintf("%s: %.5g us", title, us)})
	}
	best, at := math.Inf(1), 0
	for i := range found.Candidates {
		of := &found.Candidates[i]
		us := float64(of.Summary.ElapsedNS) / 1000
		c.times = append(c.times, us)
		series, title := convergenceMark(of)
		add(series, i, us, fmt.Sprintf("%d of %d: %s", i+1, len(found.Candidates), title))
		if of.Dropped {
			continue
		}
		if us < best {
			best, at = us, i+1
			add(0, i, us, fmt.Sprintf("best from mapping %d on", at))
		}
		if of.Round == 0 && i > 0 && (c.static == 0 || us < c.static) {
			c.static = us
		}
	}
	if len(c.Series[2].Points) == 0 {
		c.Series = c.Series[:2]
	}
	c.first, c.least = c.times[0], slices.Min(c.times)
	c.Description = fmt.Sprintf("%s: the first takes %.5g us a step, the best, number %d, %.5g us",
		countOf(len(c.times), "simulated mapping"), c.first, at, best)
	return c
}

// addLevels draws the best time without feedback and a lower bound in us (0 = not known), and limits the
// axis so that a few slow mappings do not press the others together. It says what is not in the chart.
func (c *searchChart) addLevels(bound float64) (note string) {
	c.YLimit = 1.5 * max(c.first, c.static)
	slower := 0
	for _, us := range c.times {
		if c.YLimit > 0 && us > c.YLimit {
			slower++
		}
	}
	if slower > 0 {
		note = fmt.Sprintf(" At the upper edge: %s.", countOf(slower, "slower mapping"))
	}
	if c.static > 0 {
		c.Levels = append(c.Levels, picture.ChartLevel{Name: "best without feedback", Y: c.static})
	}
	switch {
	case bound <= 0:
	case bound > c.least/2:
		c.Levels = append(c.Levels, picture.ChartLevel{Name: "lower bound", Y: bound})
	default:
		note += fmt.Sprintf(" The lower bound, %.5g us, lies far below.", bound)
	}
	return note
}

// convergenceMark is the series of a simulated mapping, and what it is.
func convergenceMark(of *feedback.Candidate) (series int, title string) {
	series, after := 1, "without feedback"
	if of.Round > 0 {
		series, after = 2, fmt.Sprintf("round %d of feedback", of.Round)
	}
	if of.Dropped {
		after += ", dropped after the first repeats"
	}
	return series, fmt.Sprintf("%s (%s)", of.Strategy, after)
}
