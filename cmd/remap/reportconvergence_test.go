package main

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"remap/evalsim"
	"remap/feedback"
)

// searched is a search with these candidates.
func searched(bound float64, candidates ...feedback.Candidate) *feedback.Result {
	return &feedback.Result{Candidates: candidates, Bound: feedback.Bound{NS: bound}}
}

// tried is a simulated mapping.
func tried(name string, round int, ns int64, dropped bool) feedback.Candidate {
	return feedback.Candidate{Strategy: name, Round: round, Dropped: dropped,
		Summary: evalsim.Summary{ElapsedNS: ns}}
}

// The chart has every mapping with and without feedback, the best so far, the best one without feedback,
// and a bound that is near; what is not in it is said.
func TestConvergence(t *testing.T) {
	found := searched(80_000, tried("before", 0, 120_000, false), tried("kl", 0, 100_000, false),
		tried("prices", 1, 300_000, true), tried("<b>", 2, 90_000, false))
	picture, err := convergence(found)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"<title>Convergence of the search</title>",
		"1 of 4: before (without feedback): 120 us",
		"3 of 4: prices (round 1 of feedback, dropped after the first repeats): 300 us",
		"4 of 4: &lt;b&gt; (round 2 of feedback): 90 us", "best without feedback: 100<", "lower bound: 80<",
		"<desc>4 simulated mappings: the first takes 120 us a step, the best, number 4, 90 us</desc>"} {
		if !strings.Contains(string(picture.SVG), want) {
			t.Errorf("no %q in the chart", want)
		}
	}
	if !strings.Contains(picture.Text, "4 in all") ||
		!strings.Contains(picture.Text, "edge: 1 slower mapping.") || strings.Contains(picture.Text, "far below") {
		t.Error(picture.Text)
	}
	found.Bound.NS = 30_000
	if picture, err = convergence(found); err != nil || strings.Contains(string(picture.SVG), "lower bound") ||
		!strings.Contains(picture.Text, "The lower bound, 30 us, lies far below.") {
		t.Errorf("%v, %v", picture, err)
	}
	if picture, err = convergence(searched(1)); err != nil || picture != nil {
		t.Errorf("a search without simulations has a chart, or the error %v", err)
	}
}

// Of any search there is a chart: every mapping is a mark of its series, the best falls from the first
// mapping that was not dropped to the best one.
func TestConvergenceOfAnySearch(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		found := searched(float64(rapid.Int64Range(0, 1e6).Draw(r, "bound")))
		best := int64(math.MaxInt64)
		for i := range rapid.IntRange(1, 40).Draw(r, "mappings") {
			c := tried("x", rapid.IntRange(0, 2).Draw(r, "round"), rapid.Int64Range(0, 1e9).Draw(r, "ns"),
				i > 0 && rapid.Bool().Draw(r, "dropped"))
			if found.Candidates = append(found.Candidates, c); !c.Dropped {
				best = min(best, c.Summary.ElapsedNS)
			}
		}
		c := convergenceChart(found)
		marks := 0
		for _, s := range c.Series[1:] {
			marks += len(s.Points)
		}
		stairs := c.Series[0].Points
		if marks != len(found.Candidates) || stairs[len(stairs)-1].Y != float64(best)/1000 {
			r.Fatalf("%d marks of %d mappings, the best is %v of %d ns", marks, len(found.Candidates), stairs, best)
		}
		for i := 1; i < len(stairs); i++ {
			if stairs[i].Y >= stairs[i-1].Y || stairs[i].X <= stairs[i-1].X {
				r.Fatalf("the best does not fall: %v", stairs)
			}
		}
		if _, err := convergence(found); err != nil {
			r.Fatal(err)
		}
	})
}
