package main

import (
	"strings"
	"testing"

	"remap/feedback"
	"remap/mapping"
)

// What people read of a result: a gain with its interval, none where none is proven,
// and a loss against random restarts as such.
func TestGainSentence(t *testing.T) {
	moved, still := mapping.Mapping{1, 0}, mapping.Mapping{0, 1}
	for _, c := range []struct {
		found feedback.Result
		want  string
	}{
		{feedback.Result{Fresh: true, Best: feedback.Candidate{Mapping: still},
			Static: feedback.Candidate{Mapping: still}},
			"the best static mapping is the result: no round of feedback was run"},
		{feedback.Result{Fresh: true, Best: feedback.Candidate{Mapping: still},
			Static:     feedback.Candidate{Mapping: still},
			Candidates: []feedback.Candidate{{Round: 1}}, Restarts: &feedback.Candidate{}, RestartSimulations: 7,
			ByRestarts:   feedback.Gain{Percent: 2},
			OverRestarts: feedback.Gain{Percent: -3, Low: -4, High: -1, Known: true}},
			"nothing is proven faster than the best static mapping; 7 random restarts alone gain 2.0 % (no " +
				"interval below 6 repeats); feedback beyond that: -3.0 % [-4.0, -1.0], a loss"},
		{feedback.Result{Fresh: true, Best: feedback.Candidate{Mapping: moved},
			Static:   feedback.Candidate{Mapping: still},
			Gain:     feedback.Gain{Percent: 12.34, Low: 10, High: 16.06, Known: true},
			Restarts: &feedback.Candidate{Mapping: moved}, RestartSimulations: 1,
			ByRestarts:   feedback.Gain{Percent: 11, Low: 9, High: 12, Known: true},
			OverRestarts: feedback.Gain{Percent: 1, Low: -0.5, High: 2, Known: true}},
			"gain over the best static mapping on 0 fresh seeds: 12.3 % [10.0, 16.1], by a random restart; 1 " +
				"random restart alone gain 11.0 % [9.0, 12.0]; feedback beyond that: 1.0 % [-0.5, 2.0], which proves " +
				"none"},
		{feedback.Result{Fresh: true, Best: feedback.Candidate{Mapping: still},
			Static: feedback.Candidate{Mapping: still}, Restarts: &feedback.Candidate{}},
			"the best static mapping is the result: no round of feedback was run; random restarts tried no other " +
				"mapping"},
		{feedback.Result{Fresh: true, Best: feedback.Candidate{Mapping: moved},
			Static: feedback.Candidate{Mapping: still}, Gain: feedback.Gain{Percent: 5}},
			"gain over the best static mapping on 0 fresh seeds: 5.0 % (no interval below 6 repeats)"},
	} {
		g := gainOf(&c.found)
		if got := g.sentence(&c.found); got != c.want {
			t.Errorf("%q\nwant %q", got, c.want)
		}
		if g.GainPercent == nil || (g.GainLow != nil) != c.found.Gain.Known {
			t.Errorf("%s: JSON %+v", c.want, g)
		}
	}
}

// Before the final validation there are no numbers of a gain.
func TestNoGainUnlessFresh(t *testing.T) {
	if g := gainOf(&feedback.Result{Gain: feedback.Gain{Percent: 5, Low: 4, High: 6,
		Known: true}}); g != (gain{}) {
		t.Errorf("%+v", g)
	}
}

// Every bound has its words, and where the best stands is a share or, far off, a multiple.
func TestBoundSentence(t *testing.T) {
	for _, name := range []string{"injection", "ejection", "heavy rank", "taper", "network", "minimal " +
		"paths", "static routes", "memory", "foreign load"} {
		for best, end := range map[int64]string{900: "0.0 % above " +
			"that", 1000: "0.0 % above that", 1066: "6.6 % above that", 4400: "4.4 times that"} {
			for _, any := range []bool{false, true} {
				text := boundSentence(feedback.Bound{Name: name, NS: 1000, Any: any}, best)
				if !strings.HasSuffix(text, "the best is "+end) ||
					!strings.Contains(text, " 1.000 us ("+name+": ") ||
					strings.Contains(text, ": )") {
					t.Errorf("%s", text)
				}
				if name != "foreign load" && strings.HasPrefix(text, "no mapping ") != any {
					t.Errorf("%s", text)
				}
			}
		}
	}
	if text := boundSentence(feedback.Bound{}, 1000); text != "" {
		t.Errorf("%s", text)
	}
}
