package main

import (
	"strings"
	"testing"

	"remap/feedback"
	"remap/mapping"
)

// The page says a gain, a loss and what may be chance in plain sentences, and of restarts what they add.
func TestPageGain(t *testing.T) {
	moved, still := mapping.Mapping{1, 0}, mapping.Mapping{0, 1}
	for _, c := range []struct {
		found feedback.Result
		want  string
	}{
		{feedback.Result{Best: feedback.Candidate{Mapping: still}, Static: feedback.Candidate{Mapping: still}},
			"the result is the best static mapping: no round of feedback was run"},
		{feedback.Result{Best: feedback.Candidate{Mapping: still}, Static: feedback.Candidate{Mapping: still},
			Candidates: []feedback.Candidate{{Round: 1}}, Restarts: &feedback.Candidate{}, RestartSimulations: 7,
			OverRestarts: feedback.Gain{Percent: -3, Low: -4, High: -1, Known: true}},
			"the result is the best static mapping: of no other one it is proven that it is faster|for comparison: " +
				"with 7 random restarts and without feedback, the best mapping takes as much time as the best static " +
				"mapping|the best mapping of the search with feedback takes 3.0 % more time than the best of the " +
				"random restarts (95 % interval: 1.0 to 4.0 % more)"},
		{feedback.Result{Best: feedback.Candidate{Mapping: moved}, Static: feedback.Candidate{Mapping: still},
			Gain: feedback.Gain{Percent: 12.34, Low: 10, High: 16.06, Known: true}, Restarts: &feedback.Candidate{
				Mapping: moved}},
			"the result is that of a random restart; it takes 12.3 % less time than the best static mapping (95 % " +
				"interval: 10.0 to 16.1 % less)|random restarts found no other mapping to try"},
		{feedback.Result{Best: feedback.Candidate{Mapping: moved}, Static: feedback.Candidate{Mapping: still},
			Gain: feedback.Gain{Percent: 1, Low: -0.5, High: 2, Known: true}},
			"the result takes 1.0 % less time than the best static mapping (95 % interval: from 0.5 % more to 2.0 " +
				"% less, so this may be chance). It is proven to be faster than the mapping before; of the best " +
				"static mapping that is not proven"},
		{feedback.Result{Best: feedback.Candidate{Mapping: moved}, Static: feedback.Candidate{Mapping: still},
			Gain: feedback.Gain{Percent: 5}},
			"the result takes 5.0 % less time than the best static mapping (below 6 repeats there is no interval, " +
				"so this may be chance)"},
	} {
		if got := strings.Join(pageGain(&c.found), "|"); got != c.want {
			t.Errorf("%q\nwant %q", got, c.want)
		}
	}
}
